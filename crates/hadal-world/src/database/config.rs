//! How a database searches and answers: everything about it that is not its records.
//!
//! [`DatabaseConfig::default`] is a plain, well-behaved search box; the other files make variations:
//! `varied` draws them, `presets` names them.

use super::layout::Layout;
use super::misconduct::Fault;
use hadal_core::http::Method;
use serde::{Deserialize, Serialize};

/// The config of a database.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DatabaseConfig {
    /// What its own choices come from: the fixed order, tokens, which answers fail.
    pub seed: u64,
    /// What several words mean.
    #[serde(rename = "matching")]
    pub operator: QueryOperator,
    /// What a single word finds.
    #[serde(rename = "words")]
    pub word_match: WordMatch,
    /// What is searched.
    pub indexed: IndexedText,
    /// What becomes of words like "the".
    pub stop_words: StopWords,
    /// Letters of the shortest word that is searched.
    pub shortest_word: u32,
    /// Who comes first.
    #[serde(rename = "rank")]
    pub ranking: Ranking,
    /// The most records that one question brings up.
    #[serde(rename = "cap")]
    pub result_cap: Option<u32>,
    /// Records on a page.
    pub page_size: u32,
    /// How the number of results is told.
    #[serde(rename = "total")]
    pub total_shown: TotalShown,
    /// Share of answers that are a status 500.
    #[serde(rename = "failures")]
    pub failure_rate: f64,
    /// Requests a minute beyond which answers are a status 429.
    pub rate_limit: Option<u32>,
    /// How the form is sent.
    pub method: Method,
    /// Seconds after which the form's hidden token is stale, where it has one.
    pub token_lifetime: Option<u32>,
    /// What happens when just one record fits.
    pub single_hit: SingleHit,
    /// What an empty question gets.
    pub empty_query: EmptyQuery,
    /// Whether there is a box for words.
    pub has_box: bool,
    /// What can be chosen beside the box.
    pub controls: Vec<FilterControl>,
    /// Attributes by which results are narrowed with links.
    pub facets: Vec<String>,
    /// Whether titles can be browsed by their first letter.
    #[serde(rename = "letters")]
    pub has_letter_index: bool,
    /// How much of a record a list of results shows.
    pub excerpt: Excerpt,
    /// What its pages look like.
    pub layout: Layout,
    /// What it does wrong.
    #[serde(rename = "misconduct")]
    pub fault: Fault,
}

impl Default for DatabaseConfig {
    fn default() -> DatabaseConfig {
        DatabaseConfig {
            seed: 0,
            operator: QueryOperator::And,
            word_match: WordMatch::Whole,
            indexed: IndexedText::Full,
            stop_words: StopWords::Indexed,
            shortest_word: 1,
            ranking: Ranking::Static,
            result_cap: None,
            page_size: 10,
            total_shown: TotalShown::Exact,
            failure_rate: 0.0,
            rate_limit: None,
            method: Method::Get,
            token_lifetime: None,
            single_hit: SingleHit::Listed,
            empty_query: EmptyQuery::Nothing,
            has_box: true,
            controls: Vec::new(),
            facets: Vec::new(),
            has_letter_index: false,
            excerpt: Excerpt::Full,
            layout: Layout::default(),
            fault: Fault::None,
        }
    }
}

/// Records on the largest page.
const LARGEST_PAGE: u32 = 10_000;

impl DatabaseConfig {
    /// The same with a page size that makes sense.
    pub(super) fn settled(self) -> DatabaseConfig {
        DatabaseConfig { page_size: self.page_size.clamp(1, LARGEST_PAGE), ..self }
    }
}

/// What several words mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueryOperator {
    /// All of them.
    And,
    /// At least one.
    Or,
    /// All, side by side and in order.
    Phrase,
}

/// What a single word finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WordMatch {
    /// Itself.
    Whole,
    /// Words of the same stem.
    Stemmed,
    /// Words that begin with it.
    Prefix,
    /// Words that contain it.
    Substring,
}

/// What is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IndexedText {
    /// Title and text.
    Full,
    /// Titles only.
    Title,
}

/// What becomes of words like "the".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopWords {
    /// They are words like any other.
    Indexed,
    /// They are passed over in records and questions.
    Ignored,
}

/// Who comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ranking {
    /// The same order for every question.
    Static,
    /// Those that have the words most often, by BM25.
    Frequency,
    /// The newest.
    Recency,
}

/// How the number of results is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TotalShown {
    /// Exactly.
    #[serde(rename = "shown")]
    Exact,
    /// In round figures.
    Rounded,
    /// Not at all.
    Hidden,
}

/// What happens when just one record fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SingleHit {
    /// It is a list of one.
    Listed,
    /// A redirect leads to its page.
    Redirected,
}

/// What an empty question gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EmptyQuery {
    /// All records.
    Everything,
    /// No record.
    Nothing,
    /// A complaint.
    Error,
}

/// How much of a record a list of results shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Excerpt {
    /// All of its text.
    Full,
    /// So many words.
    Words(u32),
    /// The title alone.
    Title,
}

/// A control for an attribute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilterControl {
    /// The attribute.
    pub column: String,
    /// What it looks like.
    pub kind: ControlKind,
}

impl FilterControl {
    /// A control for an attribute.
    pub fn new(column: &str, kind: ControlKind) -> FilterControl {
        FilterControl { column: column.to_string(), kind }
    }
}

/// What a control looks like.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ControlKind {
    /// One of the values that records have, from a list.
    Select,
    /// One of a few values, as buttons.
    Radio,
    /// Two boxes for the smallest and the largest number.
    Between,
    /// Two lists for the smallest and the largest number, with these steps.
    Steps(Vec<i64>),
    /// One list of ranges that meet at these numbers.
    Bands(Vec<i64>),
    /// Two boxes for the first and the last day.
    Dates,
}
