//! Text and fields of a record as result pages show them.

use super::Database;
use super::config::Excerpt;
use hadal_core::text::words::is_unspaced;

/// Maximum number of columns shown per record on a result page. Guess.
const MAX_FIELDS: usize = 4;

/// Characters of a text without spaces that count as one word of an excerpt. Guess.
const LETTERS_PER_WORD: usize = 10;

/// One record in this many quotes an error message, if the layout has that habit. Guess.
const RECORDS_PER_ERROR: u32 = 50;

const ERROR_QUOTE: &str = "The log then said: 500 Internal Server Error, stack trace follows.";

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

impl Database {
    /// Text of a record in the answer to a query, without title and fields.
    pub fn shown_text(&self, number: u32, query: &str) -> String {
        let text = self.collection.record(number).map_or("", |record| record.text);
        let shown = excerpt(text, self.config.excerpt, query);
        let quotes_error =
            self.config.layout.habits.error_words && number % RECORDS_PER_ERROR == RECORDS_PER_ERROR / 2;
        if quotes_error { format!("{shown} {ERROR_QUOTE}") } else { shown }
    }

    /// Names and values of the fields of a record. None of them is indexed.
    pub fn shown_fields(&self, number: u32) -> Vec<(String, String)> {
        let fields = self.collection.fields(number).filter(|(_, value)| value.len() <= 80).take(MAX_FIELDS);
        let mut fields: Vec<(String, String)> =
            fields.map(|(name, value)| (label_of(name), value.to_string())).collect();
        if self.config.layout.habits.record_labels {
            let text = self.collection.record(number).map_or("", |record| record.text);
            fields.push(("Size".to_string(), format!("{} bytes", text.len() + 200)));
            fields.push(("Last update".to_string(), day_and_time(number)));
        }
        fields
    }
}

/// Day and time that differ from record to record.
fn day_and_time(number: u32) -> String {
    let month = MONTHS[(number * 7 % 12) as usize];
    let (day, year) = (number % 28 + 1, 2012 + number % 13);
    format!("{day} {month} {year}, {:02}:{:02} UTC", number % 24, number * 13 % 60)
}

/// Label of a column: its name with a capital letter and spaces.
pub(super) fn label_of(column: &str) -> String {
    let mut letters = column.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    first + &letters.as_str().replace('_', " ")
}

fn excerpt(text: &str, excerpt: Excerpt, query: &str) -> String {
    match excerpt {
        Excerpt::Full => text.to_string(),
        Excerpt::Title => String::new(),
        Excerpt::Words(most) => passage(text, 0, most as usize),
        Excerpt::Around(most) => passage(text, passage_start(text, query, most as usize), most as usize),
    }
}

/// At most `most` words of a text from a byte offset, with dots where it is cut. In texts without spaces, ten
/// characters count as a word.
fn passage(text: &str, from: usize, most: usize) -> String {
    let words: Vec<&str> = text[from..].split(' ').take(most).collect();
    let shown: String = words.join(" ").chars().take(most * LETTERS_PER_WORD).collect();
    let before = if from > 0 { "... " } else { "" };
    let after = if from + shown.len() < text.len() { " ..." } else { "" };
    format!("{before}{shown}{after}")
}

/// Offset at which a passage of `most` words with the first query word in its middle starts; 0 without such a word.
fn passage_start(text: &str, query: &str, most: usize) -> usize {
    let found = query.split_whitespace().find_map(|word| find_word(text, word));
    let Some(at) = found else { return 0 };
    if text[at..].chars().next().is_some_and(is_unspaced) {
        let before = text[..at].char_indices().rev().nth(most * LETTERS_PER_WORD / 2);
        return before.map_or(0, |(start, _)| start);
    }
    text[..at].rmatch_indices(' ').nth(most / 2).map_or(0, |(space, _)| space + 1)
}

/// Offset of the first occurrence of a word in a text, in any case. In scripts without spaces, it may be part
/// of a word.
fn find_word(text: &str, word: &str) -> Option<usize> {
    if word.chars().any(is_unspaced) {
        return text.find(word);
    }
    let is_start = |at: usize| !text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
    let is_end = |at: usize| !text[at..].chars().next().is_some_and(char::is_alphanumeric);
    let begins = |at: &usize| {
        let end = at + word.len();
        text.get(*at..end).is_some_and(|part| part.to_lowercase() == word) && is_start(*at) && is_end(end)
    };
    text.char_indices().map(|(at, _)| at).find(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_show_the_query_word() {
        let text = "one two three four Five six seven eight";
        assert_eq!(excerpt(text, Excerpt::Around(4), "five"), "... three four Five six ...");
        assert_eq!(excerpt(text, Excerpt::Around(4), "none"), "one two three four ...");
        assert_eq!(excerpt(text, Excerpt::Words(3), "five"), "one two three ...");
        let unspaced = "\u{65e5}".repeat(40) + "\u{6771}\u{4eac}" + &"\u{65e5}".repeat(40);
        assert!(excerpt(&unspaced, Excerpt::Around(2), "\u{6771}\u{4eac}").contains("\u{6771}\u{4eac}"));
        assert_eq!(excerpt("see caf\u{e9}s", Excerpt::Around(1), "caf"), "see ...");
    }
}
