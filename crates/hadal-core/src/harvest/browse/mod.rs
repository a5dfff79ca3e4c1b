//! Ways to records beside the box: lists to browse, and links that narrow an answer.
//!
//! Many sites offer letters, years or ranges that together lead to everything (`lists`, of `mark`s); once
//! words have shown what records look like there, such a list is walked before more words are asked, and so is
//! the answer to an empty box. Beside answers that are too long to be shown whole stand `facets`, which reach
//! deeper than words do under a cap; they are asked when they promise more. Links are followed with GET, on the
//! host they stand on, and submit no form.

mod detect;
mod facets;
mod list;
mod mark;

pub use facets::FacetEstimate;

use super::answer::{Facet, form_of};
use super::policy::RetryCounter;
use super::policy::{QueryOutcome, RequestCosts};
use super::query::{BrowseLink, Query};
use super::record::Record;
use crate::identity::is_volatile;
use crate::page::Page;
use facets::FacetQueue;
use list::BrowseList;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use url::{Position, Url};
use xxhash_rust::xxh3::xxh3_64;

/// Lists of one site.
const MOST_LISTS: usize = 8;
/// Ways in which addresses of records are formed.
const MOST_SHAPES: usize = 32;

/// What a site offers beside its form.
#[derive(Default)]
pub struct BrowseState {
    lists: Vec<BrowseList>,
    facets: FacetQueue,
    asked: FollowedLinks,
    retries: RetryCounter,
    /// How addresses of records are formed, by answers to words.
    shapes: FxHashSet<u64>,
    /// Whether the empty box was answered.
    asked_nothing: bool,
}

/// What later sessions need to know of it.
#[derive(Serialize, Deserialize)]
pub struct SavedBrowseState {
    lists: Vec<Vec<BrowseLink>>,
    facets: FacetQueue,
    shapes: Vec<u64>,
}

impl BrowseState {
    /// All that answers alone do not tell again.
    pub fn save(&self) -> SavedBrowseState {
        let lists = self.lists.iter().map(|list| list.posts().to_vec()).collect();
        SavedBrowseState { lists, facets: self.facets.clone(), shapes: self.shapes.iter().copied().collect() }
    }

    /// Goes on with what was kept, before it takes in the answers again.
    pub fn restore(&mut self, kept: SavedBrowseState) {
        self.lists = kept.lists.into_iter().map(|posts| BrowseList::new(posts, |_| true)).collect();
        self.facets = kept.facets;
        self.shapes = kept.shapes.into_iter().collect();
    }

    /// Looks for lists on the form's page, or on an answer to words.
    pub fn find_lists(&mut self, page: &Page, words: &str) {
        for posts in detect::lists(page, words) {
            let is_known = self.lists.iter().any(|list| list.is(&posts));
            if !is_known && self.lists.len() < MOST_LISTS {
                let asked = &self.asked;
                self.lists.push(BrowseList::new(posts, |post| asked.is_new(&post.url)));
            }
        }
    }

    /// Takes note of what records look like that words brought.
    pub fn learn_record_urls(&mut self, records: &[Record]) {
        let room = MOST_SHAPES - self.shapes.len().min(MOST_SHAPES);
        self.shapes.extend(records.iter().filter_map(|record| record.url.as_ref()).map(form_of).take(room));
    }

    /// Whether what a link led to are records of the same kind. Pages that list something else, authors for
    /// instance, have other addresses in them.
    pub fn are_known_records(&self, records: &[Record]) -> bool {
        let urls = records.iter().filter_map(|record| record.url.as_ref());
        let (alike, strange): (Vec<&Url>, Vec<&Url>) =
            urls.partition(|url| self.shapes.contains(&form_of(url)));
        self.shapes.is_empty() || alike.len() >= strange.len()
    }

    /// The next step on the way through everything, once words have shown what records look like: the empty
    /// box first, then lists.
    pub fn next_query(&self) -> Option<Query> {
        if !self.asked_nothing {
            return Some(Query::default());
        }
        let post = self.lists.iter().find_map(BrowseList::next_link)?;
        Some(Query::default().narrowed(post.clone()))
    }

    /// Keeps the facets beside an answer of which more exists than it shows; whether there are any that are new.
    pub fn add_facets(&mut self, answer: &QueryOutcome<'_>, facets: Vec<Facet>) -> bool {
        self.facets.add(answer, facets, &self.asked)
    }

    /// The facet that promises most; `unseen` is the share of records that never came, where it is known.
    pub fn best_facet(&self, costs: &RequestCosts, unseen: Option<f64>) -> Option<FacetEstimate> {
        self.facets.best(costs, unseen)
    }

    /// Takes in an answer.
    pub fn learn(&mut self, answer: &QueryOutcome<'_>) {
        let Some(link) = &answer.query.link else {
            self.asked_nothing |= *answer.query == Query::default();
            return;
        };
        if !self.retries.is_settled(answer) {
            return;
        }
        self.asked.note(&link.url);
        match self.lists.iter_mut().find(|list| list.holds(link)) {
            Some(list) => list.take(answer),
            None => self.facets.take(answer),
        }
    }
}

/// Links that were followed, so that none is followed again.
#[derive(Default)]
struct FollowedLinks {
    asked: FxHashSet<u64>,
}

impl FollowedLinks {
    fn is_new(&self, url: &Url) -> bool {
        !self.asked.contains(&key(url))
    }

    fn note(&mut self, url: &Url) {
        self.asked.insert(key(url));
    }
}

/// An address without what is good for a visit only; the order of its parameters does not matter.
fn key(url: &Url) -> u64 {
    let pairs = url.query_pairs().filter(|(name, value)| !is_volatile(name, value));
    let mut pairs: Vec<String> = pairs.map(|(name, value)| format!("{name}={value}")).collect();
    pairs.sort_unstable();
    xxh3_64(format!("{} {}", &url[..Position::AfterPath], pairs.join("&")).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::policy::{ReadingEnd, StatedTotal};

    #[test]
    fn links_that_wait_survive_being_kept() {
        let url = |path: &str| Url::parse(&format!("http://a.org/{path}")).unwrap();
        let query = Query::words("sea");
        let answer = QueryOutcome {
            query: &query,
            hits: &[],
            total: Some(StatedTotal::Exactly(500)),
            pages: 1,
            end: ReadingEnd::LastPage,
        };
        let facet = Facet { label: "maps".into(), count: Some(90), url: url("find?q=sea&kind=maps") };
        let letters: Vec<BrowseLink> =
            ["A", "B"].map(|label| BrowseLink { label: label.into(), url: url(label) }).to_vec();
        let mut browse = BrowseState { asked_nothing: true, ..BrowseState::default() };
        browse.lists.push(BrowseList::new(letters.clone(), |_| true));
        assert!(browse.add_facets(&answer, vec![facet]));
        let kept = postcard::to_allocvec(&browse.save()).unwrap();

        let mut later = BrowseState::default();
        later.restore(postcard::from_bytes(&kept).unwrap());
        later.learn(&QueryOutcome { query: &Query::default(), ..answer.clone() });
        let offered = |browse: &BrowseState| {
            browse.best_facet(&RequestCosts::default(), None).map(|promise| promise.query)
        };
        assert!(offered(&later).is_some());
        assert_eq!((later.next_query(), offered(&later)), (browse.next_query(), offered(&browse)));
        let followed = Query::default().narrowed(letters[0].clone());
        later.learn(&QueryOutcome { query: &followed, ..answer });
        assert_eq!(
            later.next_query(),
            Some(Query::default().narrowed(letters[1].clone())),
            "recalled, not asked again"
        );
    }
}
