//! The most records that a form ever shows for one query, learned from its answers.
//!
//! An answer that ends short of the number of matches it tells gives the cap away. Where no number is told,
//! answers of one length, the longest of all, do: matches are hardly ever equal in number by chance.

use super::{QueryOutcome, ReadingEnd, StatedTotal};

/// Answers of the greatest length that it takes.
const REPEATS: u32 = 3;

/// Shorter answers are often equally long by chance.
const LEAST: u32 = 5;

/// What is known of the cap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResultCap {
    longest: u32,
    repeats: u32,
    told: Option<u32>,
}

impl ResultCap {
    /// Takes in an answer.
    pub fn learn(&mut self, answer: &QueryOutcome<'_>) {
        let shown = answer.query.after + answer.hits.len() as u32;
        if answer.end != ReadingEnd::LastPage || shown == 0 {
            return;
        }
        if let Some(StatedTotal::Exactly(total)) = answer.total
            && total > u64::from(shown)
            && shown >= self.longest
        {
            self.told = Some(shown);
        }
        match shown.cmp(&self.longest) {
            std::cmp::Ordering::Greater => (self.longest, self.repeats) = (shown, 1),
            std::cmp::Ordering::Equal => self.repeats += 1,
            std::cmp::Ordering::Less => {}
        }
    }

    /// The cap, once it is known.
    pub fn value(&self) -> Option<u32> {
        let told = self.told.filter(|told| *told >= self.longest);
        told.or((self.repeats >= REPEATS && self.longest >= LEAST).then_some(self.longest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::policy::Hit;
    use crate::harvest::query::Query;
    use crate::harvest::record::RecordId;

    fn after(answers: &[(usize, Option<StatedTotal>, ReadingEnd)]) -> Option<u32> {
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
        assert_eq!(after(&[fifty, forty, fifty]), None);
        assert_eq!(after(&[fifty, forty, fifty, fifty]), Some(50));
        assert_eq!(after(&[forty, forty, forty, fifty]), None, "a longer answer refutes it");
    }

    #[test]
    fn a_total_beyond_the_end_gives_it_away() {
        assert_eq!(after(&[(50, Some(StatedTotal::Exactly(90)), ReadingEnd::LastPage)]), Some(50));
        assert_eq!(after(&[(50, Some(StatedTotal::Exactly(90)), ReadingEnd::Paused)]), None);
        assert_eq!(after(&[(50, Some(StatedTotal::Exactly(50)), ReadingEnd::LastPage)]), None);
        assert_eq!(
            after(&[(50, Some(StatedTotal::About(60)), ReadingEnd::LastPage)]),
            None,
            "round numbers are off"
        );
    }

    #[test]
    fn short_and_broken_answers_tell_nothing() {
        assert_eq!(after(&[(2, None, ReadingEnd::LastPage); 9]), None);
        assert_eq!(after(&[(50, None, ReadingEnd::Failed); 9]), None);
    }
}
