//! Appearance of a database's pages: arrangement of records, pager, language and record URLs.

use crate::random::SeededRng;
use serde::{Deserialize, Serialize};

/// Appearance of a database's pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Layout {
    /// Seed of class names, parameter names, paths and wording.
    pub seed: u64,
    /// Markup of the records on result pages.
    pub arrangement: Arrangement,
    /// Links or buttons to further result pages.
    pub pager: Pager,
    /// Language of its texts.
    pub language: SiteLanguage,
    /// Form of the URLs of detail pages.
    pub address: RecordAddress,
    /// Parameters in detail URLs that do not identify the record.
    #[serde(rename = "clutter")]
    pub extra_parameters: ExtraParameters,
    /// True if query words are highlighted in results.
    pub marks_words: bool,
    /// Content of the home page beside the form.
    pub home: HomeContent,
    /// Further elements of result pages.
    pub habits: PageHabits,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout {
            seed: 0,
            arrangement: Arrangement::List,
            pager: Pager::Next,
            language: SiteLanguage::English,
            address: RecordAddress::Path,
            extra_parameters: ExtraParameters::default(),
            marks_words: false,
            home: HomeContent::Bare,
            habits: PageHabits::default(),
        }
    }
}

impl Layout {
    /// Random layout. The weights are guesses.
    pub fn varied(seed: u64) -> Layout {
        let mut rng = SeededRng::new(seed, 0x1a70);
        let language = if rng.chance(0.5) { SiteLanguage::English } else { rng.pick(&SiteLanguage::ALL) };
        Layout {
            seed: rng.bits() >> 1,
            arrangement: rng.pick(&Arrangement::ALL),
            pager: rng.pick(&Pager::ALL),
            language,
            address: [
                RecordAddress::Path,
                RecordAddress::Parameter,
                RecordAddress::Slug,
                RecordAddress::None,
            ][rng.weighted(&[3.0, 3.0, 2.0, 1.0])],
            extra_parameters: ExtraParameters {
                session: rng.chance(0.2),
                position: rng.chance(0.2),
                highlight: rng.chance(0.2),
                counter: rng.chance(0.1),
            },
            marks_words: rng.chance(0.3),
            home: rng.pick(&HomeContent::ALL),
            habits: PageHabits::varied(&mut rng),
        }
    }
}

/// Markup of the records on result pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arrangement {
    /// List with one item per record.
    List,
    /// Nested blocks; picture and title both link to the record.
    Cards,
    /// Table with one row per record.
    Rows,
    /// Table with two rows per record.
    RowPairs,
    /// Definition list: title as term, text as definition.
    Definitions,
    /// Headings and paragraphs without a common element per record.
    Flat,
    /// Table with several records per row.
    Grid,
    /// Records separated by line breaks and rules only.
    Separated,
    /// Blocks with advertisements of the same markup between them, and a list of popular records.
    Advertised,
    /// List with checkboxes inside a form.
    Checkboxes,
    /// Each record is a numbered paragraph.
    Paragraphs,
    /// One table of names and values per record.
    Sheets,
    /// Lists grouped by first letter, with headings.
    Groups,
}

impl Arrangement {
    /// Every arrangement, for tests and evaluation.
    pub const ALL: [Arrangement; 13] = [
        Arrangement::List,
        Arrangement::Cards,
        Arrangement::Rows,
        Arrangement::RowPairs,
        Arrangement::Definitions,
        Arrangement::Flat,
        Arrangement::Grid,
        Arrangement::Separated,
        Arrangement::Advertised,
        Arrangement::Checkboxes,
        Arrangement::Paragraphs,
        Arrangement::Sheets,
        Arrangement::Groups,
    ];

    /// Name in configuration files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Arrangement::List => "list",
            Arrangement::Cards => "cards",
            Arrangement::Rows => "rows",
            Arrangement::RowPairs => "row-pairs",
            Arrangement::Definitions => "definitions",
            Arrangement::Flat => "flat",
            Arrangement::Grid => "grid",
            Arrangement::Separated => "separated",
            Arrangement::Advertised => "advertised",
            Arrangement::Checkboxes => "checkboxes",
            Arrangement::Paragraphs => "paragraphs",
            Arrangement::Sheets => "sheets",
            Arrangement::Groups => "groups",
        }
    }
}

/// Links or buttons to further result pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pager {
    /// Links with `rel="next"` and `rel="prev"`.
    Next,
    /// Numbered links with the page number as parameter.
    Numbered,
    /// Numbered links with the offset of the first record as parameter.
    Offset,
    /// Numbered links with the page number in the path.
    Path,
    /// Submit buttons with page numbers.
    Buttons,
    /// One POST form each for the previous and the next page.
    Post,
    /// Link with a single parameter that encodes query and offset.
    Cursor,
    /// Link labelled "more".
    More,
    /// Links without text, with an icon drawn by the style sheet.
    Icons,
}

impl Pager {
    /// Every pager, for tests and evaluation.
    pub const ALL: [Pager; 9] = [
        Pager::Next,
        Pager::Numbered,
        Pager::Offset,
        Pager::Path,
        Pager::Buttons,
        Pager::Post,
        Pager::Cursor,
        Pager::More,
        Pager::Icons,
    ];
}

/// Language of a site's labels and messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "names of languages")]
pub enum SiteLanguage {
    English,
    German,
    French,
    Spanish,
    Italian,
    Dutch,
    Portuguese,
    Russian,
    Japanese,
    Chinese,
}

impl SiteLanguage {
    /// Every language, for tests and evaluation.
    pub const ALL: [SiteLanguage; 10] = [
        SiteLanguage::English,
        SiteLanguage::German,
        SiteLanguage::French,
        SiteLanguage::Spanish,
        SiteLanguage::Italian,
        SiteLanguage::Dutch,
        SiteLanguage::Portuguese,
        SiteLanguage::Russian,
        SiteLanguage::Japanese,
        SiteLanguage::Chinese,
    ];

    /// Language of an ISO 639-1 code; English if there is none.
    pub fn of_code(code: &str) -> SiteLanguage {
        let known = SiteLanguage::ALL.into_iter().find(|language| language.code() == code);
        known.unwrap_or(SiteLanguage::English)
    }
}

/// Form of the URLs of detail pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordAddress {
    /// Record number in the path.
    Path,
    /// Record number in a parameter.
    Parameter,
    /// Words of the title and the record number in the path.
    Slug,
    /// Results have no links; a reference number identifies the record.
    None,
}

/// Parameters in detail URLs that do not identify the record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtraParameters {
    /// Session id that differs on every page.
    pub session: bool,
    /// Position of the record in the results.
    pub position: bool,
    /// Query words, for highlighting.
    pub highlight: bool,
    /// Number that grows with every page that the site serves.
    pub counter: bool,
}

/// Content of the home page beside the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HomeContent {
    /// Name of the site and the form.
    Bare,
    /// Titles of the latest records.
    Latest,
    /// Values of a column with few values.
    Categories,
}

impl HomeContent {
    /// Every content, for tests and evaluation.
    pub const ALL: [HomeContent; 3] = [HomeContent::Bare, HomeContent::Latest, HomeContent::Categories];
}

/// Further elements of result pages, as real search software has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PageHabits {
    /// Size, day and time with every record. Their words are not indexed.
    pub record_labels: bool,
    /// Link to edit each record, and link to download the results as a file.
    pub tool_links: bool,
    /// Numbered list of sections beside the results.
    pub side_list: bool,
    /// Second form that narrows the results and repeats the query in hidden fields.
    pub echoing_filter: bool,
    /// One record in fifty quotes an error message.
    pub error_words: bool,
    /// Control with which users choose the number of records per page.
    pub page_sizes: PageSizes,
}

/// Control with which users choose the number of records per page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageSizes {
    /// There is none.
    #[default]
    Fixed,
    /// Select in the form.
    Select,
    /// Links on result pages.
    Links,
}

impl PageHabits {
    /// Random habits. The probabilities are guesses.
    fn varied(rng: &mut SeededRng) -> PageHabits {
        PageHabits {
            record_labels: rng.chance(0.3),
            tool_links: rng.chance(0.2),
            side_list: rng.chance(0.2),
            echoing_filter: rng.chance(0.2),
            error_words: rng.chance(0.2),
            page_sizes: [PageSizes::Fixed, PageSizes::Select, PageSizes::Links]
                [rng.weighted(&[6.0, 1.0, 1.0])],
        }
    }
}
