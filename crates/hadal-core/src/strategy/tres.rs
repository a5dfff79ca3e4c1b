//! TRES (arXiv 2112.07620v4): reinforcement learning over a frontier that a regression tree divides.
//!
//! As published:
//!
//! - A state is the crawl so far, seen through the path to a link; an action is the link. Both are one vector of
//!   features ([`features`]).
//! - The value `Q` of a link is the discounted reward that follows from visiting it. A neural network
//!   estimates it, trained by double deep Q-learning: for a visit with features `x`, reward `r` and links `A`
//!   to choose from next, the target is `r + γ Q'(a*)` with `a* = argmax over a in A of Q(a)`, where `Q'` is
//!   an older copy of the network.
//! - Tree-Frontier: a regression tree divides visited links by their rewards. Each leaf keeps its unvisited
//!   links. Per step one link of each leaf is drawn at random, and the drawn link with the highest `Q` is
//!   visited.
//!
//! Details that are ours:
//!
//! - the reward is the number of new relevant forms instead of a relevant page;
//! - keyword hits are the critic's P(on topic) of the link's words, which replaces the expanded keyword set;
//! - the relevance ratio of a domain is the share of its on-topic pages, and the distance to the last
//!   relevant page counts pages of the same site;
//! - `A` holds the links of the page just fetched;
//! - a drawn link is valued by `Q` of the mean features of its leaf, because a strategy does not see the heads of
//!   queues themselves;
//! - one hidden layer, the sizes of the tree and of the network, and `γ` ([`DISCOUNT`]).

use super::baselines::random_score;
use super::{
    PageVisit, Placement, QueueChoice, QueueHeads, RestoreError, SiteCounters, Strategy, StrategyCommand,
    StrategyContext, StrategyGauge,
};
use crate::address::Site;
use crate::learn::rng::Rng;
use crate::link::{FrontierLink, LinkOrigin, QueueId};
use crate::page::LinkTopic;
use serde::{Deserialize, Serialize};

/// Features of a link in a state.
const FEATURES: usize = 9;
/// Units of the hidden layer. Guess.
const HIDDEN: usize = 16;
/// Discount of later rewards. Guess.
const DISCOUNT: f32 = 0.9;
/// Step size of the network. Guess.
const STEP: f32 = 0.02;
/// Visits that are remembered for training. Guess.
const MEMORY: usize = 4000;
/// Remembered visits that each visit trains with. Guess.
const BATCH: usize = 16;
/// Maximum number of links per visit among which the best next one is looked for. Guess.
const MAX_NEXT: usize = 16;
/// Visits between two copies of the network. Guess.
const COPY_EVERY: u64 = 100;
/// Visits before the first tree. A new tree grows whenever the number of visits has doubled. Guess.
const FIRST_TREE: u64 = 32;
/// Minimum number of visits of a leaf. Guess.
const MIN_LEAF: usize = 8;
/// Maximum number of splits between root and leaf. Guess.
const MAX_TREE_DEPTH: usize = 5;

/// Queue of the seeds, served first.
const SEEDS: QueueId = QueueId(0);
/// Queue of the first leaf.
const FIRST_LEAF: u64 = 1;

type Features = [f32; FEATURES];

/// Relevance of the parent, of the words, of the domain; direction and distance.
fn features(
    topic: Option<LinkTopic>,
    [parent, parent_form]: [f32; 2],
    same_site: bool,
    site: &SiteCounters,
) -> Features {
    let topic = topic.unwrap_or(LinkTopic::UNKNOWN);
    let site = if same_site || site.pages > 0 { *site } else { SiteCounters::default() };
    let ratio = if site.pages == 0 { 0.5 } else { site.on_topic as f32 / site.pages as f32 };
    let distance = (1.0 + site.pages_since_relevant as f32).ln() / 5.0;
    let found = if site.relevant > 0 { 1.0 } else { 0.0 };
    let inside = if same_site { 1.0 } else { 0.0 };
    [1.0, parent, parent_form, ratio, found, distance, topic.own, topic.around, inside]
}

fn features_of(link: &FrontierLink, site: &SiteCounters) -> Features {
    let parent = link
        .parent
        .map_or([0.5, 0.0], |parent| [parent.p_topic, if parent.has_relevant_form { 1.0 } else { 0.0 }]);
    features(link.context.topic, parent, link.parent.is_some_and(|parent| parent.same_site), site)
}

/// Network with one hidden layer of rectified units.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ValueNetwork {
    hidden: [Features; HIDDEN],
    output: [f32; HIDDEN],
    bias: f32,
}

impl ValueNetwork {
    fn new(random: &mut Rng) -> ValueNetwork {
        let mut draw = || random.fraction() as f32 - 0.5;
        let hidden = std::array::from_fn(|_| std::array::from_fn(|_| draw()));
        ValueNetwork { hidden, output: std::array::from_fn(|_| 0.2 * draw()), bias: 0.0 }
    }

    fn units(&self, x: &Features) -> [f32; HIDDEN] {
        let unit = |weights: &Features| dot(weights, x).max(0.0);
        std::array::from_fn(|number| unit(&self.hidden[number]))
    }

    fn value(&self, x: &Features) -> f32 {
        dot(&self.output, &self.units(x)) + self.bias
    }

    /// One step of gradient descent on the squared error.
    fn train(&mut self, x: &Features, target: f32) {
        let units = self.units(x);
        let error = (dot(&self.output, &units) + self.bias - target).clamp(-1.0, 1.0);
        self.bias -= STEP * error;
        for (number, unit) in units.into_iter().enumerate().filter(|(_, unit)| *unit > 0.0) {
            let back = error * self.output[number];
            self.output[number] -= STEP * error * unit;
            self.hidden[number].iter_mut().zip(x).for_each(|(weight, x)| *weight -= STEP * back * x);
        }
    }
}

fn dot<const N: usize>(a: &[f32; N], b: &[f32; N]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A visit to learn from.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Experience {
    features: Features,
    reward: f32,
    /// Links to choose from after the visit.
    next: Vec<Features>,
}

/// Regression tree over features.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum FrontierTree {
    /// Number of the leaf.
    Leaf(u64),
    Split {
        feature: usize,
        threshold: f32,
        below: Box<FrontierTree>,
        above: Box<FrontierTree>,
    },
}

impl FrontierTree {
    /// Grows a tree. `leaves` receives the mean features of each leaf.
    fn grow(visits: &mut [&Experience], depth: usize, leaves: &mut Vec<Features>) -> FrontierTree {
        let split = if depth < MAX_TREE_DEPTH { best_split(visits) } else { None };
        let Some((feature, threshold)) = split else {
            leaves.push(mean(visits));
            return FrontierTree::Leaf(leaves.len() as u64 - 1);
        };
        visits.sort_by(|a, b| a.features[feature].total_cmp(&b.features[feature]));
        let cut = visits.partition_point(|visit| visit.features[feature] < threshold);
        let (below, above) = visits.split_at_mut(cut);
        let below = Box::new(FrontierTree::grow(below, depth + 1, leaves));
        let above = Box::new(FrontierTree::grow(above, depth + 1, leaves));
        FrontierTree::Split { feature, threshold, below, above }
    }

    fn leaf(&self, x: &Features) -> u64 {
        match self {
            FrontierTree::Leaf(number) => *number,
            FrontierTree::Split { feature, threshold, below, above } => {
                if x[*feature] < *threshold {
                    below.leaf(x)
                } else {
                    above.leaf(x)
                }
            }
        }
    }
}

fn mean(visits: &[&Experience]) -> Features {
    let count = visits.len().max(1) as f32;
    std::array::from_fn(|number| visits.iter().map(|visit| visit.features[number]).sum::<f32>() / count)
}

/// Feature and threshold that reduce the squared error of the rewards most.
fn best_split(visits: &[&Experience]) -> Option<(usize, f32)> {
    let total: f32 = visits.iter().map(|visit| visit.reward).sum();
    let gain_of = |sum: f32, count: usize| sum * sum / count as f32;
    let (mut best, mut split) = (gain_of(total, visits.len().max(1)) + 1e-4, None);
    for feature in 0..FEATURES {
        let mut sorted: Vec<(f32, f32)> =
            visits.iter().map(|visit| (visit.features[feature], visit.reward)).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut below = 0.0;
        for cut in 1..sorted.len() {
            below += sorted[cut - 1].1;
            let is_large = cut >= MIN_LEAF && sorted.len() - cut >= MIN_LEAF;
            let gain = gain_of(below, cut) + gain_of(total - below, sorted.len() - cut);
            if is_large && sorted[cut - 1].0 < sorted[cut].0 && gain > best {
                (best, split) = (gain, Some((feature, (sorted[cut - 1].0 + sorted[cut].0) / 2.0)));
            }
        }
    }
    split
}

/// Strategy `tres`; see the [module documentation](self).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tres {
    seed: u64,
    online: ValueNetwork,
    older: ValueNetwork,
    memory: Vec<Experience>,
    tree: FrontierTree,
    /// Mean features of each leaf.
    leaves: Vec<Features>,
    visits: u64,
}

impl Tres {
    /// A strategy that has learned nothing.
    pub fn new(context: &StrategyContext) -> Tres {
        let online = ValueNetwork::new(&mut Rng::new(context.seed));
        Tres {
            seed: context.seed,
            older: online.clone(),
            online,
            memory: Vec::new(),
            tree: FrontierTree::Leaf(0),
            leaves: vec![[0.0; FEATURES]],
            visits: 0,
        }
    }

    fn remember(&mut self, experience: Experience) {
        if self.memory.len() < MEMORY {
            return self.memory.push(experience);
        }
        let oldest = self.visits as usize % MEMORY;
        self.memory[oldest] = experience;
    }

    /// Trains the network with remembered visits.
    fn train(&mut self) {
        let mut random = Rng::new(self.seed.wrapping_add(self.visits));
        for _ in 0..BATCH {
            let Experience { features, reward, next } = &self.memory[random.below(self.memory.len())];
            let best = next.iter().max_by(|a, b| self.online.value(a).total_cmp(&self.online.value(b)));
            let target = reward + DISCOUNT * best.map_or(0.0, |best| self.older.value(best));
            let features = *features;
            self.online.train(&features, target);
        }
        if self.visits.is_multiple_of(COPY_EVERY) {
            self.older = self.online.clone();
        }
    }

    fn grow_tree(&mut self) {
        let mut leaves = Vec::new();
        let mut visits: Vec<&Experience> = self.memory.iter().collect();
        self.tree = FrontierTree::grow(&mut visits, 0, &mut leaves);
        self.leaves = leaves;
    }

    fn value_of(&self, queue: QueueId) -> f32 {
        let leaf = self.leaves.get(queue.0.saturating_sub(FIRST_LEAF) as usize);
        leaf.map_or(f32::NEG_INFINITY, |mean| self.online.value(mean))
    }
}

/// Features of the first links of a fetched page.
fn next_links(visit: &PageVisit<'_>) -> Vec<Features> {
    let here = visit.link.site();
    let parent = [visit.verdict.p_topic, if visit.new_relevant > 0 { 1.0 } else { 0.0 }];
    let links = visit.page.map_or(&[][..], |page| &page.links);
    let stride = links.len().div_ceil(MAX_NEXT).max(1);
    let elsewhere = SiteCounters::default();
    let features_of = |link: &crate::page::Link| {
        let same_site = Site::of(&link.url) == here;
        features(link.context.topic, parent, same_site, if same_site { visit.site } else { &elsewhere })
    };
    links.iter().step_by(stride).map(features_of).collect()
}

impl Strategy for Tres {
    fn uses_backlinks(&self) -> bool {
        false
    }

    fn place(&self, link: &FrontierLink, site: &SiteCounters) -> Placement {
        let queue = match link.origin {
            LinkOrigin::Seed => SEEDS,
            _ => QueueId(FIRST_LEAF + self.tree.leaf(&features_of(link, site))),
        };
        Placement::Enqueue { queue, score: random_score(link, self.seed) }
    }

    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        let ready: Vec<QueueId> = heads.heads().into_iter().map(|head| head.queue).collect();
        if ready.contains(&SEEDS) {
            return QueueChoice::Serve(SEEDS);
        }
        let best =
            ready.iter().max_by(|a, b| self.value_of(**a).total_cmp(&self.value_of(**b)).then(b.cmp(a)));
        best.map_or(QueueChoice::Idle, |queue| QueueChoice::Serve(*queue))
    }

    fn learn(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        self.visits += 1;
        let features = features_of(visit.link, visit.site_before);
        let reward = visit.new_relevant as f32;
        self.remember(Experience { features, reward, next: next_links(visit) });
        self.train();
        if self.visits < FIRST_TREE || !self.visits.is_power_of_two() {
            return Vec::new();
        }
        self.grow_tree();
        vec![StrategyCommand::RescoreAll]
    }

    fn gauges(&self, _heads: &dyn QueueHeads) -> Vec<StrategyGauge> {
        vec![StrategyGauge { name: "leaves", value: self.leaves.len() as f64 }]
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_allocvec(self).unwrap_or_default()
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        *self = postcard::from_bytes(saved).map_err(|_| RestoreError { strategy: "tres" })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::LinkId;
    use crate::critic::PageVerdict;
    use crate::link::ParentPage;
    use crate::page::LinkContext;
    use crate::strategy::fixture::ReadyQueues;
    use url::Url;

    fn link(own: f32) -> FrontierLink {
        let url = Url::parse(&format!("http://a.example/{own}")).unwrap();
        let parent = ParentPage { id: LinkId(1), p_topic: 0.5, has_relevant_form: false, same_site: true };
        let topic = Some(LinkTopic { own, around: 0.5, other_sites: 0 });
        let context = LinkContext { topic, ..LinkContext::default() };
        FrontierLink { context, parent: Some(parent), ..FrontierLink::root(url, LinkOrigin::Link) }
    }

    fn queue(strategy: &Tres, link: &FrontierLink) -> QueueId {
        match strategy.place(link, &SiteCounters::default()) {
            Placement::Enqueue { queue, .. } => queue,
            Placement::Drop => panic!("this strategy drops no links"),
        }
    }

    /// A strategy that met forms behind links with words of the topic only.
    fn learned() -> Tres {
        let mut strategy = Tres::new(&StrategyContext::default());
        let site = SiteCounters::default();
        for n in 0..256 {
            let found = u32::from(n % 2 == 0);
            let visit = PageVisit {
                link: &link(if found > 0 { 0.9 } else { 0.1 }),
                path: &[],
                page: None,
                verdict: &PageVerdict::default(),
                forms: &[],
                new_relevant: found,
                new_searchable: found,
                reward: found as f32,
                site_before: &site,
                site: &site,
            };
            strategy.learn(&visit);
        }
        strategy
    }

    #[test]
    fn the_tree_separates_links_by_reward() {
        let strategy = learned();
        assert_ne!(queue(&strategy, &link(0.9)), queue(&strategy, &link(0.1)));
        assert_eq!(queue(&strategy, &link(0.95)), queue(&strategy, &link(0.85)));
    }

    #[test]
    fn the_leaf_of_the_highest_value_is_served() {
        let mut strategy = learned();
        let (good, poor) = (queue(&strategy, &link(0.9)), queue(&strategy, &link(0.1)));
        assert_eq!(strategy.choose(&ReadyQueues(vec![poor, good])), QueueChoice::Serve(good));
        assert_eq!(strategy.choose(&ReadyQueues(vec![poor])), QueueChoice::Serve(poor));
        assert_eq!(strategy.choose(&ReadyQueues(vec![poor, SEEDS])), QueueChoice::Serve(SEEDS));
    }

    #[test]
    fn a_link_is_worth_the_links_behind_it() {
        let mut strategy = learned();
        let good = features_of(&link(0.9), &SiteCounters::default());
        let hub = features(None, [0.9, 0.0], false, &SiteCounters::default());
        let before = strategy.online.value(&hub);
        for _ in 0..400 {
            strategy.visits += 1;
            strategy.remember(Experience { features: hub, reward: 0.0, next: vec![good] });
            strategy.train();
        }
        assert!(strategy.online.value(&hub) > before + 0.2);
    }
}
