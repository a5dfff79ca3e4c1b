//! The rows that people read, from runs in memory.

use super::super::{Filter, FormRow, RunId, SiteRow};
use super::run::{MemoryRun, StoredForm};
use hadal_core::identity::FormId;
use std::cmp::Reverse;
use std::collections::BTreeMap;

type Runs = BTreeMap<RunId, MemoryRun>;

/// The runs that a filter lets pass.
fn wanted<'a>(runs: &'a Runs, filter: &'a Filter) -> impl Iterator<Item = &'a MemoryRun> {
    let of_run = |id: &RunId| filter.run.is_none_or(|wanted| wanted == *id);
    let of_topic = |run: &MemoryRun| filter.topic.as_ref().is_none_or(|topic| *topic == run.spec.topic);
    runs.iter().filter(move |(id, run)| of_run(id) && of_topic(run)).map(|(_, run)| run)
}

/// One row per topic and form, the most relevant first.
pub fn forms(runs: &Runs, filter: &Filter) -> Vec<FormRow> {
    let mut first: BTreeMap<(&str, FormId), (&StoredForm, u64)> = BTreeMap::new();
    for form in wanted(runs, filter).flat_map(|run| run.forms.values()) {
        let slot = first.entry((&form.row.topic, form.row.form_id)).or_insert((form, 0));
        slot.1 += form.row.also_on;
        if form.found < slot.0.found {
            slot.0 = form;
        }
    }
    let whole = |(form, also_on): (&StoredForm, u64)| FormRow { also_on, whole: None, ..form.row.clone() };
    let mut rows: Vec<FormRow> = first.into_values().map(whole).filter(|row| passes(row, filter)).collect();
    rows.sort_by(|a, b| {
        let falling = b.p_relevant.total_cmp(&a.p_relevant).then(b.p_searchable.total_cmp(&a.p_searchable));
        falling.then_with(|| (a.form_id, &a.topic).cmp(&(b.form_id, &b.topic)))
    });
    rows
}

fn passes(row: &FormRow, filter: &Filter) -> bool {
    row.p_relevant >= filter.min_relevance
        && row.p_searchable >= filter.min_searchable
        && filter.site.as_ref().is_none_or(|site| *site == row.site)
}

/// One row per run and site, the most fruitful first.
pub fn sites(runs: &Runs, filter: &Filter) -> Vec<SiteRow> {
    let passes = |row: &SiteRow| {
        (row.tally.pages > 0 || row.tally.closed)
            && row.best >= filter.min_relevance
            && filter.site.as_ref().is_none_or(|site| *site == row.site)
    };
    let mut rows: Vec<SiteRow> = wanted(runs, filter).flat_map(sites_of).filter(passes).collect();
    rows.sort_by_cached_key(|row| {
        let yielded = (row.tally.relevant, row.tally.searchable, row.tally.pages);
        (Reverse(yielded), row.site.clone(), row.topic.clone())
    });
    rows
}

fn sites_of(run: &MemoryRun) -> impl Iterator<Item = SiteRow> {
    run.sites.iter().map(|(site, stored)| SiteRow {
        site: site.clone(),
        topic: run.spec.topic.clone(),
        tally: stored.tally,
        best: stored.best,
    })
}
