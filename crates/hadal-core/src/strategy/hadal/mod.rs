//! Our own strategy: every request goes where it is expected to bring most.
//!
//! One number orders everything: the relevant forms, not known yet, that a request is expected to bring,
//! now or within three clicks. Going on in a site, opening a new one and reading a page that lists many
//! are links of one queue and compete by that number, so there are no quotas for sites and no levels: a
//! site is left when others promise more, and taken up again when they do not.
//!
//! - The model is a Poisson regression on the logarithm of that rate ([`crate::learn::rate`]). It learns
//!   at every page: a visit is one try of what its link looked like ([`view::link`]) and of how its site
//!   stood ([`view::site`]); a form found is an event of the link that led to it and, discounted by
//!   [`LATER`] a click, of the links before it, those of the same site with how it stands: were only the
//!   links paid, their share would grow for ever and the site's would sink as far. That is how pages
//!   without forms that link to many, hubs above all, come to be worth something. Forms count by how sure it is that they are relevant
//!   ([`PageVisit::gain`]) and that their page is on topic: where relevant forms are rare, doubtful ones
//!   are many and would link the crawl astray.
//! - What a site gave so far, and how long ago, is a part of the same model: it is added to the scores of
//!   all its links after every visit ([`StrategyCommand::SetSiteBonus`]), which makes a site fade while it gives nothing.
//! - A site nobody visited costs a robots.txt too, so what its links promise is halved. Sites that were
//!   mentioned by sites with relevant forms are told apart.
//! - Pages that are known to hold relevant forms are visited first: what led there cannot be learned from
//!   them, but their sites have more. Before anything was learned, links of on-topic pages and links that speak of searching come first.
//! - Where someone knows who links to whom, sites that gave a relevant form are asked about; such look-ups
//!   get a share of the requests that follows what came of them.

mod view;
mod words;

use super::{
    PageVisit, Placement, QueueChoice, QueueHeads, RestoreError, SiteCounters, Strategy, StrategyCommand,
    StrategyContext, StrategyGauge,
};
use crate::address::Site;
use crate::learn::rate::{HashedFeature, OnlineRate};
use crate::link::{FrontierLink, LinkOrigin, LinkTask, QueueId};
use crate::page::LinkContext;
use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};
use std::hash::Hasher;
use url::Url;
use words::PaidWords;

const LEADS: QueueId = QueueId(0);
const QUESTIONS: QueueId = QueueId(1);

/// What a form counts for the link one click before.
const LATER: f32 = 0.3;
/// Cells of the model, as a power of two.
const CELLS: u8 = 16;
/// How far an event moves a feature.
const STEP: f32 = 1.0;
/// Cells that count mentions, as a power of two.
const MENTION_CELLS: u32 = 14;
/// Share of requests that look-ups get before anything is known about them, and its bounds.
const ASKING: (f32, f32, f32) = (0.02, 0.002, 0.1);

/// Goes where most is expected.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hadal {
    model: OnlineRate,
    mentions: Vec<u8>,
    backlinks: bool,
    seeds: Vec<Url>,
    examples: Vec<Url>,
    visits: u64,
    gain: f32,
    asked: Asked,
    paid: PaidWords,
}

/// What came of look-ups.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Asked {
    questions: u64,
    pages: u64,
    gain: f32,
}

impl Hadal {
    /// A strategy that has learned nothing; it asks about the seeds when there is someone to ask.
    pub fn new(briefing: &StrategyContext) -> Hadal {
        Hadal {
            model: OnlineRate::new(CELLS, STEP),
            mentions: vec![0; 1 << MENTION_CELLS],
            backlinks: briefing.backlinks,
            seeds: briefing.seeds.clone(),
            examples: briefing.examples.clone(),
            visits: 0,
            gain: 0.0,
            asked: Asked::default(),
            paid: PaidWords::default(),
        }
    }

    /// What a link looks like, with how its site stands when that is not told by the site's worth.
    fn row(&self, link: &FrontierLink, site: &SiteCounters) -> Vec<HashedFeature> {
        let mut row = view::link(link);
        if site.pages == 0 {
            row.extend(view::unseen(self.mentions[mention_cell(&link.site())]));
        }
        row
    }

    /// Counts sites that a site with relevant forms mentions.
    fn note_mentions(&mut self, visit: &PageVisit<'_>) {
        let Some(page) = visit.page.filter(|_| visit.site.relevant > 0) else { return };
        let here = visit.link.site();
        for site in page.links.iter().map(|link| Site::of(&link.url)).filter(|site| *site != here) {
            let count = &mut self.mentions[mention_cell(&site)];
            *count = count.saturating_add(1);
        }
    }

    fn learn_rate(&mut self, visit: &PageVisit<'_>) {
        let standing = if visit.site_before.pages > 0 { view::site(visit.site_before) } else { Vec::new() };
        let mut row = self.row(visit.link, visit.site_before);
        row.extend(&standing);
        let mut offset = prior(visit.link, visit.site_before);
        if visit.site_before.pages > 0 {
            offset += prior_worth(visit.site_before);
        }
        let gain = visit.reward * visit.verdict.p_topic;
        self.model.add_trial(&row, offset);
        self.model.add_events(&row, gain);
        self.gain += gain;
        if visit.new_relevant > 0 {
            self.paid.note(visit.link);
        }
        let here = visit.link.site();
        let mut later = gain;
        for earlier in visit.path {
            later *= LATER;
            let mut row = view::link(earlier);
            if earlier.site() == here {
                row.extend(&standing);
            }
            self.model.add_events(&row, later);
        }
        if visit.link.origin == LinkOrigin::Backlink {
            self.asked.pages += 1;
        }
        if visit.path.last().unwrap_or(visit.link).origin == LinkOrigin::Backlink {
            self.asked.gain += later;
        }
    }

    /// How often someone is asked who links to a site, per visit: as often as before when what came of it
    /// is worth as much as other requests.
    fn asking(&self) -> f32 {
        let (usual, least, most) = ASKING;
        let cost = (self.asked.questions + self.asked.pages) as f32;
        let others = (self.gain + 1.0) / (self.visits as f32 + 50.0);
        let asked = (self.asked.gain + others * 50.0) / (cost + 50.0);
        (usual * asked / others).clamp(least, most)
    }

    fn may_ask(&self) -> bool {
        (self.asked.questions as f32) < 4.0 + self.asking() * self.visits as f32
    }
}

/// What a site adds before anything was learned: it fades while it gives nothing, and one that gave a
/// relevant form usually has more.
fn prior_worth(site: &SiteCounters) -> f32 {
    let gave = if site.relevant > 0 { 1.5 } else { 0.0 };
    gave - (1.0 + site.pages_since_relevant as f32 / 5.0).ln()
}

/// What is expected of a link before anything was learned, as a logarithm.
fn prior(link: &FrontierLink, site: &SiteCounters) -> f32 {
    let p_topic = link.parent.map_or(0.5, |parent| parent.p_topic);
    let unknown = if site.pages == 0 { -std::f32::consts::LN_2 } else { 0.0 };
    -4.0 + 2.0 * p_topic + f32::from(u8::from(view::says_search(link))) + unknown
}

/// What a link costs, as a logarithm: a site nobody visited has a robots.txt to read first. This is no
/// part of what is learned, or it would be learned away.
fn cost(site: &SiteCounters) -> f32 {
    if site.pages == 0 { std::f32::consts::LN_2 } else { 0.0 }
}

fn mention_cell(site: &Site) -> usize {
    let mut hasher = FxHasher::default();
    hasher.write(site.0.as_bytes());
    (hasher.finish() >> (64 - MENTION_CELLS)) as usize
}

/// When all that waits is placed anew: often at first, ever more rarely.
fn is_time_to_rerank(visits: u64) -> bool {
    visits >= 128 && visits.is_power_of_two() && visits.trailing_zeros() % 2 == 1
}

impl Strategy for Hadal {
    fn begin(&mut self) -> Vec<StrategyCommand> {
        let asked = if self.backlinks { self.seeds.as_slice() } else { &[] };
        let known =
            self.examples.iter().map(|page| StrategyCommand::Open(page.clone(), LinkContext::default()));
        asked.iter().cloned().map(StrategyCommand::LookUpBacklinks).chain(known).collect()
    }

    fn place(&self, link: &FrontierLink, site: &SiteCounters) -> Placement {
        match (&link.task, link.origin) {
            (LinkTask::Backlinks, _) => Placement::Enqueue { queue: QUESTIONS, score: 0.0 },
            (_, LinkOrigin::Seed | LinkOrigin::SiteRoot) => Placement::Enqueue { queue: LEADS, score: 100.0 },
            _ => {
                let score = prior(link, site) + self.model.log_rate(&self.row(link, site)) - cost(site);
                Placement::Enqueue { queue: LEADS, score }
            }
        }
    }

    fn explain_score(&self, link: &FrontierLink, site: &SiteCounters) -> Vec<StrategyGauge> {
        if link.task != LinkTask::Page || matches!(link.origin, LinkOrigin::Seed | LinkOrigin::SiteRoot) {
            return Vec::new();
        }
        let part = |name, value: f32| StrategyGauge { name, value: f64::from(value) };
        vec![
            part("page and words of the link", prior(link, site)),
            part("learned from such links", self.model.log_rate(&self.row(link, site))),
            part("cost of a new site", -cost(site)),
            part("worth of the site", site.bonus),
        ]
    }

    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        let (links, questions) = (heads.head(LEADS), heads.head(QUESTIONS));
        if questions.is_some() && (links.is_none() || self.may_ask()) {
            self.asked.questions += 1;
            return QueueChoice::Serve(QUESTIONS);
        }
        links.map_or(QueueChoice::Idle, |head| QueueChoice::Serve(head.queue))
    }

    fn learn(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        self.visits += 1;
        self.note_mentions(visit);
        self.learn_rate(visit);
        let worth = prior_worth(visit.site) + self.model.log_rate(&view::site(visit.site));
        let mut commands = vec![StrategyCommand::SetSiteBonus(worth)];
        if self.backlinks && visit.site_before.relevant == 0 && visit.site.relevant > 0 {
            commands.extend(visit.link.url.join("/").ok().map(StrategyCommand::LookUpBacklinks));
        }
        if is_time_to_rerank(self.visits) {
            commands.push(StrategyCommand::RescoreAll);
            commands.push(StrategyCommand::RecordLesson(self.paid.lesson(&self.model)));
        } else if self.visits.is_multiple_of(1024) {
            commands.push(StrategyCommand::RescoreHeads);
        }
        commands
    }

    fn gauges(&self, heads: &dyn QueueHeads) -> Vec<StrategyGauge> {
        let gauge = |name, value| StrategyGauge { name, value };
        vec![
            gauge("links", heads.link_count(LEADS) as f64),
            gauge("look-ups", self.asked.questions as f64),
            gauge("expected of the best", heads.head(LEADS).map_or(0.0, |head| f64::from(head.score.exp()))),
        ]
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_allocvec(self).unwrap_or_default()
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        *self = postcard::from_bytes(saved).map_err(|_| RestoreError { strategy: "hadal" })?;
        Ok(())
    }

    fn load_earlier_run(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        let earlier: Hadal = postcard::from_bytes(saved).map_err(|_| RestoreError { strategy: "hadal" })?;
        self.model = earlier.model;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::LinkId;
    use crate::critic::PageVerdict;
    use crate::link::ParentPage;

    fn link(address: &str, anchor: &str, p_topic: f32) -> FrontierLink {
        let url = Url::parse(address).unwrap();
        let parent = ParentPage { id: LinkId(1), p_topic, has_relevant_form: false, same_site: true };
        let context = LinkContext { anchor: anchor.into(), ..LinkContext::default() };
        FrontierLink { context, parent: Some(parent), ..FrontierLink::root(url, LinkOrigin::Link) }
    }

    fn open_site() -> SiteCounters {
        SiteCounters { pages: 5, on_topic: 5, pages_since_relevant: 5, ..SiteCounters::default() }
    }

    fn score(strategy: &Hadal, link: &FrontierLink) -> f32 {
        match strategy.place(link, &open_site()) {
            Placement::Enqueue { score, .. } => score,
            Placement::Drop => panic!("nothing is dropped"),
        }
    }

    fn visit(strategy: &mut Hadal, link: &FrontierLink, before: SiteCounters, gain: f32) -> f32 {
        let relevant = gain as u32;
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
            reward: gain,
            site_before: &before,
            site: &site,
        };
        let commands = strategy.learn(&visited);
        let worth = |command: &StrategyCommand| {
            if let StrategyCommand::SetSiteBonus(worth) = command { Some(*worth) } else { None }
        };
        commands.iter().find_map(worth).unwrap()
    }

    #[test]
    fn the_parts_of_a_score_add_up_to_it() {
        let strategy = Hadal::new(&StrategyContext::default());
        let (link, site) =
            (link("http://a.org/x", "Search", 0.9), SiteCounters { bonus: 0.5, ..open_site() });
        let sum: f64 = strategy.explain_score(&link, &site).iter().map(|part| part.value).sum();
        assert!((sum - f64::from(score(&strategy, &link)) - 0.5).abs() < 1e-5);
    }

    #[test]
    fn before_anything_is_learned_on_topic_pages_and_words_for_searching_come_first() {
        let strategy = Hadal::new(&StrategyContext::default());
        let plain = score(&strategy, &link("http://a.org/x", "more", 0.9));
        assert!(plain > score(&strategy, &link("http://a.org/x", "more", 0.1)));
        assert!(score(&strategy, &link("http://a.org/x", "Suche", 0.9)) > plain);
    }

    #[test]
    fn what_led_to_forms_comes_first_afterwards() {
        let mut strategy = Hadal::new(&StrategyContext::default());
        for n in 0..50 {
            visit(&mut strategy, &link(&format!("http://a{n}.org/opac"), "catalogue", 0.9), open_site(), 1.0);
            visit(&mut strategy, &link(&format!("http://a{n}.org/news"), "news", 0.9), open_site(), 0.0);
        }
        let good = score(&strategy, &link("http://new.org/opac", "catalogue", 0.9));
        assert!(good > score(&strategy, &link("http://new.org/news", "news", 0.9)) + 1.0);
        let lesson = strategy.paid.lesson(&strategy.model);
        assert_eq!(lesson.selected[1].terms, [("catalogue".to_string(), 50)]);
    }

    #[test]
    fn links_before_the_last_one_share_in_what_it_brought() {
        let mut strategy = Hadal::new(&StrategyContext::default());
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
    fn a_site_that_gives_nothing_fades_and_one_that_gives_does_not() {
        let mut strategy = Hadal::new(&StrategyContext::default());
        let link = link("http://a.org/x", "more", 0.9);
        let (mut dry, mut rich) = (SiteCounters::default(), SiteCounters::default());
        let (mut dry_worth, mut rich_worth) = (0.0, 0.0);
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
            dry_worth = visit(&mut strategy, &link, dry, 0.0);
            rich_worth = visit(&mut strategy, &link, rich, 1.0);
        }
        assert!(dry_worth < -0.5 && rich_worth > 0.5, "{dry_worth} {rich_worth}");
    }

    #[test]
    fn a_restored_strategy_places_as_the_saved_one() {
        let mut strategy = Hadal::new(&StrategyContext { backlinks: true, ..StrategyContext::default() });
        for n in 0..20 {
            visit(&mut strategy, &link(&format!("http://a{n}.org/opac"), "find", 0.9), open_site(), 1.0);
        }
        let mut restored = Hadal::new(&StrategyContext::default());
        restored.restore(&strategy.save()).unwrap();
        let probe = link("http://b.org/opac", "find it", 0.4);
        assert_eq!(score(&restored, &probe), score(&strategy, &probe));
        assert!(restored.restore(b"no such thing").is_err());
    }
}
