//! Small databases behind the search forms of sites, with records that are generated on demand.
//!
//! A record is a number; its words and attributes follow from the seed of the database. A query matches the records
//! that contain all of its words and satisfy all of its choices.

use crate::form::changes::Changes;
use crate::form::content::{FormContent, SelectOptions};
use crate::form::plan::PlannedForm;
use crate::lexicon::{Subject, TOWNS, lexicon};
use crate::page::PageWriter;
use crate::page::text::push_word;
use crate::random::{SeededRng, mix};
use crate::site::Site;
use url::form_urlencoded;

/// Number of words of a record. Guess.
const RECORD_WORDS: usize = 12;

/// Number of words in the title of a record. Guess.
const TITLE_WORDS: usize = 3;

/// Number of words at the end of a record that an edit replaces. Guess.
const EDITED_WORDS: usize = 4;

/// Database of a site.
pub(crate) struct SiteDatabase {
    seed: u64,
    /// Number of records on day 0.
    pub(crate) records: u32,
    subject: &'static Subject,
    number: u8,
    changes: Changes,
}

/// Words of a record.
struct RecordContent {
    /// Ranks in the subject's list of terms.
    terms: [usize; RECORD_WORDS],
    /// Index in the list of towns.
    town: usize,
}

impl SiteDatabase {
    /// Database that a search form searches.
    pub(crate) fn behind(site: &Site<'_>, form: &PlannedForm) -> SiteDatabase {
        let subject = form.subject.unwrap_or(site.profile.subject);
        SiteDatabase::new(site, form.database, subject)
    }

    /// Database with this number, if the site has a form for it.
    pub(crate) fn numbered(site: &Site<'_>, number: u8) -> Option<SiteDatabase> {
        let kind = hadal_core::critic::FormKind::Search;
        let form = site.forms.iter().find(|form| form.kind == kind && form.database == number)?;
        Some(SiteDatabase::behind(site, form))
    }

    fn new(site: &Site<'_>, number: u8, subject: u8) -> SiteDatabase {
        let seed = mix(site.profile.seed, 0x200 + u64::from(number));
        let size = 20.0 / (1.0 - SeededRng::new(seed, 70).unit()).powf(0.9);
        let subject = &lexicon().subjects[usize::from(subject)];
        let records = size.min(2000.0) as u32;
        let changes = Changes::new(seed, records, &site.spec.changes, site.day);
        SiteDatabase { seed, records, subject, number, changes }
    }

    fn content(&self, record: u32) -> RecordContent {
        let mut rng = SeededRng::new(self.seed, 0x1_0000 + u64::from(record));
        let mut terms = std::array::from_fn(|_| self.subject.term_rank(rng.bits()));
        let town = match self.changes.is_added(record) {
            true => self.changes.draw_town(&mut rng),
            false => rng.below(TOWNS.len() as u32) as usize,
        };
        let version = self.changes.version(record, town).unwrap_or(0);
        if version > 0 {
            let mut rng = SeededRng::new(mix(self.seed, u64::from(record)), 0x5000 + u64::from(version));
            let edited = &mut terms[RECORD_WORDS - EDITED_WORDS..];
            edited.fill_with(|| self.subject.term_rank(rng.bits()));
        }
        RecordContent { terms, town }
    }

    /// Existing records with the number of times that each was edited.
    pub(crate) fn versions(&self) -> impl Iterator<Item = (u32, u32)> {
        let version = |record| self.changes.version(record, self.content(record).town);
        (0..self.changes.ever()).filter_map(move |record| Some((record, version(record)?)))
    }

    /// True if the database has the record on its day.
    pub(crate) fn exists(&self, record: u32) -> bool {
        record < self.changes.ever() && self.changes.version(record, self.content(record).town).is_some()
    }

    /// Number of the database within its site.
    pub(crate) fn number(&self) -> u8 {
        self.number
    }

    /// Title of a record.
    pub(crate) fn title(&self, record: u32) -> String {
        let content = self.content(record);
        let mut title = String::new();
        for rank in &content.terms[..TITLE_WORDS] {
            push_word(&mut title, self.subject.terms[*rank]);
        }
        title + ", " + TOWNS[content.town]
    }

    /// Text of a record.
    pub(crate) fn text(&self, record: u32) -> String {
        let mut text = String::new();
        for rank in &self.content(record).terms[TITLE_WORDS..] {
            push_word(&mut text, self.subject.terms[*rank]);
        }
        text
    }

    /// Path of the detail page of a record.
    pub(crate) fn path(&self, record: u32) -> String {
        format!("/detail/{}/{record}", self.number)
    }

    /// Records that match a query, in ascending order.
    pub(crate) fn matches(&self, query: &FormQuery) -> Vec<u32> {
        let ever = 0..self.changes.ever();
        ever.filter(|record| self.is_match(*record, query) && self.exists(*record)).collect()
    }

    fn is_match(&self, record: u32, query: &FormQuery) -> bool {
        if query.is_empty() {
            return true;
        }
        let content = self.content(record);
        let contains = |word: &String| {
            TOWNS[content.town] == word
                || self.subject.rank_of(word).is_some_and(|rank| content.terms.contains(&rank))
        };
        let satisfies = |(name, choice, among): &(u64, u32, u32)| {
            mix(mix(self.seed, *name), u64::from(record)) % u64::from(*among) == u64::from(*choice)
        };
        query.words.iter().all(contains) && query.choices.iter().all(satisfies)
    }
}

/// Query that was read from submitted parameters.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FormQuery {
    words: Vec<String>,
    /// Hash of a field's name, index of the chosen value, number of values.
    choices: Vec<(u64, u32, u32)>,
    page: u32,
    /// Unparsed values of the text fields.
    typed: String,
}

impl FormQuery {
    /// Unparsed values of the text fields.
    pub(crate) fn typed(&self) -> &str {
        &self.typed
    }

    /// Number of the requested result page, from 0.
    pub(crate) fn page(&self) -> usize {
        self.page as usize
    }

    /// True if the query has no words and no choices.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.choices.is_empty()
    }

    /// Reads the submitted parameters of a form.
    pub(crate) fn read(content: &FormContent, parameters: &str) -> FormQuery {
        let mut query = FormQuery::default();
        for (name, value) in form_urlencoded::parse(parameters.as_bytes()) {
            if name == "page" {
                query.page = value.parse().unwrap_or(1u32).clamp(1, 10_000) - 1;
            }
            let Some(control) = content.controls.iter().find(|control| control.name == name) else {
                continue;
            };
            match &control.options {
                SelectOptions::None if control.kind.is_textual() => {
                    query.words.extend(words(&value));
                    if !value.is_empty() {
                        push_word(&mut query.typed, &value);
                    }
                }
                SelectOptions::None => {}
                SelectOptions::Words(words) => {
                    let choice = words.iter().skip(1).position(|word| *word == value);
                    query.choose(&name, choice, words.len() as u32 - 1);
                }
                SelectOptions::Numbers { from, step, count } => {
                    let choice = (0..*count).position(|n| value == (from + step * n).to_string());
                    query.choose(&name, choice, (*count).min(3));
                }
            }
        }
        query
    }

    fn choose(&mut self, name: &str, choice: Option<usize>, among: u32) {
        let hash = name.bytes().fold(0, |hash, byte| mix(hash, u64::from(byte)));
        self.choices.extend(choice.map(|choice| (hash, choice as u32 % among.max(1), among.max(1))));
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| !word.is_empty());
    parts.map(str::to_lowercase)
}

/// Detail page of a record.
pub(crate) fn detail_page(site: &Site<'_>, database: &SiteDatabase, record: u32, session: &str) -> String {
    let title = database.title(record);
    PageWriter::document(site, session, mix(database.seed, u64::from(record)), &title, |doc| {
        doc.html.element("h1", &[], &title);
        doc.html.open("table", &[("class", "record")]);
        let town = TOWNS[database.content(record).town];
        for (name, value) in [("Number", record.to_string().as_str()), ("Place", town)] {
            doc.html.open("tr", &[]);
            doc.html.element("th", &[], name);
            doc.html.element("td", &[], value);
            doc.html.close("tr");
        }
        doc.html.close("table");
        doc.html.element("p", &[("class", "about")], &database.text(record));
        doc.filler(2);
    })
}
