//! Pages that stand in the way of an answer: errors, logins, limits, tests for machines, thanks for an order.

use super::Signal;
use super::phrases;
use crate::critic::phrase_set::PhraseSet;
use crate::page::{FieldKind, Form, Page};

/// Bytes of plain text under which a page has little to say beside its message.
const SHORT: usize = 2_000;

/// An error, by status or by what a short page says.
pub(super) fn error(text: &str, title: &str, status: u16) -> Signal {
    let mut signal = Signal::default();
    match status {
        500..=599 => signal.add(0.95, "a status of failure"),
        400..=403 | 405..=428 | 430..=499 => signal.add(0.7, "a status of refusal"),
        0 => signal.add(1.0, "no answer"),
        _ => {}
    }
    said(&mut signal, text, title, &phrases::ERROR);
    signal
}

/// Nothing but a login.
pub(super) fn login(page: &Page, text: &str, title: &str, status: u16) -> Signal {
    let mut signal = Signal::default();
    if status == 401 {
        signal.add(0.9, "a status that asks for a login");
    }
    let asks = |form: &Form| form.fields.iter().any(|field| field.kind == FieldKind::Password);
    if page.forms.iter().any(asks) {
        // Many sites show a login on every page.
        signal.add(0.1, "a password field");
        if let Some(phrase) = phrases::LOGIN.first(title) {
            signal.add(0.5, phrase);
        }
        if text.len() < SHORT
            && let Some(phrase) = phrases::LOGIN_FIRST.first(text)
        {
            signal.add(0.5, phrase);
        }
        if page.forms.len() == 1 && page.text.len() < SHORT / 4 {
            signal.add(0.3, "little else");
        }
    }
    signal
}

/// A missing page that answers as if it were there.
pub(super) fn soft_404(text: &str, title: &str, status: u16) -> Signal {
    let mut signal = Signal::default();
    if matches!(status, 200..=299) {
        said(&mut signal, text, title, &phrases::NOT_FOUND);
    }
    signal
}

/// What was sent was taken in, as a message or an order is.
pub(super) fn confirmation(text: &str, title: &str) -> Signal {
    let mut signal = Signal::default();
    said(&mut signal, text, title, &phrases::CONFIRMATION);
    signal
}

/// Asked too often.
pub(super) fn rate_limit(text: &str, title: &str, status: u16) -> Signal {
    let mut signal = Signal::default();
    match status {
        429 => signal.add(1.0, "too many requests"),
        503 => signal.add(0.5, "not available now"),
        _ => {}
    }
    said(&mut signal, text, title, &phrases::RATE_LIMIT);
    signal
}

/// A test for machines instead of an answer.
pub(super) fn captcha(page: &Page, text: &str, title: &str, status: u16) -> Signal {
    let mut signal = Signal::default();
    said(&mut signal, text, title, &phrases::CAPTCHA);
    let is_bare = text.len() < SHORT / 2 && page.links.len() < 10;
    if is_bare && page.forms.iter().any(|form| has_captcha(&form.attributes, form)) {
        signal.add(if status == 403 { 0.8 } else { 0.5 }, "a field for it");
    }
    signal
}

fn has_captcha(attributes: &str, form: &Form) -> bool {
    let marks = |text: &str| {
        let text = text.to_lowercase();
        ["captcha", "turnstile", "challenge"].iter().any(|mark| text.contains(mark))
    };
    marks(attributes) || form.fields.iter().take(100).any(|field| marks(&field.name) || marks(&field.id))
}

/// A phrase weighs most in the title, less on a short page, and nothing in a long text.
fn said(signal: &mut Signal, text: &str, title: &str, phrases: &PhraseSet) {
    if let Some(phrase) = phrases.first(title) {
        signal.add(0.7, phrase);
    }
    if text.len() < SHORT
        && let Some(phrase) = phrases.first(text)
    {
        signal.add(if text.len() < SHORT / 2 { 0.6 } else { 0.5 }, phrase);
    }
}
