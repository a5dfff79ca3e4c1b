//! A run for the dashboard: queues, hosts and recent decisions.

use super::run::{RunView, view};
use crate::store::{
    Activity, Control, HostState, LinkRow, LookUp, LookUpResult, MAX_COUNTED_LINKS, PageQuery, PageRow,
    QueueLength, RowOrder, RunParts, RunQuery, RunRow, Store, StoreError, WorkerRow, all_workers,
};
use hadal_core::address::{Host, LinkId, Site};
use hadal_core::link::{QueueId, QueuedLink};
use hadal_core::strategy::{SiteCounters, Strategy, StrategyGauge};
use rustc_hash::FxHashMap;
use serde::Serialize;
use utoipa::ToSchema;

/// Recent pages from which busy hosts are computed.
const RECENT: usize = 200;
/// Maximum number of hosts, queues and decisions shown. Guesses.
const SHOWN_HOSTS: usize = 20;
const SHOWN_QUEUES: usize = 20;
const SHOWN_DECISIONS: usize = 20;

/// All data of a run's page.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct RunPage {
    pub run: RunView,
    /// Changes that a user requested: pause, stop, budget.
    pub control: ControlView,
    /// Queues of the frontier.
    pub lanes: Vec<QueueView>,
    /// Hosts by number of recent pages.
    pub hosts: Vec<HostView>,
    /// Last visited pages, latest first, with their scores.
    pub decisions: Vec<DecisionView>,
    /// Workers of a run that several share, in the order in which they joined; otherwise empty.
    pub workers: Vec<WorkerView>,
}

/// A worker of a run that several share.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct WorkerView {
    /// Host and process.
    pub worker: String,
    /// Partitions of the run that it owns.
    pub partitions: u64,
    /// Requests since it joined.
    pub requests: u64,
    /// Requests per second since it joined.
    pub requests_per_s: f64,
    /// Whole seconds since its last sign of life.
    pub silent_s: u64,
    /// Links in the inboxes of its partitions.
    pub inbox: u64,
    /// Age of the oldest one in whole seconds.
    pub inbox_s: u64,
    /// Batches of visits by others that its model has not learned from yet.
    pub unlearned: u64,
    /// True if it has nothing to do.
    pub is_idle: bool,
}

impl From<WorkerRow> for WorkerView {
    fn from(row: WorkerRow) -> WorkerView {
        WorkerView {
            worker: row.worker,
            partitions: row.partitions,
            requests: row.requests,
            requests_per_s: (10.0 * row.requests as f64 / row.joined_s.max(1.0)).round() / 10.0,
            silent_s: row.silent_s as u64,
            inbox: row.inbox,
            inbox_s: row.inbox_s as u64,
            unlearned: row.unlearned,
            is_idle: row.is_idle,
        }
    }
}

/// Changes that users requested of a running crawl or harvest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct ControlView {
    /// Send no further requests until resumed.
    pub pause: bool,
    /// Finish the requests in flight and stop.
    pub stop: bool,
    /// New request budget.
    pub max_requests: Option<u64>,
}

impl From<Control> for ControlView {
    fn from(control: Control) -> ControlView {
        let Control { pause, stop, max_requests } = control;
        ControlView { pause, stop, max_requests }
    }
}

/// A queue of the frontier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct QueueView {
    /// Number of the queue, or its use by the engine: "probes", "sample".
    pub lane: String,
    /// Links in the queue.
    pub waiting: u64,
    /// True if there are more than were counted.
    pub or_more: bool,
}

/// A host with recent requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct HostView {
    /// Name of the host.
    pub host: String,
    /// Its pages among the most recent ones.
    pub recent_pages: usize,
    /// Requests sent to it.
    pub requests: u64,
    /// Failed requests since the last success.
    pub failures: u32,
    /// Smoothed response time in milliseconds.
    pub latency_ms: u32,
}

/// A visited page and the reasons for the visit.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct DecisionView {
    /// URL of the page.
    pub url: String,
    /// Title of the page.
    pub title: String,
    /// HTTP status code of the response.
    pub status: u16,
    /// Probability that the page is on topic.
    pub p_topic: f32,
    /// Request of the run at which it was fetched.
    pub at_request: u64,
    /// Clicks from a seed.
    pub depth: u16,
    /// Anchor text of the link.
    pub anchor: String,
    /// Origin of the link: seed, link, redirect, backlink or site root.
    pub origin: Option<String>,
    /// Probability that the parent page is on topic.
    pub parent_p_topic: Option<f32>,
    /// Queue of the link.
    pub lane: Option<String>,
    /// Score of the link when it was queued.
    pub score: Option<f32>,
    /// Parts of the score by the strategy's current model, if it explains scores.
    pub parts: Vec<PartView>,
}

/// A part of a score.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct PartView {
    /// Name of the part.
    pub name: String,
    /// Contribution to the score.
    pub value: f64,
}

/// All data of a run's page.
///
/// `strategy` is the run's strategy with its learned state, if available.
pub fn page(store: &dyn Store, row: &RunRow, strategy: Option<&dyn Strategy>) -> Result<RunPage, StoreError> {
    let latest = PageQuery { order: RowOrder::Newest, limit: Some(RECENT), ..PageQuery::of(row.id) };
    let pages = store.pages(&latest)?.rows;
    let parts = RunParts { queues: SHOWN_QUEUES, ..RunParts::default() };
    let queues = store.runs(&RunQuery { parts, ..RunQuery::one(row.id) })?.pop().map(|row| row.queues);
    Ok(RunPage {
        run: view(row),
        control: store.control(Activity::Run(row.id))?.into(),
        lanes: lanes(&queues.unwrap_or_default(), row.counters.waiting),
        hosts: hosts(store, row, &pages)?,
        decisions: decisions(store, row, &pages, strategy)?,
        workers: workers(store, row)?,
    })
}

fn workers(store: &dyn Store, row: &RunRow) -> Result<Vec<WorkerView>, StoreError> {
    let of_run = all_workers(store)?.into_iter().filter(|worker| worker.run == row.id.0);
    Ok(of_run.map(WorkerView::from).collect())
}

/// Queues for display. The total is known, so the length of the one queue that was too long to count follows.
fn lanes(rows: &[QueueLength], waiting: u64) -> Vec<QueueView> {
    let is_long = |row: &&QueueLength| row.waiting >= MAX_COUNTED_LINKS as u64;
    let one_is_long = rows.len() < SHOWN_QUEUES && rows.iter().filter(is_long).count() == 1;
    let counted: u64 = rows.iter().filter(|row| !is_long(row)).map(|row| row.waiting).sum();
    let lane = |row: &QueueLength| match (is_long(&row), one_is_long) {
        (true, true) => (waiting.saturating_sub(counted).max(row.waiting), false),
        (is_long, _) => (row.waiting, is_long),
    };
    let view = |row: &QueueLength| {
        let (waiting, or_more) = lane(row);
        QueueView { lane: queue_name(row.queue), waiting, or_more }
    };
    rows.iter().map(view).collect()
}

fn queue_name(queue: QueueId) -> String {
    match queue {
        QueueId::PROBES => "probes".to_string(),
        QueueId::SAMPLE => "sample".to_string(),
        QueueId(number) => number.to_string(),
    }
}

fn hosts(store: &dyn Store, row: &RunRow, pages: &[PageRow]) -> Result<Vec<HostView>, StoreError> {
    let mut counts: FxHashMap<Host, usize> = FxHashMap::default();
    for page in pages {
        *counts.entry(Host::of(&page.url)).or_default() += 1;
    }
    let mut counts: Vec<(Host, usize)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts.truncate(SHOWN_HOSTS);
    let names: Vec<Host> = counts.iter().map(|(host, _)| host.clone()).collect();
    let states = store.look_up(row.id, &LookUp { hosts: &names, ..LookUp::default() })?.hosts;
    let view = |((host, recent_pages), state): ((Host, usize), Option<HostState>)| HostView {
        host: host.to_string(),
        recent_pages,
        requests: state.as_ref().map_or(0, |state| state.requests),
        failures: state.as_ref().map_or(0, |state| state.failures),
        latency_ms: state.map_or(0, |state| state.latency_ms),
    };
    Ok(counts.into_iter().zip(states).map(view).collect())
}

fn decisions(
    store: &dyn Store,
    row: &RunRow,
    pages: &[PageRow],
    strategy: Option<&dyn Strategy>,
) -> Result<Vec<DecisionView>, StoreError> {
    let shown = &pages[..pages.len().min(SHOWN_DECISIONS)];
    let ids: Vec<LinkId> = shown.iter().map(|page| page.id).collect();
    let names: Vec<Site> = shown.iter().map(|page| page.site.clone()).collect();
    let keys = LookUp { link_rows: &ids, sites: &names, ..LookUp::default() };
    let LookUpResult { link_rows: links, sites, .. } = store.look_up(row.id, &keys)?;
    let view = |(page, (link, site)): (&PageRow, (Option<LinkRow>, SiteCounters))| {
        let parts = match (&link, strategy) {
            (Some(link), Some(strategy)) => strategy.explain_score(link.link(), &site),
            _ => Vec::new(),
        };
        let part = |part: StrategyGauge| PartView { name: part.name.to_string(), value: part.value };
        let parts = parts.into_iter().filter(|part| part.value.is_finite()).map(part).collect();
        DecisionView { parts, ..decision(page, link.map(|row| row.queued)) }
    };
    Ok(shown.iter().zip(links.into_iter().zip(sites)).map(view).collect())
}

fn decision(page: &PageRow, queued: Option<QueuedLink>) -> DecisionView {
    let link = queued.as_ref().map(|queued| &queued.link);
    DecisionView {
        url: page.url.to_string(),
        title: page.title.clone(),
        status: page.status,
        p_topic: page.p_topic,
        at_request: page.at_request,
        depth: page.depth,
        anchor: link.map(|link| link.context.anchor.clone()).unwrap_or_default(),
        origin: link.map(|link| link.origin.name().to_string()),
        parent_p_topic: link.and_then(|link| link.parent).map(|parent| parent.p_topic),
        lane: queued.as_ref().map(|queued| queue_name(queued.queue)),
        score: queued.as_ref().map(|queued| queued.score).filter(|score| score.is_finite()),
        parts: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_the_only_uncounted_queue_is_the_remainder() {
        let row = |lane, waiting| QueueLength { queue: QueueId(lane), waiting };
        let most = MAX_COUNTED_LINKS as u64;
        let shown = lanes(&[row(0, most), row(1, 7)], 123_456);
        assert_eq!((shown[0].waiting, shown[0].or_more), (123_449, false));
        let shown = lanes(&[row(0, most), row(1, most)], 123_456);
        assert!(shown.iter().all(|lane| lane.waiting == most && lane.or_more));
        assert_eq!(lanes(&[QueueLength { queue: QueueId::PROBES, waiting: 1 }], 1)[0].lane, "probes");
    }
}
