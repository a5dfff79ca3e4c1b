//! Seeds of a run that could not be fetched, with their reasons.

use crate::store::{
    FailureKind, FailureQuery, FailureRow, LinkState, RunId, RunQuery, Store, StoreError, all_failures,
};
use hadal_core::address::{Host, LinkId};
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
    let mut failed = Vec::new();
    for seed in &row.spec.seeds {
        if let Some(kind) = reason(store, run, seed)? {
            failed.push(FailedSeed { url: seed.clone(), kind });
        }
    }
    if failed.is_empty() && row.counters.pages == 0 {
        let all = FailureQuery { run: Some(run), ..FailureQuery::default() };
        for failure in all_failures(store, all) {
            let FailureRow { url, kind, .. } = failure?;
            failed.push(FailedSeed { url, kind });
        }
    }
    Ok(failed)
}

/// Reason why a seed gave no page; `None` if it was visited, or if it still waits without a failure.
fn reason(store: &dyn Store, run: RunId, seed: &Url) -> Result<Option<FailureKind>, StoreError> {
    let link = store.links(run, &[LinkId::of(seed)])?.pop().flatten();
    if link.is_some_and(|link| link.state == LinkState::Done) {
        return Ok(None);
    }
    let of_host = FailureQuery { run: Some(run), hosts: vec![Host::of(seed)], ..FailureQuery::default() };
    let failures = all_failures(store, of_host).collect::<Result<Vec<FailureRow>, _>>()?;
    let own = failures.iter().find(|failure| failure.url == *seed);
    Ok(own.or(failures.iter().max_by_key(|failure| failure.at)).map(|failure| failure.kind))
}
