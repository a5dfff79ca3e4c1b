//! SB-CLASSIFIER (arXiv 2602.11874): a sleeping bandit over groups of links with similar tag paths.
//!
//! As published:
//!
//! - Links are grouped by their tag path from the root, tags with class and id, as vectors of token pairs. A link joins
//!   the group with the nearest centroid by cosine, or starts a group if none is near enough.
//! - A group is an arm. An arm without waiting links sleeps. The awake arm with the highest `m + c sqrt(ln t / n)` is
//!   played: `m` is its mean reward, `n` its number of visits, `t` the number of all visits. An arm that was never
//!   played comes first. The link is a random one of the arm.
//! - The reward of a visit is the number of targets found on it.
//! - An online classifier of URLs predicts which links lead to no page; those are not requested.
//! - A crawl of a site ends when its yield has faded.
//!
//! Details that are ours, because the paper crawls one site for files and this crawl crawls many for forms:
//!
//! - a target is a new relevant form;
//! - all sites share the arms, and links to other sites have arms of their own;
//! - the classifier is a logistic regression on pairs of characters of the URL. It predicts from [`MIN_FAILURES`]
//!   failures on, and links that it rejects wait in a last queue instead of being dropped;
//! - a site is closed after [`MAX_DRY_PAGES`] pages without a new relevant form.

use super::baselines::random_score;
use super::{
    PageVisit, Placement, QueueChoice, QueueHeads, RestoreError, SiteCounters, Strategy, StrategyCommand,
    StrategyContext, StrategyGauge,
};
use crate::address::Site;
use crate::learn::online::OnlineLogistic;
use crate::learn::sparse::SparseRow;
use crate::link::{FrontierLink, LinkOrigin, QueueId};
use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::Hasher;
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Least cosine of a tag path and the centroid of its group. From public code of the authors' earlier crawler.
const MIN_SIMILARITY: f32 = 0.75;
/// Hashes of token pairs are taken modulo this. From the same code.
const PAIR_CELLS: u64 = 1 << 12;
/// Weight `c` of the exploration term, as in UCB1 with rewards up to 2.
const EXPLORATION: f64 = 2.8;
/// Maximum number of arms; more groups join their nearest arm. Guess.
const MAX_ARMS: usize = 500;
/// Maximum number of tag paths with a remembered arm; later ones are compared with all arms. Guess.
const MAX_PATHS: usize = 200_000;
/// Failed requests before the classifier of URLs is used. Guess.
const MIN_FAILURES: u32 = 10;
/// Pages of a site without a new relevant form after which it is closed. Guess.
const MAX_DRY_PAGES: u32 = 100;

/// Queue of the seeds, served first.
const SEEDS: QueueId = QueueId(0);
/// Queue of links that probably lead to no page, served last.
const REJECTED: QueueId = QueueId(1);
/// Queue of the first arm.
const FIRST_ARM: u64 = 2;

/// Group of links with similar tag paths.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct TagPathArm {
    is_outward: bool,
    /// Sum of the vectors of its distinct tag paths.
    sum: BTreeMap<u16, f32>,
    visits: u32,
    reward: f32,
}

/// Strategy `sb-classifier`; see the [module documentation](self).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SbClassifier {
    seed: u64,
    arms: Vec<TagPathArm>,
    /// Arms of tag paths that were seen, by hash.
    known: BTreeMap<u64, u32>,
    visits: u32,
    failures: u32,
    brings_page: OnlineLogistic,
}

impl SbClassifier {
    /// A strategy that has learned nothing.
    pub fn new(context: &StrategyContext) -> SbClassifier {
        let brings_page = OnlineLogistic::new(14, 0.3, 1e-4);
        SbClassifier {
            seed: context.seed,
            arms: Vec::new(),
            known: BTreeMap::new(),
            visits: 0,
            failures: 0,
            brings_page,
        }
    }

    /// Arm with the nearest centroid, and its cosine.
    fn nearest(&self, path: &BTreeMap<u16, f32>, is_outward: bool) -> Option<(usize, f32)> {
        let arms = self.arms.iter().enumerate().filter(|(_, arm)| arm.is_outward == is_outward);
        arms.map(|(number, arm)| (number, cosine(path, &arm.sum))).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Adds a tag path that was not seen before to its group, which may be a new one.
    fn group(&mut self, path: &str, is_outward: bool) {
        let key = path_key(path, is_outward);
        if self.known.contains_key(&key) || self.known.len() >= MAX_PATHS {
            return;
        }
        let pairs = pairs(path);
        let number = match self.nearest(&pairs, is_outward) {
            Some((number, cosine)) if cosine >= MIN_SIMILARITY || self.arms.len() >= MAX_ARMS => number,
            _ => {
                self.arms.push(TagPathArm { is_outward, ..TagPathArm::default() });
                self.arms.len() - 1
            }
        };
        self.known.insert(key, number as u32);
        for (pair, count) in pairs {
            *self.arms[number].sum.entry(pair).or_default() += count;
        }
    }

    fn arm_of(&self, link: &FrontierLink) -> Option<usize> {
        let path = &link.context.tag_path;
        let is_outward = !link.parent.is_some_and(|parent| parent.same_site);
        let known = self.known.get(&path_key(path, is_outward)).map(|number| *number as usize);
        known.or_else(|| Some(self.nearest(&pairs(path), is_outward)?.0))
    }

    /// Upper confidence bound of an arm.
    fn bound(&self, queue: QueueId) -> f64 {
        let number = queue.0.saturating_sub(FIRST_ARM) as usize;
        let Some(arm) = self.arms.get(number).filter(|arm| arm.visits > 0) else { return f64::INFINITY };
        let (visits, all) = (f64::from(arm.visits), f64::from(self.visits.max(1)));
        f64::from(arm.reward) / visits + EXPLORATION * (all.ln() / visits).sqrt()
    }

    fn is_rejected(&self, url: &Url) -> bool {
        self.failures >= MIN_FAILURES && self.brings_page.probability(&characters(url)) < 0.5
    }

    fn learn_arm(&mut self, visit: &PageVisit<'_>) {
        self.visits += 1;
        if visit.link.origin != LinkOrigin::Seed
            && let Some(number) = self.arm_of(visit.link)
        {
            self.arms[number].visits += 1;
            self.arms[number].reward += visit.new_relevant as f32;
        }
    }
}

impl Strategy for SbClassifier {
    fn uses_backlinks(&self) -> bool {
        false
    }

    fn place(&self, link: &FrontierLink, _site: &SiteCounters) -> Placement {
        let queue = match self.arm_of(link) {
            _ if link.origin == LinkOrigin::Seed => SEEDS,
            _ if self.is_rejected(&link.url) => REJECTED,
            Some(number) => QueueId(FIRST_ARM + number as u64),
            None => SEEDS,
        };
        Placement::Enqueue { queue, score: random_score(link, self.seed) }
    }

    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        let awake: Vec<QueueId> = heads.heads().into_iter().map(|head| head.queue).collect();
        if awake.contains(&SEEDS) {
            return QueueChoice::Serve(SEEDS);
        }
        let arms = awake.iter().filter(|queue| queue.0 >= FIRST_ARM);
        let best = arms.max_by(|a, b| self.bound(**a).total_cmp(&self.bound(**b)).then(b.cmp(a)));
        best.or(awake.first()).map_or(QueueChoice::Idle, |queue| QueueChoice::Serve(*queue))
    }

    fn learn(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        self.learn_arm(visit);
        self.failures += u32::from(visit.page.is_none());
        self.brings_page.learn(&characters(&visit.link.url), visit.page.is_some(), 1.0);
        let here = visit.link.site();
        for link in visit.page.map_or(&[][..], |page| &page.links) {
            self.group(&link.context.tag_path, Site::of(&link.url) != here);
        }
        let is_dry = visit.site.pages_since_relevant >= MAX_DRY_PAGES && !visit.site.closed;
        is_dry.then_some(StrategyCommand::CloseSite(here)).into_iter().collect()
    }

    fn gauges(&self, _heads: &dyn QueueHeads) -> Vec<StrategyGauge> {
        vec![StrategyGauge { name: "arms", value: self.arms.len() as f64 }]
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_allocvec(self).unwrap_or_default()
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        *self = postcard::from_bytes(saved).map_err(|_| RestoreError { strategy: "sb-classifier" })?;
        Ok(())
    }
}

fn path_key(path: &str, is_outward: bool) -> u64 {
    xxh3_64_with_seed(path.as_bytes(), u64::from(is_outward))
}

/// Counts of the pairs of neighbouring tokens of a tag path.
fn pairs(path: &str) -> BTreeMap<u16, f32> {
    let mut counts = BTreeMap::new();
    let mut before = "";
    for token in path.split(' ').chain([""]) {
        let mut hasher = FxHasher::default();
        hasher.write(before.as_bytes());
        hasher.write_u8(0);
        hasher.write(token.as_bytes());
        *counts.entry((hasher.finish() % PAIR_CELLS) as u16).or_default() += 1.0;
        before = token;
    }
    counts
}

fn cosine(a: &BTreeMap<u16, f32>, b: &BTreeMap<u16, f32>) -> f32 {
    let length = |vector: &BTreeMap<u16, f32>| vector.values().map(|value| value * value).sum::<f32>().sqrt();
    let product: f32 = a.iter().filter_map(|(pair, value)| Some(value * b.get(pair)?)).sum();
    product / (length(a) * length(b)).max(f32::MIN_POSITIVE)
}

/// Pairs of characters of path and query.
fn characters(url: &Url) -> SparseRow {
    let text = format!("{}?{}", url.path(), url.query().unwrap_or_default());
    let pair = |two: &[u8]| (u32::from(two[0]) * 256 + u32::from(two[1]), 1.0);
    SparseRow::new(text.as_bytes().windows(2).map(pair).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::LinkId;
    use crate::critic::PageVerdict;
    use crate::html;
    use crate::link::ParentPage;
    use crate::page::{LinkContext, Page};
    use crate::strategy::fixture::ReadyQueues;

    fn page() -> Page {
        let body = "<ul class=menu><li><a href=/a>a</a></ul><div id=results><p><a href=/b>b</a></div>";
        html::parse(body.as_bytes(), None, &Url::parse("http://a.example/").unwrap())
    }

    fn link(number: usize) -> FrontierLink {
        let found = &page().links[number];
        let parent = ParentPage { id: LinkId(1), p_topic: 0.5, has_relevant_form: false, same_site: true };
        let context = LinkContext { ..found.context.clone() };
        FrontierLink {
            context,
            parent: Some(parent),
            ..FrontierLink::root(found.url.clone(), LinkOrigin::Link)
        }
    }

    fn visit(
        strategy: &mut SbClassifier,
        link: &FrontierLink,
        page: Option<&Page>,
        forms: u32,
        dry: u32,
    ) -> usize {
        let site = SiteCounters { pages: 9, pages_since_relevant: dry, ..SiteCounters::default() };
        let visit = PageVisit {
            link,
            path: &[],
            page,
            verdict: &PageVerdict::default(),
            forms: &[],
            new_relevant: forms,
            new_searchable: forms,
            reward: forms as f32,
            site_before: &site,
            site: &site,
        };
        strategy.learn(&visit).len()
    }

    fn queue(strategy: &SbClassifier, link: &FrontierLink) -> QueueId {
        match strategy.place(link, &SiteCounters::default()) {
            Placement::Enqueue { queue, .. } => queue,
            Placement::Drop => panic!("this strategy drops no links"),
        }
    }

    fn learned() -> (SbClassifier, QueueId, QueueId) {
        let mut strategy = SbClassifier::new(&StrategyContext::default());
        let seed = FrontierLink::root(Url::parse("http://a.example/").unwrap(), LinkOrigin::Seed);
        visit(&mut strategy, &seed, Some(&page()), 0, 0);
        let (menu, results) = (queue(&strategy, &link(0)), queue(&strategy, &link(1)));
        (strategy, menu, results)
    }

    #[test]
    fn links_with_different_tag_paths_are_different_arms() {
        let (strategy, menu, results) = learned();
        assert_ne!(menu, results);
        assert_eq!(queue(&strategy, &link(0)), menu);
    }

    #[test]
    fn the_arm_with_rewards_is_played_and_a_sleeping_one_is_not() {
        let (mut strategy, menu, results) = learned();
        for _ in 0..50 {
            visit(&mut strategy, &link(0), Some(&page()), 0, 0);
            visit(&mut strategy, &link(1), Some(&page()), 1, 0);
        }
        assert_eq!(strategy.choose(&ReadyQueues(vec![menu, results])), QueueChoice::Serve(results));
        assert_eq!(strategy.choose(&ReadyQueues(vec![menu])), QueueChoice::Serve(menu));
    }

    #[test]
    fn urls_like_those_without_a_page_wait_last() {
        let (mut strategy, ..) = learned();
        let missing = FrontierLink { url: Url::parse("http://a.example/x/zz.zzq").unwrap(), ..link(0) };
        for _ in 0..20 {
            visit(&mut strategy, &missing, None, 0, 0);
            visit(&mut strategy, &link(1), Some(&page()), 0, 0);
        }
        assert_eq!(queue(&strategy, &missing), REJECTED);
        assert_ne!(queue(&strategy, &link(1)), REJECTED);
    }

    #[test]
    fn a_site_without_new_forms_is_closed() {
        let (mut strategy, ..) = learned();
        assert_eq!(visit(&mut strategy, &link(0), Some(&page()), 0, MAX_DRY_PAGES - 1), 0);
        assert_eq!(visit(&mut strategy, &link(0), Some(&page()), 0, MAX_DRY_PAGES), 1);
    }
}
