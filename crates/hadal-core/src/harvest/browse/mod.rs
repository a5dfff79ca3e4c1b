//! Records without words: browse lists and facets.
//!
//! Many sites offer letters, years or ranges that together lead to all records. `detect` finds such lists on a page.
//! Once the answers to words have shown what records look like, the empty query and then the lists are followed before
//! more words are sent (`list`). Answers that show only a part of their matches often offer facets, which reach more
//! records under a result cap; they are followed when they promise more than words (`facets`). Browse links and facets
//! are GET requests to the host of their page, and submit no form.

mod detect;
mod facets;
mod list;

pub use facets::FacetEstimate;

use super::answer::{Facet, url_shape};
use super::policy::{QueryOutcome, RequestCosts, RetryCounter};
use super::query::{BrowseLink, Query};
use super::record::Record;
use crate::identity::has_volatile_name;
use crate::page::Page;
use crate::url_query::query_pairs;
use facets::FacetQueue;
use list::BrowseList;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use url::{Position, Url};
use xxhash_rust::xxh3::xxh3_64;

/// Maximum number of browse lists kept per form. Guess.
const MAX_LISTS: usize = 8;
/// Maximum number of URL shapes of records kept per form. Guess.
const MAX_URL_SHAPES: usize = 32;
/// Records that words must have returned before a list of other URL shapes is rejected. Guess; fewer may be a
/// link that is not a record.
const MIN_KNOWN_RECORDS: u32 = 8;

/// Browse lists and facets of one form, and the progress through them.
#[derive(Default)]
pub struct BrowseState {
    lists: Vec<BrowseList>,
    facets: FacetQueue,
    followed: FollowedLinks,
    retries: RetryCounter,
    /// Shapes of the detail URLs in answers to words, see `url_shape`.
    url_shapes: FxHashSet<u64>,
    /// Number of records with learned shapes.
    known_records: u32,
    /// The empty query was sent.
    sent_empty_query: bool,
}

/// The part of a [`BrowseState`] that stored answers do not restore.
#[derive(Serialize, Deserialize)]
pub struct SavedBrowseState {
    lists: Vec<Vec<BrowseLink>>,
    facets: FacetQueue,
    url_shapes: Vec<u64>,
}

impl BrowseState {
    /// State to store with the harvest.
    pub fn save(&self) -> SavedBrowseState {
        SavedBrowseState {
            lists: self.lists.iter().map(|list| list.links().to_vec()).collect(),
            facets: self.facets.clone(),
            url_shapes: self.url_shapes.iter().copied().collect(),
        }
    }

    /// Restores a stored state. The stored answers are to be learned again afterwards.
    pub fn restore(&mut self, saved: SavedBrowseState) {
        self.lists = saved.lists.into_iter().map(|links| BrowseList::new(links, |_| true)).collect();
        self.facets = saved.facets;
        self.url_shapes = saved.url_shapes.into_iter().collect();
        self.known_records = if self.url_shapes.is_empty() { 0 } else { MIN_KNOWN_RECORDS };
    }

    /// Adds the browse lists of the form's page (with empty `words`) or of an answer to `words`.
    pub fn find_lists(&mut self, page: &Page, words: &str) {
        for links in detect::browse_lists(page, words) {
            let is_known = self.lists.iter().any(|list| list.has_labels_of(&links));
            if !is_known && self.lists.len() < MAX_LISTS {
                let followed = &self.followed;
                self.lists.push(BrowseList::new(links, |link| !followed.contain(&link.url)));
            }
        }
    }

    /// Stores the URL shapes of records that words returned.
    pub fn learn_record_urls(&mut self, records: &[Record]) {
        let room = MAX_URL_SHAPES - self.url_shapes.len().min(MAX_URL_SHAPES);
        let urls = records.iter().filter_map(|record| record.url.as_ref());
        self.url_shapes.extend(urls.map(url_shape).take(room));
        self.known_records = self.known_records.saturating_add(records.len() as u32);
    }

    /// Returns true if at least half of the URLs have the shape of known records, or too few records are known. Browse
    /// pages may list something else, such as authors.
    pub fn are_known_records(&self, records: &[Record]) -> bool {
        let urls = records.iter().filter_map(|record| record.url.as_ref());
        let (known, unknown): (Vec<&Url>, Vec<&Url>) =
            urls.partition(|url| self.url_shapes.contains(&url_shape(url)));
        self.known_records < MIN_KNOWN_RECORDS || known.len() >= unknown.len()
    }

    /// Next query that leads to all records: the empty query first, then the links of the browse lists.
    pub fn next_query(&self) -> Option<Query> {
        if !self.sent_empty_query {
            return Some(Query::default());
        }
        let is_followed = |link: &BrowseLink| self.followed.contain(&link.url);
        let link = self.lists.iter().find_map(|list| list.next_link(is_followed))?;
        Some(Query::default().narrowed(link.clone()))
    }

    /// Queues the facets of an answer that shows only a part of its matches. Returns true if any of them is new.
    pub fn add_facets(&mut self, answer: &QueryOutcome<'_>, facets: Vec<Facet>) -> bool {
        self.facets.add(answer, facets, &self.followed)
    }

    /// Queued facet with most new records per request. `unseen` is the estimated share of all records that were not
    /// downloaded, if known.
    pub fn best_facet(&self, costs: &RequestCosts, unseen: Option<f64>) -> Option<FacetEstimate> {
        self.facets.best(costs, unseen)
    }

    /// Learns from the answer to a query. After a failed request, the link waits until `RetryCounter` gives it up.
    pub fn learn(&mut self, answer: &QueryOutcome<'_>) {
        let Some(link) = &answer.query.link else {
            self.sent_empty_query |= *answer.query == Query::default();
            return;
        };
        if !self.retries.is_settled(answer) {
            return;
        }
        self.followed.insert(&link.url);
        let mut is_listed = false;
        // Several lists may share a link, and each of them has to advance.
        for list in self.lists.iter_mut().filter(|list| list.contains(link)) {
            list.learn(answer);
            is_listed = true;
        }
        if !is_listed {
            self.facets.learn(answer);
        }
    }
}

/// Links that were followed. Parameters with names of visits and tokens and the order of parameters are ignored. Values
/// are not: a list may be divided by years or dates, which look like tokens.
#[derive(Default)]
struct FollowedLinks {
    urls: FxHashSet<u64>,
}

impl FollowedLinks {
    fn contain(&self, url: &Url) -> bool {
        self.urls.contains(&url_key(url))
    }

    fn insert(&mut self, url: &Url) {
        self.urls.insert(url_key(url));
    }
}

fn url_key(url: &Url) -> u64 {
    let pairs = query_pairs(url).filter(|(name, _)| !has_volatile_name(name));
    let mut pairs: Vec<String> = pairs.map(|(name, value)| format!("{name}={value}")).collect();
    pairs.sort_unstable();
    xxh3_64(format!("{} {}", &url[..Position::AfterPath], pairs.join("&")).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::policy::{ReadingEnd, StatedTotal};

    #[test]
    fn no_link_is_followed_twice_although_several_lists_contain_it() {
        let link = |label: &str, path: &str| BrowseLink {
            label: label.into(),
            url: Url::parse(&format!("http://a.org/{path}")).unwrap(),
        };
        let mut browse = BrowseState { sent_empty_query: true, ..BrowseState::default() };
        let lists = [[link("A", "a"), link("B", "b")], [link("A", "a"), link("C", "b?")]];
        for links in lists {
            browse.lists.push(BrowseList::new(links.to_vec(), |_| true));
        }
        let mut followed = Vec::new();
        while let Some(query) = browse.next_query().filter(|_| followed.len() < 9) {
            let (hits, end) = (&[], ReadingEnd::LastPage);
            browse.learn(&QueryOutcome { query: &query, hits, total: None, pages: 1, end });
            followed.extend(query.link.map(|link| link.label));
        }
        assert_eq!(followed, ["A", "B"]);
    }

    #[test]
    fn links_that_differ_in_years_dates_or_old_encodings_are_different() {
        let mut followed = FollowedLinks::default();
        let url = |query: &str| Url::parse(&format!("http://a.org/list?{query}")).unwrap();
        for (one, other) in [
            ("years=1990-1999", "years=2000-2009"),
            ("date=20240101", "date=20240102"),
            ("letter=%C0", "letter=%C1"),
        ] {
            followed.insert(&url(one));
            assert!(followed.contain(&url(one)) && !followed.contain(&url(other)), "{one}");
        }
        followed.insert(&url("letter=b&PHPSESSID=a81b"));
        assert!(followed.contain(&url("PHPSESSID=77fe&letter=b")));
    }

    #[test]
    fn queued_links_survive_saving() {
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
        let mut browse = BrowseState { sent_empty_query: true, ..BrowseState::default() };
        browse.lists.push(BrowseList::new(letters.clone(), |_| true));
        assert!(browse.add_facets(&answer, vec![facet]));
        let saved = postcard::to_allocvec(&browse.save()).unwrap();

        let mut later = BrowseState::default();
        later.restore(postcard::from_bytes(&saved).unwrap());
        later.learn(&QueryOutcome { query: &Query::default(), ..answer.clone() });
        let facet =
            |browse: &BrowseState| browse.best_facet(&RequestCosts::default(), None).map(|facet| facet.query);
        assert!(facet(&later).is_some());
        assert_eq!((later.next_query(), facet(&later)), (browse.next_query(), facet(&browse)));
        let followed = Query::default().narrowed(letters[0].clone());
        later.learn(&QueryOutcome { query: &followed, ..answer });
        assert_eq!(
            later.next_query(),
            Some(Query::default().narrowed(letters[1].clone())),
            "a restored answer is not requested again"
        );
    }
}
