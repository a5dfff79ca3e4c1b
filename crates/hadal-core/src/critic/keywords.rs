//! The simplest critic: words and the shape of a form, no training.
//!
//! It is the yardstick for trained critics and what a crawl for free words falls back to.

use super::{Critic, FormKind, FormVerdict, PageVerdict};
use crate::http::Method;
use crate::page::{FieldKind, Form, Page};
use crate::topic::{Topic, singular};
use rustc_hash::FxHashSet;

/// Judges by a topic's words.
pub struct KeywordCritic {
    words: FxHashSet<String>,
    initials: [bool; 256],
}

impl KeywordCritic {
    /// A critic for one topic.
    pub fn new(topic: &Topic) -> KeywordCritic {
        let words: FxHashSet<String> = topic.words.iter().map(|word| singular(word)).collect();
        let mut initials = [false; 256];
        for initial in words.iter().filter_map(|word| word.bytes().next()) {
            initials[usize::from(initial)] = true;
            initials[usize::from(initial.to_ascii_uppercase())] = true;
        }
        // The case of letters beyond ASCII shows only when they are decoded.
        initials[128..].fill(true);
        KeywordCritic { words, initials }
    }

    /// How much of a text is the topic's. Most words are passed over by their first letter.
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

#[derive(Default)]
struct TopicMentions {
    words: u32,
    hits: u32,
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
        let spread = text.distinct.min(6) as f32 / self.words.len().clamp(1, 6) as f32;
        let evidence =
            -3.5 + 3.0 * spread + 40.0 * text.density().min(0.06) + 1.2 * title.distinct.min(2) as f32;
        PageVerdict { p_topic: logistic(evidence), ..PageVerdict::default() }
    }

    fn judge_form(&self, form: &Form, _page: &Page, verdict: &PageVerdict) -> FormVerdict {
        let shape = FormShape::of(form);
        let (kind, odds, mut evidence) = shape.purpose();
        let p_searchable = logistic(odds);
        let own = self.mentions(&form_words(form));
        let p_topic = logistic(-2.2 + 1.1 * own.distinct.min(4) as f32 + 2.4 * verdict.p_topic);
        if own.distinct > 0 {
            evidence.push(format!("{} of the topic's words", own.distinct));
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

/// What a form is made of and what it says, as far as its purpose shows in that.
struct FormShape {
    text: String,
    passwords: usize,
    emails: usize,
    textareas: usize,
    files: usize,
    inputs: usize,
    choices: usize,
    searchbox: bool,
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
            searchbox: count(&[FieldKind::Search]) > 0 || form.fields.iter().any(is_query),
            get: form.method == Method::Get,
            text,
        }
    }

    fn says(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.text.contains(word))
    }

    /// Kind, log-odds of being searchable, and why.
    fn purpose(&self) -> (FormKind, f32, Vec<String>) {
        if let Some((kind, why)) = self.veto() {
            return (kind, -4.0, vec![why.to_string()]);
        }
        let signs = [
            (self.searchbox, 2.0, "a query box"),
            (self.says(SEARCH), 1.8, "words of searching"),
            (self.get, 0.8, "sent with GET"),
            (self.choices >= 2, 0.7, "several choices"),
            (self.inputs == 1 && self.emails == 0, 0.4, "a single text box"),
            (self.emails > 0, -2.5, "asks for an e-mail address"),
            (self.inputs + self.choices == 0, -4.0, "nothing to fill in"),
            (self.says(PERSONAL), -2.0, "asks for personal data"),
        ];
        let told = || signs.iter().filter(|(holds, _, _)| *holds);
        let odds = -1.5 + told().map(|(_, weight, _)| weight).sum::<f32>();
        let kind = if odds >= 0.0 {
            FormKind::Search
        } else if self.says(BOOKING) {
            FormKind::Booking
        } else {
            FormKind::Other
        };
        (kind, odds, told().map(|(_, _, why)| why.to_string()).collect())
    }

    /// Forms that are never a search, whatever else they say.
    fn veto(&self) -> Option<(FormKind, &'static str)> {
        let password = self.passwords > 0;
        let rules = [
            (
                password && (self.passwords > 1 || self.says(JOIN)) && self.inputs > 2,
                FormKind::Registration,
                "a new password",
            ),
            (password, FormKind::Login, "a password"),
            (self.says(&["forgot", "reset password", "recover"]), FormKind::Recovery, "words of recovery"),
            (self.says(CARD), FormKind::Order, "words of ordering"),
            (self.files > 0, FormKind::Other, "a file to upload"),
            (
                self.textareas > 0 && self.says(&["comment", "review", "reply"]),
                FormKind::Comment,
                "a comment box",
            ),
            (self.textareas > 0 && self.emails > 0, FormKind::Contact, "e-mail and message"),
            (self.textareas > 0 && !self.says(SEARCH), FormKind::Contact, "a message box"),
            (self.emails > 0 && self.says(LETTER), FormKind::Newsletter, "words of a mailing list"),
            (self.emails > 0 && self.says(BOOKING), FormKind::Booking, "reserves in a name"),
            (self.emails > 0 && self.inputs > 2 && !self.says(SEARCH), FormKind::Contact, "asks who you are"),
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

const SEARCH: &[&str] =
    &["search", "find", "look up", "lookup", "browse", "filter", "suche", "recherch", "buscar", "cerca"];
const JOIN: &[&str] = &["register", "sign up", "signup", "create", "join", "confirm"];
const CARD: &[&str] =
    &["credit card", "card number", "cvv", "checkout", "add to cart", "add to basket", "quantity"];
const LETTER: &[&str] = &["subscribe", "newsletter", "mailing", "updates", "sign up", "notify"];
const BOOKING: &[&str] = &["book now", "reserve", "reservation", "appointment", "booking"];
const PERSONAL: &[&str] = &["your name", "full name", "first name", "phone number", "your phone"];

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
