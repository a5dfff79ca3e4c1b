//! Refresh: checks forms again and updates the records of their harvests.
//!
//! [`refresh`] is the function to read first. It checks each form ([`check_form`]), computes how many
//! requests each harvest is worth ([`hadal_core::harvest::refresh::allocate`]), and updates one harvest after
//! the other (`update`). Every query carries the time of its last answer and every record the time at which
//! it was last seen, so a refresh that was killed continues where it stopped.

mod check;
mod update;

pub use check::{CheckOutcome, CheckedForm, check_form};

use super::HarvestJob;
use crate::polite::{Clock, NotSent, PoliteClient, RequestBudget};
use crate::store::*;
use hadal_core::harvest::policy::{Policy, PolicyContext, PolicyEntry};
use hadal_core::harvest::refresh::{ChangeRate, FIRST_RATE, RefreshPolicy, allocate};
use hadal_core::harvest::session::{DetailMode, HarvestOptions};

use hadal_core::time::Time;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use update::HarvestUpdater;
use url::Url;

/// Share of the requests of all known queries that a refresh may send by default. Guess: a quarter of the first cost.
const DEFAULT_SHARE: f64 = 0.25;
/// Least default budget of a harvest: its form's page and some queries. Guess.
const MIN_BUDGET: u64 = 5;
/// Simulated time between a harvest and its refresh: on the simulated web, every refresh takes place a day later.
const SIMULATED_WAIT: Duration = Duration::from_secs(86_400);

/// Forms and harvests to refresh, with the client and the limits.
pub struct RefreshPlan {
    /// Store with the forms and harvests.
    pub store: Arc<dyn Store>,
    /// Client that sends the requests.
    pub client: PoliteClient,
    /// Forms without a harvest: their pages are fetched again.
    pub forms: Vec<CheckedForm>,
    /// Harvests to update.
    pub harvests: Vec<HarvestRow>,
    /// Maximum number of requests of this refresh. `None`: a quarter of the requests of all known queries,
    /// and the pages of forms.
    pub max_requests: Option<u64>,
    /// Clock of the refresh. On a simulated one each harvest has its own time.
    pub clock: Clock,
}

/// Event of a refresh. The JSON form is part of the output formats.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RefreshEvent {
    /// A form's page was fetched again.
    Checked {
        /// Id of the form.
        form_id: String,
        /// URL of the page.
        page_url: Url,
        state: FormState,
        /// Page that shows the form now.
        moved_to: Option<Url>,
    },
    /// A query was sent again and its answer compared.
    Compared {
        /// Number of the harvest.
        harvest: u64,
        /// Query in readable form.
        query: String,
        /// Counters of this refresh so far.
        #[serde(flatten)]
        counters: RefreshCounters,
    },
    /// The records of a form are up to date, or the budget is spent.
    Refreshed(HarvestRefresh),
}

/// Result of the refresh of one harvest.
#[derive(Clone, Debug, Serialize)]
pub struct HarvestRefresh {
    /// Number of the harvest.
    pub harvest: u64,
    /// Id of its form.
    pub form_id: String,
    /// URL of the form's page.
    pub page_url: Url,
    /// State of the form; `None` if its page was not fetched.
    pub form_state: Option<FormState>,
    /// Expected changes per record and day after this refresh.
    pub changes_per_record_day: f64,
    #[serde(flatten)]
    pub counters: RefreshCounters,
}

/// Result of a refresh.
#[derive(Debug, Default)]
pub struct RefreshSummary {
    /// Checks of forms, in the order of the plan: forms first, harvests then.
    pub checks: Vec<FormCheck>,
    /// Harvests that were updated.
    pub harvests: Vec<HarvestRefresh>,
    /// True if the refresh was stopped before its end.
    pub is_stopped: bool,
}

/// Checks the forms of a plan and updates its harvests.
pub async fn refresh(
    plan: RefreshPlan,
    emit: &mut (dyn FnMut(RefreshEvent) + Send),
) -> Result<RefreshSummary, StoreError> {
    let mut summary = RefreshSummary::default();
    let jobs: Vec<HarvestJob> = plan.harvests.iter().map(job).collect();
    let updaters = open_harvests(&plan, &jobs)?;
    let shares = shares(&plan, &updaters);
    let client = plan.client.with_budget(budget(&plan, &updaters, &shares));
    let mut clock = plan.clock;
    for target in &plan.forms {
        let outcome = check_form(target, &client, &mut clock).await;
        summary.is_stopped |= outcome.not_sent == Some(NotSent::Stopped);
        if let Some(check) = save_check(&plan, target, outcome, emit)? {
            summary.checks.push(check);
        }
    }
    // Harvests that probably change most come first.
    let mut order: Vec<(HarvestUpdater<'_>, u64)> = updaters.into_iter().zip(shares).collect();
    order.sort_by_key(|(_, share)| std::cmp::Reverse(*share));
    for (updater, share) in order {
        if summary.is_stopped {
            break;
        }
        let client = if plan.clock.is_simulated() { client.with_own_hosts() } else { client.clone() };
        let (refreshed, check, is_stopped) = updater.run(&client, share, emit).await?;
        summary.is_stopped |= is_stopped;
        summary.checks.extend(check);
        emit(RefreshEvent::Refreshed(refreshed.clone()));
        summary.harvests.push(refreshed);
    }
    plan.store.sync()?;
    Ok(summary)
}

/// Opens the harvests of a plan. On a simulated clock a refresh begins a day after the last request.
fn open_harvests<'a>(
    plan: &'a RefreshPlan,
    jobs: &'a [HarvestJob],
) -> Result<Vec<HarvestUpdater<'a>>, StoreError> {
    let prior = common_rate(plan)?;
    let open = |(job, row): (&'a HarvestJob, &HarvestRow)| {
        let is_interrupted = row.refresh.is_some_and(|refresh| refresh.ended.is_none());
        let mut clock = plan.clock;
        clock.advance(match is_interrupted {
            true => row.progress.now,
            false => row.progress.now.after(SIMULATED_WAIT),
        });
        clear_control(plan.store.as_ref(), Activity::Harvest(row.id))?;
        HarvestUpdater::open(job, row.id, plan.store.as_ref(), clock, prior)
    };
    jobs.iter().zip(&plan.harvests).map(open).collect()
}

/// Rate of change of all harvests of a plan, by their earlier refreshes.
fn common_rate(plan: &RefreshPlan) -> Result<f64, StoreError> {
    let mut all = ChangeRate::default();
    for row in &plan.harvests {
        for query in all_queries(plan.store.as_ref(), HarvestRowQuery::of(row.id)) {
            let QueryRechecks { changes, record_days, .. } = query?.rechecks;
            all.add(ChangeRate { changes: f64::from(changes), record_days });
        }
    }
    Ok(all.rate(FIRST_RATE))
}

/// Job for the session of a refresh. The policy is that of the refresh, and detail pages are not fetched.
fn job(row: &HarvestRow) -> HarvestJob {
    let make = |_: &PolicyContext| -> Box<dyn Policy> {
        Box::new(RefreshPolicy::new(Vec::new(), FxHashMap::default(), FIRST_RATE))
    };
    HarvestJob {
        spec: row.spec.clone(),
        policy: PolicyEntry::new("refresh", "sends known queries again", make),
        charset: "utf-8".into(),
        options: HarvestOptions {
            coverage: 1.0,
            records: None,
            details: DetailMode::Never,
            seed: row.spec.seed,
        },
        policy_context: PolicyContext::default(),
        opening_cost: (0, 0),
        entry_page: None,
        fresh: false,
    }
}

/// Requests per harvest.
fn shares(plan: &RefreshPlan, updaters: &[HarvestUpdater<'_>]) -> Vec<u64> {
    let forecasts: Vec<Vec<(f64, u32)>> = updaters.iter().map(HarvestUpdater::forecast).collect();
    let Some(max) = plan.max_requests else {
        let share = |updater: &HarvestUpdater<'_>| {
            ((updater.known_requests() as f64 * DEFAULT_SHARE) as u64).max(MIN_BUDGET)
        };
        return allocate(&forecasts, updaters.iter().map(share).sum());
    };
    let spent: u64 = updaters.iter().map(HarvestUpdater::spent_before).sum();
    let checks = (plan.forms.len() + updaters.len()) as u64;
    allocate(&forecasts, max.saturating_sub(spent + checks))
}

/// Budget of all requests: the user's, or else the shares and twice the pages of all forms, because a redirect or a
/// robots.txt may come first.
fn budget(plan: &RefreshPlan, updaters: &[HarvestUpdater<'_>], shares: &[u64]) -> RequestBudget {
    let checks = 2 * (plan.forms.len() + updaters.len()) as u64;
    let own = shares.iter().sum::<u64>() + checks;
    let spent = plan.max_requests.map_or(0, |_| updaters.iter().map(HarvestUpdater::spent_before).sum());
    RequestBudget::new(Some(plan.max_requests.unwrap_or(own)), None, (spent, 0))
}

fn save_check(
    plan: &RefreshPlan,
    target: &CheckedForm,
    outcome: CheckOutcome,
    emit: &mut (dyn FnMut(RefreshEvent) + Send),
) -> Result<Option<FormCheck>, StoreError> {
    let Some(check) = outcome.check else { return Ok(None) };
    plan.store.save_form_checks(std::slice::from_ref(&check))?;
    emit(checked_event(target, &check));
    Ok(Some(check))
}

fn checked_event(target: &CheckedForm, check: &FormCheck) -> RefreshEvent {
    RefreshEvent::Checked {
        form_id: target.form.to_string(),
        page_url: target.page.clone(),
        state: check.state,
        moved_to: check.moved_to.clone(),
    }
}

/// Days between two times.
fn days(from: Time, to: Time) -> f64 {
    from.until(to).as_secs_f64() / 86_400.0
}
