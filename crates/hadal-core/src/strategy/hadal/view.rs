//! What a link and a site look like to the model: hashed features, in groups of equal weight.
//!
//! Words are taken as they stand, in any language; each counts once per place it stands in, and apart
//! for links that stay on their site and links that leave it. A group's values are scaled so that a
//! link with many words is not louder than one with few.

use crate::learn::rate::HashedFeature;
use crate::link::{FrontierLink, LinkOrigin};
use crate::strategy::SiteCounters;
use crate::text::concepts::{CONCEPTS, Concept};
use crate::text::words::each_word_while;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::sync::LazyLock;
use url::Url;

/// Words looked at in one place.
const MOST_WORDS: usize = 24;

/// Letters of a piece of a host's name.
const PIECE: usize = 5;

/// Whether a link stays on the site it was found on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Within = 1,
    Outward = 2,
}

/// Features of a link.
pub fn link(link: &FrontierLink) -> Vec<HashedFeature> {
    let mut view = View::new();
    let way = way(link);
    view.words(3, way, link.url.path());
    view.words(4, way, link.url.query().unwrap_or_default());
    view.end_group();
    if way == Way::Outward {
        view.name(link.url.host_str().unwrap_or_default());
        view.end_group();
    }
    view.words(6, way, &link.context.anchor);
    view.end_group();
    view.words(7, way, &link.context.before);
    view.words(7, way, &link.context.after);
    view.end_group();
    view.tag_path(way, &link.context.tag_path);
    view.end_group();
    view.mark(20, way as u64 * 8 + origin(link.origin));
    view.mark(21, way as u64 * 64 + u64::from(link.site_depth.min(12)));
    view.mark(22, way as u64 * 64 + segments(&link.url));
    if let Some(parent) = link.parent {
        view.mark(23, way as u64 * 64 + (parent.p_topic * 8.0) as u64);
        view.mark(24, way as u64 * 2 + u64::from(parent.has_relevant_form));
    }
    view.end_group();
    view.features
}

/// The words of a link, the place each stands in, and the feature it is.
pub fn words(link: &FrontierLink) -> Vec<(&'static str, String, u32)> {
    let way = way(link);
    let mut found = Vec::new();
    let places = [
        ("url", 3, link.url.path()),
        ("anchor", 6, &link.context.anchor),
        ("around", 7, &link.context.before),
        ("around", 7, &link.context.after),
    ];
    for (place, kind, text) in places {
        let mut left = MOST_WORDS;
        each_word_while(text, |word| {
            found.push((place, word.to_string(), hash(kind * 4 + way as u64, hash_of(word))));
            left -= 1;
            left > 0
        });
    }
    found
}

fn way(link: &FrontierLink) -> Way {
    match link.parent {
        Some(parent) if parent.same_site => Way::Within,
        _ => Way::Outward,
    }
}

/// Features of a site that was visited: how much it gave, and how long ago.
pub fn site(site: &SiteCounters) -> Vec<HashedFeature> {
    let (gave, barren) = (steps(site.relevant), steps(site.pages_since_relevant));
    let pages = steps(site.pages);
    let topical = u64::from(4 * site.on_topic / site.pages.max(1));
    let mut view = View::new();
    view.mark(30, gave);
    view.mark(31, barren);
    view.mark(32, topical);
    view.mark(33, gave * 64 + barren);
    view.mark(34, gave * 64 + pages);
    view.mark(35, (topical * 64 + gave) * 64 + barren);
    view.end_group();
    view.features
}

/// Features of a site that nobody visited yet, but some have mentioned.
pub fn unseen(mentions: u8) -> Vec<HashedFeature> {
    let mut view = View::new();
    view.mark(40, steps(u32::from(mentions)));
    view.end_group();
    view.features
}

/// The concept of searching.
static SEARCH: LazyLock<Concept> = LazyLock::new(|| {
    let at = CONCEPTS.names().iter().position(|name| name == "search");
    at.and_then(|at| Concept::try_from(at).ok()).expect("the table has searching among its concepts")
});

/// Whether a word for searching stands in the link.
pub fn says_search(link: &FrontierLink) -> bool {
    let mut says = false;
    for text in [link.context.anchor.as_str(), link.url.path()] {
        each_word_while(text, |word| {
            says = CONCEPTS.of_word(word) == *SEARCH;
            !says
        });
        if says {
            return true;
        }
    }
    false
}

fn origin(origin: LinkOrigin) -> u64 {
    match origin {
        LinkOrigin::Seed => 1,
        LinkOrigin::Link => 2,
        LinkOrigin::Redirect => 3,
        LinkOrigin::Backlink => 4,
        LinkOrigin::SiteRoot => 5,
    }
}

fn segments(url: &Url) -> u64 {
    let filled = url.path_segments().map_or(0, |all| all.filter(|part| !part.is_empty()).count());
    (filled.min(8) as u64) * 2 + u64::from(url.query().is_some())
}

/// 0, 1, 2, 3-4, 5-8, 9-16, ...
fn steps(count: u32) -> u64 {
    u64::from(if count < 3 { count } else { 33 - (count - 1).leading_zeros() })
}

struct View {
    features: Vec<HashedFeature>,
    group: usize,
}

impl View {
    fn new() -> View {
        View { features: Vec::with_capacity(64), group: 0 }
    }

    fn mark(&mut self, kind: u64, value: u64) {
        self.features.push((hash(kind, value), 1.0));
    }

    fn words(&mut self, kind: u64, way: Way, text: &str) {
        let mut left = MOST_WORDS;
        each_word_while(text, |word| {
            self.mark(kind * 4 + way as u64, hash_of(word));
            left -= 1;
            left > 0
        });
    }

    /// Pieces of a host's name, where words are written together.
    fn name(&mut self, host: &str) {
        let name = psl::suffix_str(host).and_then(|suffix| host.strip_suffix(suffix)).unwrap_or(host);
        for label in name.split(['.', '-']).filter(|label| *label != "www") {
            let marked = format!("^{label}$");
            for piece in marked.as_bytes().windows(PIECE).take(MOST_WORDS) {
                let mut hasher = FxHasher::default();
                hasher.write(piece);
                self.mark(5, hasher.finish());
            }
        }
    }

    /// The innermost elements, one by one and in pairs.
    fn tag_path(&mut self, way: Way, path: &str) {
        let mut inner = 0;
        for element in path.rsplit(' ').skip(1).take(4) {
            let outer = hash_of(element);
            self.mark(48 + way as u64, outer);
            if inner != 0 {
                self.mark(52 + way as u64, inner ^ outer.rotate_left(17));
            }
            inner = outer;
        }
    }

    /// What was added since the last group counts as one.
    fn end_group(&mut self) {
        let members = self.features.len() - self.group;
        let value = 1.0 / (members.max(1) as f32).sqrt();
        self.features[self.group..].iter_mut().for_each(|feature| feature.1 = value);
        self.group = self.features.len();
    }
}

fn hash_of(word: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(word.as_bytes());
    hasher.finish()
}

fn hash(kind: u64, value: u64) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(kind);
    hasher.write_u64(value);
    (hasher.finish() >> 20) as u32
}
