//! A run for the dashboard: queues, hosts and recent decisions.

use super::run::{RunView, view};
use crate::store::{Control, FollowedLink, MOST_COUNTED, PageRow, QueueLength, RunRow, Store, StoreError};
use hadal_core::address::Host;
use hadal_core::link::QueueId;
use hadal_core::strategy::{Strategy, StrategyGauge};
use rustc_hash::FxHashMap;
use serde::Serialize;
use utoipa::ToSchema;

/// Recent pages from which busy hosts are computed.
const RECENT: usize = 200;
/// Greatest number of hosts, queues and decisions shown.
const SHOWN_HOSTS: usize = 20;
const SHOWN_LANES: usize = 20;
const SHOWN_DECISIONS: usize = 20;

/// All data of a run's page.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct RunPage {
    /// The run.
    pub run: RunView,
    /// Requested changes.
    pub control: ControlView,
    /// Queues of the frontier.
    pub lanes: Vec<LaneView>,
    /// Hosts by number of recent pages.
    pub hosts: Vec<HostView>,
    /// Last visited pages, latest first, with their scores.
    pub decisions: Vec<DecisionView>,
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
pub struct LaneView {
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
    /// Host.
    pub host: String,
    /// Its pages among the most recent ones.
    pub recent_pages: usize,
    /// Requests sent to it.
    pub requests: u64,
    /// Consecutive failures.
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
    /// Status code.
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
pub fn page(store: &dyn Store, row: &RunRow, mind: Option<&dyn Strategy>) -> Result<RunPage, StoreError> {
    let pages = store.latest_pages(row.id, RECENT)?;
    Ok(RunPage {
        run: view(row),
        control: store.control(row.id)?.into(),
        lanes: lanes(&store.lanes(row.id, SHOWN_LANES)?, row.tally.waiting),
        hosts: hosts(store, row, &pages)?,
        decisions: decisions(store, row, &pages, mind)?,
    })
}

/// Queues for display. The total is known, so the length of the one queue that was too long to count follows.
fn lanes(rows: &[QueueLength], waiting: u64) -> Vec<LaneView> {
    let is_long = |row: &&QueueLength| row.waiting >= MOST_COUNTED as u64;
    let one_is_long = rows.len() < SHOWN_LANES && rows.iter().filter(is_long).count() == 1;
    let counted: u64 = rows.iter().filter(|row| !is_long(row)).map(|row| row.waiting).sum();
    let lane = |row: &QueueLength| match (is_long(&row), one_is_long) {
        (true, true) => (waiting.saturating_sub(counted).max(row.waiting), false),
        (is_long, _) => (row.waiting, is_long),
    };
    let view = |row: &QueueLength| {
        let (waiting, or_more) = lane(row);
        LaneView { lane: lane_name(row.lane), waiting, or_more }
    };
    rows.iter().map(view).collect()
}

fn lane_name(lane: QueueId) -> String {
    match lane {
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
    let view = |(host, recent_pages): (Host, usize)| {
        let state = store.host(row.id, &host)?;
        Ok(HostView {
            host: host.to_string(),
            recent_pages,
            requests: state.as_ref().map_or(0, |state| state.requests),
            failures: state.as_ref().map_or(0, |state| state.failures),
            latency_ms: state.map_or(0, |state| state.latency_ms),
        })
    };
    counts.into_iter().map(view).collect()
}

fn decisions(
    store: &dyn Store,
    row: &RunRow,
    pages: &[PageRow],
    mind: Option<&dyn Strategy>,
) -> Result<Vec<DecisionView>, StoreError> {
    let view = |page: &PageRow| {
        let followed = store.followed(row.id, page.id)?;
        let parts = match (&followed, mind) {
            (Some(followed), Some(mind)) => {
                mind.explain_score(&followed.link, &store.site(row.id, &page.site)?)
            }
            _ => Vec::new(),
        };
        let part = |part: StrategyGauge| PartView { name: part.name.to_string(), value: part.value };
        let parts = parts.into_iter().filter(|part| part.value.is_finite()).map(part).collect();
        Ok(DecisionView { parts, ..decision(page, followed.as_ref()) })
    };
    pages.iter().take(SHOWN_DECISIONS).map(view).collect()
}

fn decision(page: &PageRow, followed: Option<&FollowedLink>) -> DecisionView {
    let lead = followed.map(|followed| &followed.link);
    let placed = followed.and_then(|followed| followed.placed);
    DecisionView {
        url: page.url.to_string(),
        title: page.title.clone(),
        status: page.status,
        p_topic: page.p_topic,
        at_request: page.at_request,
        depth: page.depth,
        anchor: lead.map(|lead| lead.context.anchor.clone()).unwrap_or_default(),
        origin: lead.map(|lead| lead.origin.name().to_string()),
        parent_p_topic: lead.and_then(|lead| lead.parent).map(|parent| parent.p_topic),
        lane: placed.map(|(lane, _)| lane_name(lane)),
        score: placed.map(|(_, score)| score).filter(|score| score.is_finite()),
        parts: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_lane_that_is_too_long_to_count_is_what_is_left() {
        let row = |lane, waiting| QueueLength { lane: QueueId(lane), waiting };
        let most = MOST_COUNTED as u64;
        let shown = lanes(&[row(0, most), row(1, 7)], 123_456);
        assert_eq!((shown[0].waiting, shown[0].or_more), (123_449, false));
        let shown = lanes(&[row(0, most), row(1, most)], 123_456);
        assert!(shown.iter().all(|lane| lane.waiting == most && lane.or_more));
        assert_eq!(lanes(&[QueueLength { lane: QueueId::PROBES, waiting: 1 }], 1)[0].lane, "probes");
    }
}
