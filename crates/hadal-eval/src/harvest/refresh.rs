//! Refreshes of harvests on the simulated web. Its databases change from day to day.
//!
//! Databases of one topic are harvested on day 0. Every `interval` days each is refreshed, and in another store
//! harvested again completely. A change is a record that was added since, edited since the store saw it last, or
//! removed since. It is found if the store holds it afterwards: as a new, changed or removed record. Both ways are
//! compared by the changes found per request. Changes that a refresh misses stay changes for the next one.

use super::BODY_LIMIT;
use anyhow::Context;
use hadal::fetch::in_process::InProcess;
use hadal::harvest::open_form::{OpenedForm, page_at_url};
use hadal::harvest::refresh::{RefreshPlan, refresh};
use hadal::harvest::{HarvestJob, HarvestPlan, harvest};
use hadal::output::sections::{Section, headings};
use hadal::polite::{ClientOptions, Clock, PoliteClient, Politeness};
use hadal::store::{Access, HarvestQuery, HarvestRowQuery, RecordRow, Store, all_records, open};
use hadal_core::harvest::policy::PolicyEntry;
use hadal_core::harvest::session::{DetailMode, HarvestOptions};
use hadal_core::identity::form_id;
use hadal_core::time::Time;
use hadal_world::{Behaviour, Spec, TrueForm, TrueRecord, World};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Coverage at which a harvest ends, as by default.
const COVERAGE: f64 = 0.95;

/// Databases and days of an evaluation.
pub struct RefreshEvaluation {
    /// Seed of the simulated web.
    pub seed: u64,
    /// Topic of the databases.
    pub topic: String,
    /// Number of databases.
    pub forms: usize,
    /// Minimum number of records of a database.
    pub min_records: u32,
    /// Number of refreshes.
    pub rounds: u32,
    /// Days between two refreshes.
    pub interval: u32,
}

/// One refresh of all databases, beside a new harvest of all.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RefreshRound {
    /// Day of the refresh.
    pub day: u32,
    /// Changes that the store does not hold before the refresh.
    pub changes: u64,
    /// Changes that the refresh found, and its requests.
    pub found: u64,
    pub requests: u64,
    /// Records that the refresh reported as new, changed or removed and that are not.
    pub wrong: u64,
    /// Changes since the last new harvest, those that a new harvest shows, and its requests.
    pub new_harvest_changes: u64,
    pub new_harvest_found: u64,
    pub new_harvest_requests: u64,
}

impl RefreshRound {
    fn add(&mut self, other: &RefreshRound) {
        self.changes += other.changes;
        self.found += other.found;
        self.requests += other.requests;
        self.wrong += other.wrong;
        self.new_harvest_changes += other.new_harvest_changes;
        self.new_harvest_found += other.new_harvest_found;
        self.new_harvest_requests += other.new_harvest_requests;
    }
}

/// Runs an evaluation. Returns one row per round.
pub fn run(plan: &RefreshEvaluation, policy: &PolicyEntry) -> anyhow::Result<Vec<RefreshRound>> {
    let world = Arc::new(World::new(Spec::demo(plan.seed)));
    let is_wanted = |form: &TrueForm| {
        let is_steady = !matches!(form.behaviour, Behaviour::SamePage | Behaviour::Limited);
        is_steady && world.records_behind(form) >= plan.min_records
    };
    let forms: Vec<TrueForm> = world.relevant(&plan.topic).filter(is_wanted).take(plan.forms).collect();
    anyhow::ensure!(!forms.is_empty(), "no database of '{}' has {} records", plan.topic, plan.min_records);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let store = open("memory:", Access::Crawl)?;
        harvest_all(&world, &forms, &store, policy, Time(0)).await?;
        let mut new_harvest = open("memory:", Access::Crawl)?;
        harvest_all(&world, &forms, &new_harvest, policy, Time(0)).await?;
        let mut rounds = Vec::new();
        for round in 1..=plan.rounds {
            let at = Time(0).after(Duration::from_secs(86_400) * round * plan.interval);
            let mut scored = refresh_all(&world, &forms, &store, at).await?;
            scored.day = round * plan.interval;
            let before = std::mem::replace(&mut new_harvest, open("memory:", Access::Crawl)?);
            let states = states(&world, &forms, &before, at)?;
            scored.new_harvest_requests = harvest_all(&world, &forms, &new_harvest, policy, at).await?;
            for (form, state) in forms.iter().zip(&states) {
                scored.new_harvest_changes += state.changes();
                scored.new_harvest_found += state.shown(&rows(&world, form, new_harvest.as_ref())?);
            }
            rounds.push(scored);
        }
        Ok(rounds)
    })
}

fn client(world: &Arc<World>) -> PoliteClient {
    let options = ClientOptions::new(Politeness::default(), "hadal", BODY_LIMIT);
    PoliteClient::new(Arc::new(InProcess(Arc::clone(world))), options, watch::channel(false).1)
}

/// Harvests all forms. Returns the number of requests.
async fn harvest_all(
    world: &Arc<World>,
    forms: &[TrueForm],
    store: &Arc<dyn Store>,
    policy: &PolicyEntry,
    at: Time,
) -> anyhow::Result<u64> {
    let client = client(world);
    let mut jobs = Vec::new();
    for form in forms {
        let page = page_at_url(&form.page_url, &client, &mut Clock::Simulated(at)).await?;
        let shown = page.forms.iter().find(|shown| form_id(shown, &page.url) == form.form_id);
        let opened = OpenedForm {
            form: shown.context("the page shows the form")?.clone(),
            id: form.form_id,
            page: form.page_url.clone(),
            charset: page.charset.to_string(),
            language: page.language.clone(),
            topic: String::new(),
            source: "web".into(),
            words: form.topic.map(str::to_string).into_iter().collect(),
            cost: (0, 0),
            entry_page: Some(Box::new(page.clone())),
        };
        let options =
            HarvestOptions { coverage: COVERAGE, records: None, details: DetailMode::Never, seed: 1 };
        jobs.push(HarvestJob::new(opened, policy, options));
    }
    let plan =
        HarvestPlan { clock: Clock::Simulated(at), ..HarvestPlan::new(Arc::clone(store), client, jobs) };
    let ended = harvest(plan, &mut |_| {}).await?;
    Ok(ended.iter().map(|summary| summary.counters.requests).sum())
}

/// Changes of all databases that a store does not hold.
fn states(
    world: &World,
    forms: &[TrueForm],
    store: &Arc<dyn Store>,
    at: Time,
) -> anyhow::Result<Vec<DatabaseState>> {
    forms.iter().map(|form| DatabaseState::read(world, form, store.as_ref(), at)).collect()
}

async fn refresh_all(
    world: &Arc<World>,
    forms: &[TrueForm],
    store: &Arc<dyn Store>,
    at: Time,
) -> anyhow::Result<RefreshRound> {
    let before = states(world, forms, store, at)?;
    let plan = RefreshPlan {
        store: Arc::clone(store),
        client: client(world),
        forms: Vec::new(),
        harvests: store.harvests(&HarvestQuery::default())?,
        max_requests: None,
        clock: Clock::Simulated(at),
    };
    let done = refresh(plan, &mut |_| {}).await?;
    let requests = done.harvests.iter().map(|done| done.counters.requests).sum();
    let mut round = RefreshRound { requests, ..RefreshRound::default() };
    for (form, state) in forms.iter().zip(&before) {
        round.add(&state.score(&rows(world, form, store.as_ref())?, at));
    }
    Ok(round)
}

/// Records of one database in the store before a refresh, and the changes that the store does not hold.
struct DatabaseState {
    added: Vec<TrueRecord>,
    edited: Vec<TrueRecord>,
    removed: Vec<TrueRecord>,
}

/// Rows of a form's harvest by record of the database.
fn rows(
    world: &World,
    form: &TrueForm,
    store: &dyn Store,
) -> anyhow::Result<BTreeMap<TrueRecord, RecordRow>> {
    let query = HarvestRowQuery { form: Some(form.form_id), ..HarvestRowQuery::default() };
    let mut rows = BTreeMap::new();
    for row in all_records(store, query) {
        let row = row?;
        // A record has a page on the day on which it was seen.
        let url = row.record.url.as_ref();
        if let Some(record) = url.and_then(|url| world.record_on_day(url, row.seen_at())) {
            rows.insert(record, row);
        }
    }
    Ok(rows)
}

impl DatabaseState {
    fn read(world: &World, form: &TrueForm, store: &dyn Store, at: Time) -> anyhow::Result<DatabaseState> {
        let (first, now) = (world.versions_behind(form, Time(0)), world.versions_behind(form, at));
        let mut versions: BTreeMap<Time, BTreeMap<TrueRecord, u32>> = BTreeMap::new();
        let known = rows(world, form, store)?;
        let added = now.keys().filter(|id| !known.contains_key(id) && !first.contains_key(id));
        let mut state =
            DatabaseState { added: added.copied().collect(), edited: Vec::new(), removed: Vec::new() };
        for (id, row) in known.iter().filter(|(_, row)| row.dates.removed.is_none()) {
            let seen_at = row.seen_at();
            let then = versions.entry(seen_at).or_insert_with(|| world.versions_behind(form, seen_at));
            match now.get(id) {
                None => state.removed.push(*id),
                Some(version) if then.get(id) != Some(version) => state.edited.push(*id),
                Some(_) => {}
            }
        }
        Ok(state)
    }

    fn changes(&self) -> u64 {
        (self.added.len() + self.edited.len() + self.removed.len()) as u64
    }

    /// Changes that the records of a new harvest show.
    fn shown(&self, fresh: &BTreeMap<TrueRecord, RecordRow>) -> u64 {
        let present = self.added.iter().chain(&self.edited).filter(|id| fresh.contains_key(id)).count();
        (present + self.removed.len()) as u64
    }

    /// Changes that the store holds after the refresh.
    fn score(&self, after: &BTreeMap<TrueRecord, RecordRow>, at: Time) -> RefreshRound {
        let is = |id: &TrueRecord, date: fn(&RecordRow) -> Option<Time>| {
            after.get(id).and_then(date).is_some_and(|date| date >= at)
        };
        let new = self.added.iter().filter(|id| after.contains_key(id)).count();
        let edited = self.edited.iter().filter(|id| is(id, |row| row.dates.changed)).count();
        let removed = self.removed.iter().filter(|id| is(id, |row| row.dates.removed)).count();
        let reported = after.values().filter(|row| row.modified_at() >= at).count();
        let found = new + edited + removed;
        RefreshRound {
            changes: self.changes(),
            found: found as u64,
            wrong: reported.saturating_sub(found) as u64,
            ..RefreshRound::default()
        }
    }
}

/// Table of the rounds, with their sum.
pub fn sections(rounds: &[RefreshRound]) -> Vec<Section> {
    let mut total = RefreshRound::default();
    rounds.iter().for_each(|round| total.add(round));
    let share = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
    let row = |name: String, round: &RefreshRound| {
        let (per_request, new_harvest) =
            (share(round.found, round.requests), share(round.new_harvest_found, round.new_harvest_requests));
        vec![
            name,
            round.changes.to_string(),
            format!("{:.2}", share(round.found, round.changes)),
            round.requests.to_string(),
            format!("{per_request:.3}"),
            round.wrong.to_string(),
            round.new_harvest_changes.to_string(),
            format!("{:.2}", share(round.new_harvest_found, round.new_harvest_changes)),
            round.new_harvest_requests.to_string(),
            format!("{new_harvest:.3}"),
            format!("{:.1}", per_request / new_harvest.max(1e-9)),
        ]
    };
    let mut rows: Vec<Vec<String>> =
        rounds.iter().map(|round| row(format!("day {}", round.day), round)).collect();
    rows.push(row("all".into(), &total));
    vec![Section {
        title: "Refresh against a new harvest".into(),
        note: "Changes are records added, edited and removed since the store saw them. Wrong: reported changes that \
               are none. Ratio: changes found per request, by those of a new harvest."
            .into(),
        headings: headings(&[
            "round",
            "changes",
            "found",
            "requests",
            "per request",
            "wrong",
            "new harvest: changes",
            "found",
            "requests",
            "per request",
            "ratio",
        ]),
        rows,
        ..Section::default()
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal_core::harvest::policy::find_policy;

    #[test]
    fn a_refresh_finds_changes_at_a_fraction_of_the_cost_and_reports_few_wrong_ones() {
        let (topic, forms, min_records) = ("hotel".to_string(), 6, 60);
        let plan = RefreshEvaluation { seed: 1, topic, forms, min_records, rounds: 3, interval: 7 };
        let rounds = run(&plan, &find_policy("hadal").unwrap()).unwrap();
        let mut total = RefreshRound::default();
        rounds.iter().for_each(|round| total.add(round));
        assert!(total.changes > 20 && total.requests < total.new_harvest_requests / 2, "{rounds:?}");
        assert!(total.found * 10 >= total.changes, "{rounds:?}");
        assert!(total.wrong * 10 <= total.found, "{rounds:?}");
    }
}
