//! Which forms of a directory are wanted, and where a page of it ends.

use super::super::{FormRow, RunId};
use super::Label;
use hadal_core::address::Site;
use hadal_core::http::Method;
use hadal_core::identity::FormId;
use std::cmp::Ordering;

/// Forms that are looked at for one page, whatever passes.
pub const MOST_SCANNED: usize = 1_000;

/// Which forms are wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormQuery {
    /// Only of this run; else a form that several runs of a topic found is one.
    pub run: Option<RunId>,
    /// Only of this topic.
    pub topic: Option<String>,
    /// Only of this site.
    pub site: Option<Site>,
    /// Only on pages in this language.
    pub language: Option<String>,
    /// Only sent in this way.
    pub method: Option<Method>,
    /// Only with so many fields that people fill.
    pub fields: Option<usize>,
    /// Only forms at least this likely relevant.
    pub min_relevance: f32,
    /// Only forms at least this likely searchable.
    pub min_searchable: f32,
    /// Which of them by what people said.
    pub marks: LabelFilter,
    /// Only what comes after this place.
    pub after: Option<FormCursor>,
    /// At most this many.
    pub most: usize,
}

/// Which forms are wanted by what people said of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LabelFilter {
    /// All but those that a person took out.
    #[default]
    Standing,
    /// Whatever was said.
    Any,
    /// Those with this label.
    Only(Label),
}

impl LabelFilter {
    /// Whether a form with this label is wanted.
    pub fn take(self, label: Option<Label>) -> bool {
        match self {
            LabelFilter::Standing => label.is_none_or(Label::keeps),
            LabelFilter::Any => true,
            LabelFilter::Only(wanted) => label == Some(wanted),
        }
    }
}

impl FormQuery {
    /// Whether a form is wanted.
    pub fn takes(&self, form: &FormSummary) -> bool {
        self.takes_but_for_label(form) && self.marks.take(form.label)
    }

    /// Whether a form is wanted, whatever people said of it.
    pub fn takes_but_for_label(&self, form: &FormSummary) -> bool {
        self.run.is_none_or(|run| run == form.run)
            && form.place.relevant >= self.min_relevance
            && form.place.searchable >= self.min_searchable
            && self.topic.as_ref().is_none_or(|topic| *topic == form.place.topic)
            && self.site.as_ref().is_none_or(|site| *site == form.site)
            && self.language.as_ref().is_none_or(|language| Some(language) == form.language.as_ref())
            && self.method.is_none_or(|method| method == form.method)
            && self.fields.is_none_or(|fields| fields == form.open_fields)
    }
}

/// A form by what a directory can be narrowed down by.
#[derive(Clone, Debug, PartialEq)]
pub struct FormSummary {
    /// The run that found it.
    pub run: RunId,
    /// Its place in the order of the directory.
    pub place: FormCursor,
    /// Its site.
    pub site: Site,
    /// Language of its page.
    pub language: Option<String>,
    /// How it is sent.
    pub method: Method,
    /// How many of its fields people fill.
    pub open_fields: usize,
    /// A person's word.
    pub label: Option<Label>,
}

impl FormSummary {
    /// A form at a glance.
    pub fn of(found: &FormEntry) -> FormSummary {
        let row = &found.row;
        FormSummary {
            run: found.run,
            place: FormCursor::of(row),
            site: row.site.clone(),
            language: row.language.clone(),
            method: row.method,
            open_fields: open_fields(row.fields.iter().map(|field| field.kind.as_str())),
            label: found.label,
        }
    }
}

/// How many fields of these types people fill: neither hidden ones nor buttons.
pub fn open_fields<'a>(kinds: impl Iterator<Item = &'a str>) -> usize {
    kinds.filter(|kind| !["hidden", "submit", "button", "image", "reset"].contains(kind)).count()
}

/// A form with the run that found it and what people made of it.
#[derive(Clone, Debug, PartialEq)]
pub struct FormEntry {
    /// The run.
    pub run: RunId,
    /// The form.
    pub row: FormRow,
    /// A person's word.
    pub label: Option<Label>,
}

/// Some forms in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectoryPage<F> {
    /// The forms; there may be fewer than asked for, and more to come.
    pub forms: Vec<F>,
    /// Where the next page begins, unless this was the last.
    pub next: Option<FormCursor>,
}

/// A place in the order of the directory: right after this form.
#[derive(Clone, Debug, PartialEq)]
pub struct FormCursor {
    /// P(relevant) of the form.
    pub relevant: f32,
    /// P(searchable) of it.
    pub searchable: f32,
    /// Which one.
    pub form: FormId,
    /// Its topic.
    pub topic: String,
}

impl FormCursor {
    /// The place of a form.
    pub fn of(row: &FormRow) -> FormCursor {
        let (relevant, searchable, form) = (row.p_relevant, row.p_searchable, row.form_id);
        FormCursor { relevant, searchable, form, topic: row.topic.clone() }
    }

    /// How this place and another follow each other.
    pub fn order(&self, other: &FormCursor) -> Ordering {
        let rising =
            self.relevant.total_cmp(&other.relevant).then(self.searchable.total_cmp(&other.searchable));
        rising.reverse().then_with(|| (self.form, &self.topic).cmp(&(other.form, &other.topic)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_took_out_stays_out_unless_asked_for() {
        let wrong = Some(Label::Wrong);
        assert!(LabelFilter::Standing.take(None) && LabelFilter::Standing.take(Some(Label::Right)));
        assert!(!LabelFilter::Standing.take(wrong) && !LabelFilter::Standing.take(Some(Label::NotASearch)));
        assert!(LabelFilter::Any.take(wrong) && LabelFilter::Only(Label::Wrong).take(wrong));
        assert!(!LabelFilter::Only(Label::Wrong).take(None));
    }
}
