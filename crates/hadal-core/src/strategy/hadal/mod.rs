//! The strategy `hadal`: visit the link with the highest expected number of new relevant forms per request.
//!
//! All page links wait in one queue: links inside an open site, links to new sites, links on hubs. Backlink
//! look-ups wait in a second one. There are no levels and no page quotas. The crawl leaves a site when links
//! elsewhere have a higher score and returns when they do not.
//!
//! # Score
//!
//! For a link `l` to a site `s`, `score(l, s) + bonus(s)` is the logarithm of a rate: the expected number of new
//! relevant forms within three clicks of `l`, per request.
//!
//! ```text
//! score(l, s) = a·d(l) + h(l) + w·x(l, s)              placement of the link
//! bonus(s)    = b·e(s) + w·z(s) + o [s has visits]     bonus of a site, set at each visit; 0 before the first
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | `d(l)` | facts about the link that mean the same for every topic, such as P(on topic) of its words (`prior.rs`) |
//! | `h(l)` | loss by failed visits to the folder of the link (`rates.rs`); 0 without failures |
//! | `e(s)` | facts about the counters of `s` (`prior.rs`); all 0 before the first visit, except for failed ones |
//! | `a`, `b` | fixed weights, fitted once on crawls of twelve topics (`prior.rs`) |
//! | `x(l, s)` | hashed features of the link (`features.rs`); for a site without visits also its mentions |
//! | `z(s)` | hashed features of the counters of `s` (`features.rs`) |
//! | `w` | weights of the rate model; at the start 0, or those of an earlier run with the same topic |
//! | `[c]` | 1 if the condition `c` holds, else 0 |
//!
//! Mentions of a site are links to it from sites with relevant forms.
//!
//! A site without visits needs its robots.txt first, which doubles the requests of the visit. So an open site has the
//! advantage `o`. It is left out of the offset in learning: the model would otherwise learn a weight that cancels it.
//!
//! Seeds and examples have a fixed score above all others. Examples are visited early because their sites
//! often have more forms.
//!
//! # Waiting for a better host
//!
//! A host serves one request at a time. Without this rule a crawl with 16 requests in flight opens 16 hosts, however
//! poor their links are. So a ready link is not visited while a host that is ready soon has a link of a much higher
//! score ([`WAIT_MARGIN`]). The request budget usually ends before the time does.
//!
//! Several workers of a crawl divide the hosts. Each of them would visit its own best link, however poor it is. So a
//! worker visits nothing while another one has a link of a much higher score ([`YIELD_MARGIN`]).
//!
//! # Learning
//!
//! The model is an online Poisson regression ([`OnlinePoisson`](crate::learn::rate::OnlinePoisson)), updated at
//! every visit. For a visit of `l` with the counters `s` from before the visit:
//!
//! - exposure: one try with the features `x(l, s)`, plus `z(s)` if the site had visits, and with the offset
//!   `a·d(l) + h(l) + b·e(s)`;
//! - events: `R = p · sum over new relevant forms of (2 P(relevant) - 1)`, where `p` is P(on topic) of the page.
//!   Weighting by probabilities keeps the many doubtful forms of a rare topic from misleading the crawl;
//! - delayed events: the link `d` clicks before `l` gets `g^d · R`, for `d` up to 3, with the discount `g` of
//!   [`PriorWeights`]. This gives a value to
//!   hubs and other pages without forms. If that link is on the same site, `z(s)` takes part in the update too.
//!   Otherwise the weights of `x` would grow without bound and those of `z` would sink by the same amount.
//!
//! Scores of waiting links follow the model: all of them after 32, 64, 128, ... visits, the best of each host
//! more often (`is_head_rescore_due`).
//!
//! # Backlinks
//!
//! If a source of backlinks is available, the strategy looks up the seeds and every site with a first
//! relevant form. A look-up is served if no other link is ready or if `L < 4 + q · V`, where `L` is the
//! number of look-ups, `V` that of visits and
//!
//! ```text
//! q  = clamp(q0 · yb / y, q_min, q_max)           allowed look-ups per visit
//! y  = (G + 1) / (V + 50)                         smoothed events per visit
//! yb = (Gb + 50 y) / (L + B + 50)                 smoothed events per request spent on backlinks
//! ```
//!
//! `G` is the sum of all `R`, `B` the number of backlink pages visited and `Gb` the sum of `R`, discounted over the
//! path, for visits with a path from a backlink page.

mod features;
mod observation;
pub mod prior;
pub mod rates;
mod rewarded_words;

use super::{
    PageVisit, Placement, QueueChoice, QueueHead, QueueHeads, RestoreError, SiteCounters, Strategy,
    StrategyCommand, StrategyContext, StrategyGauge,
};
use crate::link::{FrontierLink, LinkOrigin, LinkTask, QueueId};
use crate::page::LinkContext;
use observation::{Observation, Observations};
use prior::PriorWeights;
use rates::{LinkDescription, LinkRates};
use rewarded_words::RewardedWords;
use serde::{Deserialize, Serialize};
use url::Url;

const LINKS: QueueId = QueueId(0);
const LOOKUPS: QueueId = QueueId(1);

/// Score of seeds and examples. Scores of other links stay below 50, bonus included: `w·x` and `w·z` are at
/// most 12 each, and the shipped weights keep the rest below 20.
pub const SEED_SCORE: f32 = 100.0;
/// Difference of log rates above which a busy host is waited for: `e^0.5` times the expected forms. Guess.
const WAIT_MARGIN: f32 = 0.5;
/// Difference of log rates above which a worker leaves its requests to another one with a better link. Relevant forms
/// that four workers found with 1,500 requests on four webs of `eval/workers.py learning`, and mean seconds: 410 in 62
/// s with a margin of 0.5, 392 in 35 s with 1.5, 393 in 32 s with 2.5, 363 in 16 s without yielding. One worker: 391 in
/// 61 s.
const YIELD_MARGIN: f32 = 1.5;
/// Look-ups per visit while their yield is unknown, `q0`. Guess.
const LOOKUP_SHARE: f32 = 0.02;
/// Minimum of the look-ups per visit, `q_min`. Guess.
const MIN_LOOKUP_SHARE: f32 = 0.002;
/// Maximum of the look-ups per visit, `q_max`. Guess.
const MAX_LOOKUP_SHARE: f32 = 0.1;
/// Look-ups allowed before the first visit. Guess.
const FIRST_LOOKUPS: f32 = 4.0;
/// Visits that the prior of a yield counts for. Guess.
const YIELD_PRIOR: f32 = 50.0;
/// Visits of the first rescoring of all links; the next ones follow at 2, 4, 8, ... times this number. Guess.
const FIRST_RESCORE: u64 = 32;

/// Strategy `hadal`; see the [module documentation](self).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HadalStrategy {
    rates: LinkRates,
    backlinks: bool,
    seeds: Vec<Url>,
    examples: Vec<Url>,
    /// `V` of the module documentation.
    visits: u64,
    /// `G` of the module documentation.
    events: f32,
    lookups: LookupStats,
    words: RewardedWords,
    /// Observations not yet sent to other workers; `None` unless the run is shared.
    #[serde(skip)]
    unsent: Option<Observations>,
}

/// Cost and yield of backlink look-ups.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct LookupStats {
    /// `L` of the module documentation.
    chosen: u64,
    /// `B` of the module documentation.
    pages: u64,
    /// `Gb` of the module documentation.
    events: f32,
}

impl HadalStrategy {
    /// A strategy that has learned nothing.
    pub fn new(context: &StrategyContext) -> HadalStrategy {
        HadalStrategy {
            rates: LinkRates::new(PriorWeights::default()),
            backlinks: context.backlinks,
            seeds: context.seeds.clone(),
            examples: context.examples.clone(),
            visits: 0,
            events: 0.0,
            lookups: LookupStats::default(),
            words: RewardedWords::default(),
            unsent: None,
        }
    }

    /// Learns from a visit. Returns the new bonus of its site.
    fn observe(&mut self, visit: &Observation) -> f32 {
        self.visits += 1;
        self.rates.set_events(self.events);
        self.events += visit.events;
        visit.mentioned.iter().for_each(|site| self.rates.count_mention(*site));
        let rated = visit.rated();
        let discounted = self.rates.learn(&rated);
        self.lookups.pages += u64::from(visit.is_backlink);
        if visit.follows_backlink {
            self.lookups.events += discounted;
        }
        self.rates.site_bonus(rated.link.site, rated.site)
    }

    /// Allowed look-ups per visit, `q` of the module documentation.
    fn lookup_share(&self) -> f32 {
        let cost = (self.lookups.chosen + self.lookups.pages) as f32;
        let per_visit = (self.events + 1.0) / (self.visits as f32 + YIELD_PRIOR);
        let per_lookup = (self.lookups.events + per_visit * YIELD_PRIOR) / (cost + YIELD_PRIOR);
        (LOOKUP_SHARE * per_lookup / per_visit).clamp(MIN_LOOKUP_SHARE, MAX_LOOKUP_SHARE)
    }

    fn may_look_up(&self) -> bool {
        (self.lookups.chosen as f32) < FIRST_LOOKUPS + self.lookup_share() * self.visits as f32
    }
}

/// True if waiting for a link that can be visited soon is expected to save requests: its score exceeds that of the best
/// ready link by more than [`WAIT_MARGIN`].
pub fn is_worth_waiting(ready: f32, soon: Option<f32>) -> bool {
    soon.is_some_and(|soon| soon > ready + WAIT_MARGIN)
}

/// True if a visit by another worker is expected to save requests: the score of its best link exceeds that of the best
/// ready link of this worker by more than [`YIELD_MARGIN`].
pub fn is_worth_yielding(ready: f32, elsewhere: Option<f32>) -> bool {
    elsewhere.is_some_and(|elsewhere| elsewhere > ready + YIELD_MARGIN)
}

/// True at 32, 64, 128, ... visits. Rescoring costs more as the frontier grows, so it becomes rarer.
pub fn is_rescore_due(visits: u64) -> bool {
    visits >= FIRST_RESCORE && visits.is_power_of_two()
}

/// True at every 16th visit at first; later at every `2^k`-th, with `2^k` the power of two at or above a
/// sixteenth of the visits so far.
pub fn is_head_rescore_due(visits: u64) -> bool {
    visits.is_multiple_of((visits / 16).next_power_of_two().max(16))
}

impl Strategy for HadalStrategy {
    fn begin(&mut self) -> Vec<StrategyCommand> {
        let looked_up = if self.backlinks { self.seeds.as_slice() } else { &[] };
        let examples =
            self.examples.iter().map(|page| StrategyCommand::AddPage(page.clone(), LinkContext::default()));
        looked_up.iter().cloned().map(StrategyCommand::LookUpBacklinks).chain(examples).collect()
    }

    fn place(&self, link: &FrontierLink, site: &SiteCounters) -> Placement {
        match (&link.task, link.origin) {
            (LinkTask::Backlinks, _) => Placement::Enqueue { queue: LOOKUPS, score: 0.0 },
            (_, LinkOrigin::Seed | LinkOrigin::AddedPage) => {
                Placement::Enqueue { queue: LINKS, score: SEED_SCORE }
            }
            _ => {
                let score = self.rates.score(&LinkDescription::of(link), site);
                Placement::Enqueue { queue: LINKS, score }
            }
        }
    }

    fn explain_score(&self, link: &FrontierLink, site: &SiteCounters) -> Vec<StrategyGauge> {
        if link.task != LinkTask::Page || matches!(link.origin, LinkOrigin::Seed | LinkOrigin::AddedPage) {
            return Vec::new();
        }
        let description = LinkDescription::of(link);
        let term = |name, value: f32| StrategyGauge { name, value: f64::from(value) };
        vec![
            term("prior of the link", self.rates.link_prior(&description, site)),
            term("learned from similar links", self.rates.learned(&description, site)),
            term("bonus of the site", site.bonus),
        ]
    }

    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        let (link, lookup) = (heads.head(LINKS), heads.head(LOOKUPS));
        if lookup.is_some() && (link.is_none() || self.may_look_up()) {
            self.lookups.chosen += 1;
            self.unsent.iter_mut().for_each(|unsent| unsent.lookups += 1);
            return QueueChoice::Serve(LOOKUPS);
        }
        let score = |head: Option<QueueHead>| head.map(|head| head.score);
        match link {
            None => QueueChoice::Idle,
            Some(head) if is_worth_waiting(head.score, score(heads.head_ready_soon(LINKS))) => {
                QueueChoice::Idle
            }
            Some(head) if is_worth_yielding(head.score, score(heads.head_elsewhere(LINKS))) => {
                QueueChoice::Yield
            }
            Some(head) => QueueChoice::Serve(head.queue),
        }
    }

    fn learn(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        let observation = Observation::of(visit);
        let mut commands = vec![StrategyCommand::SetSiteBonus(self.observe(&observation))];
        if visit.new_relevant > 0 {
            self.words.add(visit.link);
        }
        self.unsent.iter_mut().for_each(|unsent| unsent.visits.push(observation.clone()));
        if self.backlinks && visit.site_before.relevant == 0 && visit.site.relevant > 0 {
            commands.extend(visit.link.url.join("/").ok().map(StrategyCommand::LookUpBacklinks));
        }
        if is_rescore_due(self.visits) {
            commands.push(StrategyCommand::RescoreAll);
            commands.push(StrategyCommand::RecordLesson(self.words.lesson(&self.rates.model)));
        } else if is_head_rescore_due(self.visits) {
            commands.push(StrategyCommand::RescoreHeads);
        }
        commands
    }

    fn uses_backlinks(&self) -> bool {
        self.backlinks
    }

    fn reads_unused_links(&self) -> bool {
        false
    }

    fn gauges(&self, heads: &dyn QueueHeads) -> Vec<StrategyGauge> {
        let gauge = |name, value| StrategyGauge { name, value };
        let best_rate = heads.head(LINKS).map_or(0.0, |head| f64::from(head.score.exp()));
        vec![
            gauge("links", heads.link_count(LINKS) as f64),
            gauge("look-ups", self.lookups.chosen as f64),
            gauge("expected forms of the best link", best_rate),
        ]
    }

    fn share(&mut self) -> bool {
        self.unsent.get_or_insert_default();
        true
    }

    fn take_observations(&mut self) -> Vec<u8> {
        let unsent = self.unsent.as_mut().map(std::mem::take).unwrap_or_default();
        let is_empty = unsent.visits.is_empty() && unsent.lookups == 0;
        if is_empty { Vec::new() } else { postcard::to_allocvec(&unsent).unwrap_or_default() }
    }

    fn learn_observations(&mut self, observations: &[u8]) -> Result<Vec<StrategyCommand>, RestoreError> {
        let learned: Observations =
            postcard::from_bytes(observations).map_err(|_| RestoreError { strategy: "hadal" })?;
        self.lookups.chosen += learned.lookups;
        let (mut is_due, mut is_head_due) = (false, false);
        for visit in &learned.visits {
            self.observe(visit);
            is_due |= is_rescore_due(self.visits);
            is_head_due |= is_head_rescore_due(self.visits);
        }
        Ok(match (is_due, is_head_due) {
            (true, _) => vec![StrategyCommand::RescoreAll],
            (false, true) => vec![StrategyCommand::RescoreHeads],
            (false, false) => Vec::new(),
        })
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_allocvec(&(self, &self.rates.folders)).unwrap_or_default()
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        let (strategy, rest) = postcard::take_from_bytes::<HadalStrategy>(saved)
            .map_err(|_| RestoreError { strategy: "hadal" })?;
        *self = strategy;
        // States that were saved before folders were counted have no rest.
        self.rates.folders = postcard::from_bytes(rest).unwrap_or_default();
        Ok(())
    }

    fn load_earlier_run(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        let earlier: HadalStrategy =
            postcard::from_bytes(saved).map_err(|_| RestoreError { strategy: "hadal" })?;
        self.rates.model = earlier.rates.model;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::LinkId;
    use crate::critic::PageVerdict;
    use crate::link::ParentPage;
    use crate::page::LinkTopic;

    fn link(address: &str, anchor: &str, p_topic: f32) -> FrontierLink {
        let url = Url::parse(address).unwrap();
        let parent = ParentPage { id: LinkId(1), p_topic, has_relevant_form: false, same_site: true };
        let context = LinkContext { anchor: anchor.into(), ..LinkContext::default() };
        FrontierLink { context, parent: Some(parent), ..FrontierLink::root(url, LinkOrigin::Link) }
    }

    fn open_site() -> SiteCounters {
        SiteCounters { pages: 5, on_topic: 5, pages_since_relevant: 5, ..SiteCounters::default() }
    }

    fn score(strategy: &HadalStrategy, link: &FrontierLink) -> f32 {
        match strategy.place(link, &open_site()) {
            Placement::Enqueue { score, .. } => score,
            Placement::Drop => panic!("this strategy drops no links"),
        }
    }

    fn visit(strategy: &mut HadalStrategy, link: &FrontierLink, before: SiteCounters, reward: f32) -> f32 {
        let relevant = reward as u32;
        let site = SiteCounters {
            pages: before.pages + 1,
            relevant: before.relevant + relevant,
            pages_since_relevant: if relevant > 0 { 0 } else { before.pages_since_relevant + 1 },
            ..before
        };
        let visited = PageVisit {
            link,
            path: &[],
            page: None,
            verdict: &PageVerdict { p_topic: 1.0, ..PageVerdict::default() },
            forms: &[],
            new_relevant: relevant,
            new_searchable: relevant,
            reward,
            site_before: &before,
            site: &site,
        };
        let commands = strategy.learn(&visited);
        let bonus = |command: &StrategyCommand| {
            if let StrategyCommand::SetSiteBonus(bonus) = command { Some(*bonus) } else { None }
        };
        commands.iter().find_map(bonus).unwrap()
    }

    #[test]
    fn the_terms_of_a_score_add_up_to_it() {
        let strategy = HadalStrategy::new(&StrategyContext::default());
        let (link, site) =
            (link("http://a.org/x", "Search", 0.9), SiteCounters { bonus: 0.5, ..open_site() });
        let sum: f64 = strategy.explain_score(&link, &site).iter().map(|part| part.value).sum();
        assert!((sum - f64::from(score(&strategy, &link)) - 0.5).abs() < 1e-5);
    }

    #[test]
    fn before_learning_on_topic_pages_and_search_words_come_first() {
        let strategy = HadalStrategy::new(&StrategyContext::default());
        let plain = score(&strategy, &link("http://a.org/x", "more", 0.9));
        assert!(plain > score(&strategy, &link("http://a.org/x", "more", 0.1)));
        assert!(score(&strategy, &link("http://a.org/x", "Suche", 0.9)) > plain);
    }

    /// One ready link, one on a busy host, and one of another worker.
    struct ThreeHeads(f32, f32, f32);

    impl QueueHeads for ThreeHeads {
        fn heads(&self) -> Vec<QueueHead> {
            self.head(LINKS).into_iter().collect()
        }

        fn head(&self, queue: QueueId) -> Option<QueueHead> {
            (queue == LINKS).then_some(QueueHead { queue, score: self.0 })
        }

        fn head_ready_soon(&self, queue: QueueId) -> Option<QueueHead> {
            (queue == LINKS).then_some(QueueHead { queue, score: self.1 })
        }

        fn head_elsewhere(&self, queue: QueueId) -> Option<QueueHead> {
            (queue == LINKS).then_some(QueueHead { queue, score: self.2 })
        }

        fn link_count(&self, _queue: QueueId) -> u64 {
            2
        }
    }

    #[test]
    fn the_strategy_waits_for_a_much_better_link_on_a_busy_host() {
        let mut strategy = HadalStrategy::new(&StrategyContext::default());
        assert_eq!(strategy.choose(&ThreeHeads(-5.0, -1.0, -9.0)), QueueChoice::Idle);
        assert_eq!(strategy.choose(&ThreeHeads(-1.1, -1.0, -9.0)), QueueChoice::Serve(LINKS));
    }

    #[test]
    fn the_strategy_leaves_requests_to_workers_with_much_better_links() {
        let mut strategy = HadalStrategy::new(&StrategyContext::default());
        assert_eq!(strategy.choose(&ThreeHeads(-5.0, -5.0, -1.0)), QueueChoice::Yield);
        assert_eq!(strategy.choose(&ThreeHeads(-2.0, -2.0, -1.0)), QueueChoice::Serve(LINKS));
        assert_eq!(
            strategy.choose(&ThreeHeads(-5.0, -1.0, -1.0)),
            QueueChoice::Idle,
            "its own link is as good"
        );
    }

    #[test]
    fn before_learning_words_of_the_topic_come_first() {
        let strategy = HadalStrategy::new(&StrategyContext::default());
        let mut named = link("http://a.org/x", "hotels", 0.5);
        let plain = score(&strategy, &named);
        named.context.topic = Some(LinkTopic { own: 0.9, around: 0.9, ..LinkTopic::default() });
        assert!(score(&strategy, &named) > plain + 0.5);
    }

    #[test]
    fn a_site_whose_pages_are_missing_loses_its_bonus() {
        let mut strategy = HadalStrategy::new(&StrategyContext::default());
        let (link, site) = (link("http://a.org/x", "more", 0.9), open_site());
        let mut fail = || {
            let failed = PageVisit {
                link: &link,
                path: &[],
                page: None,
                verdict: &PageVerdict::default(),
                forms: &[],
                new_relevant: 0,
                new_searchable: 0,
                reward: 0.0,
                site_before: &site,
                site: &site,
            };
            match strategy.learn(&failed)[0] {
                StrategyCommand::SetSiteBonus(bonus) => bonus,
                _ => panic!("the bonus comes first"),
            }
        };
        let first = fail();
        let last = (0..10).map(|_| fail()).last().unwrap();
        assert!(last < first - 0.3, "{first} {last}");
    }

    #[test]
    fn links_like_those_that_led_to_forms_get_higher_scores() {
        let mut strategy = HadalStrategy::new(&StrategyContext::default());
        for n in 0..50 {
            visit(&mut strategy, &link(&format!("http://a{n}.org/opac"), "catalogue", 0.9), open_site(), 1.0);
            visit(&mut strategy, &link(&format!("http://a{n}.org/news"), "news", 0.9), open_site(), 0.0);
        }
        let good = score(&strategy, &link("http://new.org/opac", "catalogue", 0.9));
        assert!(good > score(&strategy, &link("http://new.org/news", "news", 0.9)) + 1.0);
        let lesson = strategy.words.lesson(&strategy.rates.model);
        assert_eq!(lesson.selected[1].terms, [("catalogue".to_string(), 50)]);
    }

    #[test]
    fn links_before_the_visited_one_get_delayed_events() {
        let mut strategy = HadalStrategy::new(&StrategyContext::default());
        let hub = link("http://hub.org/links", "directory", 0.9);
        let before = score(&strategy, &hub);
        let target = link("http://shop.org/find", "shop", 0.9);
        let site = open_site();
        strategy.learn(&PageVisit {
            link: &target,
            path: std::slice::from_ref(&hub),
            page: None,
            verdict: &PageVerdict { p_topic: 1.0, ..PageVerdict::default() },
            forms: &[],
            new_relevant: 1,
            new_searchable: 1,
            reward: 1.0,
            site_before: &site,
            site: &site,
        });
        assert!(score(&strategy, &hub) > before);
    }

    #[test]
    fn the_bonus_falls_without_new_forms_and_rises_with_them() {
        let mut strategy = HadalStrategy::new(&StrategyContext::default());
        let link = link("http://a.org/x", "more", 0.9);
        let (mut dry, mut rich) = (SiteCounters::default(), SiteCounters::default());
        let (mut dry_bonus, mut rich_bonus) = (0.0, 0.0);
        for n in 0..400u32 {
            let age = n % 20;
            dry = SiteCounters { pages: age + 1, pages_since_relevant: age + 1, on_topic: age + 1, ..dry };
            rich = SiteCounters {
                pages: age + 1,
                relevant: age,
                pages_since_relevant: 0,
                on_topic: age + 1,
                ..rich
            };
            dry_bonus = visit(&mut strategy, &link, dry, 0.0);
            rich_bonus = visit(&mut strategy, &link, rich, 1.0);
        }
        assert!(dry_bonus < -0.5 && rich_bonus > 0.5, "{dry_bonus} {rich_bonus}");
    }

    #[test]
    fn a_restored_strategy_places_as_the_saved_one() {
        let mut strategy =
            HadalStrategy::new(&StrategyContext { backlinks: true, ..StrategyContext::default() });
        for n in 0..20 {
            visit(&mut strategy, &link(&format!("http://a{n}.org/opac"), "find", 0.9), open_site(), 1.0);
        }
        let mut restored = HadalStrategy::new(&StrategyContext::default());
        restored.restore(&strategy.save()).unwrap();
        let probe = link("http://b.org/opac", "find it", 0.4);
        assert_eq!(score(&restored, &probe), score(&strategy, &probe));
        assert!(restored.restore(b"no such thing").is_err());
    }

    #[test]
    fn two_workers_that_exchange_observations_learn_what_one_learns_alone() {
        let strategy = || HadalStrategy::new(&StrategyContext::default());
        let (mut alone, mut workers) = (strategy(), [strategy(), strategy()]);
        assert!(workers.iter_mut().all(HadalStrategy::share));
        let links: Vec<FrontierLink> = (0..8)
            .map(|n| {
                link(&format!("http://s{n}.org/p{n}"), if n < 2 { "search books" } else { "imprint" }, 0.5)
            })
            .collect();
        for round in 0..100 {
            for (n, visited) in links.iter().enumerate() {
                let reward = if n < 2 && round % 3 == 0 { 1.0 } else { 0.0 };
                visit(&mut alone, visited, open_site(), reward);
                visit(&mut workers[n % 2], visited, open_site(), reward);
            }
            if round % 5 == 4 {
                let [first, second] = workers.each_mut().map(HadalStrategy::take_observations);
                workers[0].learn_observations(&second).unwrap();
                workers[1].learn_observations(&first).unwrap();
            }
        }
        assert_eq!(workers.each_ref().map(|worker| worker.visits), [alone.visits; 2]);
        for worker in &workers {
            for visited in &links {
                let (own, whole) = (score(worker, visited), score(&alone, visited));
                assert!((own - whole).abs() < 0.1, "{own} {whole} {}", visited.url);
            }
        }
        assert!(
            score(&workers[1], &links[0]) > score(&workers[1], &links[5]) + 1.0,
            "both know the good links"
        );
        assert!(workers[0].take_observations().is_empty() && alone.take_observations().is_empty());
    }
}
