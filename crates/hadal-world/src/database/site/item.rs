//! Records as result pages show them.

use super::form::label_of;
use super::page::DatabasePage;
use crate::database::config::{Excerpt, Fault};
use crate::database::layout::RecordAddress;

/// Most columns shown per record on a result page.
const MAX_FIELDS: usize = 4;

/// Record as shown on a result page.
pub(super) struct ResultItem {
    pub(super) title: String,
    /// True if the title is written without escaping.
    is_raw: bool,
    pub(super) text: String,
    pub(super) fields: Vec<(String, String)>,
    pub(super) href: Option<String>,
}

impl DatabasePage<'_> {
    /// Item for a record at a position in the results.
    pub(super) fn item(&self, number: u32, position: u32) -> Option<ResultItem> {
        let (collection, config) = (&self.database.collection, &self.database.config);
        let record = collection.record(number)?;
        let (title, is_raw) = self.title_of(number, record.title);
        let mut fields: Vec<(String, String)> = collection
            .fields(number)
            .filter(|(_, value)| value.len() <= 80)
            .take(MAX_FIELDS)
            .map(|(name, value)| (label_of(name), value.to_string()))
            .collect();
        let has_link = config.layout.address != RecordAddress::None;
        if !has_link {
            fields.push(("Ref.".to_string(), self.database.reference(number)));
        }
        let text = excerpt(record.text, config.excerpt);
        let href = has_link.then(|| self.record_path(number, Some(position)));
        Some(ResultItem { title, is_raw, text, fields, href })
    }

    /// Title of a record, and true if it is written without escaping.
    pub(super) fn title_of(&self, number: u32, title: &str) -> (String, bool) {
        let named = if title.is_empty() { "Untitled" } else { title };
        match self.database.config.fault {
            Fault::HostileTitles => (hostile(number, named), number.is_multiple_of(2)),
            _ => (named.to_string(), false),
        }
    }

    /// Writes a title, with a link if the item has one.
    pub(super) fn title(&mut self, item: &ResultItem) {
        match &item.href {
            Some(href) => {
                self.html.open("a", &[("href", href)]);
                self.title_text(item);
                self.html.close("a");
            }
            None => self.title_text(item),
        }
    }

    fn title_text(&mut self, item: &ResultItem) {
        match item.is_raw {
            true => self.html.raw(&item.title),
            false => self.highlighted(&item.title),
        }
    }

    /// Writes text, with the query words in bold if the layout demands it.
    pub(super) fn highlighted(&mut self, text: &str) {
        let query_words = self.parameters.get(self.style.words).unwrap_or_default().to_lowercase();
        let query_words: Vec<&str> = query_words.split_whitespace().collect();
        if query_words.is_empty() || !self.database.config.layout.marks_words {
            return self.html.text(text);
        }
        for piece in text.split_inclusive(' ') {
            let word = piece.trim_matches(|c: char| !c.is_alphanumeric());
            match piece.find(word).filter(|_| query_words.contains(&word.to_lowercase().as_str())) {
                Some(at) => {
                    self.html.text(&piece[..at]);
                    self.html.raw("<b>");
                    self.html.text(word);
                    self.html.raw("</b>");
                    self.html.text(&piece[at + word.len()..]);
                }
                None => self.html.text(piece),
            }
        }
    }
}

fn excerpt(text: &str, excerpt: Excerpt) -> String {
    match excerpt {
        Excerpt::Full => text.to_string(),
        Excerpt::Title => String::new(),
        Excerpt::Words(most) => {
            // Texts without spaces are cut after ten characters per word.
            let letters = most as usize * 10;
            let words: Vec<&str> = text.split(' ').take(most as usize).collect();
            let short: String = words.join(" ").chars().take(letters).collect();
            if short.len() < text.len() { short + " ..." } else { short }
        }
    }
}

/// Title that is meant to break parsers.
fn hostile(number: u32, title: &str) -> String {
    match number % 7 {
        0 => format!("{title}<script>document.title='x'</script>"),
        1 => format!("\"'><b {title} </li></ul></table>"),
        2 => format!("\u{202e}{title}\u{202c}\u{200b}\u{feff}"),
        3 if number % 49 == 3 => title.repeat(100_000 / title.len().max(1) + 1),
        3 => format!("{title}<!-- never closed"),
        4 => format!("{title}&amp;amp;&#0;&lt;"),
        5 => format!("{title}</a><a href='/logout'>"),
        _ => format!("  {title}\u{0}\u{1b}[31m\n\n{title}  "),
    }
}
