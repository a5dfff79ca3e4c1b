//! Prior of the rate model: the promise of links and sites before a crawl has learned anything.
//!
//! The prior of a log rate is a weighted sum of facts. No fact depends on the topic: words count only through the
//! critic's estimate of their topic ([`LinkTopic`]) and through classes of words that every topic has.
//!
//! The weights of the facts are a Poisson regression with ridge penalty 3 on 20,000 visits: crawls of the twelve
//! built-in topics, 600 and 1,500 requests each, over two webs of real pages from 326 sites. The events of a visit are
//! those of the [module documentation](super), delayed ones included. The mean log-likelihood of a visit was -0.102 on
//! crawls that were held out, with topics and sites of the training data, -0.099 on the training data, and -0.147 with
//! a constant rate. The fit cannot be repeated with this repository; `hadal eval order` can search around it. Facts
//! with weight 0 had no effect in the fit and are kept for that search. The weights of "failed visits" and of "pages"
//! of a site were changed by hand afterwards.
//!
//! `hadal eval order --web DIR=HOST:PORT` measures weights by crawls over an unchanging web, and searches for
//! better ones with `--generations N`. The parameters of learning below were chosen by hand from its figures.

use crate::address::readable_path;
use crate::link::{FrontierLink, LinkOrigin};
use crate::page::LinkTopic;
use crate::strategy::SiteCounters;
use crate::text::concepts::{CONCEPTS, Concept};
use crate::text::joined::each_known_word;
use crate::text::words::{each_part, each_word_while};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Number of path segments above which more do not count. Guess.
const MAX_SEGMENTS: u8 = 6;
/// Number of clicks within a site above which more do not count. Guess.
const MAX_SITE_DEPTH: u16 = 6;
/// Number of clicks from a seed above which more do not count. Guess.
const MAX_DEPTH: u16 = 12;
/// Bound on the log odds of a link's own words. Guess.
const MAX_LOG_ODDS: f32 = 4.0;

/// Facts about links: name and weight, in the order of [`LinkTraits::facts`].
pub const LINK_WEIGHTS: [(&str, f32); 27] = [
    ("constant", -3.55),
    ("own words on topic", 1.73),
    ("own words above one half", 0.51),
    ("own words, log odds", 0.0),
    ("words around on topic", 0.39),
    ("parent on topic", 1.23),
    ("own words and parent on topic", -1.13),
    ("parent with relevant form", 0.29),
    ("search word", 0.51),
    ("search word and own words on topic", 0.42),
    ("boilerplate word", -0.91),
    ("no anchor text", 0.82),
    ("anchor without letters", 0.0),
    ("to another site", 0.20),
    ("to another site, own words on topic", 0.68),
    ("to another site, parent on topic", 0.51),
    ("other sites of the parent", -0.44),
    ("to another site, other sites of the parent", -0.66),
    ("to another site, not its root", 0.0),
    ("root of a host", 0.20),
    ("query", -0.19),
    ("path segments", -0.94),
    ("clicks within the site", 1.17),
    ("clicks from a seed", -1.30),
    ("redirect", 0.16),
    ("position on the parent", -1.43),
    ("mentions by sites with relevant forms", 0.0),
];

/// Facts about sites: name and weight, in the order of [`site_facts`].
pub const SITE_WEIGHTS: [(&str, f32); 12] = [
    ("failed visits", -1.0),
    ("constant", -0.74),
    ("relevant form found", 0.68),
    ("relevant forms", 0.28),
    ("pages since the last relevant form", 0.02),
    ("relevant form found, pages since", -0.35),
    ("share of on-topic pages", 1.76),
    ("relevant form found, share of on-topic pages", -0.87),
    ("pages", -0.9),
    ("searchable forms that are not relevant", 0.0),
    ("no on-topic page", 0.0),
    ("share of on-topic pages, pages", 0.0),
];

/// Advantage of a site with visits: its robots.txt is known, which halves the requests of the next visit. `ln 2`
/// follows from that alone. Relevant forms after 250 / 500 / 1,000 / 2,000 requests by `hadal eval order` on four webs
/// of real pages, 48 crawls, and the share of requests for robots.txt: 796 / 1030 / 1144 / 1186 and 13.5 % with 1.5;
/// 793 / 1036 / 1143 / 1185 and 11.3 % with 2.0; both with the step 0.3. Differences below 15 are noise.
const OPEN_SITE: f32 = 2.0;
/// Step size of the rate model after many events: an event moves a weight by about this much. The feature vector of a
/// link has Euclidean length 2.4, so an event moves the score of an identical link by 2.4² ≈ 6 steps. The same command
/// gives 745 / 957 / 1087 / 1164 with 1.0 from the start, 757 / 1013 / 1136 / 1179 with 0.6, 796 / 1030 / 1144 / 1186
/// with 0.3. On two simulated webs, four topics, after 2,000 requests: 380, 382 and 360. So large steps pay only after
/// many events.
const STEP: f32 = 1.0;
/// Step size before the first event. See [`STEP`] for its source.
const FIRST_STEP: f32 = 0.3;
/// Events after which the step size is halfway between [`FIRST_STEP`] and [`STEP`]. Guess: more than a crawl of a few
/// thousand requests finds.
const STEP_EVENTS: f32 = 100.0;
/// Discount `g` of a delayed event per click. Chosen between two values that differ only by noise: the same command
/// gives 796 / 1030 / 1144 / 1186 with 0.1 and 794 / 1042 / 1151 / 1186 with 0.3. On two simulated webs, three topics,
/// after 2,000 requests with the step 1.0: 302 and 306.
const DISCOUNT: f32 = 0.2;

/// Weights of the prior, and parameters of learning.
#[derive(Clone, Debug, PartialEq)]
pub struct PriorWeights {
    /// Weights of the facts about links, `a`.
    pub link: [f32; LINK_WEIGHTS.len()],
    /// Weights of the facts about sites, `b`.
    pub site: [f32; SITE_WEIGHTS.len()],
    /// Advantage `o` of a site with visits.
    pub open_site: f32,
    /// Step size of the rate model after many events.
    pub step: f32,
    /// Discount `g` of a delayed event per click.
    pub discount: f32,
    /// Step size of the rate model before the first event.
    pub first_step: f32,
    /// Events after which the step size is halfway between both.
    pub step_events: f32,
}

impl PriorWeights {
    /// Step size of the rate model after this many events: `f + (s - f) n / (n + h)`.
    pub fn step_after(&self, events: f32) -> f32 {
        self.first_step + (self.step - self.first_step) * events / (events + self.step_events)
    }
}

impl Default for PriorWeights {
    /// The shipped weights.
    fn default() -> PriorWeights {
        PriorWeights {
            link: LINK_WEIGHTS.map(|(_, weight)| weight),
            site: SITE_WEIGHTS.map(|(_, weight)| weight),
            open_site: OPEN_SITE,
            step: STEP,
            discount: DISCOUNT,
            first_step: FIRST_STEP,
            step_events: STEP_EVENTS,
        }
    }
}

/// Properties of a link that the prior reads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkTraits {
    /// Judgement of the link's words.
    pub topic: LinkTopic,
    /// P(on topic) of the page that the link is on.
    pub parent: f32,
    /// That page held a relevant form.
    pub parent_has_form: bool,
    /// The link leads to another site.
    pub is_outward: bool,
    /// Clicks since the crawl entered the site.
    pub site_depth: u16,
    /// Clicks from a seed.
    pub depth: u16,
    pub(super) has_search: bool,
    pub(super) is_boilerplate: bool,
    pub(super) is_empty: bool,
    pub(super) is_number: bool,
    pub(super) has_query: bool,
    pub(super) is_redirect: bool,
    pub(super) segments: u8,
    pub(super) position: u32,
}

impl LinkTraits {
    /// Reads the properties of a link.
    pub fn of(link: &FrontierLink) -> LinkTraits {
        let words = WordClasses::of(link);
        let anchor = &link.context.anchor;
        let segments = link.url.path().split('/').filter(|part| !part.is_empty()).count();
        LinkTraits {
            topic: link.context.topic.unwrap_or(LinkTopic::UNKNOWN),
            parent: link.parent.map_or(0.5, |parent| parent.p_topic),
            parent_has_form: link.parent.is_some_and(|parent| parent.has_relevant_form),
            is_outward: !link.parent.is_some_and(|parent| parent.same_site),
            site_depth: link.site_depth,
            depth: link.depth,
            has_search: words.has_search,
            is_boilerplate: words.is_boilerplate,
            is_empty: anchor.is_empty(),
            is_number: !anchor.is_empty() && !anchor.chars().any(char::is_alphabetic),
            has_query: link.url.query().is_some(),
            is_redirect: link.origin == LinkOrigin::Redirect,
            segments: u8::try_from(segments).unwrap_or(u8::MAX),
            position: link.context.position,
        }
    }

    /// Facts `d(l)` of the [module documentation](super). `mentions` counts links to the site from sites with
    /// relevant forms, for a site without visits. Logarithms are divided by a constant so that large values
    /// are about 1.
    pub fn facts(&self, mentions: u8) -> [f32; LINK_WEIGHTS.len()] {
        let LinkTopic { own, around, other_sites } = self.topic;
        let (outward, search, parent) = (flag(self.is_outward), flag(self.has_search), self.parent);
        let hub = (1.0 + f32::from(other_sites)).ln() / 5.0;
        let is_root = self.segments == 0 && !self.has_query;
        let log_odds = (own.max(1e-3) / (1.0 - own).max(1e-3)).ln().clamp(-MAX_LOG_ODDS, MAX_LOG_ODDS);
        [
            1.0,
            own,
            flag(own > 0.5),
            log_odds / MAX_LOG_ODDS,
            around,
            parent,
            own * parent,
            flag(self.parent_has_form),
            search,
            own * search,
            flag(self.is_boilerplate),
            flag(self.is_empty),
            flag(self.is_number),
            outward,
            outward * own,
            outward * parent,
            hub,
            outward * hub,
            outward * flag(!is_root),
            flag(is_root),
            flag(self.has_query),
            f32::from(self.segments.min(MAX_SEGMENTS)) / f32::from(MAX_SEGMENTS),
            f32::from(self.site_depth.min(MAX_SITE_DEPTH)) / f32::from(MAX_SITE_DEPTH),
            f32::from(self.depth.min(MAX_DEPTH)) / f32::from(MAX_DEPTH),
            flag(self.is_redirect),
            (1.0 + self.position as f32).ln() / 6.0,
            (1.0 + f32::from(mentions)).ln() / 3.0,
        ]
    }
}

/// Facts `e(s)` of the [module documentation](super). `failures` counts visits without a page.
pub fn site_facts(site: &SiteCounters, failures: u8) -> [f32; SITE_WEIGHTS.len()] {
    let failures = f32::from(failures);
    let mut facts = [0.0; SITE_WEIGHTS.len()];
    facts[0] = (1.0 + failures).ln() * failures / (site.pages as f32 + failures).max(1.0);
    if site.pages == 0 {
        return facts;
    }
    let found = flag(site.relevant > 0);
    let since = (1.0 + site.pages_since_relevant as f32 / 5.0).ln();
    let on_topic = site.on_topic as f32 / site.pages as f32;
    let pages = (1.0 + site.pages as f32).ln();
    let others = site.searchable.saturating_sub(site.relevant) as f32;
    let open = [
        1.0,
        found,
        (site.relevant as f32).max(1.0).ln(),
        since,
        found * since,
        on_topic,
        found * on_topic,
        pages,
        (1.0 + others).ln(),
        flag(site.on_topic == 0),
        on_topic * pages,
    ];
    facts[1..].copy_from_slice(&open);
    facts
}

/// Weighted sum of facts.
pub fn weighted<const N: usize>(weights: &[f32; N], facts: &[f32; N]) -> f32 {
    weights.iter().zip(facts).map(|(weight, fact)| weight * fact).sum()
}

fn flag(holds: bool) -> f32 {
    f32::from(u8::from(holds))
}

/// Classes of words in anchor text and path, in any language of the concept table.
#[derive(Default)]
struct WordClasses {
    /// A word for searching.
    has_search: bool,
    /// A word of pages that most sites have: login, contact, terms, cart.
    is_boilerplate: bool,
}

static SEARCH: LazyLock<Vec<Concept>> =
    LazyLock::new(|| CONCEPTS.named(&["search", "find", "browse", "advanced"]));

static BOILERPLATE: LazyLock<Vec<Concept>> = LazyLock::new(|| {
    CONCEPTS.named(&[
        "login",
        "logout",
        "password",
        "register",
        "forgot_reset",
        "contact",
        "agree_terms",
        "cart",
        "checkout_pay",
        "subscribe_newsletter",
        "comment",
        "donate",
    ])
});

impl WordClasses {
    fn of(link: &FrontierLink) -> WordClasses {
        let mut classes = WordClasses::default();
        let path = readable_path(&link.url);
        for text in [link.context.anchor.as_str(), &path] {
            each_word_while(text, |word| {
                classes.add(word);
                true
            });
        }
        each_part(&path, |part| each_known_word(part, |word| classes.add(word)));
        classes
    }

    fn add(&mut self, word: &str) {
        let concept = CONCEPTS.of_word(word);
        self.has_search |= SEARCH.contains(&concept);
        self.is_boilerplate |= BOILERPLATE.contains(&concept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::LinkContext;
    use url::Url;

    fn link(address: &str, anchor: &str, own: f32) -> FrontierLink {
        let topic = Some(LinkTopic { own, around: 0.1, other_sites: 3 });
        let context = LinkContext { anchor: anchor.into(), topic, ..LinkContext::default() };
        FrontierLink { context, ..FrontierLink::root(Url::parse(address).unwrap(), LinkOrigin::Link) }
    }

    fn link_prior(link: &FrontierLink) -> f32 {
        weighted(&PriorWeights::default().link, &LinkTraits::of(link).facts(0))
    }

    fn site_prior(site: &SiteCounters, failures: u8) -> f32 {
        weighted(&PriorWeights::default().site, &site_facts(site, failures))
    }

    #[test]
    fn words_of_the_topic_count_more_than_words_for_searching() {
        let plain = link_prior(&link("http://a.org/x", "more", 0.1));
        let search = link_prior(&link("http://a.org/x", "Suche", 0.1));
        assert!(plain < search && search < link_prior(&link("http://a.org/x", "more", 0.9)));
    }

    #[test]
    fn words_are_found_in_joined_and_encoded_paths() {
        let has_search =
            |path: &str| LinkTraits::of(&link(&format!("http://a.org{path}"), "more", 0.1)).has_search;
        for path in ["/searchtrain.html", "/movieSearch.html", "/b%C3%BAsqueda", "/trouver_un_vol"] {
            assert!(has_search(path), "{path}");
        }
        assert!(!has_search("/research.html") && !has_search("/trains.html"));
    }

    #[test]
    fn pages_that_every_site_has_come_late_in_any_language() {
        let plain = link_prior(&link("http://a.org/x", "more", 0.1));
        assert!(link_prior(&link("http://a.org/x", "Contact", 0.1)) < plain - 0.5);
        assert!(link_prior(&link("http://a.org/x", "Anmelden", 0.1)) < plain - 0.5);
    }

    #[test]
    fn pages_without_forms_and_failures_lower_the_prior_of_a_site() {
        let fresh = SiteCounters { pages: 2, on_topic: 2, relevant: 1, ..SiteCounters::default() };
        let dry = SiteCounters { pages: 30, pages_since_relevant: 28, on_topic: 30, ..fresh };
        assert!(site_prior(&fresh, 0) > site_prior(&dry, 0) + 1.0);
        assert!(site_prior(&fresh, 0) > site_prior(&fresh, 5) + 0.5);
    }
}
