//! One tree of the boosted sum, grown from its root down.

use super::bins::{Column, MAX_BINS};
use super::{Node, Options};

/// Splits that gain less are rounding.
const LEAST_GAIN: f64 = 1e-6;

/// First and second derivative of the loss, of one row or summed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slope {
    pub slope: f64,
    pub bend: f64,
}

impl Slope {
    fn plus(self, other: Slope) -> Slope {
        Slope { slope: self.slope + other.slope, bend: self.bend + other.bend }
    }

    fn minus(self, other: Slope) -> Slope {
        Slope { slope: self.slope - other.slope, bend: self.bend - other.bend }
    }
}

/// The rows below `column.cuts[cut]` against the others.
struct Split {
    column: usize,
    cut: usize,
}

pub(super) struct Grower<'a> {
    columns: &'a [Column],
    drawn: &'a [usize],
    slopes: &'a [Slope],
    options: &'a Options,
    nodes: Vec<Node>,
}

impl<'a> Grower<'a> {
    pub fn new(
        columns: &'a [Column],
        drawn: &'a [usize],
        slopes: &'a [Slope],
        options: &'a Options,
    ) -> Grower<'a> {
        Grower { columns, drawn, slopes, options, nodes: Vec::new() }
    }

    /// The tree of `rows`, which tests only the columns drawn.
    pub fn grow(mut self, rows: Vec<u32>) -> Vec<Node> {
        self.push(rows, self.options.depth);
        self.nodes
    }

    fn push(&mut self, rows: Vec<u32>, depth: usize) {
        let total = rows.iter().fold(Slope::default(), |sum, &row| sum.plus(self.slopes[row as usize]));
        let split = if depth == 0 { None } else { self.best_split(&rows, total) };
        let Some(split) = split else {
            self.nodes.push(Node::Leaf(self.leaf_value(total)));
            return;
        };
        let column = &self.columns[split.column];
        let (lower, upper) =
            rows.iter().partition(|&&row| usize::from(column.bins[row as usize]) <= split.cut);
        let threshold = column.cuts[split.cut];
        let at = self.nodes.len();
        self.nodes.push(Node::Leaf(0.0));
        self.push(lower, depth - 1);
        self.nodes[at] =
            Node::Split { column: split.column as u32, threshold, upper: self.nodes.len() as u32 };
        self.push(upper, depth - 1);
    }

    /// The split of largest gain, the first of equals.
    fn best_split(&self, rows: &[u32], total: Slope) -> Option<Split> {
        let mut best = None;
        let mut least = LEAST_GAIN;
        for &column in self.drawn {
            let sums = self.sums(column, rows);
            let mut lower = Slope::default();
            for (cut, &sum) in sums.iter().take(self.columns[column].cuts.len()).enumerate() {
                lower = lower.plus(sum);
                let upper = total.minus(lower);
                let light = lower.bend.min(upper.bend) < self.options.min_leaf_weight.max(1e-9);
                let gain = self.worth(lower) + self.worth(upper) - self.worth(total);
                if !light && gain > least {
                    least = gain;
                    best = Some(Split { column, cut });
                }
            }
        }
        best
    }

    fn sums(&self, column: usize, rows: &[u32]) -> [Slope; MAX_BINS] {
        let mut sums = [Slope::default(); MAX_BINS];
        let bins = &self.columns[column].bins;
        for &row in rows {
            let sum = &mut sums[usize::from(bins[row as usize])];
            *sum = sum.plus(self.slopes[row as usize]);
        }
        sums
    }

    /// Twice the loss that a leaf takes away.
    fn worth(&self, sum: Slope) -> f64 {
        sum.slope * sum.slope / (sum.bend + self.options.l2.max(1e-9))
    }

    fn leaf_value(&self, sum: Slope) -> f32 {
        (-self.options.rate * sum.slope / (sum.bend + self.options.l2.max(1e-9))) as f32
    }
}
