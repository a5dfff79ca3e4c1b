//! The databases behind the search forms, small and generated on demand.
//!
//! A record is a number; its words and attributes follow from the database's seed. A query keeps the
//! records that hold every word it asks for and every choice it makes.

use crate::form::content::{FormContent, SelectOptions};
use crate::form::plan::PlannedForm;
use crate::lexicon::{PLACES, Subject, lexicon};
use crate::page::PageWriter;
use crate::random::{SeededRng, mix};
use crate::site::{Site, push_word};
use url::form_urlencoded;

const WORDS: usize = 12;

/// A database of a site.
pub(crate) struct SiteDatabase {
    seed: u64,
    /// How many records it holds.
    pub(crate) records: u32,
    subject: &'static Subject,
    number: u8,
}

/// A record's words: ranks in the subject's list of terms, and where it is from.
struct RecordContent {
    terms: [usize; WORDS],
    place: usize,
}

impl SiteDatabase {
    /// The database a search form opens.
    pub(crate) fn behind(site: &Site<'_>, form: &PlannedForm) -> SiteDatabase {
        let subject = form.subject.unwrap_or(site.profile.subject);
        SiteDatabase::numbered(site, form.database, subject)
    }

    /// A database by its number, if the site has a form for it.
    pub(crate) fn at(site: &Site<'_>, number: u8) -> Option<SiteDatabase> {
        let kind = hadal_core::critic::FormKind::Search;
        let form = site.forms.iter().find(|form| form.kind == kind && form.database == number)?;
        Some(SiteDatabase::behind(site, form))
    }

    fn numbered(site: &Site<'_>, number: u8, subject: u8) -> SiteDatabase {
        let seed = mix(site.profile.seed, 0x200 + u64::from(number));
        let size = 20.0 / (1.0 - SeededRng::new(seed, 70).unit()).powf(0.9);
        let subject = &lexicon().subjects[usize::from(subject)];
        SiteDatabase { seed, records: size.min(2000.0) as u32, subject, number }
    }

    fn content(&self, record: u32) -> RecordContent {
        let mut rng = SeededRng::new(self.seed, 0x1_0000 + u64::from(record));
        let terms = std::array::from_fn(|_| self.subject.term_rank(rng.bits()));
        RecordContent { terms, place: rng.below(PLACES.len() as u32) as usize }
    }

    /// Which database of its site it is.
    pub(crate) fn number(&self) -> u8 {
        self.number
    }

    /// What a record is called.
    pub(crate) fn title(&self, record: u32) -> String {
        let content = self.content(record);
        let mut title = String::new();
        for rank in &content.terms[..3] {
            push_word(&mut title, self.subject.terms[*rank]);
        }
        title + ", " + PLACES[content.place]
    }

    /// What is said about a record.
    pub(crate) fn text(&self, record: u32) -> String {
        let mut text = String::new();
        for rank in &self.content(record).terms[3..] {
            push_word(&mut text, self.subject.terms[*rank]);
        }
        text
    }

    /// Where a record stands.
    pub(crate) fn path(&self, record: u32) -> String {
        format!("/detail/{}/{record}", self.number)
    }

    /// Records that answer a query, in order.
    pub(crate) fn answer(&self, query: &FormQuery) -> Vec<u32> {
        (0..self.records).filter(|record| self.matches(*record, query)).collect()
    }

    fn matches(&self, record: u32, query: &FormQuery) -> bool {
        if query.is_empty() {
            return true;
        }
        let content = self.content(record);
        let holds = |word: &String| {
            PLACES[content.place] == word
                || self.subject.rank_of(word).is_some_and(|rank| content.terms.contains(&rank))
        };
        let chosen = |(name, place, among): &(u64, u32, u32)| {
            mix(mix(self.seed, *name), u64::from(record)) % u64::from(*among) == u64::from(*place)
        };
        query.words.iter().all(holds) && query.choices.iter().all(chosen)
    }
}

/// What was asked, as far as a database understands it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FormQuery {
    words: Vec<String>,
    /// Hash of the field's name, rank of the choice, number of choices.
    choices: Vec<(u64, u32, u32)>,
    page: u32,
    /// What was typed, as it came.
    typed: String,
}

impl FormQuery {
    /// What was typed, as it came.
    pub(crate) fn typed(&self) -> &str {
        &self.typed
    }

    /// Which page of the results is wanted, from 0.
    pub(crate) fn page(&self) -> usize {
        self.page as usize
    }

    /// Whether nothing was asked.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.choices.is_empty()
    }

    /// Reads submitted parameters with the form they belong to.
    pub(crate) fn read(sketch: &FormContent, parameters: &str) -> FormQuery {
        let mut query = FormQuery::default();
        for (name, value) in form_urlencoded::parse(parameters.as_bytes()) {
            if name == "page" {
                query.page = value.parse().unwrap_or(1u32).clamp(1, 10_000) - 1;
            }
            let Some(control) = sketch.controls.iter().find(|control| control.name == name) else { continue };
            match &control.choices {
                SelectOptions::None if control.kind.is_textual() => {
                    query.words.extend(words(&value));
                    if !value.is_empty() {
                        push_word(&mut query.typed, &value);
                    }
                }
                SelectOptions::None => {}
                SelectOptions::Words(words) => {
                    let place = words.iter().skip(1).position(|word| *word == value);
                    query.choose(&name, place, words.len() as u32 - 1);
                }
                SelectOptions::Numbers { from, step, count } => {
                    let place = (0..*count).position(|n| value == (from + step * n).to_string());
                    query.choose(&name, place, (*count).min(3));
                }
            }
        }
        query
    }

    fn choose(&mut self, name: &str, place: Option<usize>, among: u32) {
        let hash = name.bytes().fold(0, |hash, byte| mix(hash, u64::from(byte)));
        self.choices.extend(place.map(|place| (hash, place as u32 % among.max(1), among.max(1))));
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| !word.is_empty());
    parts.map(str::to_lowercase)
}

/// The page of one record.
pub(crate) fn detail(site: &Site<'_>, database: &SiteDatabase, record: u32, session: &str) -> String {
    let title = database.title(record);
    PageWriter::document(site, session, mix(database.seed, u64::from(record)), &title, |doc| {
        doc.html.element("h1", &[], &title);
        doc.html.open("table", &[("class", "record")]);
        let place = PLACES[database.content(record).place];
        for (name, value) in [("Number", record.to_string().as_str()), ("Place", place)] {
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
