//! Rows of plain numbers, as the trees read them.

/// Far enough out for any measurement, near enough for halfway points not to overflow.
const FARTHEST: f32 = 1e30;

/// A number of a row; what is missing or no number counts as 0.
pub(super) fn cell(row: &[f32], column: usize) -> f32 {
    let value = row.get(column).copied().unwrap_or(0.0);
    if value.is_nan() { 0.0 } else { value.clamp(-FARTHEST, FARTHEST) }
}

/// How many columns the widest row has.
pub(super) fn columns(rows: &[Vec<f32>]) -> usize {
    rows.iter().map(Vec::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_stands_in_a_row_is_read_as_a_number() {
        let row = [1.5, f32::NAN, f32::INFINITY];
        assert_eq!((0..4).map(|column| cell(&row, column)).collect::<Vec<_>>(), [1.5, 0.0, FARTHEST, 0.0]);
        assert_eq!(columns(&[vec![], row.to_vec()]), 3);
    }
}
