//! Selection and order of forms.

use super::super::{FormRow, RunId, Store, StoreError};
use super::Label;
use hadal_core::address::Site;
use hadal_core::http::Method;
use hadal_core::identity::FormId;
use std::cmp::Ordering;

/// Number of forms that are examined per page, whether they match or not. Guess.
pub const MAX_SCANNED_FORMS: usize = 1_000;

/// Selection of forms.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormQuery {
    /// Only these forms; all if empty.
    pub ids: Vec<FormId>,
    /// Only forms of this run. [`FormRow::also_on`] then counts the pages of this run.
    pub run: Option<RunId>,
    /// Only forms of this topic.
    pub topic: Option<String>,
    /// Only forms of this site.
    pub site: Option<Site>,
    /// Only forms on pages in this language.
    pub language: Option<String>,
    /// Only forms with this method.
    pub method: Option<Method>,
    /// Only forms with this number of open fields, see [`count_open_fields`].
    pub open_fields: Option<usize>,
    /// Least `p_relevant`.
    pub min_relevance: f32,
    /// Least `p_searchable`.
    pub min_searchable: f32,
    /// Selection by label.
    pub labels: LabelFilter,
    /// Read [`FormRow::form_snapshot`], too.
    pub with_snapshot: bool,
    /// Only forms after this position.
    pub after: Option<FormCursor>,
    /// Maximum number of rows; `None` for the usual page size of the store.
    pub limit: Option<usize>,
}

/// Selection of forms by label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LabelFilter {
    /// Forms with any label, or none.
    #[default]
    Any,
    /// All forms except those labelled as wrong or as no search.
    Accepted,
    /// Only forms with this label.
    Only(Label),
}

impl LabelFilter {
    /// True if a form with this label matches.
    pub fn matches(self, label: Option<Label>) -> bool {
        match self {
            LabelFilter::Any => true,
            LabelFilter::Accepted => label.is_none_or(Label::is_listed),
            LabelFilter::Only(wanted) => label == Some(wanted),
        }
    }
}

impl FormQuery {
    /// True if a form matches, position aside.
    pub fn matches(&self, form: &FormSummary) -> bool {
        self.matches_without_label(form) && self.labels.matches(form.label)
    }

    /// True if a form matches, label and position aside.
    pub fn matches_without_label(&self, form: &FormSummary) -> bool {
        let FormCursor { relevant, searchable, form: id, topic } = &form.place;
        (self.ids.is_empty() || self.ids.contains(id))
            && self.run.is_none_or(|run| run == form.run)
            && *relevant >= self.min_relevance
            && *searchable >= self.min_searchable
            && self.topic.as_ref().is_none_or(|wanted| wanted == topic)
            && self.site.as_ref().is_none_or(|site| *site == form.site)
            && self.language.as_ref().is_none_or(|language| Some(language) == form.language.as_ref())
            && self.method.is_none_or(|method| method == form.method)
            && self.open_fields.is_none_or(|fields| fields == form.open_fields)
    }
}

/// A form with its run and its label.
#[derive(Clone, Debug, PartialEq)]
pub struct FormEntry {
    /// Run that found the form.
    pub run: RunId,
    /// Number of the find within the store: lower if the form was found earlier.
    pub found: u64,
    /// Row of the form.
    pub row: FormRow,
    /// Label of the form for the topic of the run.
    pub label: Option<Label>,
}

/// Attributes of a form that a [`FormQuery`] can select by.
#[derive(Clone, Debug, PartialEq)]
pub struct FormSummary {
    /// Run that found the form.
    pub run: RunId,
    /// Number of the find within the store: lower if the form was found earlier.
    pub found: u64,
    /// Position in the order of the list.
    pub place: FormCursor,
    /// Site of the form.
    pub site: Site,
    /// Language of the page.
    pub language: Option<String>,
    pub method: Method,
    /// Number of open fields.
    pub open_fields: usize,
    /// Label of the form for the topic of the run.
    pub label: Option<Label>,
}

impl FormSummary {
    /// The attributes of a form.
    pub fn of(entry: &FormEntry) -> FormSummary {
        let row = &entry.row;
        FormSummary {
            run: entry.run,
            found: entry.found,
            place: FormCursor::of(row),
            site: row.site.clone(),
            language: row.language.clone(),
            method: row.method,
            open_fields: count_open_fields(row.fields.iter().map(|field| field.kind.as_str())),
            label: entry.label,
        }
    }
}

/// Number of fields that a person fills in: all types except hidden fields and buttons.
pub fn count_open_fields<'a>(kinds: impl Iterator<Item = &'a str>) -> usize {
    kinds.filter(|kind| !["hidden", "submit", "button", "image", "reset"].contains(kind)).count()
}

/// Position in a list of forms: right after this form.
#[derive(Clone, Debug, PartialEq)]
pub struct FormCursor {
    /// `p_relevant` of the form.
    pub relevant: f32,
    /// `p_searchable` of the form.
    pub searchable: f32,
    /// Identity of the form.
    pub form: FormId,
    /// Topic of the form.
    pub topic: String,
}

impl FormCursor {
    /// Position of a form.
    pub fn of(row: &FormRow) -> FormCursor {
        let (relevant, searchable, form) = (row.p_relevant, row.p_searchable, row.form_id);
        FormCursor { relevant, searchable, form, topic: row.topic.clone() }
    }

    /// Order of two positions: `p_relevant` downwards, `p_searchable` downwards, form, topic.
    pub fn order(&self, other: &FormCursor) -> Ordering {
        let rising =
            self.relevant.total_cmp(&other.relevant).then(self.searchable.total_cmp(&other.searchable));
        rising.reverse().then_with(|| (self.form, &self.topic).cmp(&(other.form, &other.topic)))
    }
}

/// Returns a form by identity, for a topic if one is given. Of several topics, the one that found the form first wins.
pub fn form_by_id(
    store: &dyn Store,
    form: FormId,
    topic: Option<&str>,
    with_snapshot: bool,
) -> Result<Option<FormEntry>, StoreError> {
    let query =
        FormQuery { ids: vec![form], topic: topic.map(String::from), with_snapshot, ..FormQuery::default() };
    Ok(store.forms(&query)?.rows.into_iter().min_by_key(|entry| entry.found))
}

/// Returns the complete form of each row of a run, in the same order; `None` where it was not kept.
pub fn form_snapshots(
    store: &dyn Store,
    run: RunId,
    forms: &[FormId],
) -> Result<Vec<Option<Box<hadal_core::page::Form>>>, StoreError> {
    let mut snapshots = rustc_hash::FxHashMap::default();
    for ids in forms.chunks(MAX_SCANNED_FORMS / 2) {
        let query =
            FormQuery { ids: ids.to_vec(), run: Some(run), with_snapshot: true, ..FormQuery::default() };
        for entry in super::super::all_forms(store, query) {
            let row = entry?.row;
            snapshots.insert(row.form_id, row.form_snapshot);
        }
    }
    Ok(forms.iter().map(|form| snapshots.get(form).cloned().flatten()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejected_forms_are_listed_only_on_request() {
        let wrong = Some(Label::Wrong);
        let accepted = LabelFilter::Accepted;
        assert!(accepted.matches(None) && accepted.matches(Some(Label::Right)));
        assert!(!accepted.matches(wrong) && !accepted.matches(Some(Label::NotASearch)));
        assert!(LabelFilter::Any.matches(wrong) && LabelFilter::Only(Label::Wrong).matches(wrong));
        assert!(!LabelFilter::Only(Label::Wrong).matches(None));
    }
}
