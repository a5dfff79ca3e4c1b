//! Comparison of a topic before and after training on marked forms. The better one is kept.

use super::Sample;
use super::learn::{extend, learn};
use super::model::TopicModel;
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::critic::classifiers::Classifiers;
use hadal_core::critic::topic_features::TopicFeatures;
use hadal_core::critic::trained::CriticTarget;

/// Forms that a topic learns from.
pub struct MarkedForms<'a> {
    /// Examples of the topic's file.
    pub own: &'a [Sample],
    /// Forms marked right.
    pub right: &'a [Sample],
    /// Forms marked wrong or not a search.
    pub wrong: &'a [Sample],
    /// Words of the topic.
    pub words: &'a str,
}

/// Errors of a topic before and after training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopicComparison {
    /// Number of marks.
    pub marks: usize,
    /// Marks that the topic judges wrongly as it is.
    pub old_errors: usize,
    /// Marks that a topic trained on the other marks judges wrongly.
    pub new_errors: usize,
    /// Forms of the background that the trained topic judges differently.
    pub changed: usize,
    /// Number of forms in the background.
    pub background: usize,
}

/// One of this many background forms may be judged differently. Guess.
const FORMS_PER_CHANGE: usize = 20;

impl TopicComparison {
    /// True if the trained topic makes fewer errors on held-back marks and hardly changes elsewhere.
    pub fn prefers_new(&self) -> bool {
        self.new_errors < self.old_errors && self.changed * FORMS_PER_CHANGE <= self.background
    }
}

/// Trains a topic on marks. A built-in domain is extended.
pub fn train(old: &CriticTarget, forms: &MarkedForms<'_>) -> TopicModel {
    let relevant = [forms.own, forms.right].concat();
    match old {
        CriticTarget::Domain(domain) => extend(*domain, &relevant, forms.wrong, forms.words),
        CriticTarget::Learned(_) => learn(&relevant, forms.wrong, forms.words),
    }
}

/// Compares a topic with its trained version. Each mark is judged by a topic trained without it.
pub fn compare(old: &CriticTarget, trained: &TopicModel, forms: &MarkedForms<'_>) -> TopicComparison {
    let marks =
        forms.right.iter().map(|mark| (mark, true)).chain(forms.wrong.iter().map(|mark| (mark, false)));
    let errs = |target: &CriticTarget, mark: &Sample, is_right: bool| {
        (p_form(target, &mark.form_row()) >= MIN_ACCEPTED_P) != is_right
    };
    let old_errors = marks.clone().filter(|(mark, is_right)| errs(old, mark, *is_right)).count();
    let new_errors = marks.clone().enumerate().filter(|(at, (mark, is_right))| {
        held_back(old, forms, *at).is_none_or(|topic| errs(&topic, mark, *is_right))
    });
    let new = CriticTarget::Learned(Box::new(trained.learned.clone()));
    let classifiers = Classifiers::current();
    let background = classifiers.background.forms(classifiers.domains.vocabulary());
    let differs =
        |row: &&TopicFeatures| (p_form(old, row) >= MIN_ACCEPTED_P) != (p_form(&new, row) >= MIN_ACCEPTED_P);
    TopicComparison {
        marks: marks.clone().count(),
        old_errors,
        new_errors: new_errors.count(),
        changed: background.iter().filter(differs).count(),
        background: background.len(),
    }
}

/// Topic trained without one mark; `None` if no relevant form is left.
fn held_back(old: &CriticTarget, forms: &MarkedForms<'_>, out: usize) -> Option<CriticTarget> {
    let (mut right, mut wrong) = (forms.right.to_vec(), forms.wrong.to_vec());
    match out.checked_sub(right.len()) {
        None => drop(right.remove(out)),
        Some(out) => drop(wrong.remove(out)),
    }
    if right.is_empty() && forms.own.is_empty() {
        return None;
    }
    let kept = MarkedForms { own: forms.own, right: &right, wrong: &wrong, words: forms.words };
    Some(CriticTarget::Learned(Box::new(train(old, &kept).learned)))
}

fn p_form(target: &CriticTarget, row: &[(u32, f32)]) -> f32 {
    let classifiers = Classifiers::current();
    match target {
        CriticTarget::Domain(domain) => classifiers.domains.classify_features(row)[*domain],
        CriticTarget::Learned(topic) => classifiers.p_form(topic, row),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal_core::html::parse;
    use url::Url;

    fn sample(text: &str) -> Sample {
        let html = format!(
            "<title>{text}</title><form action=/find>{text} <input name=q> <button>Search</button></form>"
        );
        let url = Url::parse("http://a.example/").unwrap();
        Sample::of("a", parse(html.as_bytes(), Some("text/html"), &url), None).unwrap()
    }

    #[test]
    fn one_mark_does_not_replace_a_built_in_topic() {
        let old = CriticTarget::built_in("book").unwrap();
        let right = [sample("Books by author, title or ISBN")];
        let forms = MarkedForms { own: &[], right: &right, wrong: &[], words: "book" };
        let trained = train(&old, &forms);
        let comparison = compare(&old, &trained, &forms);
        assert_eq!((comparison.marks, comparison.old_errors), (1, 0));
        assert!(!comparison.prefers_new(), "{comparison:?}");
    }

    #[test]
    fn fewer_errors_on_held_back_marks_are_better_unless_much_else_changes() {
        let better = TopicComparison { marks: 9, old_errors: 4, new_errors: 1, changed: 3, background: 300 };
        assert!(better.prefers_new());
        assert!(!TopicComparison { changed: 30, ..better }.prefers_new());
        assert!(!TopicComparison { new_errors: 4, ..better }.prefers_new());
    }
}
