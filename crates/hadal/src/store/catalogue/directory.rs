//! Which forms of a directory are wanted, and where a page of it ends.

use super::super::{FormRow, RunId};
use super::Label;
use hadal_core::address::Site;
use hadal_core::http::Method;
use hadal_core::identity::FormId;
use std::cmp::Ordering;

/// Forms that are looked at for one page, whatever passes.
pub const MOST_SCANNED: usize = 2_000;

/// Which forms are wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DirectoryQuery {
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
    pub marks: Marks,
    /// Only what comes after this place.
    pub after: Option<Place>,
    /// At most this many.
    pub most: usize,
}

/// Which forms are wanted by what people said of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Marks {
    /// All but those that a person took out.
    #[default]
    Standing,
    /// Whatever was said.
    Any,
    /// Those with this label.
    Only(Label),
}

impl Marks {
    /// Whether a form with this label is wanted.
    pub fn take(self, label: Option<Label>) -> bool {
        match self {
            Marks::Standing => label.is_none_or(Label::keeps),
            Marks::Any => true,
            Marks::Only(wanted) => label == Some(wanted),
        }
    }
}

impl DirectoryQuery {
    /// Whether a form is wanted, by all that can be told from its row.
    pub fn takes(&self, row: &FormRow) -> bool {
        row.p_relevant >= self.min_relevance
            && row.p_searchable >= self.min_searchable
            && self.topic.as_ref().is_none_or(|topic| *topic == row.topic)
            && self.site.as_ref().is_none_or(|site| *site == row.site)
            && self.language.as_ref().is_none_or(|language| Some(language) == row.language.as_ref())
            && self.method.is_none_or(|method| method == row.method)
            && self.fields.is_none_or(|fields| fields == row.open_fields())
    }
}

/// A form with the run that found it and what people made of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The run.
    pub run: RunId,
    /// The form.
    pub row: FormRow,
    /// A person's word.
    pub label: Option<Label>,
}

/// Some forms in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DirectoryPage {
    /// The forms; there may be fewer than asked for, and more to come.
    pub forms: Vec<Found>,
    /// Where the next page begins, unless this was the last.
    pub next: Option<Place>,
}

/// A place in the order of the directory: right after this form.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// P(relevant) of the form.
    pub relevant: f32,
    /// P(searchable) of it.
    pub searchable: f32,
    /// Which one.
    pub form: FormId,
    /// Its topic.
    pub topic: String,
}

impl Place {
    /// The place of a form.
    pub fn of(row: &FormRow) -> Place {
        let (relevant, searchable, form) = (row.p_relevant, row.p_searchable, row.form_id);
        Place { relevant, searchable, form, topic: row.topic.clone() }
    }

    /// How this place and that of a form follow each other.
    pub fn order(&self, row: &FormRow) -> Ordering {
        let rising =
            self.relevant.total_cmp(&row.p_relevant).then(self.searchable.total_cmp(&row.p_searchable));
        rising.reverse().then_with(|| (self.form, &self.topic).cmp(&(row.form_id, &row.topic)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_took_out_stays_out_unless_asked_for() {
        let wrong = Some(Label::Wrong);
        assert!(Marks::Standing.take(None) && Marks::Standing.take(Some(Label::Right)));
        assert!(!Marks::Standing.take(wrong) && !Marks::Standing.take(Some(Label::NotASearch)));
        assert!(Marks::Any.take(wrong) && Marks::Only(Label::Wrong).take(wrong));
        assert!(!Marks::Only(Label::Wrong).take(None));
    }
}
