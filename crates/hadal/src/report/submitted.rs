//! True kinds of the submitted forms, for stores of the simulated web.

use crate::store::{HarvestQuery, RunQuery, Store, StoreError, SubmissionQuery, Submitter, all_submissions};
use hadal_core::critic::FormKind;
use hadal_core::http::Method;
use hadal_core::identity::FormId;
use hadal_world::World;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use url::Url;

/// Submissions to forms of one kind. Each form that is not a search has its own row.
#[derive(Clone, Debug, PartialEq)]
pub struct Submitted {
    /// True kind; `None` if the web is unknown.
    pub kind: Option<FormKind>,
    pub method: Method,
    /// Number of submissions.
    pub submissions: u64,
    /// Number of distinct forms.
    pub forms: u64,
    /// The form, if it is not a search.
    pub form: Option<(FormId, Url)>,
}

/// Number of submissions and page URL, by form id and POST flag.
type Sent = BTreeMap<(FormId, bool), (u64, Url)>;

/// All submissions that pass the filter, searches first. `world` creates the web of a source.
pub fn submitted(
    store: &dyn Store,
    query: &SubmissionQuery,
    world: impl Fn(&str) -> Option<World>,
) -> Result<Vec<Submitted>, StoreError> {
    let mut rows = Vec::new();
    for (source, sent) in by_source(store, query)? {
        let kinds = world(&source).map(|world| kinds(&world, &sent)).unwrap_or_default();
        rows.extend(sent.into_iter().map(|((form, is_post), (submissions, page))| {
            let method = if is_post { Method::Post } else { Method::Get };
            let kind = kinds.get(&form).copied();
            Submitted { kind, method, submissions, forms: 1, form: Some((form, page)) }
        }));
    }
    Ok(joined(rows))
}

/// Submissions by web.
fn by_source(store: &dyn Store, query: &SubmissionQuery) -> Result<BTreeMap<String, Sent>, StoreError> {
    let runs: HashMap<_, _> =
        store.runs(&RunQuery::default())?.into_iter().map(|row| (row.id, row.spec.source)).collect();
    let harvests = store.harvests(&HarvestQuery::default())?;
    let harvests: HashMap<_, _> = harvests.into_iter().map(|row| (row.id, row.spec.source)).collect();
    let mut all: BTreeMap<String, Sent> = BTreeMap::new();
    for submission in all_submissions(store, query.clone()) {
        let submission = submission?;
        let source = match submission.by {
            Submitter::Run(run) => runs.get(&run),
            Submitter::Harvest(harvest) => harvests.get(&harvest),
            Submitter::Person => None,
        };
        let sent = all.entry(source.cloned().unwrap_or_default()).or_default();
        let is_post = submission.method == Method::Post;
        sent.entry((submission.form, is_post)).or_insert((0, submission.page)).0 += 1;
    }
    Ok(all)
}

/// True kinds of forms.
fn kinds(world: &World, sent: &Sent) -> HashMap<FormId, FormKind> {
    let wanted: BTreeSet<FormId> = sent.keys().map(|(form, _)| *form).collect();
    world
        .truth()
        .filter(|form| wanted.contains(&form.form_id))
        .map(|form| (form.form_id, form.kind))
        .collect()
}

/// Merges searches of one method into one row at the front.
fn joined(rows: Vec<Submitted>) -> Vec<Submitted> {
    let (searches, others): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|row| row.kind == Some(FormKind::Search));
    let of = |method: Method| {
        let mut rows = searches.iter().filter(move |row| row.method == method);
        let first = rows.next()?;
        let one = Submitted { form: None, ..first.clone() };
        Some(rows.fold(one, |all, row| Submitted {
            submissions: all.submissions + row.submissions,
            forms: all.forms + 1,
            ..all
        }))
    };
    [of(Method::Get), of(Method::Post)].into_iter().flatten().chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_summed_up_and_everything_else_is_named() {
        let page = Url::parse("http://a.example/").unwrap();
        let row = |number, kind, method, submissions| Submitted {
            kind,
            method,
            submissions,
            forms: 1,
            form: Some((FormId(number), page.clone())),
        };
        let rows = joined(vec![
            row(1, Some(FormKind::Search), Method::Get, 3),
            row(2, Some(FormKind::Newsletter), Method::Get, 1),
            row(3, Some(FormKind::Search), Method::Get, 4),
            row(4, None, Method::Post, 2),
            row(5, Some(FormKind::Search), Method::Post, 5),
        ]);
        let figures: Vec<_> = rows.iter().map(|row| (row.kind, row.submissions, row.forms)).collect();
        let search = Some(FormKind::Search);
        assert_eq!(
            figures,
            [(search, 7, 2), (search, 5, 1), (Some(FormKind::Newsletter), 1, 1), (None, 2, 1)]
        );
        assert!(rows[0].form.is_none() && rows[2].form.is_some());
    }
}
