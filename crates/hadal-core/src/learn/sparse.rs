//! A row of features most of which are zero: what text becomes.

use serde::{Deserialize, Serialize};

/// Learners ignore indices from here on, so that one wild index cannot ask for gigabytes of weights.
pub const MAX_COLUMNS: usize = 1 << 22;

/// Values by index, sorted, every index once, all values finite and none zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<(u32, f32)>", into = "Vec<(u32, f32)>")]
pub struct Sparse {
    items: Vec<(u32, f32)>,
}

impl Sparse {
    /// A row of items in any order; values of equal indices add up.
    pub fn new(mut items: Vec<(u32, f32)>) -> Sparse {
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
        Sparse { items }
    }

    /// Index and value of what is not zero, by index.
    pub fn items(&self) -> &[(u32, f32)] {
        &self.items
    }

    /// Inner product; indices beyond the weights count as 0.
    pub fn dot(&self, weights: &[f32]) -> f32 {
        let products = self.within(weights.len()).map(|(index, value)| value * f64::from(weights[index]));
        products.sum::<f64>() as f32
    }

    /// Euclidean length.
    pub fn norm(&self) -> f32 {
        self.squared().sqrt() as f32
    }

    /// The row at length 1; an empty row stays empty.
    pub fn normalised(self) -> Sparse {
        let norm = self.squared().sqrt();
        let scale = |(index, value): (u32, f32)| (index, (f64::from(value) / norm) as f32);
        Sparse::new(self.items.into_iter().map(scale).collect())
    }

    /// Items with an index below `columns`, ready for arithmetic.
    pub(super) fn within(&self, columns: usize) -> impl Iterator<Item = (usize, f64)> {
        let items = self.items.iter().map(|&(index, value)| (index as usize, f64::from(value)));
        items.take_while(move |&(index, _)| index < columns)
    }

    /// Square of the length, in full precision.
    pub(super) fn squared(&self) -> f64 {
        self.items.iter().map(|&(_, value)| f64::from(value).powi(2)).sum()
    }
}

impl From<Vec<(u32, f32)>> for Sparse {
    fn from(items: Vec<(u32, f32)>) -> Sparse {
        Sparse::new(items)
    }
}

impl From<Sparse> for Vec<(u32, f32)> {
    fn from(row: Sparse) -> Vec<(u32, f32)> {
        row.items
    }
}

/// How many weights a learner needs for `rows`.
pub(super) fn columns(rows: &[Sparse]) -> usize {
    let last = rows.iter().filter_map(|row| row.within(MAX_COLUMNS).last());
    last.map(|(index, _)| index + 1).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_sorted_merged_and_cleaned() {
        let row =
            Sparse::new(vec![(7, 1.0), (2, 3.0), (7, 0.5), (4, f32::NAN), (9, 1.0), (9, -1.0), (1, 0.0)]);
        assert_eq!(row.items(), [(2, 3.0), (7, 1.5)]);
    }

    #[test]
    fn sums_that_overflow_are_dropped() {
        assert!(Sparse::new(vec![(1, f32::MAX), (1, f32::MAX)]).items().is_empty());
    }

    #[test]
    fn indices_beyond_the_weights_count_as_zero() {
        let row = Sparse::new(vec![(0, 2.0), (1, 3.0), (900, 5.0)]);
        assert_eq!(row.dot(&[10.0, 100.0]), 320.0);
        assert_eq!(row.dot(&[]), 0.0);
    }

    #[test]
    fn normalising_gives_length_one_even_to_huge_values() {
        let row = Sparse::new(vec![(3, 3.0), (4, -4.0)]).normalised();
        assert_eq!(row.items(), [(3, 0.6), (4, -0.8)]);
        let huge = Sparse::new(vec![(0, 3e38), (1, 3e38)]).normalised();
        assert!((huge.norm() - 1.0).abs() < 1e-6);
        assert_eq!(Sparse::default().normalised(), Sparse::default());
    }

    #[test]
    fn a_wild_index_asks_for_no_memory() {
        let rows = [Sparse::new(vec![(5, 1.0), (u32::MAX, 1.0)]), Sparse::default()];
        assert_eq!(columns(&rows), 6);
    }
}
