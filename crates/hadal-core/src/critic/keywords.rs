//! Critic without training: counts words of the topic and applies fixed rules to the fields of a form.
//!
//! For tests and evaluation. All weights in this file are guesses.

use super::{Critic, FormKind, FormVerdict, P_ENDPOINT, PageVerdict};
use crate::http::Method;
use crate::page::{FieldKind, Form, Page};
use crate::submission::is_learned;
use crate::topic::{Topic, singular};
use rustc_hash::FxHashSet;

/// Judges pages and forms by the words of a topic.
pub struct KeywordCritic {
    words: FxHashSet<String>,
    /// First bytes of the words in both cases. A token with another first byte needs no look-up.
    initials: [bool; 256],
}

impl KeywordCritic {
    /// Creates a critic for one topic.
    pub fn new(topic: &Topic) -> KeywordCritic {
        let words: FxHashSet<String> = topic.words.iter().map(|word| singular(word)).collect();
        let mut initials = [false; 256];
        for initial in words.iter().filter_map(|word| word.bytes().next()) {
            initials[usize::from(initial)] = true;
            initials[usize::from(initial.to_ascii_uppercase())] = true;
        }
        // Letters beyond ASCII change case by decoded character, so all of their first bytes are allowed.
        initials[128..].fill(true);
        KeywordCritic { words, initials }
    }

    /// Counts the words of the topic in a text.
    fn mentions(&self, text: &str) -> TopicMentions {
        let mut found = TopicMentions::default();
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte >= 128;
        let tokens = text.split(|c: char| c.is_ascii() && !is_letter(c as u8));
        for token in tokens.filter(|token| token.len() > 1) {
            found.words += 1;
            if !self.initials[usize::from(token.as_bytes()[0])] {
                continue;
            }
            if let Some(known) = self.known(token) {
                found.hits += 1;
                found.distinct += u32::from(seen.insert(known));
            }
        }
        found
    }

    fn known(&self, token: &str) -> Option<&str> {
        let word = token.to_lowercase();
        self.words.get(&word).or_else(|| self.words.get(&singular(&word))).map(String::as_str)
    }
}

/// Occurrences of topic words in a text.
#[derive(Default)]
struct TopicMentions {
    /// Words of the text.
    words: u32,
    /// Words of the text that are topic words.
    hits: u32,
    /// Different topic words in the text.
    distinct: u32,
}

impl TopicMentions {
    fn density(&self) -> f32 {
        self.hits as f32 / self.words.max(1) as f32
    }
}

impl Critic for KeywordCritic {
    fn judge_page(&self, page: &Page) -> PageVerdict {
        let text = self.mentions(&page.text);
        let title = self.mentions(&page.title);
        let coverage = text.distinct.min(6) as f32 / self.words.len().clamp(1, 6) as f32;
        let log_odds =
            -3.5 + 3.0 * coverage + 40.0 * text.density().min(0.06) + 1.2 * title.distinct.min(2) as f32;
        PageVerdict { p_topic: logistic(log_odds), ..PageVerdict::default() }
    }

    fn judge_form(&self, form: &Form, _page: &Page, verdict: &PageVerdict) -> FormVerdict {
        let shape = FormShape::of(form);
        let (kind, odds, mut evidence) = shape.classify();
        let (kind, p_searchable) = match form.source.is_endpoint() || is_learned(form) {
            true => (FormKind::Search, P_ENDPOINT),
            false => (kind, logistic(odds)),
        };
        let own = self.mentions(&form_words(form));
        let p_topic = logistic(-2.2 + 1.1 * own.distinct.min(4) as f32 + 2.4 * verdict.p_topic);
        if own.distinct > 0 {
            evidence.push(format!("{} topic words", own.distinct));
        }
        FormVerdict { kind, p_searchable, p_relevant: p_searchable * p_topic, evidence }
    }
}

fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

fn form_words(form: &Form) -> String {
    let mut words =
        format!("{} {} {}", form.heading, form.text, form.action.path().replace(['/', '_', '.'], " "));
    for field in &form.fields {
        words.push(' ');
        words.push_str(&field.name.replace('_', " "));
        words.push(' ');
        words.push_str(&field.placeholder);
    }
    words
}

/// Numbers of fields and words of a form.
struct FormShape {
    text: String,
    passwords: usize,
    emails: usize,
    textareas: usize,
    files: usize,
    inputs: usize,
    choices: usize,
    query_field: bool,
    get: bool,
}

impl FormShape {
    fn of(form: &Form) -> FormShape {
        let count =
            |kinds: &[FieldKind]| form.fields.iter().filter(|field| kinds.contains(&field.kind)).count();
        let mut text = format!("{} {} {}", form.text, form.attributes, form.action.path());
        for field in &form.fields {
            for part in [&field.name, &field.label, &field.placeholder, &field.id] {
                text.push(' ');
                text.push_str(part);
            }
            if field.kind.is_button() {
                text.push(' ');
                text.push_str(&field.value);
            }
        }
        let text = text.to_lowercase();
        let named_email = form
            .fields
            .iter()
            .filter(|f| f.kind == FieldKind::Text && f.name.to_lowercase().contains("mail"));
        FormShape {
            passwords: count(&[FieldKind::Password]),
            emails: count(&[FieldKind::Email]) + named_email.count(),
            textareas: count(&[FieldKind::Textarea]),
            files: count(&[FieldKind::File]),
            inputs: form.fields.iter().filter(|f| f.kind.is_textual()).count(),
            choices: count(&[FieldKind::Select, FieldKind::Radio, FieldKind::Checkbox, FieldKind::Date]),
            query_field: count(&[FieldKind::Search]) > 0 || form.fields.iter().any(is_query),
            get: form.method == Method::Get,
            text,
        }
    }

    fn contains_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.text.contains(word))
    }

    /// Kind, log-odds of being searchable, and evidence.
    fn classify(&self) -> (FormKind, f32, Vec<String>) {
        if let Some((kind, why)) = self.certain_kind() {
            return (kind, -4.0, vec![why.to_string()]);
        }
        let rules = [
            (self.query_field, 2.0, "query field"),
            (self.contains_any(SEARCH_WORDS), 1.8, "search words"),
            (self.get, 0.8, "method GET"),
            (self.choices >= 2, 0.7, "several selects"),
            (self.inputs == 1 && self.emails == 0, 0.4, "single text field"),
            (self.emails > 0, -2.5, "e-mail field"),
            (self.inputs + self.choices == 0, -4.0, "no fields"),
            (self.contains_any(PERSONAL_DATA_WORDS), -2.0, "personal data"),
        ];
        let found = || rules.iter().filter(|(holds, _, _)| *holds);
        let odds = -1.5 + found().map(|(_, weight, _)| weight).sum::<f32>();
        let kind = if odds >= 0.0 {
            FormKind::Search
        } else if self.contains_any(BOOKING_WORDS) {
            FormKind::Booking
        } else {
            FormKind::Other
        };
        (kind, odds, found().map(|(_, _, why)| why.to_string()).collect())
    }

    /// Rules for forms that are certainly not a search.
    fn certain_kind(&self) -> Option<(FormKind, &'static str)> {
        let password = self.passwords > 0;
        let rules = [
            (
                password && (self.passwords > 1 || self.contains_any(REGISTRATION_WORDS)) && self.inputs > 2,
                FormKind::Registration,
                "new password",
            ),
            (password, FormKind::Login, "password field"),
            (
                self.contains_any(&["forgot", "reset password", "recover"]),
                FormKind::Recovery,
                "recovery words",
            ),
            (self.contains_any(ORDER_WORDS), FormKind::Order, "order words"),
            (self.files > 0, FormKind::Other, "file field"),
            (
                self.textareas > 0 && self.contains_any(&["comment", "review", "reply"]),
                FormKind::Comment,
                "comment field",
            ),
            (self.textareas > 0 && self.emails > 0, FormKind::Contact, "e-mail and message fields"),
            (self.textareas > 0 && !self.contains_any(SEARCH_WORDS), FormKind::Contact, "message field"),
            (
                self.emails > 0 && self.contains_any(NEWSLETTER_WORDS),
                FormKind::Newsletter,
                "mailing list words",
            ),
            (
                self.emails > 0 && self.contains_any(BOOKING_WORDS),
                FormKind::Booking,
                "e-mail field and booking words",
            ),
            (
                self.emails > 0 && self.inputs > 2 && !self.contains_any(SEARCH_WORDS),
                FormKind::Contact,
                "e-mail field among several",
            ),
        ];
        rules.iter().find(|(holds, _, _)| *holds).map(|(_, kind, why)| (*kind, *why))
    }
}

fn is_query(field: &crate::page::Field) -> bool {
    const NAMES: [&str; 12] = [
        "q",
        "s",
        "query",
        "search",
        "keyword",
        "keywords",
        "kw",
        "term",
        "terms",
        "searchterm",
        "k",
        "words",
    ];
    field.kind.is_textual() && NAMES.contains(&field.name.to_lowercase().as_str())
}

const SEARCH_WORDS: &[&str] =
    &["search", "find", "look up", "lookup", "browse", "filter", "suche", "recherch", "buscar", "cerca"];
const REGISTRATION_WORDS: &[&str] = &["register", "sign up", "signup", "create", "join", "confirm"];
const ORDER_WORDS: &[&str] =
    &["credit card", "card number", "cvv", "checkout", "add to cart", "add to basket", "quantity"];
const NEWSLETTER_WORDS: &[&str] = &["subscribe", "newsletter", "mailing", "updates", "sign up", "notify"];
const BOOKING_WORDS: &[&str] = &["book now", "reserve", "reservation", "appointment", "booking"];
const PERSONAL_DATA_WORDS: &[&str] = &["your name", "full name", "first name", "phone number", "your phone"];

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn judge(html: &str) -> FormVerdict {
        let page =
            crate::html::parse(html.as_bytes(), Some("text/html"), &Url::parse("http://a.org/").unwrap());
        let critic = KeywordCritic::new(&Topic::from_words("book").unwrap());
        critic.judge_form(&page.forms[0], &page, &critic.judge_page(&page))
    }

    #[test]
    fn a_book_search_is_searchable_and_relevant() {
        let verdict = judge(
            "<title>Book search</title><form action=/find>Author <input name=author> Title <input name=title>
             ISBN <input name=isbn> <input type=submit value=Search></form>",
        );
        assert_eq!(verdict.kind, FormKind::Search);
        assert!(verdict.is_searchable() && verdict.is_relevant(), "{verdict:?}");
    }

    #[test]
    fn words_are_known_in_any_case_and_number() {
        let of = |topic: &str, text: &str| {
            KeywordCritic::new(&Topic::from_words(topic).unwrap()).mentions(text).hits
        };
        assert_eq!(of("book", "Books, BOOK; (libraries) nothing"), 3);
        assert_eq!(of("\u{e9}tude piano", "\u{c9}tudes pour Piano"), 2);
        assert_eq!(of("piano", "\u{c9}tudes pour Piano"), 1);
    }

    #[test]
    fn a_login_with_a_search_word_is_still_a_login() {
        let verdict = judge(
            "<form action=/search-login>Search our books after login <input name=u><input type=password name=p></form>",
        );
        assert_eq!(verdict.kind, FormKind::Login);
        assert!(!verdict.is_searchable());
    }

    #[test]
    fn forms_that_ask_for_something_else_are_named() {
        for (html, kind) in [
            (
                "<form method=post>Subscribe to our newsletter <input type=email name=e></form>",
                FormKind::Newsletter,
            ),
            (
                "<form method=post><input name=email><textarea name=message></textarea></form>",
                FormKind::Contact,
            ),
            (
                "<form method=post><input name=n><textarea name=c>Comment</textarea> Leave a comment</form>",
                FormKind::Comment,
            ),
            ("<form method=post>Card number <input name=cc></form>", FormKind::Order),
            (
                "<form method=post>Create account<input name=a><input type=password name=p><input type=password name=p2></form>",
                FormKind::Registration,
            ),
        ] {
            assert_eq!(judge(html).kind, kind, "{html}");
        }
    }

    #[test]
    fn a_search_for_something_else_is_searchable_and_not_relevant() {
        let verdict =
            judge("<title>Weather</title><form>City <input name=q> <input type=submit value=Search></form>");
        assert!(verdict.is_searchable() && !verdict.is_relevant(), "{verdict:?}");
    }
}
