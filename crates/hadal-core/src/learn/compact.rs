//! Rows over only those indices that occur: hashed features leave most of a table empty, and a learner
//! that walks over whole weight vectors should not pay for that.

use super::sparse::{MAX_COLUMNS, Sparse};

/// Rows renumbered from 0 without gaps.
pub(super) struct Compact {
    /// Position and value of what is not zero.
    pub rows: Vec<Vec<(usize, f64)>>,
    /// The index that each position stands for, rising.
    pub used: Vec<u32>,
}

impl Compact {
    pub fn new(rows: &[Sparse]) -> Compact {
        let occurring = rows.iter().flat_map(|row| row.within(MAX_COLUMNS)).map(|(index, _)| index as u32);
        let mut used: Vec<u32> = occurring.collect();
        used.sort_unstable();
        used.dedup();
        let place = |(index, value): (usize, f64)| Some((used.binary_search(&(index as u32)).ok()?, value));
        let rows = rows.iter().map(|row| row.within(MAX_COLUMNS).filter_map(place).collect()).collect();
        Compact { rows, used }
    }

    /// Weights by index from weights by position, `width` of them side by side for each.
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
    fn gaps_cost_nothing_and_come_back() {
        let rows = [Sparse::new(vec![(2, 1.0), (5, 3.0)]), Sparse::new(vec![(5, 4.0), (u32::MAX, 1.0)])];
        let compact = Compact::new(&rows);
        assert_eq!(compact.used, [2, 5]);
        assert_eq!(compact.rows, [vec![(0, 1.0), (1, 3.0)], vec![(1, 4.0)]]);
        assert_eq!(compact.spread(&[7.0, 8.0], 1), [0.0, 0.0, 7.0, 0.0, 0.0, 8.0]);
        assert_eq!(compact.spread(&[1.0, 2.0, 3.0, 4.0], 2)[10..], [3.0, 4.0]);
    }
}
