//! The way through one list to browse, from its first link to its last.

use crate::harvest::policy::QueryOutcome;
use crate::harvest::query::BrowseLink;

/// Links without a record after which a list is none of records.
const TRIES: u32 = 3;
/// Links in a row that bring nothing new before the rest is taken to be known.
const BARREN: u32 = 6;

/// A list, and how far it was followed.
pub struct BrowseList {
    posts: Vec<BrowseLink>,
    waiting: Vec<usize>,
    empty: u32,
    barren: u32,
    holds_records: bool,
}

impl BrowseList {
    /// A list of which those links wait that were not followed before.
    pub fn new(posts: Vec<BrowseLink>, is_new: impl Fn(&BrowseLink) -> bool) -> BrowseList {
        let waiting = (0..posts.len()).rev().filter(|at| is_new(&posts[*at])).collect();
        BrowseList { posts, waiting, empty: 0, barren: 0, holds_records: false }
    }

    /// All its links.
    pub fn posts(&self) -> &[BrowseLink] {
        &self.posts
    }

    /// Whether it is this list, shown again.
    pub fn is(&self, posts: &[BrowseLink]) -> bool {
        let labels = |posts: &[BrowseLink]| posts.iter().map(|post| post.label.clone()).collect::<Vec<_>>();
        labels(&self.posts) == labels(posts)
    }

    /// Whether a link is one of it.
    pub fn holds(&self, link: &BrowseLink) -> bool {
        self.posts.contains(link)
    }

    /// The link to follow next; `None` when it was followed to its end, or leads to no records.
    pub fn next_link(&self) -> Option<&BrowseLink> {
        let is_given_up = (!self.holds_records && self.empty >= TRIES) || self.barren >= BARREN;
        self.waiting.last().filter(|_| !is_given_up).map(|at| &self.posts[*at])
    }

    /// Takes in what one of its links led to.
    pub fn take(&mut self, answer: &QueryOutcome<'_>) {
        let link = answer.query.link.as_ref();
        self.waiting.retain(|at| Some(&self.posts[*at]) != link);
        self.holds_records |= !answer.hits.is_empty();
        self.empty += u32::from(answer.hits.is_empty());
        let is_new = answer.hits.iter().any(|hit| hit.is_new);
        self.barren = if is_new { 0 } else { self.barren + 1 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::policy::{Hit, ReadingEnd};
    use crate::harvest::query::Query;
    use crate::harvest::record::RecordId;
    use url::Url;

    fn course() -> BrowseList {
        let post = |letter: char| BrowseLink {
            label: letter.to_string(),
            url: Url::parse(&format!("http://a.org/{letter}")).unwrap(),
        };
        BrowseList::new(('A'..='Z').map(post).collect(), |post| post.label != "C")
    }

    /// The letters that are asked when every answer has so many records, new or not.
    fn followed(shown: usize, is_new: bool) -> String {
        let mut course = course();
        let hits = vec![Hit { id: RecordId(1), is_new, title: "", text: "", fields: &[] }; shown];
        let mut followed = String::new();
        while let Some(post) = course.next_link() {
            followed.push_str(&post.label);
            let query = Query::default().narrowed(post.clone());
            course.take(&QueryOutcome {
                query: &query,
                hits: &hits,
                total: None,
                pages: 1,
                end: ReadingEnd::LastPage,
            });
        }
        followed
    }

    #[test]
    fn a_list_of_records_is_followed_to_its_end_and_others_are_not() {
        assert_eq!(followed(5, true), "ABDEFGHIJKLMNOPQRSTUVWXYZ", "C was asked before");
        assert_eq!(followed(0, true), "ABD");
        assert_eq!(followed(5, false), "ABDEFG");
    }
}
