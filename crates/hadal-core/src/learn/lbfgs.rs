//! Minimum of a smooth convex function: L-BFGS with a step that is halved until it helps enough.
//!
//! Where rounding hides any further fall the walk ends, whatever tolerance was asked for.

use std::collections::VecDeque;

/// How many steps the curvature is remembered for.
const MEMORY: usize = 8;

/// A step `moved` that changed the gradient by `bent`.
struct CurvaturePair {
    moved: Vec<f64>,
    bent: Vec<f64>,
    product: f64,
}

/// Walks from `point` to where no part of the gradient is larger than `tolerance` times its largest part
/// at the start, or at most `steps` steps. `evaluate` returns the value at a point and writes the gradient.
pub(super) fn minimise(
    mut point: Vec<f64>,
    steps: usize,
    tolerance: f64,
    evaluate: impl Fn(&[f64], &mut [f64]) -> f64,
) -> Vec<f64> {
    let mut gradient = vec![0.0; point.len()];
    let mut value = evaluate(&point, &mut gradient);
    let enough = tolerance * largest(&gradient);
    let mut curves: VecDeque<CurvaturePair> = VecDeque::new();
    let mut next_gradient = vec![0.0; point.len()];
    for _ in 0..steps {
        if largest(&gradient) <= enough {
            break;
        }
        let direction = descent(&gradient, &curves);
        let first = if curves.is_empty() { 1.0 / dot(&gradient, &gradient).sqrt() } else { 1.0 };
        let slope = dot(&direction, &gradient);
        let attempt = halved_from(first).find_map(|length| {
            let next: Vec<f64> =
                point.iter().zip(&direction).map(|(at, along)| at + length * along).collect();
            let next_value = evaluate(&next, &mut next_gradient);
            let falls = next_value < value && next_value <= value + 1e-4 * length * slope;
            falls.then_some((next, next_value))
        });
        let Some((next, next_value)) = attempt else { break };
        remember(&mut curves, difference(&next, &point), difference(&next_gradient, &gradient));
        (point, value) = (next, next_value);
        std::mem::swap(&mut gradient, &mut next_gradient);
    }
    point
}

/// Step lengths to try; after so many halvings rounding has eaten the rest.
fn halved_from(first: f64) -> impl Iterator<Item = f64> {
    std::iter::successors(Some(first), |length| Some(length / 2.0)).take(50)
}

/// Two-loop recursion (Nocedal and Wright, algorithm 7.4), negated.
fn descent(gradient: &[f64], curves: &VecDeque<CurvaturePair>) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
    let mut shares = Vec::with_capacity(curves.len());
    for curve in curves.iter().rev() {
        let share = dot(&curve.moved, &direction) / curve.product;
        add(&mut direction, -share, &curve.bent);
        shares.push(share);
    }
    if let Some(latest) = curves.back() {
        let scale = latest.product / dot(&latest.bent, &latest.bent);
        direction.iter_mut().for_each(|part| *part *= scale);
    }
    for (curve, share) in curves.iter().zip(shares.into_iter().rev()) {
        let bent = dot(&curve.bent, &direction) / curve.product;
        add(&mut direction, share - bent, &curve.moved);
    }
    direction
}

/// Keeps a step unless rounding made it useless.
fn remember(curves: &mut VecDeque<CurvaturePair>, moved: Vec<f64>, bent: Vec<f64>) {
    let product = dot(&moved, &bent);
    if product <= 1e-12 * dot(&bent, &bent) {
        return;
    }
    if curves.len() == MEMORY {
        curves.pop_front();
    }
    curves.push_back(CurvaturePair { moved, bent, product });
}

fn largest(vector: &[f64]) -> f64 {
    vector.iter().fold(0.0, |largest, part| part.abs().max(largest))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(vector: &mut [f64], times: f64, other: &[f64]) {
    vector.iter_mut().zip(other).for_each(|(part, other)| *part += times * other);
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretched_bowl_has_its_minimum_at_the_centre() {
        let bowl = |at: &[f64], gradient: &mut [f64]| {
            let stretch = [1.0, 100.0, 10_000.0];
            let parts =
                at.iter().zip(stretch).zip(gradient).enumerate().map(|(axis, ((at, stretch), slope))| {
                    let off = at - axis as f64;
                    *slope = stretch * off;
                    stretch * off * off / 2.0
                });
            parts.sum()
        };
        let found = minimise(vec![5.0, -3.0, 7.0], 200, 1e-12, bowl);
        assert!(found.iter().enumerate().all(|(axis, at)| (at - axis as f64).abs() < 1e-6), "{found:?}");
    }

    #[test]
    fn the_walk_ends_where_rounding_hides_the_fall() {
        let asked = std::cell::Cell::new(0);
        let found = minimise(vec![3.0], 1_000_000, 0.0, |at, gradient| {
            asked.set(asked.get() + 1);
            gradient[0] = -1.0;
            1e20 - at[0]
        });
        assert!(found == [3.0] && asked.get() < 100, "{} evaluations", asked.get());
    }

    #[test]
    fn a_function_that_never_falls_ends_the_walk() {
        let found = minimise(vec![1.0], 100, 1e-9, |at, gradient| {
            gradient[0] = 1.0;
            -at[0]
        });
        assert_eq!(found, [1.0]);
    }
}
