//! One question to a form.

use crate::submission::FilledForm;
use serde::{Deserialize, Serialize};
use url::Url;

/// What is asked: words for the box of the form, choices for its other controls, or a link that asks for us.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Query {
    /// What is typed into the box; empty when nothing is.
    pub words: String,
    /// Positions of other fields, and what is given for each, in the order of the form.
    pub choices: Vec<(usize, String)>,
    /// A link that is followed in place of the form. Words and choices are then those it narrows.
    #[serde(default)]
    pub link: Option<BrowseLink>,
    /// Records of its answer that were read before: it goes on behind them.
    #[serde(default)]
    pub after: u32,
}

/// A link to some of the records: a letter of a list to browse, a facet of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BrowseLink {
    /// What it says.
    pub label: String,
    /// Where it leads.
    pub url: Url,
}

impl Query {
    /// Words alone, everything else as the page has it.
    pub fn words(words: &str) -> Query {
        Query { words: words.to_string(), ..Query::default() }
    }

    /// Controls alone.
    pub fn choices(choices: Vec<(usize, String)>) -> Query {
        Query { choices, ..Query::default() }
    }

    /// The same, narrowed by a link that its answer shows.
    pub fn narrowed(&self, link: BrowseLink) -> Query {
        Query { link: Some(link), ..self.clone() }
    }

    /// The rest of it, behind so many records.
    pub fn after(&self, records: u32) -> Query {
        Query { after: records, ..self.clone() }
    }

    /// The form as filled, its box being at a position among its fields.
    pub fn form_input(&self, text_box: Option<usize>) -> FilledForm {
        let typed = text_box.filter(|_| !self.words.is_empty()).map(|at| (at, self.words.clone()));
        FilledForm { values: typed.into_iter().chain(self.choices.iter().cloned()).collect(), button: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_into_the_box_and_choices_beside_it() {
        let query = Query { words: "sea".into(), ..Query::choices(vec![(2, "red".into())]) };
        assert_eq!(query.filled_form(Some(0)).values, [(0, "sea".to_string()), (2, "red".to_string())]);
        assert_eq!(query.filled_form(None).values, [(2, "red".to_string())]);
    }
}
