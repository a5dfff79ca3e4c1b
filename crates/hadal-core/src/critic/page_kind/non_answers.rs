//! Scores for pages that are not answers to a query: errors, logins, rate limits, captchas, confirmations.

use super::Signal;
use super::phrases;
use crate::critic::phrase_set::PhraseSet;
use crate::page::{FieldKind, Form, Page};

/// Length of normalised text in bytes below which a page is short. Guess.
pub(super) const SHORT_TEXT: usize = 2_000;

/// Error, by status code or message.
pub(super) fn error(text: &str, title: &str, status: u16) -> Signal {
    let mut signal = Signal::default();
    match status {
        500..=599 => signal.add(0.95, "server error status"),
        400..=403 | 405..=428 | 430..=499 => signal.add(0.7, "client error status"),
        0 => signal.add(1.0, "no answer"),
        _ => {}
    }
    add_phrase(&mut signal, text, title, &phrases::ERROR);
    signal
}

/// Login page, by status code, password field and messages.
pub(super) fn login(page: &Page, text: &str, title: &str, status: u16) -> Signal {
    let mut signal = Signal::default();
    if status == 401 {
        signal.add(0.9, "status 401");
    }
    let has_password = |form: &Form| form.fields.iter().any(|field| field.kind == FieldKind::Password);
    if page.forms.iter().any(has_password) {
        // Many sites have a login form on every page.
        signal.add(0.1, "password field");
        if let Some(phrase) = phrases::LOGIN.first(title) {
            signal.add(0.5, phrase);
        }
        if let Some(phrase) = phrases::LOGIN_FIRST.first(text) {
            signal.add(0.5, phrase);
        }
        if page.forms.len() == 1 && page.text.len() < SHORT_TEXT / 4 {
            signal.add(0.3, "little other text");
        }
    }
    signal
}

/// Soft 404: a not-found message with a success status.
pub(super) fn soft_404(text: &str, title: &str, status: u16) -> Signal {
    let mut signal = Signal::default();
    if matches!(status, 200..=299) {
        add_phrase(&mut signal, text, title, &phrases::NOT_FOUND);
    }
    signal
}

/// Confirmation of an entry, message or order.
pub(super) fn confirmation(text: &str, title: &str) -> Signal {
    let mut signal = Signal::default();
    add_phrase(&mut signal, text, title, &phrases::CONFIRMATION);
    signal
}

/// Rate limit, by status code or message.
pub(super) fn rate_limit(text: &str, title: &str, status: u16) -> Signal {
    let mut signal = Signal::default();
    match status {
        429 => signal.add(1.0, "status 429"),
        503 => signal.add(0.5, "status 503"),
        _ => {}
    }
    add_phrase(&mut signal, text, title, &phrases::RATE_LIMIT);
    signal
}

/// Captcha instead of an answer. The text of a long page is empty.
pub(super) fn captcha(page: &Page, text: &str, title: &str, status: u16) -> Signal {
    let mut signal = Signal::default();
    add_phrase(&mut signal, text, title, &phrases::CAPTCHA);
    let is_short = page.text.len() < SHORT_TEXT / 2 && page.links.len() < 10;
    if is_short && page.forms.iter().any(|form| has_captcha(&form.attributes, form)) {
        signal.add(if status == 403 { 0.8 } else { 0.5 }, "captcha field");
    }
    signal
}

fn has_captcha(attributes: &str, form: &Form) -> bool {
    let has_marker = |text: &str| {
        let text = text.to_lowercase();
        ["captcha", "turnstile", "challenge"].iter().any(|marker| text.contains(marker))
    };
    has_marker(attributes)
        || form.fields.iter().take(100).any(|field| has_marker(&field.name) || has_marker(&field.id))
}

/// Adds evidence for a phrase. It counts most in the title and less in the text, above all in a long one.
/// `text` is empty if the page is long.
fn add_phrase(signal: &mut Signal, text: &str, title: &str, phrases: &PhraseSet) {
    if let Some(phrase) = phrases.first(title) {
        signal.add(0.7, phrase);
    }
    if let Some(phrase) = phrases.first(text) {
        signal.add(if text.len() < SHORT_TEXT / 2 { 0.6 } else { 0.5 }, phrase);
    }
}
