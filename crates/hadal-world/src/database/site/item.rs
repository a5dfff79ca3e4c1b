//! Records as result pages show them.

use super::page::DatabasePage;
use crate::database::config::Fault;
use crate::database::layout::RecordAddress;

/// Record as shown on a result page.
pub(super) struct ResultItem {
    pub(super) title: String,
    /// True if the title is written without escaping.
    is_raw: bool,
    pub(super) text: String,
    pub(super) fields: Vec<(String, String)>,
    pub(super) href: Option<String>,
    /// Address of the page that edits the record.
    edit: Option<String>,
}

impl DatabasePage<'_> {
    /// Item for a record at a position in the results.
    pub(super) fn item(&self, number: u32, position: u32) -> Option<ResultItem> {
        let (collection, config) = (&self.database.collection, &self.database.config);
        let record = collection.record(number)?;
        let (title, is_raw) = self.title_of(number, record.title);
        let mut fields = self.database.shown_fields(number);
        let has_link = config.layout.address != RecordAddress::None;
        if !has_link {
            fields.push(("Ref.".to_string(), self.database.reference(number)));
        }
        let query = self.parameters.get(self.style.words).unwrap_or_default().to_lowercase();
        let text = self.database.shown_text(number, &query);
        let href = has_link.then(|| self.record_path(number, Some(position)));
        let edit = config.layout.habits.tool_links.then(|| format!("/edit?entry={number}"));
        Some(ResultItem { title, is_raw, text, fields, href, edit })
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
        if let Some(edit) = &item.edit {
            self.html.raw(" [");
            self.html.element("a", &[("href", edit)], "edit");
            self.html.raw("]");
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
