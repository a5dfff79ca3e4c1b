//! What the pages of a database look like: how records are arranged, how one turns pages, in which
//! language it speaks, and how records are addressed.

use crate::random::SeededRng;
use serde::{Deserialize, Serialize};

/// The look of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Layout {
    /// What smaller choices come from: names of classes, parameters and paths, wording.
    pub seed: u64,
    /// How records stand on a page.
    pub arrangement: Arrangement,
    /// How one turns pages.
    pub pager: Pager,
    /// What language it speaks.
    pub language: SiteLanguage,
    /// How records are addressed.
    pub address: RecordAddress,
    /// What else stands in addresses of records.
    #[serde(rename = "clutter")]
    pub extra_parameters: ExtraParameters,
    /// Whether words that were asked for are set off in results.
    pub marks_words: bool,
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
        }
    }
}

impl Layout {
    /// A look drawn from a seed.
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
            },
            marks_words: rng.chance(0.3),
        }
    }
}

/// How records stand on a page of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arrangement {
    /// A list, an item each.
    List,
    /// Nested blocks with a picture and a title that both lead to the record.
    Cards,
    /// A table, a row each.
    Rows,
    /// A table, two rows each.
    RowPairs,
    /// Terms and their definitions.
    Definitions,
    /// Headings and paragraphs, nothing around them.
    Flat,
    /// A table with several records in a row.
    Grid,
    /// Nothing but line breaks and rules between records.
    Separated,
    /// Blocks with advertisements of the same build between them, and a list of what others like.
    Advertised,
    /// A list inside a form that collects them.
    Checkboxes,
    /// Numbered paragraphs.
    Paragraphs,
    /// A small table of names and values each.
    Sheets,
    /// Groups by first letter, each with a heading and a list.
    Groups,
}

impl Arrangement {
    /// All of them.
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
}

/// How one turns pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pager {
    /// A link that is declared to be the next page.
    Next,
    /// Numbers that lead to pages.
    Numbered,
    /// Numbers that lead to the first record of a page.
    Offset,
    /// The number of the page is part of the path.
    Path,
    /// Buttons of a form.
    Buttons,
    /// One button that sends everything again, in the body.
    Post,
    /// A link whose one parameter stands for question and place.
    Cursor,
    /// A link that shows more, without any number.
    More,
}

impl Pager {
    /// All of them.
    pub const ALL: [Pager; 8] = [
        Pager::Next,
        Pager::Numbered,
        Pager::Offset,
        Pager::Path,
        Pager::Buttons,
        Pager::Post,
        Pager::Cursor,
        Pager::More,
    ];
}

/// The language of a site's own words.
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
    /// All of them.
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
}

/// How records are addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordAddress {
    /// A number in the path.
    Path,
    /// A number in a parameter.
    Parameter,
    /// Words of the title and a number.
    Slug,
    /// Results have no links; a reference number tells records apart.
    None,
}

/// What stands in addresses of records and does not belong to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtraParameters {
    /// A session, another one on every page.
    pub session: bool,
    /// The position among the results.
    pub position: bool,
    /// The words that were asked for.
    pub highlight: bool,
}
