//! Harvests of simulated sites through their result pages, one site per arrangement of records.
//!
//! The trials of [`super::trial`] query a database directly and measure the choice of queries. Here the whole
//! harvester runs, as in `hadal harvest URL`: it opens the form, reads result pages, follows pagers and identifies
//! records. A stored row is right if it is a record of the database that no earlier row is.

use super::BODY_LIMIT;
use super::collections::NamedCollection;
use anyhow::Context;
use hadal::fetch::in_process::InProcess;
use hadal::harvest::open_form::{SearchLocation, form_at_url};
use hadal::harvest::{HarvestJob, HarvestPlan, harvest};
use hadal::output::sections::{Section, headings};
use hadal::polite::{ClientOptions, Clock, PoliteClient, Politeness};
use hadal::store::{Access, HarvestRowQuery, Store, all_records, open};
use hadal_core::harvest::policy::PolicyEntry;
use hadal_core::harvest::session::{DetailMode, HarvestOptions};
use hadal_world::database::{
    Arrangement, Collection, Database, DatabaseConfig, DatabaseHosts, ExtraParameters, Layout, PageHabits,
    PageSizes, Pager, Ranking, RecordAddress, SiteLanguage, TotalShown,
};
use hadal_world::{Spec, World};
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;
use url::Url;

/// Host of every simulated site.
const NAME: &str = "db";

/// Sites to harvest: each collection in each arrangement and variant.
pub struct LayoutPlan {
    pub collections: Vec<NamedCollection>,
    /// Maximum number of records per collection.
    pub records: u32,
    pub variants: Vec<LayoutVariant>,
    pub arrangements: Vec<Arrangement>,
    /// Maximum number of requests per record of a harvest.
    pub requests_per_record: u64,
    /// Coverage at which a harvest ends.
    pub coverage: f64,
    pub seed: u64,
}

/// Properties of a site beside its arrangement of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LayoutVariant {
    /// Linked records and exact totals.
    Plain,
    /// Records without links, identified by a reference number.
    Linkless,
    /// Sessions, positions and queries in links, further lists and forms on every page, no totals.
    Cluttered,
    /// The same order of records for every query.
    Static,
    /// Random pager, addresses and habits.
    Varied,
}

impl LayoutVariant {
    /// All variants with their names.
    pub const ALL: [(&'static str, LayoutVariant); 5] = [
        ("plain", LayoutVariant::Plain),
        ("linkless", LayoutVariant::Linkless),
        ("cluttered", LayoutVariant::Cluttered),
        ("static", LayoutVariant::Static),
        ("varied", LayoutVariant::Varied),
    ];

    fn config(self, arrangement: Arrangement, language: SiteLanguage, seed: u64) -> DatabaseConfig {
        let pager = Pager::ALL[seed as usize % Pager::ALL.len()];
        let plain = Layout { seed, arrangement, pager, language, ..Layout::default() };
        let layout = match self {
            LayoutVariant::Plain | LayoutVariant::Static => plain,
            LayoutVariant::Linkless => Layout { address: RecordAddress::None, ..plain },
            LayoutVariant::Cluttered => cluttered(plain),
            LayoutVariant::Varied => Layout { arrangement, language, ..Layout::varied(seed) },
        };
        let ranking = if self == LayoutVariant::Static { Ranking::Static } else { Ranking::Frequency };
        let is_hidden = self == LayoutVariant::Cluttered;
        let total_shown = if is_hidden { TotalShown::Hidden } else { TotalShown::Exact };
        DatabaseConfig { seed, ranking, total_shown, layout, ..DatabaseConfig::default() }
    }
}

fn cluttered(plain: Layout) -> Layout {
    let extra_parameters = ExtraParameters { session: true, position: true, highlight: true, counter: false };
    let habits = PageHabits {
        record_labels: true,
        tool_links: true,
        side_list: true,
        echoing_filter: true,
        error_words: true,
        page_sizes: PageSizes::Fixed,
    };
    Layout { address: RecordAddress::Parameter, extra_parameters, marks_words: true, habits, ..plain }
}

/// Result of the harvest of one site.
#[derive(Clone, Debug, Serialize)]
pub struct LayoutTrial {
    pub collection: String,
    pub arrangement: Arrangement,
    pub variant: LayoutVariant,
    /// Records of the database.
    pub existing: u32,
    /// Number of stored records.
    pub stored: usize,
    /// Distinct records of the database among them.
    pub right: usize,
    pub requests: u64,
    /// Reason why the harvest ended; the state if it did not.
    pub ending: String,
}

impl LayoutTrial {
    /// Right rows by stored rows; 1 if nothing was stored.
    pub fn precision(&self) -> f64 {
        if self.stored == 0 { 1.0 } else { self.right as f64 / self.stored as f64 }
    }

    /// Right rows by records of the database.
    pub fn recall(&self) -> f64 {
        self.right as f64 / f64::from(self.existing.max(1))
    }
}

/// One site of a plan.
struct LayoutCase {
    collection: Arc<Collection>,
    name: String,
    arrangement: Arrangement,
    variant: LayoutVariant,
    seed: u64,
}

/// Harvests every site of a plan on several threads. Returns the trials in the order of the plan.
pub fn run(
    plan: &LayoutPlan,
    policy: &PolicyEntry,
    threads: usize,
    on_progress: &(dyn Fn(usize, usize) + Sync),
) -> anyhow::Result<Vec<LayoutTrial>> {
    let cases = cases(plan)?;
    let (next, trials) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        let work = || -> anyhow::Result<()> {
            while let Some((at, case)) = take(&cases, &next) {
                let trial = run_case(plan, case, policy)?;
                let mut trials = trials.lock().unwrap_or_else(PoisonError::into_inner);
                trials.push((at, trial));
                on_progress(trials.len(), cases.len());
            }
            Ok(())
        };
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    let mut trials = trials.into_inner().unwrap_or_else(PoisonError::into_inner);
    trials.sort_by_key(|(at, _)| *at);
    Ok(trials.into_iter().map(|(_, trial)| trial).collect())
}

fn take<'a>(cases: &'a [LayoutCase], next: &AtomicUsize) -> Option<(usize, &'a LayoutCase)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    cases.get(at).map(|case| (at, case))
}

fn cases(plan: &LayoutPlan) -> anyhow::Result<Vec<LayoutCase>> {
    let mut cases = Vec::new();
    for named in &plan.collections {
        let collection = Arc::new(named.load(plan.records).with_context(|| named.name.clone())?);
        for variant in &plan.variants {
            for (at, arrangement) in plan.arrangements.iter().enumerate() {
                cases.push(LayoutCase {
                    collection: Arc::clone(&collection),
                    name: named.name.clone(),
                    arrangement: *arrangement,
                    variant: *variant,
                    seed: plan.seed.wrapping_add(at as u64),
                });
            }
        }
    }
    Ok(cases)
}

fn run_case(plan: &LayoutPlan, case: &LayoutCase, policy: &PolicyEntry) -> anyhow::Result<LayoutTrial> {
    let language = SiteLanguage::of_code(case.collection.language().unwrap_or("en"));
    let config = case.variant.config(case.arrangement, language, case.seed);
    let mut hosts = DatabaseHosts::default();
    hosts.add(NAME, Database::new(Arc::clone(&case.collection), config));
    let world = Arc::new(World::new(Spec::tiny(1)).with_databases(hosts));
    let store = open("memory:", Access::Crawl)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let harvested = runtime.block_on(harvest_site(plan, case, policy, &world, &store));
    let (requests, ending) = harvested.unwrap_or_else(|error| (0, format!("{error:#}")));
    let (right, stored) = score(&world, store.as_ref())?;
    Ok(LayoutTrial {
        collection: case.name.clone(),
        arrangement: case.arrangement,
        variant: case.variant,
        existing: case.collection.len(),
        stored,
        right,
        requests,
        ending,
    })
}

/// Harvests a site as `hadal harvest URL` does. Returns the number of requests and the ending.
async fn harvest_site(
    plan: &LayoutPlan,
    case: &LayoutCase,
    policy: &PolicyEntry,
    world: &Arc<World>,
    store: &Arc<dyn Store>,
) -> anyhow::Result<(u64, String)> {
    let options = ClientOptions::new(Politeness::default(), "hadal", BODY_LIMIT);
    let client = PoliteClient::new(Arc::new(InProcess(Arc::clone(world))), options, watch::channel(false).1);
    let home = Url::parse(&format!("http://{NAME}.example/"))?;
    let mut clock = Clock::simulated();
    let form = form_at_url(&SearchLocation::at(&home, "web"), &client, &mut clock).await?;
    let options =
        HarvestOptions { coverage: plan.coverage, records: None, details: DetailMode::Auto, seed: case.seed };
    let job = HarvestJob::new(form, policy, options);
    let budget = plan.requests_per_record * u64::from(case.collection.len());
    let plan = HarvestPlan {
        max_requests: Some(budget),
        clock: Clock::simulated(),
        ..HarvestPlan::new(Arc::clone(store), client, vec![job])
    };
    let summary = harvest(plan, &mut |_| {}).await?.pop().context("no harvest ran")?;
    let ending = summary.ending.map_or_else(|| "budget".to_string(), |ending| ending.name().to_string());
    Ok((summary.counters.requests, ending))
}

/// Number of distinct records of the database in a store, and number of all rows.
fn score(world: &World, store: &dyn Store) -> anyhow::Result<(usize, usize)> {
    let database = world.databases().get(NAME).context("the database has a host")?;
    let (mut right, mut stored) = (BTreeSet::new(), 0);
    for row in all_records(store, HarvestRowQuery::default()) {
        let record = row?.record;
        let by_link = record.url.as_ref().and_then(|url| database.record_at(url));
        right.extend(by_link.or_else(|| database.record_in(&record.text)));
        stored += 1;
    }
    Ok((right.len(), stored))
}

/// Tables of all trials: the worst of each arrangement, then every trial.
pub fn sections(trials: &[LayoutTrial]) -> Vec<Section> {
    let mut arrangements: Vec<Arrangement> = trials.iter().map(|trial| trial.arrangement).collect();
    arrangements.sort_by_key(|arrangement| Arrangement::ALL.iter().position(|known| known == arrangement));
    arrangements.dedup();
    let worst = |arrangement: &Arrangement| {
        let of_it = || trials.iter().filter(|trial| trial.arrangement == *arrangement);
        let least = |value: fn(&LayoutTrial) -> f64| of_it().map(value).fold(1.0, f64::min);
        vec![
            arrangement.name().to_string(),
            format!("{:.3}", least(LayoutTrial::precision)),
            format!("{:.3}", least(LayoutTrial::recall)),
            of_it().map(|trial| trial.requests).max().unwrap_or(0).to_string(),
        ]
    };
    let row = |trial: &LayoutTrial| {
        vec![
            trial.arrangement.name().to_string(),
            format!("{:?}", trial.variant),
            trial.collection.clone(),
            format!("{:.3}", trial.precision()),
            format!("{:.3}", trial.recall()),
            trial.requests.to_string(),
            trial.ending.clone(),
        ]
    };
    vec![
        Section {
            title: "Worst harvest of each arrangement".into(),
            headings: headings(&["arrangement", "precision", "recall", "requests"]),
            rows: arrangements.iter().map(worst).collect(),
            ..Section::default()
        },
        Section {
            title: "Harvests".into(),
            note: "Precision counts a record that is stored twice, and a row that is not a record, as wrong."
                .into(),
            headings: headings(&[
                "arrangement",
                "variant",
                "collection",
                "precision",
                "recall",
                "requests",
                "ending",
            ]),
            rows: trials.iter().map(row).collect(),
            ..Section::default()
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal_core::harvest::policy::find_policy;

    #[test]
    fn a_plain_list_is_harvested_and_scored() {
        let plan = LayoutPlan {
            collections: vec![NamedCollection::generated().swap_remove(0)],
            records: 60,
            variants: vec![LayoutVariant::Plain],
            arrangements: vec![Arrangement::List],
            requests_per_record: 2,
            coverage: 0.98,
            seed: 1,
        };
        let trials = run(&plan, &find_policy("hadal").unwrap(), 1, &|_, _| {}).unwrap();
        assert_eq!((trials.len(), trials[0].existing), (1, 60));
        assert!(trials[0].precision() >= 0.98 && trials[0].recall() >= 0.8, "{trials:?}");
        assert_eq!(sections(&trials)[1].rows.len(), 1);
    }
}
