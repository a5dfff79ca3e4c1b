//! A record as a list of results shows it.

use super::form::labelled;
use super::page::DatabasePage;
use crate::database::config::Excerpt;
use crate::database::layout::RecordAddress;
use crate::database::misconduct::Fault;

/// Attributes that a list shows.
const MOST_FIELDS: usize = 4;

/// A record on its way into a page.
pub(super) struct ResultItem {
    pub(super) title: String,
    /// Whether the title is written as it is, by programmers who do not escape.
    is_raw: bool,
    pub(super) text: String,
    pub(super) fields: Vec<(String, String)>,
    pub(super) href: Option<String>,
}

impl DatabasePage<'_> {
    /// A record at a position among the results.
    pub(super) fn show(&self, number: u32, position: u32) -> Option<ResultItem> {
        let (collection, config) = (&self.database.collection, &self.database.config);
        let record = collection.record(number)?;
        let (title, is_raw) = self.title_of(number, record.title);
        let mut fields: Vec<(String, String)> = collection
            .fields(number)
            .filter(|(_, value)| value.len() <= 80)
            .take(MOST_FIELDS)
            .map(|(name, value)| (labelled(name), value.to_string()))
            .collect();
        let has_link = config.layout.address != RecordAddress::None;
        if !has_link {
            fields.push(("Ref.".to_string(), self.database.reference(number)));
        }
        let text = excerpt(record.text, config.excerpt);
        let href = has_link.then(|| self.record_path(number, Some(position)));
        Some(ResultItem { title, is_raw, text, fields, href })
    }

    /// The title, and whether it is written without escaping.
    pub(super) fn title_of(&self, number: u32, title: &str) -> (String, bool) {
        let named = if title.is_empty() { "Untitled" } else { title };
        match self.database.config.fault {
            Fault::HostileTitles => (hostile(number, named), number.is_multiple_of(2)),
            _ => (named.to_string(), false),
        }
    }

    /// Writes a title, with a link where the record has one.
    pub(super) fn title(&mut self, shown: &ResultItem) {
        match &shown.href {
            Some(href) => {
                self.html.open("a", &[("href", href)]);
                self.title_text(shown);
                self.html.close("a");
            }
            None => self.title_text(shown),
        }
    }

    fn title_text(&mut self, shown: &ResultItem) {
        match shown.is_raw {
            true => self.html.raw(&shown.title),
            false => self.marked(&shown.title),
        }
    }

    /// Writes text, with the words that were asked for set off if that is the habit here.
    pub(super) fn marked(&mut self, text: &str) {
        let asked = self.parameters.get(self.skin.words).unwrap_or_default().to_lowercase();
        let asked: Vec<&str> = asked.split_whitespace().collect();
        if asked.is_empty() || !self.database.config.layout.marks_words {
            return self.html.text(text);
        }
        for piece in text.split_inclusive(' ') {
            let word = piece.trim_matches(|c: char| !c.is_alphanumeric());
            match piece.find(word).filter(|_| asked.contains(&word.to_lowercase().as_str())) {
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
            // Scripts without spaces are cut after as many characters as such words have.
            let letters = most as usize * 10;
            let words: Vec<&str> = text.split(' ').take(most as usize).collect();
            let short: String = words.join(" ").chars().take(letters).collect();
            if short.len() < text.len() { short + " ..." } else { short }
        }
    }
}

/// A title that tries to break whoever reads it.
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
