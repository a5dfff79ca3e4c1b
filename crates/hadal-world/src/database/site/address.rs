//! Where records stand, and which record stands at an address.

use super::page::DatabasePage;
use super::style::SiteStyle;
use crate::database::Database;
use crate::database::layout::RecordAddress;
use crate::random::mix;
use url::{Url, form_urlencoded};

/// Digits of a reference number.
const DIGITS: usize = 7;

impl Database {
    /// Which record has its page at an address, whatever session or position the address carries.
    pub fn record_at(&self, url: &Url) -> Option<u32> {
        let skin = SiteStyle::of(&self.config.layout);
        let path = url.path().split(';').next()?;
        let rest = path.strip_prefix('/')?.strip_prefix(skin.record)?;
        let number = match self.config.layout.address {
            RecordAddress::Path | RecordAddress::None => rest.strip_prefix('/')?.parse().ok()?,
            RecordAddress::Slug => rest.strip_suffix(".html")?.rsplit('-').next()?.parse().ok()?,
            RecordAddress::Parameter if rest.is_empty() => {
                url.query_pairs().find(|(name, _)| name == skin.record_id)?.1.parse().ok()?
            }
            RecordAddress::Parameter => return None,
        };
        (number < self.collection.len()).then_some(number)
    }

    /// Which record a text is about, by the reference number that stands in it. Results without links
    /// carry one, and so does every record's own page.
    pub fn record_in(&self, text: &str) -> Option<u32> {
        let prefix = self.reference_prefix();
        let at = text.find(&prefix)? + prefix.len();
        let number: u32 = text.get(at..at + DIGITS)?.parse().ok()?;
        (number < self.collection.len()).then_some(number)
    }

    /// The number that stands for a record in texts.
    pub fn reference(&self, record: u32) -> String {
        format!("{}{record:0DIGITS$}", self.reference_prefix())
    }

    fn reference_prefix(&self) -> String {
        let bits = mix(self.config.layout.seed, 0x4ef);
        let letter = |shift: u32| char::from(b'A' + (bits >> shift) as u8 % 26);
        format!("{}{}{}-", letter(0), letter(8), letter(16))
    }
}

impl DatabasePage<'_> {
    /// The address of a record, at a position among results or not.
    pub(super) fn record_path(&self, record: u32, position: Option<u32>) -> String {
        let (skin, layout) = (&self.skin, &self.database.config.layout);
        let mut parameters = form_urlencoded::Serializer::new(String::new());
        let mut path = match layout.address {
            RecordAddress::Path | RecordAddress::None => format!("/{}/{record}", skin.record),
            RecordAddress::Slug => format!("/{}/{}-{record}.html", skin.record, self.slug(record)),
            RecordAddress::Parameter => {
                parameters.append_pair(skin.record_id, &record.to_string());
                format!("/{}", skin.record)
            }
        };
        if layout.extra_parameters.session && skin.phrase.is_multiple_of(2) {
            path = format!("{path};{}={}", skin.session, self.session());
        } else if layout.extra_parameters.session {
            parameters.append_pair(skin.session, self.session());
        }
        let position = position.filter(|_| layout.extra_parameters.position);
        if let Some(position) = position {
            parameters.append_pair(skin.position, &(position + 1).to_string());
        }
        let words = self
            .parameters
            .get(skin.words)
            .filter(|words| layout.extra_parameters.highlight && !words.is_empty());
        if let Some(words) = words {
            parameters.append_pair(skin.highlight, words);
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
