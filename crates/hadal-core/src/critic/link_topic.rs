//! Topic of a link's target, from the words of the link.
//!
//! The words are judged by the page classifier as if they were a short page: anchor text and URL as its title, or the
//! text around the link as its text. Host names and paths join words (`usedcars`), so they are split into known words.
//!
//! The pages of a site repeat their links, and judging a link costs more than parsing it. [`LinkTopicCache`] holds the
//! estimates of recent links.

use crate::address::{Site, readable_path};
use crate::page::{Link, LinkTopic, Page, PageHints};
use crate::text::joined::each_known_word;
use crate::text::words::each_part;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Entries of the cache, 512 KB. Guess.
const SLOTS: usize = 1 << 16;

/// Cache of P(topic) by the words of a link. Threads share it without locks.
///
/// A slot is one integer: 32 bits of the key, then the bits of the probability. A key has 16 slot bits and 31
/// tag bits, so a link is mistaken for another one with probability 2^-47.
pub(super) struct LinkTopicCache {
    slots: Vec<AtomicU64>,
}

impl LinkTopicCache {
    pub(super) fn new() -> LinkTopicCache {
        LinkTopicCache { slots: (0..SLOTS).map(|_| AtomicU64::new(0)).collect() }
    }

    /// P(topic) of a key. Calls `estimate` if the key is not in the cache.
    fn p_topic(&self, key: u64, estimate: impl FnOnce() -> f32) -> f32 {
        let slot = &self.slots[key as usize % SLOTS];
        let kept = slot.load(Ordering::Relaxed);
        // Bit 0 is set, so no tag equals that of an empty slot.
        let tag = (key >> 32) | 1;
        if kept >> 32 == tag {
            return f32::from_bits(kept as u32);
        }
        let p = estimate();
        slot.store(tag << 32 | u64::from(p.to_bits()), Ordering::Relaxed);
        p
    }
}

/// Judges the links of a page with a classifier of pages. Unused links are not judged.
pub(super) fn judge_links(
    page: &Page,
    recent: Option<&LinkTopicCache>,
    p_topic: impl Fn(&Page) -> f32,
) -> Vec<LinkTopic> {
    let is_used = page.links.iter().any(|link| !link.is_unused);
    let other_sites = if is_used { count_other_sites(page) } else { 0 };
    let judged = |link: &Link| match link.is_unused {
        true => LinkTopic::UNKNOWN,
        false => LinkTopic { other_sites, ..judge(link, page.language.as_deref(), recent, &p_topic) },
    };
    page.links.iter().map(judged).collect()
}

fn count_other_sites(page: &Page) -> u16 {
    let here = Site::of(&page.url);
    // Many links share a host name, and finding the site of a name is slow.
    let hosts: FxHashMap<Option<&str>, &Url> =
        page.links.iter().map(|link| (link.url.host_str(), &link.url)).collect();
    let sites: FxHashSet<Site> = hosts.into_values().map(Site::of).collect();
    sites.into_iter().filter(|site| *site != here).count().try_into().unwrap_or(u16::MAX)
}

fn judge(
    link: &Link,
    language: Option<&str>,
    recent: Option<&LinkTopicCache>,
    p_topic: impl Fn(&Page) -> f32,
) -> LinkTopic {
    let context = &link.context;
    let (anchor, before, after) = (&context.anchor, &context.before, &context.after);
    let key = |parts| words_key(language, parts);
    let own =
        || p_topic(&short_page(link, language, format!("{anchor} {}", url_words(&link.url)), String::new()));
    let around = || p_topic(&short_page(link, language, String::new(), format!("{before} {after}")));
    let Some(recent) = recent else {
        return LinkTopic { own: own(), around: around(), ..LinkTopic::default() };
    };
    LinkTopic {
        own: recent.p_topic(key(["own", anchor, link.url.as_str()]), own),
        around: recent.p_topic(key(["around", before, after]), around),
        ..LinkTopic::default()
    }
}

/// Hash of a language and of texts.
fn words_key(language: Option<&str>, parts: [&str; 3]) -> u64 {
    let language = xxh3_64_with_seed(language.unwrap_or_default().as_bytes(), 0);
    parts.iter().fold(language, |key, part| xxh3_64_with_seed(part.as_bytes(), key))
}

/// Words of host name and path, without the public suffix.
fn url_words(url: &Url) -> String {
    let host = url.domain().unwrap_or_default();
    let suffix = psl::suffix_str(host).unwrap_or_default();
    let mut words = String::new();
    for name in [host.strip_suffix(suffix).unwrap_or(host), &readable_path(url)] {
        each_part(name, |part| each_known_word(part, |word| words.extend([word, " "])));
    }
    words
}

fn short_page(link: &Link, language: Option<&str>, title: String, text: String) -> Page {
    Page {
        url: link.url.clone(),
        base: link.url.clone(),
        title,
        text,
        language: language.map(String::from),
        charset: "UTF-8",
        links: Vec::new(),
        forms: Vec::new(),
        hints: PageHints::default(),
        fingerprint: 0,
        truncated_by: None,
    }
}

#[cfg(test)]
mod tests {
    use super::{LinkTopicCache, judge_links};
    use crate::critic::Critic;
    use crate::critic::trained::{CriticTarget, TrainedCritic};
    use crate::html;
    use crate::page::LinkTopic;
    use url::Url;

    fn judged(body: &str) -> Vec<LinkTopic> {
        let critic = TrainedCritic::new(CriticTarget::built_in("hotel").unwrap());
        let page = format!("<html lang=en><body>{body}</body></html>");
        critic.judge_links(&html::parse(page.as_bytes(), None, &Url::parse("http://here.example/").unwrap()))
    }

    fn own(address: &str, anchor: &str) -> f32 {
        judged(&format!("<a href='{address}'>{anchor}</a>"))[0].own
    }

    #[test]
    fn words_of_anchor_path_and_host_give_the_topic() {
        let plain = own("http://a.example/x", "more");
        assert!(own("http://a.example/x", "Hotels and resorts") > plain + 0.3);
        assert!(own("http://a.example/hotel-rooms.html", "more") > plain + 0.3);
        assert!(own("http://seasidehotels.example/", "more") > plain + 0.3);
        assert!(own("http://a.example/x", "Used cars for sale") < plain);
    }

    #[test]
    fn the_text_around_is_judged_apart() {
        let topic = judged("<a href='/x'>more</a> hotel rooms for two guests")[0];
        assert!(topic.around > 0.5 && topic.own < 0.5, "{topic:?}");
    }

    #[test]
    fn a_link_that_was_judged_before_is_not_judged_again() {
        let page =
            |body: &str| html::parse(body.as_bytes(), None, &Url::parse("http://here.example/").unwrap());
        let recent = LinkTopicCache::new();
        let first = judge_links(&page("<a href='/a'>hotel</a>"), Some(&recent), |_| 0.25);
        let again = judge_links(&page("<p>x</p><a href='/a'>hotel</a>"), Some(&recent), |_| 0.75);
        assert_eq!((first[0].own, again[0].own), (0.25, 0.25));
        let other = judge_links(&page("<a href='/b'>hotel</a>"), Some(&recent), |_| 0.75);
        assert_eq!((first[0].around, again[0].around, other[0].own), (0.25, 0.75, 0.75));
    }

    #[test]
    fn the_other_sites_of_a_page_are_counted() {
        let list = "<a href='http://a.example/'>1</a><a href='http://www.a.example/'>2</a>\
                    <a href='http://b.example/'>3</a><a href='/about'>4</a>";
        assert_eq!(judged(list)[3].other_sites, 2);
    }
}
