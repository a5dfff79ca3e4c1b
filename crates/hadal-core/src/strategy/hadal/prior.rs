//! Prior of the rate model: the promise of links and sites before a crawl has learned anything.
//!
//! The prior of a log rate is a weighted sum of facts. No fact depends on the topic: words count only through the
//! critic's estimate of their topic ([`LinkTopic`]) and through classes of words that every topic has.
//!
//! The weights are a Poisson regression with ridge penalty 3 on 20,000 visits: crawls of the twelve built-in topics, 600
//! and 1,500 requests each, over two webs of real pages from 326 sites. The events of a visit are those of the
//! [module documentation](super), delayed ones included. Held out by crawl, with the same
//! topics and sites on both sides, the mean log-likelihood of a visit was -0.102, on the training data -0.099, that of a
//! constant rate -0.147. Facts with weights near 0 were left out afterwards. The fit was made outside the project, by no
//! command of it.

use crate::link::{FrontierLink, LinkOrigin};
use crate::page::LinkTopic;
use crate::strategy::SiteCounters;
use crate::text::concepts::{CONCEPTS, Concept};
use crate::text::words::each_word_while;
use std::sync::LazyLock;

/// Most path segments that count. Guess.
const MAX_SEGMENTS: usize = 6;
/// Most clicks within a site that count. Guess.
const MAX_SITE_DEPTH: u16 = 6;
/// Most clicks from a seed that count. Guess.
const MAX_DEPTH: u16 = 12;

/// Prior of a link's log rate, `a·d(l)` in the [module documentation](super).
pub fn link_prior(link: &FrontierLink) -> f32 {
    let topic = link.context.topic.unwrap_or(UNKNOWN_TOPIC);
    let parent = link.parent.map_or(0.5, |parent| parent.p_topic);
    let outward = flag(!link.parent.is_some_and(|parent| parent.same_site));
    let words = WordClasses::of(link);
    let search = flag(words.has_search);
    let hub = (1.0 + f32::from(topic.other_sites)).ln() / 5.0;
    let segments = link.url.path().split('/').filter(|part| !part.is_empty()).count();
    let query = link.url.query().is_some();
    let terms = [
        (1.0, -3.55),
        // The link's own words, and the page it stands on.
        (topic.own, 1.73),
        (flag(topic.own > 0.5), 0.51),
        (topic.around, 0.39),
        (parent, 1.23),
        (topic.own * parent, -1.13),
        (flag(link.parent.is_some_and(|parent| parent.has_relevant_form)), 0.29),
        (search, 0.51),
        (topic.own * search, 0.42),
        (flag(words.is_boilerplate), -0.91),
        (flag(link.context.anchor.is_empty()), 0.82),
        // Links to other sites. Those of a page with many of them are worth less each.
        (outward, 0.20),
        (outward * topic.own, 0.68),
        (outward * parent, 0.51),
        (hub, -0.44),
        (outward * hub, -0.66),
        // Shape of the URL and place of the link.
        (flag(segments == 0 && !query), 0.20),
        (flag(query), -0.19),
        (segments.min(MAX_SEGMENTS) as f32 / MAX_SEGMENTS as f32, -0.94),
        (f32::from(link.site_depth.min(MAX_SITE_DEPTH)) / f32::from(MAX_SITE_DEPTH), 1.17),
        (f32::from(link.depth.min(MAX_DEPTH)) / f32::from(MAX_DEPTH), -1.30),
        (flag(link.origin == LinkOrigin::Redirect), 0.16),
        ((1.0 + link.context.position as f32).ln() / 6.0, -1.43),
    ];
    terms.iter().map(|(fact, weight)| fact * weight).sum()
}

/// Prior of a site's bonus, `b·e(s)` in the [module documentation](super). `failures` counts visits without a page; its
/// weight is a guess, because crawls of the training data met few sites that failed.
pub fn site_prior(site: &SiteCounters, failures: u8) -> f32 {
    let failures = f32::from(failures);
    let failed = (1.0 + failures).ln() * failures / (site.pages as f32 + failures).max(1.0) * -0.5;
    if site.pages == 0 {
        return failed;
    }
    let found = flag(site.relevant > 0);
    let since = (1.0 + site.pages_since_relevant as f32 / 5.0).ln();
    let on_topic = site.on_topic as f32 / site.pages as f32;
    let terms = [
        (1.0, -0.74),
        (found, 0.68),
        ((site.relevant as f32).max(1.0).ln(), 0.28),
        (since, 0.02),
        (found * since, -0.35),
        (on_topic, 1.76),
        (found * on_topic, -0.87),
        ((1.0 + site.pages as f32).ln(), -0.68),
    ];
    failed + terms.iter().map(|(fact, weight)| fact * weight).sum::<f32>()
}

/// Judgement of a link without words, such as a backlink. Guess.
const UNKNOWN_TOPIC: LinkTopic = LinkTopic { own: 0.5, around: 0.5, other_sites: 0 };

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

static SEARCH: LazyLock<Vec<Concept>> = LazyLock::new(|| concepts(&["search", "find", "advanced"]));

static BOILERPLATE: LazyLock<Vec<Concept>> = LazyLock::new(|| {
    concepts(&[
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

fn concepts(names: &[&str]) -> Vec<Concept> {
    let number = |name: &&str| CONCEPTS.names().iter().position(|known| known == name);
    names.iter().filter_map(number).filter_map(|at| Concept::try_from(at).ok()).collect()
}

impl WordClasses {
    fn of(link: &FrontierLink) -> WordClasses {
        let mut classes = WordClasses::default();
        for text in [link.context.anchor.as_str(), link.url.path()] {
            each_word_while(text, |word| {
                let concept = CONCEPTS.of_word(word);
                classes.has_search |= SEARCH.contains(&concept);
                classes.is_boilerplate |= BOILERPLATE.contains(&concept);
                true
            });
        }
        classes
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

    #[test]
    fn words_of_the_topic_count_more_than_words_for_searching() {
        let plain = link_prior(&link("http://a.org/x", "more", 0.1));
        let search = link_prior(&link("http://a.org/x", "Suche", 0.1));
        assert!(plain < search && search < link_prior(&link("http://a.org/x", "more", 0.9)));
    }

    #[test]
    fn pages_that_every_site_has_come_late_in_any_language() {
        let plain = link_prior(&link("http://a.org/x", "more", 0.1));
        assert!(link_prior(&link("http://a.org/x", "Contact", 0.1)) < plain - 0.5);
        assert!(link_prior(&link("http://a.org/x", "Anmelden", 0.1)) < plain - 0.5);
    }

    #[test]
    fn a_site_loses_with_pages_without_forms_and_with_failures() {
        let fresh = SiteCounters { pages: 2, on_topic: 2, relevant: 1, ..SiteCounters::default() };
        let dry = SiteCounters { pages: 30, pages_since_relevant: 28, on_topic: 30, ..fresh };
        assert!(site_prior(&fresh, 0) > site_prior(&dry, 0) + 1.0);
        assert!(site_prior(&fresh, 0) > site_prior(&fresh, 5) + 0.5);
    }
}
