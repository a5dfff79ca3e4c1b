//! Spherical k-means clustering.
//!
//! The similarity of two rows is the cosine, which does not depend on the length of texts. Starting centres are
//! drawn by k-means++ (Arthur and Vassilvitskii 2007) several times, and the clustering with the largest total
//! similarity is kept. The number of clusters is chosen by the silhouette (Rousseeuw 1987).

use super::rng::Rng;
use super::sparse::{SparseRow, columns};

/// Partition of rows into clusters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clusters {
    /// Cluster of each row.
    pub of: Vec<usize>,
    /// Number of clusters. None is empty.
    pub count: usize,
}

impl Clusters {
    /// Rows of a cluster, in order.
    pub fn members(&self, cluster: usize) -> impl Iterator<Item = usize> {
        self.of.iter().enumerate().filter(move |(_, of)| **of == cluster).map(|(row, _)| row)
    }
}

/// Number of random starts. Guess.
const STARTS: usize = 8;
/// Maximum number of iterations per start. Guess.
const MAX_ROUNDS: usize = 60;

/// Partitions `rows` into at most `k` clusters, fewer if there are fewer different rows.
pub fn k_means(rows: &[SparseRow], k: usize, seed: u64) -> Clusters {
    let rows: Vec<SparseRow> = rows.iter().map(|row| row.clone().normalised()).collect();
    let width = columns(&rows);
    let mut random = Rng::new(seed);
    let mut best: Option<(f64, Clusters)> = None;
    for _ in 0..STARTS {
        let (similarity, found) = iterate(&rows, draw_centres(&rows, k.max(1), width, &mut random));
        if best.as_ref().is_none_or(|(most, _)| similarity > *most) {
            best = Some((similarity, found));
        }
    }
    best.map_or(Clusters { of: Vec::new(), count: 0 }, |(_, clusters)| clusters)
}

/// Clustering into 2 to `max_clusters` clusters with the best silhouette, and its silhouette.
pub fn best(rows: &[SparseRow], max_clusters: usize, seed: u64) -> (Clusters, f64) {
    let grouped = (2..=max_clusters.min(rows.len())).map(|k| k_means(rows, k, seed));
    let judged = grouped.map(|clusters| {
        let silhouette = silhouette(rows, &clusters);
        (clusters, silhouette)
    });
    // The smallest number of clusters wins a tie.
    let chosen = judged.reduce(|kept, next| if next.1 > kept.1 { next } else { kept });
    chosen.unwrap_or_else(|| (k_means(rows, 1, seed), 0.0))
}

/// Mean silhouette of the rows: `(b - a) / max(a, b)`, where `a` is the mean cosine distance of a row to the
/// other rows of its cluster and `b` the smallest mean distance to the rows of another cluster. From -1
/// (wrong clusters) to 1 (well separated). A row alone in its cluster counts 0.
pub fn silhouette(rows: &[SparseRow], clusters: &Clusters) -> f64 {
    let rows: Vec<SparseRow> = rows.iter().map(|row| row.clone().normalised()).collect();
    let sums = sums(&rows, clusters);
    let sizes: Vec<f64> = (0..clusters.count).map(|at| clusters.members(at).count() as f64).collect();
    let of_row = |(row, own): (&SparseRow, &usize)| {
        if sizes[*own] < 2.0 {
            return 0.0;
        }
        // The sum of the cosines with all rows of a cluster is the product with the sum of these rows.
        let similarity = |at: usize| f64::from(row.dot(&sums[at]));
        let near = 1.0 - (similarity(*own) - row.squared()) / (sizes[*own] - 1.0);
        let others = (0..clusters.count).filter(|at| at != own).map(|at| 1.0 - similarity(at) / sizes[at]);
        let far = others.fold(f64::INFINITY, f64::min);
        let wider = near.max(far);
        if far.is_finite() && wider > 1e-9 { (far - near) / wider } else { 0.0 }
    };
    rows.iter().zip(&clusters.of).map(of_row).sum::<f64>() / rows.len().max(1) as f64
}

/// Sum of the rows of each cluster.
fn sums(rows: &[SparseRow], clusters: &Clusters) -> Vec<Vec<f32>> {
    let mut sums = vec![vec![0.0; columns(rows)]; clusters.count];
    for (row, &own) in rows.iter().zip(&clusters.of) {
        row.within(sums[own].len()).for_each(|(index, value)| sums[own][index] += value as f32);
    }
    sums
}

/// Draws starting centres among the rows. The probability of a row is proportional to its distance from the centres
/// drawn before.
fn draw_centres(rows: &[SparseRow], k: usize, width: usize, random: &mut Rng) -> Vec<Vec<f32>> {
    let mut centres: Vec<Vec<f32>> = Vec::new();
    let mut far = vec![1.0f64; rows.len()];
    while centres.len() < k {
        let total: f64 = far.iter().sum();
        if total < 1e-6 {
            break;
        }
        let mut left = random.fraction() * total;
        let drawn = far.iter().position(|distance| {
            left -= distance;
            left < 0.0
        });
        let mut centre = vec![0.0; width];
        let row = &rows[drawn.unwrap_or(rows.len() - 1)];
        row.within(width).for_each(|(index, value)| centre[index] = value as f32);
        for (row, far) in rows.iter().zip(&mut far) {
            *far = far.min(distance(row, &centre));
        }
        centres.push(centre);
    }
    centres
}

fn distance(row: &SparseRow, centre: &[f32]) -> f64 {
    // Rounding can leave a small distance between equal rows.
    let distance = 1.0 - f64::from(row.dot(centre));
    if distance < 1e-5 { 0.0 } else { distance }
}

/// Iterates until the clusters no longer change. Returns the total similarity of the rows to their centres, and the
/// clusters.
fn iterate(rows: &[SparseRow], mut centres: Vec<Vec<f32>>) -> (f64, Clusters) {
    let mut clusters = Clusters { of: vec![usize::MAX; rows.len()], count: 0 };
    let mut similarity = 0.0;
    for _ in 0..MAX_ROUNDS {
        let nearest: Vec<(usize, f32)> = rows.iter().map(|row| nearest(row, &centres)).collect();
        similarity = nearest.iter().map(|(_, similarity)| f64::from(*similarity)).sum();
        let next = numbered(nearest.iter().map(|(at, _)| *at).collect());
        if next == clusters {
            break;
        }
        centres = sums(rows, &next).into_iter().map(normalised).collect();
        clusters = next;
    }
    (similarity, clusters)
}

fn nearest(row: &SparseRow, centres: &[Vec<f32>]) -> (usize, f32) {
    let similarity = centres.iter().map(|centre| row.dot(centre)).enumerate();
    similarity.reduce(|kept, next| if next.1 > kept.1 { next } else { kept }).unwrap_or((0, 0.0))
}

/// Renumbers clusters by their first row, so that none is empty.
fn numbered(of: Vec<usize>) -> Clusters {
    let mut order: Vec<usize> = Vec::new();
    let number = |group: usize| {
        order.iter().position(|known| *known == group).unwrap_or_else(|| {
            order.push(group);
            order.len() - 1
        })
    };
    let of: Vec<usize> = of.into_iter().map(number).collect();
    Clusters { count: order.len(), of }
}

fn normalised(mut sum: Vec<f32>) -> Vec<f32> {
    let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt().max(1e-9);
    sum.iter_mut().for_each(|value| *value /= length);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows about three things that share a little: word 0 is everywhere.
    fn three() -> (Vec<SparseRow>, Vec<usize>) {
        let mut random = Rng::new(5);
        let kinds: Vec<usize> = (0..60).map(|row| row % 3).collect();
        let row = |kind: &usize| {
            let own = (0..4).map(|_| (1 + 10 * *kind as u32 + random.below(6) as u32, 1.0));
            SparseRow::new(own.chain([(0, 0.5)]).collect())
        };
        (kinds.iter().map(row).collect(), kinds)
    }

    #[test]
    fn known_clusters_are_found() {
        let (rows, kinds) = three();
        assert_eq!(k_means(&rows, 3, 1).of, kinds);
    }

    #[test]
    fn the_silhouette_finds_the_number_of_clusters() {
        let (rows, kinds) = three();
        let (clusters, silhouette) = best(&rows, 8, 1);
        assert_eq!((clusters.count, &clusters.of), (3, &kinds));
        assert!(silhouette > 0.3, "{silhouette}");
    }

    #[test]
    fn the_silhouette_by_hand() {
        let row = |index| SparseRow::new(vec![(index, 1.0)]);
        let rows = [row(0), row(0), row(1), row(1)];
        let apart = Clusters { of: vec![0, 0, 1, 1], count: 2 };
        assert!((silhouette(&rows, &apart) - 1.0).abs() < 1e-6);
        let mixed = Clusters { of: vec![0, 1, 0, 1], count: 2 };
        // Own group at distance 1, the other at one half: (0.5 - 1) / 1.
        assert!((silhouette(&rows, &mixed) + 0.5).abs() < 1e-6);
        let alone = Clusters { of: vec![0, 1, 2, 3], count: 4 };
        assert_eq!(silhouette(&rows, &alone), 0.0);
    }

    #[test]
    fn equal_seeds_give_equal_clusters() {
        let (rows, _) = three();
        assert_eq!(k_means(&rows, 5, 9), k_means(&rows, 5, 9));
    }

    #[test]
    fn fewer_different_rows_than_clusters_are_handled() {
        let same = vec![SparseRow::new(vec![(3, 2.0)]); 4];
        assert_eq!(k_means(&same, 3, 1), Clusters { of: vec![0; 4], count: 1 });
        assert_eq!(best(&same, 6, 1).0.count, 1);
        assert_eq!(k_means(&[], 3, 1).count, 0);
        assert_eq!(best(&[], 3, 1).0.count, 0);
        let empty = vec![SparseRow::default(); 3];
        assert!(
            k_means(&empty, 2, 1).of.len() == 3 && silhouette(&empty, &k_means(&empty, 2, 1)).is_finite()
        );
    }
}
