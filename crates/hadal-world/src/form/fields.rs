//! Field templates per subject and form kind, read from `fields.txt`.
//!
//! A template has several names, several labels and one input kind. A form uses some templates of its
//! subject, each with one name and one label. A line of the file is a heading, or
//! `names | labels | input kind`.

use std::sync::LazyLock;

/// Template of a form field.
pub(crate) struct FieldTemplate {
    /// Possible field names.
    pub(crate) names: Vec<&'static str>,
    pub(crate) labels: Vec<&'static str>,
    pub(crate) input: InputKind,
}

/// Kind of input that a field template becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InputKind {
    /// Keyword box of a form with a single field.
    KeywordBox,
    Text,
    Email,
    Tel,
    Password,
    Textarea,
    /// Text field, or one list each for day and month.
    Date,
    /// List of years or text field.
    Year,
    /// List of amounts or number field.
    Price,
    /// List of small numbers.
    Count,
    Checkbox,
    /// List of terms of the subject.
    Terms,
    /// List of towns.
    Towns,
    /// List of these values.
    Select(Vec<&'static str>),
    /// Radio buttons with these values.
    Radio(Vec<&'static str>),
}

static ALL: LazyLock<Vec<(&'static str, Vec<FieldTemplate>)>> = LazyLock::new(read);

/// Templates under a heading: the name of a subject, `site` for site searches, the name of a form kind, or `poll`.
/// Unknown headings get the templates of `other`.
pub(crate) fn field_templates(heading: &str) -> &'static [FieldTemplate] {
    let found = ALL.iter().find(|(name, _)| *name == heading);
    found.or_else(|| ALL.iter().find(|(name, _)| *name == "other")).map_or(&[], |(_, list)| list)
}

fn read() -> Vec<(&'static str, Vec<FieldTemplate>)> {
    let mut all: Vec<(&str, Vec<FieldTemplate>)> = Vec::new();
    for line in include_str!("fields.txt").lines() {
        match template(line) {
            Some(template) => all.last_mut().expect("a heading comes first").1.push(template),
            None => all.push((line.trim(), Vec::new())),
        }
    }
    all
}

fn template(line: &'static str) -> Option<FieldTemplate> {
    let mut parts = line.split(" | ");
    let names = parts.next()?.split(' ').collect();
    let labels = parts.next()?.split("; ").collect();
    Some(FieldTemplate { names, labels, input: input_kind(parts.next()?.trim()) })
}

fn input_kind(text: &'static str) -> InputKind {
    let (word, list) = text.split_once(':').unwrap_or((text, ""));
    let choices = || list.split(';').collect();
    match word {
        "box" => InputKind::KeywordBox,
        "email" => InputKind::Email,
        "tel" => InputKind::Tel,
        "password" => InputKind::Password,
        "textarea" => InputKind::Textarea,
        "date" => InputKind::Date,
        "year" => InputKind::Year,
        "price" => InputKind::Price,
        "count" => InputKind::Count,
        "check" => InputKind::Checkbox,
        "terms" => InputKind::Terms,
        "places" => InputKind::Towns,
        "pick" => InputKind::Select(choices()),
        "radio" => InputKind::Radio(choices()),
        _ => InputKind::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::TOPICS;

    #[test]
    fn every_topic_has_templates_of_its_own() {
        for topic in TOPICS {
            let templates = field_templates(topic);
            assert!(templates.len() >= 8, "{topic}");
            assert!(templates.iter().any(|template| template.input == InputKind::KeywordBox), "{topic}");
        }
        assert!(!std::ptr::eq(field_templates("book"), field_templates("other")));
        assert!(std::ptr::eq(field_templates("gardening"), field_templates("other")));
    }
}
