//! Seeds of a run that could not be fetched, with their reasons.

use crate::store::{
    FailureKind, FailureQuery, FailureRow, LinkRow, LinkState, LookUp, RunId, RunQuery, Store, StoreError,
    all_failures,
};
use hadal_core::address::{Host, LinkId};
use std::collections::HashMap;
use url::Url;

/// A seed that gave no page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedSeed {
    pub url: Url,
    /// Reason of the last failed request for it, or for the robots.txt of its host.
    pub kind: FailureKind,
}

/// Seeds of a run that gave no page because of a failure. If all seeds were redirected and no page was read, these are
/// the targets of the redirects.
pub fn failed_seeds(store: &dyn Store, run: RunId) -> Result<Vec<FailedSeed>, StoreError> {
    let Some(row) = store.runs(&RunQuery::one(run))?.pop() else { return Ok(Vec::new()) };
    let mut failed = failures_of(store, run, &row.spec.seeds)?;
    if failed.is_empty() && row.counters.pages == 0 {
        let all = FailureQuery { run: Some(run), ..FailureQuery::default() };
        for failure in all_failures(store, all) {
            let FailureRow { url, kind, .. } = failure?;
            failed.push(FailedSeed { url, kind });
        }
    }
    Ok(failed)
}

/// Seeds that were not visited, with the reason of a failure. A seed that still waits without a failure is not listed.
fn failures_of(store: &dyn Store, run: RunId, seeds: &[Url]) -> Result<Vec<FailedSeed>, StoreError> {
    let ids: Vec<LinkId> = seeds.iter().map(LinkId::of).collect();
    let links = store.look_up(run, &LookUp { link_rows: &ids, ..LookUp::default() })?.link_rows;
    let is_done = |link: &Option<LinkRow>| link.as_ref().is_some_and(|link| link.state == LinkState::Done);
    let left: Vec<&Url> =
        seeds.iter().zip(&links).filter(|(_, link)| !is_done(link)).map(|(url, _)| url).collect();
    if left.is_empty() {
        return Ok(Vec::new());
    }
    let hosts: Vec<Host> = left.iter().map(|seed| Host::of(seed)).collect();
    let query = FailureQuery { run: Some(run), hosts, ..FailureQuery::default() };
    let mut of_hosts: HashMap<Host, Vec<FailureRow>> = HashMap::new();
    for failure in all_failures(store, query) {
        let failure = failure?;
        of_hosts.entry(failure.host.clone()).or_default().push(failure);
    }
    let reason = |seed: &&Url| {
        let failures = of_hosts.get(&Host::of(seed))?;
        let own = failures.iter().find(|failure| failure.url == **seed);
        let last = own.or(failures.iter().max_by_key(|failure| failure.at))?;
        Some(FailedSeed { url: (*seed).clone(), kind: last.kind })
    };
    Ok(left.iter().filter_map(reason).collect())
}
