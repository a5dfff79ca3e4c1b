//! A question to a database and its answer, without any page around them.

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchQuery {
    /// What is typed into the box.
    pub words: String,
    /// What is chosen beside it.
    pub filters: Vec<Filter>,
    /// Which page of the answer, from 0.
    pub page: u32,
}

impl SearchQuery {
    /// Words alone, the first page.
    pub fn words(words: &str) -> SearchQuery {
        SearchQuery { words: words.to_string(), ..SearchQuery::default() }
    }

    /// Another page of the same answer.
    pub fn with_page(self, page: u32) -> SearchQuery {
        SearchQuery { page, ..self }
    }

    /// One more choice.
    pub fn with_filter(mut self, choice: Filter) -> SearchQuery {
        self.filters.push(choice);
        self
    }
}

/// A condition on an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
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

impl Filter {
    /// Just this value.
    pub fn is(column: &str, value: &str) -> Filter {
        Filter::Is { column: column.to_string(), value: value.to_string() }
    }

    /// Between two numbers, both included.
    pub fn between(column: &str, low: Option<f64>, high: Option<f64>) -> Filter {
        Filter::Between { column: column.to_string(), low, high }
    }
}

/// What is found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchResult {
    /// Numbers of the records on the page asked for, best first.
    pub hits: Vec<u32>,
    /// How many fit, shown or not.
    pub total: u32,
    /// Whether some that fit are on no page.
    pub is_capped: bool,
}
