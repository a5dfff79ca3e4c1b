//! One question to a form.

use crate::submission::Filling;
use serde::{Deserialize, Serialize};

/// What is asked: words for the box of the form, choices for its other controls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Query {
    /// What is typed into the box; empty when nothing is.
    pub words: String,
    /// Positions of other fields, and what is given for each, in the order of the form.
    pub choices: Vec<(usize, String)>,
}

impl Query {
    /// Words alone, everything else as the page has it.
    pub fn words(words: &str) -> Query {
        Query { words: words.to_string(), choices: Vec::new() }
    }

    /// The form as filled, its box being at a position among its fields.
    pub fn filling(&self, text_box: Option<usize>) -> Filling {
        let typed = text_box.filter(|_| !self.words.is_empty()).map(|at| (at, self.words.clone()));
        Filling { values: typed.into_iter().chain(self.choices.iter().cloned()).collect(), button: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_into_the_box_and_choices_beside_it() {
        let query = Query { words: "sea".into(), choices: vec![(2, "red".into())] };
        assert_eq!(query.filling(Some(0)).values, [(0, "sea".to_string()), (2, "red".to_string())]);
        assert_eq!(query.filling(None).values, [(2, "red".to_string())]);
    }
}
