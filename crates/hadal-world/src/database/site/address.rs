//! URLs and reference numbers of records.

use super::page::DatabasePage;
use super::style::SiteStyle;
use crate::database::Database;
use crate::database::layout::RecordAddress;
use crate::random::mix;
use url::{Url, form_urlencoded};

/// Number of digits of a reference number. Guess.
const REFERENCE_DIGITS: usize = 7;

impl Database {
    /// Record with a detail page at this URL. Session ids and other extra parameters are ignored.
    pub fn record_at(&self, url: &Url) -> Option<u32> {
        let style = SiteStyle::of(&self.config.layout);
        let path = url.path().split(';').next()?;
        let rest = path.strip_prefix('/')?.strip_prefix(style.record)?;
        let number = match self.config.layout.address {
            RecordAddress::Path | RecordAddress::None => rest.strip_prefix('/')?.parse().ok()?,
            RecordAddress::Slug => rest.strip_suffix(".html")?.rsplit('-').next()?.parse().ok()?,
            RecordAddress::Parameter if rest.is_empty() => {
                url.query_pairs().find(|(name, _)| name == style.record_id)?.1.parse().ok()?
            }
            RecordAddress::Parameter => return None,
        };
        (number < self.collection.len()).then_some(number)
    }

    /// Record of the first reference number in a text. Results without links and all detail pages contain one.
    pub fn record_in(&self, text: &str) -> Option<u32> {
        let prefix = self.reference_prefix();
        let at = text.find(&prefix)? + prefix.len();
        let number: u32 = text.get(at..at + REFERENCE_DIGITS)?.parse().ok()?;
        (number < self.collection.len()).then_some(number)
    }

    /// Reference number of a record, as shown to users.
    pub fn reference(&self, record: u32) -> String {
        format!("{}{record:0REFERENCE_DIGITS$}", self.reference_prefix())
    }

    fn reference_prefix(&self) -> String {
        let bits = mix(self.config.layout.seed, 0x4ef);
        let letter = |shift: u32| char::from(b'A' + (bits >> shift) as u8 % 26);
        format!("{}{}{}-", letter(0), letter(8), letter(16))
    }
}

impl DatabasePage<'_> {
    /// Path and query of the detail page of a record, as linked from a position in the results.
    pub(super) fn record_path(&self, record: u32, position: Option<u32>) -> String {
        let (style, layout) = (&self.style, &self.database.config.layout);
        let mut parameters = form_urlencoded::Serializer::new(String::new());
        let mut path = match layout.address {
            RecordAddress::Path | RecordAddress::None => format!("/{}/{record}", style.record),
            RecordAddress::Slug => format!("/{}/{}-{record}.html", style.record, self.slug(record)),
            RecordAddress::Parameter => {
                parameters.append_pair(style.record_id, &record.to_string());
                format!("/{}", style.record)
            }
        };
        if layout.extra_parameters.session && style.phrase.is_multiple_of(2) {
            path = format!("{path};{}={}", style.session, self.session());
        } else if layout.extra_parameters.session {
            parameters.append_pair(style.session, self.session());
        }
        if let Some(position) = position.filter(|_| layout.extra_parameters.position) {
            parameters.append_pair(style.position, &(position + 1).to_string());
        }
        if layout.extra_parameters.counter && position.is_some() {
            parameters.append_pair("visit", &self.serial.to_string());
        }
        let words = self
            .parameters
            .get(style.words)
            .filter(|words| layout.extra_parameters.highlight && !words.is_empty());
        if let Some(words) = words {
            parameters.append_pair(style.highlight, words);
        }
        let parameters = parameters.finish();
        if parameters.is_empty() { path } else { format!("{path}?{parameters}") }
    }

    fn slug(&self, record: u32) -> String {
        let title = self.database.collection.record(record).map_or("", |record| record.title);
        let words = title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let slug = words.take(6).collect::<Vec<_>>().join("-").to_ascii_lowercase();
        if slug.is_empty() { "record".to_string() } else { slug }
    }
}
