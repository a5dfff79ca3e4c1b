//! Ranges: two controls for a lower and an upper end, and the parts into which a range is split.

use super::control_words::ValueKind;
use super::number::written;

/// A pair of controls for the lower and the upper end of a range of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct RangeInput {
    /// Kind of number.
    pub kind: ValueKind,
    /// Index of the control of the lower end.
    pub low: usize,
    /// Index of the control of the upper end.
    pub high: usize,
    /// Offered lower ends in rising order, as number and submitted value; empty for a box that takes any number.
    pub lows: Vec<(f64, String)>,
    /// Offered upper ends, in the same form.
    pub highs: Vec<(f64, String)>,
}

/// Part of a range. A missing end keeps the default of its control.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RangePart {
    /// Lower end, inclusive.
    pub low: Option<f64>,
    /// Upper end, inclusive.
    pub high: Option<f64>,
}

impl RangePart {
    /// True if a value lies in this part.
    pub fn holds(&self, value: f64) -> bool {
        self.low.is_none_or(|low| low <= value) && self.high.is_none_or(|high| value <= high)
    }
}

impl RangeInput {
    /// True if both ends take any number.
    pub fn is_free(&self) -> bool {
        self.lows.is_empty() && self.highs.is_empty()
    }

    /// Field values to submit for a part.
    pub fn choices(&self, part: &RangePart) -> Vec<(usize, String)> {
        let low = part.low.map(|low| (self.low, submitted(&self.lows, low)));
        let high = part.high.map(|high| (self.high, submitted(&self.highs, high)));
        low.into_iter().chain(high).collect()
    }

    /// Largest number of parts that `part` can be split into; `None` if both ends take any number.
    pub fn max_parts(&self, part: &RangePart) -> Option<usize> {
        (!self.is_free()).then(|| self.split(part, &self.edges(), 0.0).len())
    }

    /// Splits a part near the values `at`, which must rise. Returns the part itself if it cannot be split there. Values
    /// are multiples of `step`, so that a part may end one `step` below the start of the next.
    pub fn split(&self, part: &RangePart, at: &[f64], step: f64) -> Vec<RangePart> {
        let (mut parts, mut rest) = (Vec::new(), *part);
        for value in at {
            if let Some((left, right)) = self.split_once(&rest, *value, step) {
                parts.push(left);
                rest = right;
            }
        }
        parts.push(rest);
        parts
    }

    /// All offered values at which the range can be split.
    pub fn edges(&self) -> Vec<f64> {
        let offered = if self.highs.is_empty() { &self.lows } else { &self.highs };
        offered.iter().map(|(value, _)| *value).collect()
    }

    /// Value to split a part at when no values of records are known. The constants are guesses: 2010 for years, 5000
    /// for prices, and a factor of 4 for parts with one end.
    pub fn middle(&self, part: &RangePart) -> f64 {
        let usual: f64 = match self.kind {
            ValueKind::Year => 2010.0,
            ValueKind::Price => 5000.0,
            _ => 1000.0,
        };
        match (part.low, part.high) {
            (Some(low), Some(high)) => (low + (high - low) / 2.0).ceil(),
            (Some(low), None) if low >= 1.0 && self.kind != ValueKind::Year => (low * 4.0).ceil(),
            (None, Some(high)) if high >= 8.0 && self.kind != ValueKind::Year => (high / 4.0).ceil(),
            (Some(low), None) => usual.max(low + 4.0),
            (None, Some(high)) => usual.min(high - 4.0),
            (None, None) => usual,
        }
    }

    /// Splits a part into two near one value.
    fn split_once(&self, part: &RangePart, at: f64, step: f64) -> Option<(RangePart, RangePart)> {
        let is_inside =
            |value: f64| part.low.is_none_or(|low| value > low) && part.high.is_none_or(|high| value < high);
        let (end, start) = match (self.lows.is_empty(), self.highs.is_empty()) {
            (true, true) => (at - step, at),
            (false, true) => {
                let start = last(&self.lows, at).filter(|start| is_inside(*start))?;
                (start - step, start)
            }
            (lows_free, false) => {
                let inside = self.highs.iter().map(|(value, _)| *value).filter(|value| is_inside(*value));
                let near = |value: &f64| (value - (at - step)).abs();
                let end = inside.min_by(|a, b| near(a).total_cmp(&near(b)))?;
                let start = if lows_free { end + step } else { self.start_behind(end)? };
                (end, start)
            }
        };
        let advances = part.low.is_none_or(|low| start > low && end >= low)
            && part.high.is_none_or(|high| end < high && start <= high);
        advances.then_some((RangePart { high: Some(end), ..*part }, RangePart { low: Some(start), ..*part }))
    }

    /// Offered lower end that continues after an upper end: the same value if offered, or else the next whole number.
    fn start_behind(&self, end: f64) -> Option<f64> {
        let is_offered = self.lows.iter().any(|(value, _)| *value == end);
        let is_whole = self.lows.iter().chain(&self.highs).all(|(value, _)| value.fract() == 0.0);
        last(&self.lows, if is_whole && !is_offered { end + 1.0 } else { end })
    }
}

/// Largest offered value that does not exceed `most`.
fn last(offered: &[(f64, String)], most: f64) -> Option<f64> {
    offered.iter().map(|(value, _)| *value).rfind(|value| *value <= most)
}

fn submitted(offered: &[(f64, String)], value: f64) -> String {
    let choice = offered.iter().find(|(known, _)| *known == value);
    choice.map_or_else(|| written(value), |(_, text)| text.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(values: &[u32]) -> Vec<(f64, String)> {
        values.iter().map(|value| (f64::from(*value), value.to_string())).collect()
    }

    fn range(lows: &[u32], highs: &[u32]) -> RangeInput {
        RangeInput { kind: ValueKind::Price, low: 1, high: 2, lows: offered(lows), highs: offered(highs) }
    }

    fn ends(parts: &[RangePart]) -> Vec<(Option<f64>, Option<f64>)> {
        parts.iter().map(|part| (part.low, part.high)).collect()
    }

    #[test]
    fn boxes_are_split_anywhere_without_a_gap() {
        let parts = range(&[], &[]).split(&RangePart::default(), &[100.0, 200.0], 1.0);
        assert_eq!(ends(&parts), [(None, Some(99.0)), (Some(100.0), Some(199.0)), (Some(200.0), None)]);
        let point = RangePart { low: Some(5.0), high: Some(5.0) };
        assert_eq!(range(&[], &[]).split(&point, &[5.0], 1.0), [point]);
    }

    #[test]
    fn selects_are_split_at_offered_values() {
        let same = range(&[10, 20, 30], &[10, 20, 30]);
        let parts = same.split(&RangePart::default(), &same.edges(), 1.0);
        let expected =
            [(None, Some(10.0)), (Some(10.0), Some(20.0)), (Some(20.0), Some(30.0)), (Some(30.0), None)];
        assert_eq!(ends(&parts), expected);
        assert_eq!(same.max_parts(&RangePart::default()), Some(4));
        assert_eq!(same.max_parts(&parts[1]), Some(1), "nothing is offered between neighbours");
        let apart = range(&[0, 10, 20], &[9, 19]);
        assert_eq!(
            ends(&apart.split(&RangePart::default(), &[10.0], 1.0)),
            [(None, Some(9.0)), (Some(10.0), None)]
        );
        assert_eq!(
            apart.choices(&RangePart { low: Some(10.0), high: Some(19.0) }),
            [(1, "10".into()), (2, "19".into())]
        );
    }
}
