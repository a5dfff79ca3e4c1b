//! Sparse feature rows: the form in which text reaches the learners.

use serde::{Deserialize, Serialize};

/// Learners ignore indices from here on, so that one huge index cannot allocate gigabytes of weights. Guess.
pub const MAX_COLUMNS: usize = 1 << 22;

/// Index-value pairs, sorted by index, each index once. Values are finite and not zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<(u32, f32)>", into = "Vec<(u32, f32)>")]
pub struct SparseRow {
    items: Vec<(u32, f32)>,
}

impl SparseRow {
    /// Builds a row from pairs in any order. Values of equal indices are added; non-finite values are dropped.
    pub fn new(mut items: Vec<(u32, f32)>) -> SparseRow {
        items.retain(|(_, value)| value.is_finite());
        items.sort_by_key(|&(index, _)| index);
        items.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        items.retain(|&(_, value)| value != 0.0 && value.is_finite());
        SparseRow { items }
    }

    /// Index-value pairs in rising order of index.
    pub fn items(&self) -> &[(u32, f32)] {
        &self.items
    }

    /// Inner product. Indices beyond `weights` contribute 0.
    pub fn dot(&self, weights: &[f32]) -> f32 {
        let products = self.within(weights.len()).map(|(index, value)| value * f64::from(weights[index]));
        products.sum::<f64>() as f32
    }

    /// Scales the row to length 1. An empty row stays empty.
    pub fn normalised(self) -> SparseRow {
        let norm = self.squared().sqrt();
        let scale = |(index, value): (u32, f32)| (index, (f64::from(value) / norm) as f32);
        SparseRow::new(self.items.into_iter().map(scale).collect())
    }

    /// Pairs with an index below `columns`, in double precision.
    pub(super) fn within(&self, columns: usize) -> impl Iterator<Item = (usize, f64)> {
        let items = self.items.iter().map(|&(index, value)| (index as usize, f64::from(value)));
        items.take_while(move |&(index, _)| index < columns)
    }

    /// Squared Euclidean length in double precision.
    pub(super) fn squared(&self) -> f64 {
        self.items.iter().map(|&(_, value)| f64::from(value).powi(2)).sum()
    }
}

impl From<Vec<(u32, f32)>> for SparseRow {
    fn from(items: Vec<(u32, f32)>) -> SparseRow {
        SparseRow::new(items)
    }
}

impl From<SparseRow> for Vec<(u32, f32)> {
    fn from(row: SparseRow) -> Vec<(u32, f32)> {
        row.items
    }
}

/// Length of the weight vector that `rows` need: largest usable index plus 1.
pub(super) fn columns(rows: &[SparseRow]) -> usize {
    let last = rows.iter().filter_map(|row| row.within(MAX_COLUMNS).last());
    last.map(|(index, _)| index + 1).max().unwrap_or(0)
}

/// Rows renumbered to the indices that occur.
///
/// Hashed features leave most of the index range empty. Learners that iterate over whole weight vectors work on
/// these dense positions instead.
pub(super) struct CompactRows {
    /// Position and value of each non-zero entry.
    pub rows: Vec<Vec<(usize, f64)>>,
    /// Original index of each position, rising.
    pub used: Vec<u32>,
}

impl CompactRows {
    pub fn new(rows: &[SparseRow]) -> CompactRows {
        let occurring = rows.iter().flat_map(|row| row.within(MAX_COLUMNS)).map(|(index, _)| index as u32);
        let mut used: Vec<u32> = occurring.collect();
        used.sort_unstable();
        used.dedup();
        let place = |(index, value): (usize, f64)| Some((used.binary_search(&(index as u32)).ok()?, value));
        let rows = rows.iter().map(|row| row.within(MAX_COLUMNS).filter_map(place).collect()).collect();
        CompactRows { rows, used }
    }

    /// Moves weights from positions back to original indices. Each position has `width` adjacent weights.
    pub fn spread(&self, weights: &[f64], width: usize) -> Vec<f32> {
        let columns = self.used.last().map_or(0, |&last| last as usize + 1);
        let mut spread = vec![0.0; columns * width];
        for (&index, weights) in self.used.iter().zip(weights.chunks(width.max(1))) {
            let cells = &mut spread[index as usize * width..][..width];
            cells.iter_mut().zip(weights).for_each(|(cell, &weight)| *cell = weight as f32);
        }
        spread
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_sorted_merged_and_cleaned() {
        let row =
            SparseRow::new(vec![(7, 1.0), (2, 3.0), (7, 0.5), (4, f32::NAN), (9, 1.0), (9, -1.0), (1, 0.0)]);
        assert_eq!(row.items(), [(2, 3.0), (7, 1.5)]);
    }

    #[test]
    fn sums_that_overflow_are_dropped() {
        assert!(SparseRow::new(vec![(1, f32::MAX), (1, f32::MAX)]).items().is_empty());
    }

    #[test]
    fn indices_beyond_the_weights_count_as_zero() {
        let row = SparseRow::new(vec![(0, 2.0), (1, 3.0), (900, 5.0)]);
        assert_eq!(row.dot(&[10.0, 100.0]), 320.0);
        assert_eq!(row.dot(&[]), 0.0);
    }

    #[test]
    fn normalising_gives_length_one_even_to_huge_values() {
        let row = SparseRow::new(vec![(3, 3.0), (4, -4.0)]).normalised();
        assert_eq!(row.items(), [(3, 0.6), (4, -0.8)]);
        let huge = SparseRow::new(vec![(0, 3e38), (1, 3e38)]).normalised();
        assert!((huge.squared() - 1.0).abs() < 1e-6);
        assert_eq!(SparseRow::default().normalised(), SparseRow::default());
    }

    #[test]
    fn a_huge_index_allocates_no_weights() {
        let rows = [SparseRow::new(vec![(5, 1.0), (u32::MAX, 1.0)]), SparseRow::default()];
        assert_eq!(columns(&rows), 6);
    }

    #[test]
    fn unused_indices_take_no_position_and_are_restored() {
        let rows =
            [SparseRow::new(vec![(2, 1.0), (5, 3.0)]), SparseRow::new(vec![(5, 4.0), (u32::MAX, 1.0)])];
        let compact = CompactRows::new(&rows);
        assert_eq!(compact.used, [2, 5]);
        assert_eq!(compact.rows, [vec![(0, 1.0), (1, 3.0)], vec![(1, 4.0)]]);
        assert_eq!(compact.spread(&[7.0, 8.0], 1), [0.0, 0.0, 7.0, 0.0, 0.0, 8.0]);
        assert_eq!(compact.spread(&[1.0, 2.0, 3.0, 4.0], 2)[10..], [3.0, 4.0]);
    }
}
