//! What forms ask: the questions of each subject and of each kind of form that searches nothing.
//!
//! A question has several names, several labels and one way to be answered; a form takes some of
//! its subject's questions and one wording of each.

use std::sync::LazyLock;

/// One thing a form may ask.
pub(crate) struct FieldTemplate {
    /// Names it is submitted under, to choose from.
    pub(crate) names: Vec<&'static str>,
    /// What is written beside it, to choose from.
    pub(crate) labels: Vec<&'static str>,
    /// How it is answered.
    pub(crate) answer: InputKind,
}

/// How a question is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InputKind {
    /// By typing into the one box of a form that asks nothing else.
    Box,
    /// By typing.
    Text,
    /// By typing an e-mail address.
    Email,
    /// By typing a telephone number.
    Tel,
    /// By typing what is not shown.
    Password,
    /// By typing at length.
    Textarea,
    /// With a date.
    Date,
    /// With a year.
    Year,
    /// With an amount.
    Price,
    /// With a small number.
    Count,
    /// With yes or no.
    Check,
    /// By choosing a term of the subject.
    Terms,
    /// By choosing a place.
    Places,
    /// From a list.
    Pick(Vec<&'static str>),
    /// From a few buttons.
    Radio(Vec<&'static str>),
}

static ALL: LazyLock<Vec<(&'static str, Vec<FieldTemplate>)>> = LazyLock::new(read);

/// The questions under a heading: a subject's name, `other`, `site`, or a kind of form that searches nothing.
pub(crate) fn questions(heading: &str) -> &'static [FieldTemplate] {
    let found = ALL.iter().find(|(name, _)| *name == heading);
    found.or_else(|| ALL.iter().find(|(name, _)| *name == "other")).map_or(&[], |(_, list)| list)
}

fn read() -> Vec<(&'static str, Vec<FieldTemplate>)> {
    let mut all: Vec<(&str, Vec<FieldTemplate>)> = Vec::new();
    for line in include_str!("fields.txt").lines() {
        match question(line) {
            Some(question) => all.last_mut().expect("a heading comes first").1.push(question),
            None => all.push((line.trim(), Vec::new())),
        }
    }
    all
}

fn question(line: &'static str) -> Option<FieldTemplate> {
    let mut parts = line.split(" | ");
    let names = parts.next()?.split(' ').collect();
    let labels = parts.next()?.split("; ").collect();
    Some(FieldTemplate { names, labels, answer: answer(parts.next()?.trim()) })
}

fn answer(text: &'static str) -> InputKind {
    let (word, list) = text.split_once(':').unwrap_or((text, ""));
    let choices = || list.split(';').collect();
    match word {
        "box" => InputKind::Box,
        "email" => InputKind::Email,
        "tel" => InputKind::Tel,
        "password" => InputKind::Password,
        "textarea" => InputKind::Textarea,
        "date" => InputKind::Date,
        "year" => InputKind::Year,
        "price" => InputKind::Price,
        "count" => InputKind::Count,
        "check" => InputKind::Check,
        "terms" => InputKind::Terms,
        "places" => InputKind::Places,
        "pick" => InputKind::Pick(choices()),
        "radio" => InputKind::Radio(choices()),
        _ => InputKind::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::TOPICS;

    #[test]
    fn every_topic_has_questions_of_its_own() {
        for topic in TOPICS {
            assert!(questions(topic).len() >= 8, "{topic}");
            assert!(questions(topic).iter().any(|question| question.answer == InputKind::Box), "{topic}");
        }
        assert!(!std::ptr::eq(questions("book"), questions("other")));
        assert!(std::ptr::eq(questions("gardening"), questions("other")));
    }
}
