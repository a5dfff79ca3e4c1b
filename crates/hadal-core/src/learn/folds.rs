//! Folds for cross-validation in which no group (a site) is both learned from and judged.

use super::random::Random;
use std::collections::BTreeMap;

/// A fold from 0 to `k - 1` for every row; rows of one group share a fold. The largest groups are dealt
/// first, each into the emptiest fold, so folds are about equally large; `seed` orders groups of one size.
pub fn grouped<G: Ord + Clone>(groups: &[G], k: usize, seed: u64) -> Vec<usize> {
    let mut members = members(groups);
    Random::new(seed).shuffle(&mut members);
    members.sort_by_key(|rows| std::cmp::Reverse(rows.len()));
    let mut sizes = vec![0; k.max(1)];
    let mut folds = vec![0; groups.len()];
    for rows in members {
        let emptiest = (0..sizes.len()).min_by_key(|&fold| sizes[fold]).unwrap_or(0);
        sizes[emptiest] += rows.len();
        rows.iter().for_each(|&row| folds[row] = emptiest);
    }
    folds
}

/// The rows of each group, groups in order.
pub(super) fn members<G: Ord>(groups: &[G]) -> Vec<Vec<usize>> {
    let mut members: BTreeMap<&G, Vec<usize>> = BTreeMap::new();
    groups.iter().enumerate().for_each(|(row, group)| members.entry(group).or_default().push(row));
    members.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SITES: [&str; 12] = ["a", "a", "a", "b", "c", "d", "b", "e", "f", "a", "g", "h"];

    fn sizes(folds: &[usize], k: usize) -> Vec<usize> {
        (0..k).map(|fold| folds.iter().filter(|&&of| of == fold).count()).collect()
    }

    #[test]
    fn rows_of_one_site_share_a_fold_and_folds_are_balanced() {
        let folds = grouped(&SITES, 3, 1);
        for rows in members(&SITES) {
            assert!(rows.iter().all(|&row| folds[row] == folds[rows[0]]));
        }
        assert_eq!(sizes(&folds, 3), [4, 4, 4]);
    }

    #[test]
    fn the_largest_site_is_dealt_first_whatever_the_seed() {
        let sites = ["a", "b", "c", "d", "z", "z", "z", "z"];
        assert!((0..20).all(|seed| sizes(&grouped(&sites, 2, seed), 2) == [4, 4]));
    }

    #[test]
    fn the_seed_decides_among_sites_of_one_size() {
        assert_eq!(grouped(&SITES, 3, 1), grouped(&SITES, 3, 1));
        assert!((2..20).any(|seed| grouped(&SITES, 3, seed) != grouped(&SITES, 3, 1)));
    }

    #[test]
    fn fewer_sites_than_folds_leave_folds_empty() {
        assert_eq!(sizes(&grouped(&["a", "b"], 4, 1), 4), [1, 1, 0, 0]);
        assert_eq!(grouped(&["a", "b"], 0, 1), [0, 0]);
        assert!(grouped::<u8>(&[], 3, 1).is_empty());
    }
}
