//! Digest of an answer page: hashes of its text and links, small enough to store.
//!
//! Query words are masked, because pages repeat the query. Numbers are masked, because clocks and counters change
//! between two requests.

use crate::address::is_session_name;
use crate::critic::page_kind::page_kinds;
use crate::page::{Link, Page};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Maximum number of shingles of a digest. Limits are guesses.
const MAX_SHINGLES: usize = 2_048;
/// Maximum number of links of a digest. Guess.
const MAX_LINKS: usize = 1_500;
/// Maximum number of words of a page that are read. Guess.
const MAX_WORDS: usize = 20_000;

/// Token of masked query words.
const MASKED: u64 = 1;
/// Token of all numbers.
const NUMBER: u64 = 2;

/// Query words that are not compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct QueryMask(Vec<String>);

impl QueryMask {
    /// Adds the words of a query.
    pub(super) fn add(&mut self, query: &str) {
        words(query, |word| self.0.push(word.to_string()));
    }

    fn token(&self, word: &str) -> u64 {
        if self.0.iter().any(|masked| masked == word) {
            MASKED
        } else if word.bytes().all(|byte| byte.is_ascii_digit()) {
            NUMBER
        } else {
            xxh3_64(word.as_bytes())
        }
    }

    /// Hashes of the words of a text, at most `limit`. Adjacent masked words count as one.
    fn tokens(&self, text: &str, limit: usize) -> Vec<u64> {
        let mut tokens = Vec::new();
        words(text, |word| {
            let token = self.token(word);
            if tokens.len() < limit && !(token == MASKED && tokens.last() == Some(&MASKED)) {
                tokens.push(token);
            }
        });
        tokens
    }
}

/// Words of a text in lower case. In scripts without spaces each character is a word.
fn words(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    for c in text.chars() {
        let alone = ('\u{2e80}'..='\u{9fff}').contains(&c);
        if c.is_alphanumeric() && !alone {
            word.extend(c.to_lowercase());
            continue;
        }
        if !word.is_empty() {
            each(&word);
            word.clear();
        }
        if alone && c.is_alphanumeric() {
            each(c.encode_utf8(&mut [0; 4]));
        }
    }
    if !word.is_empty() {
        each(&word);
    }
}

/// Sorted hashes of all sequences of three words (shingles). A long text is sampled: the smallest hashes are kept.
pub(super) fn shingles(text: &str, mask: &QueryMask) -> Vec<u32> {
    let tokens = mask.tokens(text, MAX_WORDS);
    let hash = |run: &[u64]| run.iter().fold(7u64, |hash, token| mix(hash, *token)) as u32;
    let mut shingles: Vec<u32> = tokens.windows(3.min(tokens.len().max(1))).map(hash).collect();
    shingles.sort_unstable();
    shingles.dedup();
    shingles.truncate(MAX_SHINGLES);
    shingles
}

fn mix(hash: u64, token: u64) -> u64 {
    let mixed = (hash ^ token).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

/// Number of shingles in `from` that `other` lacks. Sampled lists are compared up to the largest hash of both.
pub(super) fn missing(from: &[u32], other: &[u32]) -> usize {
    let reach = |list: &[u32]| if list.len() < MAX_SHINGLES { u32::MAX } else { list[list.len() - 1] };
    let reach = reach(from).min(reach(other));
    from.iter().filter(|one| **one <= reach && other.binary_search(one).is_err()).count()
}

/// Hashes of the URL, the anchor text and the tag path of a link.
type LinkDigest = (u32, u32, u32);

/// Digest of an answer page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PageDigest {
    /// Shingles of the page text, sorted.
    pub(super) shingles: Vec<u32>,
    links: Vec<LinkDigest>,
    /// The page states that nothing was found.
    pub(super) has_no_results: bool,
    /// The page looks like a result list.
    pub(super) is_list: bool,
    /// The page is an error, a login page, a rate limit or a captcha.
    pub(super) is_no_answer: bool,
    /// The page does not exist (404, 410 or soft 404).
    pub(super) is_missing: bool,
    /// The page confirms an entry. Becomes [`super::decide::AnswerDigest::Confirmation`].
    #[serde(skip)]
    pub(super) is_confirmation: bool,
    /// Total that the page states.
    pub(super) total: Option<u64>,
}

impl PageDigest {
    /// Computes the digest of a page.
    pub(super) fn of(page: &Page, status: u16, mask: &QueryMask) -> PageDigest {
        let kinds = page_kinds(page, status);
        PageDigest {
            shingles: shingles(&page.text, mask),
            links: page.links.iter().take(MAX_LINKS).map(|link| link_digest(link, mask)).collect(),
            has_no_results: kinds.no_results.holds(),
            is_list: kinds.results.holds(),
            is_no_answer: kinds.is_no_answer(),
            is_missing: matches!(status, 404 | 410) || kinds.soft_404.holds(),
            is_confirmation: kinds.confirmation.holds(),
            total: kinds.total,
        }
    }
}

fn link_digest(link: &Link, mask: &QueryMask) -> LinkDigest {
    let named = mask.tokens(&link.context.anchor, 64);
    let name = named.iter().fold(3u64, |hash, token| mix(hash, *token)) as u32;
    (url_hash(&link.url, mask), name, tag_path_hash(&link.context.tag_path))
}

/// Hash of a URL without session ids and with the query masked.
fn url_hash(url: &Url, mask: &QueryMask) -> u32 {
    let mut text = url.host_str().unwrap_or_default().to_string();
    for segment in url.path().split('/') {
        text.push('/');
        text.push_str(segment.split(';').next().unwrap_or_default());
    }
    let mut hash = xxh3_64(text.as_bytes());
    for (name, value) in url.query_pairs().take(64).filter(|(name, _)| !is_session_name(name)) {
        hash = mix(hash, xxh3_64(name.as_bytes()));
        let tokens = mask.tokens(&value, 64);
        let is_masked = tokens.contains(&MASKED);
        hash = if is_masked {
            tokens.iter().fold(hash, |hash, token| mix(hash, *token))
        } else {
            mix(hash, xxh3_64(value.as_bytes()))
        };
    }
    hash as u32
}

/// Hash of the element names of a tag path. Classes and ids are ignored, because some sites generate them per page.
fn tag_path_hash(path: &str) -> u32 {
    let elements = path.split(' ').map(|step| step.split(['.', '#']).next().unwrap_or_default());
    elements.fold(5u64, |hash, element| mix(hash, xxh3_64(element.as_bytes()))) as u32
}

/// Content of one page that another page lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ExtraContent {
    /// Links with a different URL and a different anchor text.
    pub(super) links: usize,
    /// Maximum number of these links with the same tag path.
    pub(super) links_in_one_place: usize,
    /// Shingles that the other page lacks.
    pub(super) shingles: usize,
}

impl ExtraContent {
    /// Compares `page` with `other`.
    pub(super) fn of(page: &PageDigest, other: &PageDigest) -> ExtraContent {
        let urls: FxHashSet<u32> = other.links.iter().map(|link| link.0).collect();
        let names: FxHashSet<u32> = other.links.iter().map(|link| link.1).collect();
        let mut places: FxHashMap<u32, usize> = FxHashMap::default();
        for (_, _, place) in
            page.links.iter().filter(|link| !urls.contains(&link.0) && !names.contains(&link.1))
        {
            *places.entry(*place).or_default() += 1;
        }
        ExtraContent {
            links: places.values().sum(),
            links_in_one_place: places.values().copied().max().unwrap_or_default(),
            shingles: missing(&page.shingles, &other.shingles),
        }
    }

    fn size(self) -> usize {
        self.shingles + 3 * self.links
    }
}

/// Distance of two pages: shingles that only one of them has, plus three per link that only one has.
pub(super) fn distance(one: &PageDigest, other: &PageDigest) -> usize {
    ExtraContent::of(one, other).size() + ExtraContent::of(other, one).size()
}
