//! The pages of one answer, in the order in which they were read.
//!
//! Some pagers lead back, some go on forever with the same records. Whoever reads page after page keeps
//! a trail and asks it before the next request.

use super::{Answer, NextPage};
use crate::harvest::record::RecordId;
use crate::http::Request;
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

/// Pages in a row without a new record after which a pager leads nowhere.
const MOST_STALE: u32 = 2;

/// Pages and records of one answer so far.
#[derive(Clone, Debug, Default)]
pub struct AnswerPages {
    requests: FxHashSet<u64>,
    records: FxHashSet<RecordId>,
    stale: u32,
}

impl AnswerPages {
    /// Takes in a page, and the request that brought it; says how many of its records are new to this answer.
    pub fn add(&mut self, request: &Request, answer: &Answer) -> usize {
        self.requests.insert(key(request));
        let new = answer.records.iter().filter(|record| self.records.insert(record.id)).count();
        self.stale = if new == 0 { self.stale + 1 } else { 0 };
        new
    }

    /// Whether the way onwards leads somewhere new, as far as anyone can tell.
    pub fn should_follow(&self, next: &NextPage) -> bool {
        self.stale < MOST_STALE && !self.requests.contains(&key(&next.request))
    }
}

/// A request as a number; the order of its parameters does not matter.
fn key(request: &Request) -> u64 {
    let mut pairs: Vec<&str> = request.url.query().unwrap_or_default().split('&').collect();
    pairs.sort_unstable();
    let place = &request.url[..url::Position::AfterPath];
    let body = String::from_utf8_lossy(&request.body);
    xxh3_64(format!("{:?} {place} {} {body}", request.method, pairs.join("&")).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::super::{AnswerKind, PagerKind};
    use super::*;
    use crate::harvest::record::Record;
    use url::Url;

    fn request(page: &str) -> Request {
        Request::get(Url::parse(&format!("http://a.org/find?{page}")).unwrap())
    }

    fn answer(ids: &[u64]) -> Answer {
        let record = |id: &u64| Record {
            id: RecordId(*id),
            url: None,
            title: String::new(),
            text: String::new(),
            fields: Vec::new(),
        };
        Answer { records: ids.iter().map(record).collect(), ..Answer::bare(AnswerKind::Results) }
    }

    #[test]
    fn a_pager_that_leads_back_is_noticed() {
        let mut trail = AnswerPages::default();
        assert_eq!(trail.add(&request("q=x&page=1"), &answer(&[1, 2])), 2);
        let to = |page| NextPage { request: request(page), way: PagerKind::Link };
        assert!(trail.should_follow(&to("q=x&page=2")));
        assert!(!trail.should_follow(&to("page=1&q=x")));
    }

    #[test]
    fn a_pager_that_shows_the_same_forever_is_noticed() {
        let mut trail = AnswerPages::default();
        for page in 1..=3 {
            trail.add(&request(&format!("page={page}")), &answer(&[1, 2]));
        }
        assert!(!trail.should_follow(&NextPage { request: request("page=4"), way: PagerKind::Link }));
    }
}
