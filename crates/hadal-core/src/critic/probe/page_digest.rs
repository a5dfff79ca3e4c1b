//! What is kept of an answer: its words and links as numbers, small enough to store.
//!
//! The query is masked, since a form may repeat it, and so are numbers, since clocks and counters
//! change by themselves.

use crate::address::is_session_name;
use crate::critic::page_kind::page_kinds;
use crate::page::{Link, Page};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Shingles and links that are kept of a page.
const MOST_SHINGLES: usize = 2_048;
const MOST_LINKS: usize = 1_500;
/// Words of a page that are looked at.
const MOST_WORDS: usize = 20_000;

const MASKED: u64 = 1;
const NUMBER: u64 = 2;

/// Words that are not compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct QueryMask(Vec<String>);

impl QueryMask {
    /// Masks the words of a query.
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

    /// The words of a text as numbers; a masked phrase counts once.
    fn tokens(&self, text: &str, most: usize) -> Vec<u64> {
        let mut tokens = Vec::new();
        words(text, |word| {
            let token = self.token(word);
            if tokens.len() < most && !(token == MASKED && tokens.last() == Some(&MASKED)) {
                tokens.push(token);
            }
        });
        tokens
    }
}

/// Words in lower case; scripts without blanks count by character.
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

/// Every run of three words of a text, as sorted numbers; of a long text an even sample.
pub(super) fn shingles(text: &str, mask: &QueryMask) -> Vec<u32> {
    let tokens = mask.tokens(text, MOST_WORDS);
    let hash = |run: &[u64]| run.iter().fold(7u64, |hash, token| mix(hash, *token)) as u32;
    let mut shingles: Vec<u32> = tokens.windows(3.min(tokens.len().max(1))).map(hash).collect();
    shingles.sort_unstable();
    shingles.dedup();
    shingles.truncate(MOST_SHINGLES);
    shingles
}

fn mix(hash: u64, token: u64) -> u64 {
    let mixed = (hash ^ token).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

/// How many shingles of one page another lacks. Samples reach only as far as their largest number.
pub(super) fn missing(from: &[u32], other: &[u32]) -> usize {
    let reach = |list: &[u32]| if list.len() < MOST_SHINGLES { u32::MAX } else { list[list.len() - 1] };
    let reach = reach(from).min(reach(other));
    from.iter().filter(|one| **one <= reach && other.binary_search(one).is_err()).count()
}

/// A link, as three numbers: where to, what it is called, where it stands.
type LinkDigest = (u32, u32, u32);

/// What is kept of an answered page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PageDigest {
    /// Runs of words, sorted.
    pub(super) shingles: Vec<u32>,
    links: Vec<LinkDigest>,
    /// It says that nothing was found.
    pub(super) is_empty: bool,
    /// It looks like a list of results.
    pub(super) is_list: bool,
    /// It is an error or a wall.
    pub(super) is_no_answer: bool,
    /// It is not there.
    pub(super) is_missing: bool,
    /// It confirms that something was taken in; what is kept of it is another [`super::decide::SeenAnswer`].
    #[serde(skip)]
    pub(super) is_confirmation: bool,
    /// How many results it says there are.
    pub(super) total: Option<u64>,
}

impl PageDigest {
    /// Looks at a page.
    pub(super) fn of(page: &Page, status: u16, mask: &QueryMask) -> PageDigest {
        let kinds = page_kinds(page, status);
        PageDigest {
            shingles: shingles(&page.text, mask),
            links: page.links.iter().take(MOST_LINKS).map(|link| tie(link, mask)).collect(),
            is_empty: kinds.no_results.holds(),
            is_list: kinds.results.holds(),
            is_no_answer: kinds.is_no_answer(),
            is_missing: matches!(status, 404 | 410) || kinds.soft_404.holds(),
            is_confirmation: kinds.confirmation.holds(),
            total: kinds.total,
        }
    }
}

fn tie(link: &Link, mask: &QueryMask) -> LinkDigest {
    let named = mask.tokens(&link.context.anchor, 64);
    let name = named.iter().fold(3u64, |hash, token| mix(hash, *token)) as u32;
    (target(&link.url, mask), name, place(&link.context.tag_path))
}

/// Where a link leads, without sessions and without the query.
fn target(url: &Url, mask: &QueryMask) -> u32 {
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

/// The elements around a link without their names, which some sites make up anew for every page.
fn place(path: &str) -> u32 {
    let elements = path.split(' ').map(|step| step.split(['.', '#']).next().unwrap_or_default());
    elements.fold(5u64, |hash, element| mix(hash, xxh3_64(element.as_bytes()))) as u32
}

/// What one page has that another lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ExtraContent {
    /// Links with a new target and a new name.
    pub(super) links: usize,
    /// The most of them in one place.
    pub(super) together: usize,
    /// Runs of words.
    pub(super) text: usize,
}

impl ExtraContent {
    /// What `page` has and `other` lacks.
    pub(super) fn of(page: &PageDigest, other: &PageDigest) -> ExtraContent {
        let targets: FxHashSet<u32> = other.links.iter().map(|link| link.0).collect();
        let names: FxHashSet<u32> = other.links.iter().map(|link| link.1).collect();
        let mut places: FxHashMap<u32, usize> = FxHashMap::default();
        for (_, _, place) in
            page.links.iter().filter(|link| !targets.contains(&link.0) && !names.contains(&link.1))
        {
            *places.entry(*place).or_default() += 1;
        }
        ExtraContent {
            links: places.values().sum(),
            together: places.values().copied().max().unwrap_or_default(),
            text: missing(&page.shingles, &other.shingles),
        }
    }

    fn size(self) -> usize {
        self.text + 3 * self.links
    }
}

/// How far two pages are apart: what either has and the other lacks.
pub(super) fn apart(one: &PageDigest, other: &PageDigest) -> usize {
    ExtraContent::of(one, other).size() + ExtraContent::of(other, one).size()
}
