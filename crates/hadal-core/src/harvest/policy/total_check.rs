//! Check of stated totals: recognises wrong ones and lower bounds.
//!
//! A total that a form states for a query is used only while the answers agree with it:
//!
//! - An answer that holds more records than its total contradicts the total.
//! - Some forms state the number of records on the page, or that number plus one, although a further page exists. Such
//!   a total is used only if the totals of such answers differ, or were confirmed. Two such answers with one and the
//!   same total show that the form counts the page.
//!
//! After a contradiction, totals of the form are used only if more answers confirm theirs: they were read over several
//! pages to the end and held exactly as many records.

use super::{QueryOutcome, ReadingEnd, StatedTotal};

/// Number of answers with a further page and the same total of one page that shows that totals count the page. Guess.
const MIN_PAGE_TOTALS: u32 = 2;

/// Relative excess of the records over an exact total that is tolerated, because databases change. Guess.
const TOLERATED_EXCESS: f64 = 0.02;

/// Learns from answers whether stated totals may be used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TotalCheck {
    /// Answers with more records than their total.
    contradicted: u32,
    /// Answers of several pages with as many records as their total.
    confirmed: u32,
    /// Answers with a further page, although their total fits on the first page.
    page_totals: u32,
    /// The total of these answers, while it is the same for all.
    page_total: Option<u64>,
    /// True once two answers with a further page had different totals.
    varies: bool,
}

impl TotalCheck {
    /// Learns from an answer.
    pub fn learn(&mut self, answer: &QueryOutcome<'_>) {
        let Some(StatedTotal::Exactly(total)) = answer.total else { return };
        let (read, has_more_pages) = (answer.records_read(), answer.pages > 1 || answer.query.after > 0);
        if is_exceeded(total, read) {
            self.contradicted += 1;
        } else if has_more_pages && answer.end == ReadingEnd::LastPage && read == total {
            self.confirmed += 1;
        }
        if answer.query.after == 0 && (has_more_pages || answer.end == ReadingEnd::Paused) {
            self.varies |= self.page_total.is_some_and(|other| other != total);
            self.page_total = Some(total);
            self.page_totals += u32::from(is_page_total(total, answer));
        }
    }

    /// Total of an answer that may be used: `None` if the answer or the form contradicts it.
    pub fn usable(&self, answer: &QueryOutcome<'_>) -> Option<StatedTotal> {
        let read = answer.records_read();
        let is_exceeded = |total: &StatedTotal| is_exceeded(total.count(), read);
        let may_count_page =
            |total: &StatedTotal| !self.varies && self.confirmed == 0 && is_page_total(total.count(), answer);
        answer.total.filter(|total| self.is_trusted() && !is_exceeded(total) && !may_count_page(total))
    }

    /// True while the answers agree with the totals of the form.
    pub fn is_trusted(&self) -> bool {
        let counts_the_page = self.page_totals >= MIN_PAGE_TOTALS && !self.varies;
        !counts_the_page && self.contradicted <= self.confirmed
    }
}

/// True if a total fits on the first page, but for one record, and the answer has a further page.
fn is_page_total(total: u64, answer: &QueryOutcome<'_>) -> bool {
    let page = answer.hits.len() as u64 / u64::from(answer.pages.max(1));
    let has_more_pages = answer.pages > 1 || answer.end == ReadingEnd::Paused;
    answer.query.after == 0 && has_more_pages && total <= page + 1
}

fn is_exceeded(total: u64, read: u64) -> bool {
    read as f64 > total as f64 * (1.0 + TOLERATED_EXCESS) + 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::policy::Hit;
    use crate::harvest::query::Query;
    use crate::harvest::record::RecordId;

    /// Passes answers (records, pages, total, end) to a check. Returns the usable total of the last one.
    fn usable(answers: &[(usize, u32, u64, ReadingEnd)]) -> Option<u64> {
        let query = Query::words("sea");
        let mut check = TotalCheck::default();
        let mut last = None;
        for &(records, pages, total, end) in answers {
            let hit = Hit { id: RecordId(1), is_new: true, title: "", text: "", fields: &[] };
            let (hits, total) = (vec![hit; records], Some(StatedTotal::Exactly(total)));
            let answer = QueryOutcome { query: &query, hits: &hits, total, pages, end };
            check.learn(&answer);
            last = check.usable(&answer);
        }
        last.map(StatedTotal::count)
    }

    #[test]
    fn a_total_below_the_records_of_its_answer_is_not_used() {
        assert_eq!(usable(&[(90, 3, 31, ReadingEnd::LastPage)]), None);
        assert_eq!(usable(&[(90, 3, 90, ReadingEnd::LastPage)]), Some(90));
        let contradiction = (90, 3, 31, ReadingEnd::LastPage);
        assert_eq!(usable(&[contradiction, (30, 1, 31, ReadingEnd::Paused)]), None, "nor are others");
        let confirmation = (45, 2, 45, ReadingEnd::LastPage);
        assert_eq!(usable(&[contradiction, confirmation, (30, 1, 31, ReadingEnd::Paused)]), Some(31));
    }

    #[test]
    fn one_total_of_a_page_beside_further_pages_is_a_count_of_the_page() {
        let page = (30, 1, 31, ReadingEnd::Paused);
        assert_eq!(usable(&[page]), None, "31 may be the count of the page and one more");
        assert_eq!(usable(&[page, page]), None);
        assert_eq!(usable(&[(45, 2, 45, ReadingEnd::LastPage), page]), Some(31), "totals are right");
        assert_eq!(usable(&[page, (30, 1, 47, ReadingEnd::Paused), page]), Some(31), "totals differ");
        let last_page = (12, 1, 12, ReadingEnd::LastPage);
        assert_eq!(usable(&[last_page, last_page]), Some(12), "no further page");
    }
}
