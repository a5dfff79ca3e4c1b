//! One browse list and the progress through its links.

use crate::harvest::policy::QueryOutcome;
use crate::harvest::query::BrowseLink;

/// Links without a record after which a list is abandoned, if none of its links led to a record. Guess.
const MAX_EMPTY_LINKS: u32 = 3;
/// Links in a row without a new record after which a list is abandoned. Guess.
const MAX_LINKS_WITHOUT_NEW: u32 = 6;

/// A browse list in page order.
pub struct BrowseList {
    links: Vec<BrowseLink>,
    /// Positions of the links that were not followed, last first.
    waiting: Vec<usize>,
    /// Number of followed links without a record.
    empty_links: u32,
    /// Number of links in a row without a new record.
    links_without_new: u32,
    /// A link led to records.
    has_records: bool,
}

impl BrowseList {
    /// A list; links that `is_waiting` accepts are still to be followed.
    pub fn new(links: Vec<BrowseLink>, is_waiting: impl Fn(&BrowseLink) -> bool) -> BrowseList {
        let waiting = (0..links.len()).rev().filter(|at| is_waiting(&links[*at])).collect();
        BrowseList { links, waiting, empty_links: 0, links_without_new: 0, has_records: false }
    }

    /// All links, followed or not.
    pub fn links(&self) -> &[BrowseLink] {
        &self.links
    }

    /// Returns true if these links have the same labels, so that they are the same list on another page.
    pub fn has_labels_of(&self, links: &[BrowseLink]) -> bool {
        let labels = |links: &[BrowseLink]| links.iter().map(|link| link.label.clone()).collect::<Vec<_>>();
        labels(&self.links) == labels(links)
    }

    /// Returns true if the link belongs to this list.
    pub fn contains(&self, link: &BrowseLink) -> bool {
        self.links.contains(link)
    }

    /// Next link that `is_followed` does not accept; `None` at the end of the list or when it was abandoned.
    pub fn next_link(&self, is_followed: impl Fn(&BrowseLink) -> bool) -> Option<&BrowseLink> {
        let is_abandoned = (!self.has_records && self.empty_links >= MAX_EMPTY_LINKS)
            || self.links_without_new >= MAX_LINKS_WITHOUT_NEW;
        let waiting = self.waiting.iter().rev().filter(|_| !is_abandoned).map(|at| &self.links[*at]);
        waiting.into_iter().find(|link| !is_followed(link))
    }

    /// Learns from the answer to one of its links.
    pub fn learn(&mut self, answer: &QueryOutcome<'_>) {
        let link = answer.query.link.as_ref();
        self.waiting.retain(|at| Some(&self.links[*at]) != link);
        self.has_records |= !answer.hits.is_empty();
        self.empty_links += u32::from(answer.hits.is_empty());
        let is_new = answer.hits.iter().any(|hit| hit.is_new);
        self.links_without_new = if is_new { 0 } else { self.links_without_new + 1 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::policy::{Hit, ReadingEnd};
    use crate::harvest::query::Query;
    use crate::harvest::record::RecordId;
    use url::Url;

    fn alphabet() -> BrowseList {
        let link = |letter: char| BrowseLink {
            label: letter.to_string(),
            url: Url::parse(&format!("http://a.org/{letter}")).unwrap(),
        };
        BrowseList::new(('A'..='Z').map(link).collect(), |link| link.label != "C")
    }

    /// Letters that are followed when every answer shows this number of records.
    fn followed(shown: usize, is_new: bool) -> String {
        let mut list = alphabet();
        let hits = vec![Hit { id: RecordId(1), is_new, title: "", text: "", fields: &[] }; shown];
        let mut followed = String::new();
        while let Some(link) = list.next_link(|_| false) {
            followed.push_str(&link.label);
            let query = Query::default().narrowed(link.clone());
            list.learn(&QueryOutcome {
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
        assert_eq!(followed(5, true), "ABDEFGHIJKLMNOPQRSTUVWXYZ", "C was followed before");
        assert_eq!(followed(0, true), "ABD");
        assert_eq!(followed(5, false), "ABDEFG");
    }
}
