//! Configuration of a database: search semantics, limits, page layout and faults.
//!
//! [`DatabaseConfig::default`] is a search box that matches whole words and shows ten results per page. `presets` has
//! named and random configurations. All types can be read from a file; the names used there are in `serde` attributes
//! where they differ.

use super::layout::Layout;
use hadal_core::http::Method;
use serde::{Deserialize, Serialize};

/// Configuration of a database.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DatabaseConfig {
    /// Seed of the static order, tokens and failures.
    pub seed: u64,
    /// Combination of several query words.
    #[serde(rename = "matching")]
    pub operator: QueryOperator,
    /// Terms that a single query word matches.
    #[serde(rename = "words")]
    pub word_match: WordMatch,
    /// Parts of a record that are indexed.
    pub indexed: IndexedText,
    /// Terms of scripts without spaces, such as Chinese.
    pub unspaced: UnspacedTerms,
    /// Treatment of stop words.
    pub stop_words: StopWords,
    /// Length of the shortest indexed word, in characters. Shorter query words are ignored.
    pub shortest_word: u32,
    /// Order of the results.
    #[serde(rename = "rank")]
    pub ranking: Ranking,
    /// Maximum number of records shown for one query.
    #[serde(rename = "cap")]
    pub result_cap: Option<u32>,
    /// Records per result page, from 1 to 10,000.
    pub page_size: u32,
    /// Display of the number of matches.
    #[serde(rename = "total")]
    pub total_shown: TotalShown,
    /// Share of requests that fail with status 500.
    #[serde(rename = "failures")]
    pub failure_rate: f64,
    /// Requests per minute after which further requests get status 429.
    pub rate_limit: Option<u32>,
    /// HTTP method of the form.
    pub method: Method,
    /// Seconds after which the form's hidden token expires; `None` if the form has no token.
    pub token_lifetime: Option<u32>,
    /// Response if exactly one record matches.
    pub single_hit: SingleHit,
    /// Response to a query without words and filters.
    pub empty_query: EmptyQuery,
    /// True if the form has a text box for words.
    pub has_box: bool,
    /// Controls of the form for filters on columns.
    pub controls: Vec<FilterControl>,
    /// Columns with facet links beside the results.
    pub facets: Vec<String>,
    /// True if the home page has an A-Z index of titles.
    #[serde(rename = "letters")]
    pub has_letter_index: bool,
    /// Amount of text per record on result pages.
    pub excerpt: Excerpt,
    /// Appearance of the pages.
    pub layout: Layout,
    /// Deliberate misbehaviour, for tests.
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
            unspaced: UnspacedTerms::AdjacentCharacters,
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

/// Largest accepted page size. Guess.
const MAX_PAGE_SIZE: u32 = 10_000;

impl DatabaseConfig {
    /// Clamps the page size to its range.
    pub(super) fn clamped(self) -> DatabaseConfig {
        DatabaseConfig { page_size: self.page_size.clamp(1, MAX_PAGE_SIZE), ..self }
    }
}

/// Combination of several query words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueryOperator {
    /// A record must contain all words.
    And,
    /// A record must contain at least one word.
    Or,
    /// A record must contain the words side by side, in order.
    Phrase,
}

/// Terms that a query word matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WordMatch {
    /// The same word.
    Whole,
    /// Words with the same stem.
    Stemmed,
    /// Words that begin with the query word.
    Prefix,
    /// Words that contain the query word.
    Substring,
}

/// Parts of a record that are indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IndexedText {
    /// Title and text.
    Full,
    /// The title without any text.
    Title,
}

/// Terms of scripts without spaces, such as Chinese.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnspacedTerms {
    /// Characters. Those that are adjacent in a query must be adjacent in a record, as with pairs of characters.
    AdjacentCharacters,
    /// Characters. A record must contain those of a query in any order.
    Characters,
    /// Words. Characters within a word are not found.
    Words,
}

/// Treatment of stop words such as "the".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopWords {
    /// Stop words are indexed as other words are.
    Indexed,
    /// Stop words are removed from records and queries.
    Ignored,
}

/// Order of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ranking {
    /// One fixed random order for all queries.
    Static,
    /// By BM25 score, highest first.
    Frequency,
    /// By date, newest first.
    Recency,
}

/// Display of the number of matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TotalShown {
    /// The exact number.
    #[serde(rename = "shown")]
    Exact,
    /// Rounded down to two digits from 50 matches on.
    Rounded,
    /// The number of records up to this page, and one more if further pages follow.
    Bound,
    /// The number is not shown.
    Hidden,
}

/// Response if exactly one record matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SingleHit {
    /// A result page with one record.
    Listed,
    /// A redirect to the detail page.
    Redirected,
}

/// Response to a query without words and filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EmptyQuery {
    /// Results with all records.
    Everything,
    /// A page without results.
    Nothing,
    /// An error message.
    Error,
}

/// Amount of text per record on result pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Excerpt {
    /// The whole text.
    Full,
    /// The first words, at most this many.
    Words(u32),
    /// This many words around the first query word; the first words if the text does not contain one.
    Around(u32),
    /// No text, only the title.
    Title,
}

/// Control of the form that filters by a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilterControl {
    /// Name of the column.
    pub column: String,
    /// Kind of control.
    pub kind: ControlKind,
}

impl FilterControl {
    /// Control of a kind for a column.
    pub fn new(column: &str, kind: ControlKind) -> FilterControl {
        FilterControl { column: column.to_string(), kind }
    }
}

/// Kind of a [`FilterControl`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ControlKind {
    /// Select with the values of the column.
    Select,
    /// Radio buttons with the first values of the column.
    Radio,
    /// Text boxes for minimum and maximum.
    Between,
    /// Selects for minimum and maximum, with these numbers.
    Steps(Vec<i64>),
    /// Select of the ranges between consecutive numbers.
    Bands(Vec<i64>),
    /// Date boxes for first and last day.
    Dates,
}

/// Deliberate misbehaviour of a database, to test that harvests end well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The server behaves correctly.
    #[default]
    None,
    /// Every query returns the same records.
    SameAnswer,
    /// Every query returns other random records each time.
    RandomAnswer,
    /// The last result page links to a further one.
    Endless,
    /// The order of the results changes with every request.
    Shuffled,
    /// All requests get status 404 after this many requests.
    Vanishes(u32),
    /// Titles contain markup, control characters and very long text.
    HostileTitles,
    /// Queries get a login page after this many queries.
    LoginWall(u32),
    /// Queries get a captcha page after this many queries.
    Captcha(u32),
}
