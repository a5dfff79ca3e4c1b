//! Growing: a node is split by the test with the best gain ratio among the tests with at least average gain.

use super::{cell, majority};

/// Differences in bits below this count as 0, as in C4.5.
const EPSILON: f64 = 1e-3;

/// Depth limit that protects the call stack. Guess; useful trees are far shallower.
const MAX_DEPTH: usize = 400;

/// Training rows and classes.
pub(super) struct TrainingTable<'a> {
    rows: &'a [Vec<f32>],
    classes: &'a [usize],
    n_classes: usize,
    /// Sorted values of each column over all rows. Thresholds are chosen among them.
    values: Vec<Vec<f32>>,
}

/// Node of a tree during training. The row counts are `counts`, by class.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GrownNode {
    pub counts: Vec<u32>,
    pub split: Option<GrownSplit>,
}

/// Split of a column with its lower side (values up to the threshold) and its upper side.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GrownSplit {
    pub column: usize,
    pub threshold: f32,
    pub sides: Box<(GrownNode, GrownNode)>,
}

/// Best threshold of one column, before a split is made of it.
#[derive(Clone, Debug)]
struct CandidateSplit {
    column: usize,
    threshold: f32,
    /// Information gain in bits per row, minus the cost of encoding the threshold.
    gain: f64,
    /// Entropy in bits per row of the split itself: the denominator of the gain ratio.
    info: f64,
}

impl<'a> TrainingTable<'a> {
    pub fn new(rows: &'a [Vec<f32>], classes: &'a [usize], n_classes: usize) -> TrainingTable<'a> {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let values = (0..columns).map(|column| {
            let mut values: Vec<f32> = rows.iter().map(|row| cell(row, column)).collect();
            values.sort_by(f32::total_cmp);
            values
        });
        TrainingTable { rows, classes, n_classes, values: values.collect() }
    }

    pub fn counts(&self, cases: &[usize]) -> Vec<u32> {
        let mut counts = vec![0; self.n_classes];
        cases.iter().for_each(|&case| counts[self.classes[case]] += 1);
        counts
    }

    /// Splits row numbers into those up to the threshold and those above it.
    pub fn divide(&self, cases: &[usize], column: usize, threshold: f32) -> (Vec<usize>, Vec<usize>) {
        cases.iter().partition(|&&case| cell(&self.rows[case], column) <= threshold)
    }
}

impl GrownNode {
    pub fn leaf(counts: Vec<u32>) -> GrownNode {
        GrownNode { counts, split: None }
    }

    /// Training rows that end in a leaf of another class than their own.
    fn errors(&self) -> u32 {
        match &self.split {
            Some(split) => split.sides.0.errors() + split.sides.1.errors(),
            None => self.counts.iter().sum::<u32>() - majority(&self.counts).1,
        }
    }
}

/// Grows the unpruned tree of the rows `cases`.
pub(super) fn grow(table: &TrainingTable, cases: &[usize], min_leaf: f64) -> GrownNode {
    grow_at(table, cases, min_leaf, 0)
}

fn grow_at(table: &TrainingTable, cases: &[usize], min_leaf: f64, depth: usize) -> GrownNode {
    let leaf = GrownNode::leaf(table.counts(cases));
    let total = cases.len() as f64;
    if leaf.errors() == 0 || total < 2.0 * min_leaf || depth == MAX_DEPTH {
        return leaf;
    }
    let tests: Vec<CandidateSplit> =
        (0..table.values.len()).filter_map(|column| best_threshold(table, column, cases, min_leaf)).collect();
    let Some(test) = best_test(&tests) else { return leaf };
    let (lower, upper) = table.divide(cases, test.column, test.threshold);
    let side = |cases: &[usize]| grow_at(table, cases, min_leaf, depth + 1);
    let sides = Box::new((side(&lower), side(&upper)));
    let split = GrownSplit { column: test.column, threshold: test.threshold, sides };
    let node = GrownNode { counts: leaf.counts.clone(), split: Some(split) };
    if node.errors() < leaf.errors() { node } else { leaf }
}

/// Test with the best gain ratio among those with at least average gain. The ratio alone would favour splits
/// that separate only a few rows.
fn best_test(tests: &[CandidateSplit]) -> Option<&CandidateSplit> {
    let average = tests.iter().map(|test| test.gain).sum::<f64>() / tests.len() as f64;
    let worthy = tests.iter().filter(|test| test.gain >= average - EPSILON && test.info > EPSILON);
    worthy.rev().max_by(|a, b| (a.gain / a.info).total_cmp(&(b.gain / b.info)))
}

/// Threshold of a column with the highest information gain. `None` if the gain does not exceed
/// `log2(number of thresholds) / rows`, the cost of encoding the threshold (Quinlan 1996).
fn best_threshold(
    table: &TrainingTable,
    column: usize,
    cases: &[usize],
    min_leaf: f64,
) -> Option<CandidateSplit> {
    let mut sorted: Vec<(f32, usize)> =
        cases.iter().map(|&case| (cell(&table.rows[case], column), table.classes[case])).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total = sorted.len() as f64;
    // Smallest part of a split of a continuous feature in C4.5 release 8.
    let least = (0.1 * total / table.n_classes as f64).min(25.0).max(min_leaf);
    let (mut lower, mut upper) = (vec![0; table.n_classes], table.counts(cases));
    let before = bits(&upper);
    let (mut tries, mut best) = (0, None::<(f64, usize)>);
    for (at, pair) in sorted.windows(2).enumerate() {
        lower[pair[0].1] += 1;
        upper[pair[0].1] -= 1;
        let below = (at + 1) as f64;
        if pair[0].0 == pair[1].0 || below < least || total - below < least {
            continue;
        }
        tries += 1;
        let gain = (before - bits(&lower) - bits(&upper)) / total;
        if best.is_none_or(|(most, _)| gain > most) {
            best = Some((gain, at));
        }
    }
    let (gain, at) = best?;
    let gain = gain - f64::from(tries).log2() / total;
    let info = bits(&[at as u32 + 1, (sorted.len() - at - 1) as u32]) / total;
    let threshold = highest_below(&table.values[column], sorted[at].0, sorted[at + 1].0);
    (gain > 0.0).then_some(CandidateSplit { column, threshold, gain, info })
}

/// Highest value of the column in all training rows that is at most the midpoint of `low` and `high`.
fn highest_below(values: &[f32], low: f32, high: f32) -> f32 {
    let halfway = (f64::from(low) + f64::from(high)) / 2.0;
    let above = values.partition_point(|&value| f64::from(value) <= halfway);
    values[..above].last().copied().unwrap_or(low)
}

/// Entropy of a class distribution in bits, times the number of rows.
fn bits(counts: &[u32]) -> f64 {
    let weighted = |count: u32| if count == 0 { 0.0 } else { f64::from(count) * f64::from(count).log2() };
    weighted(counts.iter().sum()) - counts.iter().map(|&count| weighted(count)).sum::<f64>()
}

#[cfg(test)]
pub(super) mod fixture {
    /// Quinlan's fourteen days: outlook (sunny 0, overcast 1, rain 2), temperature, humidity, windy; play?
    pub fn golf() -> (Vec<Vec<f32>>, Vec<usize>) {
        let days: [([u8; 4], usize); 14] = [
            ([0, 75, 70, 1], 1),
            ([0, 80, 90, 1], 0),
            ([0, 85, 85, 0], 0),
            ([0, 72, 95, 0], 0),
            ([0, 69, 70, 0], 1),
            ([1, 72, 90, 1], 1),
            ([1, 83, 78, 0], 1),
            ([1, 64, 65, 1], 1),
            ([1, 81, 75, 0], 1),
            ([2, 71, 80, 1], 0),
            ([2, 65, 70, 1], 0),
            ([2, 75, 80, 0], 1),
            ([2, 68, 80, 0], 1),
            ([2, 70, 96, 0], 1),
        ];
        days.iter().map(|(day, play)| (day.map(f32::from).to_vec(), *play)).unzip()
    }
}

#[cfg(test)]
mod tests {
    use super::fixture::golf;
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 5e-4
    }

    #[test]
    fn the_information_in_quinlans_days() {
        assert!(close(bits(&[5, 9]) / 14.0, 0.940));
        assert_eq!(bits(&[7, 0]), 0.0);
    }

    #[test]
    fn gain_and_ratio_of_wind_are_quinlans() {
        let (rows, classes) = golf();
        let cases: Vec<usize> = (0..14).collect();
        let windy = best_threshold(&TrainingTable::new(&rows, &classes, 2), 3, &cases, 2.0)
            .expect("wind tells something");
        assert!(close(windy.gain, 0.048) && close(windy.info, 0.985), "{windy:?}");
        assert_eq!(windy.threshold, 0.0);
    }

    #[test]
    fn a_threshold_pays_for_being_named() {
        // Sunny or not gains 0.102 bits; one of two thresholds costs log2(2)/14.
        let (rows, classes) = golf();
        let cases: Vec<usize> = (0..14).collect();
        let outlook =
            best_threshold(&TrainingTable::new(&rows, &classes, 2), 0, &cases, 2.0).expect("still a gain");
        assert!(close(outlook.gain, 0.1022 - 1.0 / 14.0) && outlook.threshold == 0.0, "{outlook:?}");
    }

    #[test]
    fn thresholds_are_values_of_the_whole_data() {
        let (rows, classes) = golf();
        let table = TrainingTable::new(&rows, &classes, 2);
        let humidity =
            best_threshold(&table, 2, &[0, 1, 2, 3, 4], 2.0).expect("sunny days differ in humidity");
        // Halfway between 70 and 85 is 77.5; the highest day below it had 75: Quinlan's threshold.
        assert_eq!(humidity.threshold, 75.0);
        // Two cuts leave at least two rows on each side; naming one of them costs log2(2)/5.
        assert!(close(humidity.gain, 0.971 - 1.0 / 5.0), "{humidity:?}");
    }

    #[test]
    fn the_ratio_decides_among_tests_of_average_gain() {
        let test = |column, gain, info| CandidateSplit { column, threshold: 0.0, gain, info };
        let tests = [test(0, 0.1, 0.1), test(1, 0.5, 1.0), test(2, 0.45, 0.8)];
        assert_eq!(best_test(&tests).map(|test| test.column), Some(2));
        assert!(best_test(&[]).is_none());
    }

    #[test]
    fn splits_that_mend_no_error_are_not_made() {
        let rows: Vec<Vec<f32>> = (0..40u8).map(|at| vec![f32::from(at)]).collect();
        let classes: Vec<usize> = (0..40).map(|at| usize::from(at == 3 || at == 9 || at == 14)).collect();
        let table = TrainingTable::new(&rows, &classes, 2);
        assert_eq!(grow(&table, &(0..40).collect::<Vec<_>>(), 10.0), GrownNode::leaf(vec![37, 3]));
    }
}
