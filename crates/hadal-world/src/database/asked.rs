//! A question to a database and its answer, without any page around them.

use serde::{Deserialize, Serialize};

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// What is typed into the box.
    pub words: String,
    /// What is chosen beside it.
    pub choices: Vec<Choice>,
    /// Which page of the answer, from 0.
    pub page: u32,
}

impl Asked {
    /// Words alone, the first page.
    pub fn words(words: &str) -> Asked {
        Asked { words: words.to_string(), ..Asked::default() }
    }

    /// Another page of the same answer.
    pub fn page(self, page: u32) -> Asked {
        Asked { page, ..self }
    }

    /// One more choice.
    pub fn choose(mut self, choice: Choice) -> Asked {
        self.choices.push(choice);
        self
    }
}

/// A condition on an attribute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Choice {
    /// Just this value.
    Is {
        /// The attribute.
        column: String,
        /// As the records have it.
        value: String,
    },
    /// A number or date between two, both included.
    Between {
        /// The attribute.
        column: String,
        /// The smallest.
        low: Option<f64>,
        /// The largest.
        high: Option<f64>,
    },
    /// A title that begins with this letter, whatever its case.
    Begins(char),
}

impl Choice {
    /// Just this value.
    pub fn is(column: &str, value: &str) -> Choice {
        Choice::Is { column: column.to_string(), value: value.to_string() }
    }

    /// Between two numbers, both included.
    pub fn between(column: &str, low: Option<f64>, high: Option<f64>) -> Choice {
        Choice::Between { column: column.to_string(), low, high }
    }
}

/// What is found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Numbers of the records on the page asked for, best first.
    pub hits: Vec<u32>,
    /// How many fit, shown or not.
    pub total: u32,
    /// Whether some that fit are on no page.
    pub is_capped: bool,
}
