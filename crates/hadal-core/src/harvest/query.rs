//! Queries of a harvest.

use crate::submission::FilledForm;
use serde::{Deserialize, Serialize};
use url::Url;

/// Words and field values sent with a form, or a browse link followed instead.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Query {
    /// Words for the text box; may be empty.
    pub words: String,
    /// Values of other fields with their position in the form, in field order.
    pub choices: Vec<(usize, String)>,
    /// Link that is followed instead of submitting the form. Words and choices are then those of the answer that the
    /// link narrows.
    #[serde(default)]
    pub link: Option<BrowseLink>,
    /// Number of records of the answer that were read before. The query continues the answer after them.
    #[serde(default)]
    pub after: u32,
}

/// A link to part of the records: an entry of a browse list, or a facet.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BrowseLink {
    /// Anchor text, without the count of a facet.
    pub label: String,
    /// Target of the link.
    pub url: Url,
}

impl Query {
    /// Query with words only; other fields keep their defaults.
    pub fn words(words: &str) -> Query {
        Query { words: words.to_string(), ..Query::default() }
    }

    /// Query with field values only.
    pub fn choices(choices: Vec<(usize, String)>) -> Query {
        Query { choices, ..Query::default() }
    }

    /// The same query, narrowed by a link on its answer.
    pub fn narrowed(&self, link: BrowseLink) -> Query {
        Query { link: Some(link), ..self.clone() }
    }

    /// Continuation of this query's answer after the given number of records.
    pub fn after(&self, records: u32) -> Query {
        Query { after: records, ..self.clone() }
    }

    /// Input for the form. `text_box` is the position of the field for the words. A query without words
    /// clears it, because it may show a hint or an earlier query.
    pub fn filled_form(&self, text_box: Option<usize>) -> FilledForm {
        let typed = text_box.map(|at| (at, self.words.clone()));
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
        assert_eq!(Query::default().filled_form(Some(0)).values, [(0, String::new())]);
    }
}
