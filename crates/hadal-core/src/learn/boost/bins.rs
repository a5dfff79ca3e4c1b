//! Columns cut into at most 256 bins, so that a split is found by adding up instead of sorting.
//!
//! A column of no more than 256 distinct values is cut between all of them: its splits are exact.

use super::super::dense::{self, cell};

/// As many bins as a byte can number.
pub(super) const MAX_BINS: usize = 256;

/// One column of the training rows.
pub(super) struct Column {
    /// Rising; bin `i` holds the values below `cuts[i]`, the last bin the rest.
    pub cuts: Vec<f32>,
    /// Bin of every row.
    pub bins: Vec<u8>,
}

/// All columns of `rows`.
pub(super) fn columns(rows: &[Vec<f32>]) -> Vec<Column> {
    let columns = (0..dense::columns(rows)).map(|column| {
        let values: Vec<f32> = rows.iter().map(|row| cell(row, column)).collect();
        let cuts = cuts(values.clone());
        let bins = values.iter().map(|value| cuts.partition_point(|cut| cut <= value) as u8).collect();
        Column { cuts, bins }
    });
    columns.collect()
}

/// Halfway between neighbouring values; between groups of similar size where there are too many values.
fn cuts(mut values: Vec<f32>) -> Vec<f32> {
    values.sort_by(f32::total_cmp);
    let groups: Vec<&[f32]> = values.chunk_by(|a, b| a == b).collect();
    let fewest = if groups.len() <= MAX_BINS { 1 } else { values.len().div_ceil(MAX_BINS) };
    let mut cuts = Vec::new();
    let mut held = 0;
    for pair in groups.windows(2) {
        held += pair[0].len();
        if held >= fewest {
            cuts.push(halfway(pair[0][0], pair[1][0]));
            held = 0;
        }
    }
    cuts
}

/// A number above `low` and not above `high`.
fn halfway(low: f32, high: f32) -> f32 {
    let middle = low + (high - low) / 2.0;
    if middle > low { middle } else { high }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_are_cut_between_all_of_them() {
        let rows: Vec<Vec<f32>> = [3.0, 1.0, 1.0, 2.0].iter().map(|&value| vec![value]).collect();
        let column = &columns(&rows)[0];
        assert_eq!((column.cuts.as_slice(), column.bins.as_slice()), (&[1.5, 2.5][..], &[2, 0, 0, 1][..]));
    }

    #[test]
    fn many_values_share_bins_of_similar_size() {
        let rows: Vec<Vec<f32>> = (0..10_000u16).map(|value| vec![f32::from(value)]).collect();
        let column = &columns(&rows)[0];
        assert!((200..MAX_BINS).contains(&column.cuts.len()));
        let sizes = (0..=255).map(|bin| column.bins.iter().filter(|&&of| of == bin).count());
        assert!(sizes.max().is_some_and(|largest| largest <= 50));
    }

    #[test]
    fn cuts_separate_even_the_closest_numbers() {
        let next = f32::from_bits(1.0f32.to_bits() + 1);
        let cut = halfway(1.0, next);
        assert!(1.0 < cut && cut <= next);
    }
}
