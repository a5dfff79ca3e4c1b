//! Result cap: the maximum number of records that a form shows for one query, learned from its answers.
//!
//! Two observations show the cap:
//! - An answer ends on its last page with clearly fewer records than its exact stated total. A few records
//!   may be missing for other reasons: totals often count a record twice, or one that is hidden.
//! - Several answers have the same length and none is longer. Numbers of matches are rarely equal by chance.

use super::{QueryOutcome, ReadingEnd, StatedTotal};

/// Number of answers of the greatest length that shows the cap without a total. Guess.
const REPEATS: u32 = 3;

/// Least cap that is accepted without a total, in records. Shorter answers are often equal by chance. Guess.
const MIN_CAP: u32 = 5;

/// Share of the stated total that may be missing in an answer without a cap. Guess.
const MISSING_SHARE: f64 = 0.1;

/// Number of records that may be missing in an answer without a cap. Guess.
const MISSING_RECORDS: f64 = 2.0;

/// Learns the result cap from answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResultCap {
    /// Length of the longest complete reading, in records.
    longest: u32,
    /// Number of answers of that length.
    repeats: u32,
    /// Length of an answer that was shorter than its total.
    cut_at: Option<u32>,
}

impl ResultCap {
    /// Learns from an answer. Answers that were not read to the last page are ignored.
    pub fn learn(&mut self, answer: &QueryOutcome<'_>) {
        let shown = answer.records_read() as u32;
        if answer.end != ReadingEnd::LastPage || shown == 0 {
            return;
        }
        if let Some(StatedTotal::Exactly(total)) = answer.total
            && is_clearly_below(shown, total)
            && shown >= self.longest
        {
            self.cut_at = Some(shown);
        }
        match shown.cmp(&self.longest) {
            std::cmp::Ordering::Greater => (self.longest, self.repeats) = (shown, 1),
            std::cmp::Ordering::Equal => self.repeats += 1,
            std::cmp::Ordering::Less => {}
        }
    }

    /// Returns true if the form shows fewer records than match the query, although all pages were read: the answer
    /// reaches the cap, or is below its exact total.
    pub fn cuts(&self, answer: &QueryOutcome<'_>) -> bool {
        let shown = answer.records_read();
        let at_cap = self.value().is_some_and(|cap| shown >= u64::from(cap));
        let is_below_total = matches!(answer.total, Some(StatedTotal::Exactly(total)) if total > shown);
        answer.end == ReadingEnd::LastPage && (at_cap || is_below_total)
    }

    /// Returns the cap in records, or `None` while it is unknown.
    pub fn value(&self) -> Option<u32> {
        let cut_at = self.cut_at.filter(|cut_at| *cut_at >= self.longest);
        cut_at.or((self.repeats >= REPEATS && self.longest >= MIN_CAP).then_some(self.longest))
    }
}

fn is_clearly_below(shown: u32, total: u64) -> bool {
    let missing = total as f64 - f64::from(shown);
    missing > MISSING_RECORDS && missing > MISSING_SHARE * total as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::policy::Hit;
    use crate::harvest::query::Query;
    use crate::harvest::record::RecordId;

    fn cap_after(answers: &[(usize, Option<StatedTotal>, ReadingEnd)]) -> Option<u32> {
        let query = Query::words("sea");
        let mut cap = ResultCap::default();
        for (shown, total, end) in answers {
            let hit = Hit { id: RecordId(1), is_new: true, title: "", text: "", fields: &[] };
            cap.learn(&QueryOutcome {
                query: &query,
                hits: &vec![hit; *shown],
                total: *total,
                pages: 1,
                end: *end,
            });
        }
        cap.value()
    }

    #[test]
    fn the_longest_answer_repeated_is_the_cap() {
        let [forty, fifty] = [40, 50].map(|shown| (shown, None, ReadingEnd::LastPage));
        assert_eq!(cap_after(&[fifty, forty, fifty]), None);
        assert_eq!(cap_after(&[fifty, forty, fifty, fifty]), Some(50));
        assert_eq!(cap_after(&[forty, forty, forty, fifty]), None, "a longer answer refutes it");
    }

    #[test]
    fn an_exact_total_above_the_answer_length_shows_the_cap() {
        assert_eq!(cap_after(&[(50, Some(StatedTotal::Exactly(90)), ReadingEnd::LastPage)]), Some(50));
        assert_eq!(cap_after(&[(50, Some(StatedTotal::Exactly(90)), ReadingEnd::Paused)]), None);
        assert_eq!(cap_after(&[(50, Some(StatedTotal::Exactly(50)), ReadingEnd::LastPage)]), None);
        let nearly_all = (50, Some(StatedTotal::Exactly(52)), ReadingEnd::LastPage);
        assert_eq!(cap_after(&[nearly_all]), None, "two records may be counted twice");
        let rounded = (50, Some(StatedTotal::About(60)), ReadingEnd::LastPage);
        assert_eq!(cap_after(&[rounded]), None, "rounded totals may be wrong");
    }

    #[test]
    fn short_and_failed_answers_show_no_cap() {
        assert_eq!(cap_after(&[(2, None, ReadingEnd::LastPage); 9]), None);
        assert_eq!(cap_after(&[(50, None, ReadingEnd::Failed); 9]), None);
    }
}
