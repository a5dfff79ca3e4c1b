//! L-BFGS minimiser for smooth convex functions, with a backtracking line search.
//!
//! The search ends early if no step lowers the value because of rounding.

use std::collections::VecDeque;

/// Number of past steps that approximate the curvature. Guess within the usual range of 3 to 20
/// (Nocedal and Wright, section 7.2).
const HISTORY: usize = 8;
/// Share of the linear decrease that a step must reach (Armijo condition). The usual value, Nocedal and Wright, section
/// 3.1.
const ARMIJO: f64 = 1e-4;

/// Step `s` and change of the gradient `y` of one iteration, with `product = s . y`.
struct CurvaturePair {
    s: Vec<f64>,
    y: Vec<f64>,
    product: f64,
}

/// Minimises a function from the starting point `point`.
///
/// Ends when the largest gradient component is at most `tolerance` times that of the start, or after `max_steps` steps.
/// `evaluate` returns the value at a point and writes the gradient.
pub(super) fn minimise(
    mut point: Vec<f64>,
    max_steps: usize,
    tolerance: f64,
    evaluate: impl Fn(&[f64], &mut [f64]) -> f64,
) -> Vec<f64> {
    let mut gradient = vec![0.0; point.len()];
    let mut value = evaluate(&point, &mut gradient);
    let small_gradient = tolerance * largest(&gradient);
    let mut pairs: VecDeque<CurvaturePair> = VecDeque::new();
    let mut next_gradient = vec![0.0; point.len()];
    for _ in 0..max_steps {
        if largest(&gradient) <= small_gradient {
            break;
        }
        let direction = descent(&gradient, &pairs);
        let first_length = if pairs.is_empty() { 1.0 / dot(&gradient, &gradient).sqrt() } else { 1.0 };
        let slope = dot(&direction, &gradient);
        let attempt = halved_from(first_length).find_map(|length| {
            let next: Vec<f64> =
                point.iter().zip(&direction).map(|(at, along)| at + length * along).collect();
            let next_value = evaluate(&next, &mut next_gradient);
            let is_decrease = next_value < value && next_value <= value + ARMIJO * length * slope;
            is_decrease.then_some((next, next_value))
        });
        let Some((next, next_value)) = attempt else { break };
        remember(&mut pairs, difference(&next, &point), difference(&next_gradient, &gradient));
        (point, value) = (next, next_value);
        std::mem::swap(&mut gradient, &mut next_gradient);
    }
    point
}

/// Step lengths of the line search. After 50 halvings a step is below rounding error.
fn halved_from(first: f64) -> impl Iterator<Item = f64> {
    std::iter::successors(Some(first), |length| Some(length / 2.0)).take(50)
}

/// Two-loop recursion (Nocedal and Wright, algorithm 7.4), negated.
fn descent(gradient: &[f64], curves: &VecDeque<CurvaturePair>) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
    let mut alphas = Vec::with_capacity(curves.len());
    for curve in curves.iter().rev() {
        let alpha = dot(&curve.s, &direction) / curve.product;
        add(&mut direction, -alpha, &curve.y);
        alphas.push(alpha);
    }
    if let Some(latest) = curves.back() {
        let scale = latest.product / dot(&latest.y, &latest.y);
        direction.iter_mut().for_each(|part| *part *= scale);
    }
    for (curve, alpha) in curves.iter().zip(alphas.into_iter().rev()) {
        let beta = dot(&curve.y, &direction) / curve.product;
        add(&mut direction, alpha - beta, &curve.s);
    }
    direction
}

/// Keeps a step, unless its curvature is not positive because of rounding.
fn remember(curves: &mut VecDeque<CurvaturePair>, s: Vec<f64>, y: Vec<f64>) {
    let product = dot(&s, &y);
    if product <= 1e-12 * dot(&y, &y) {
        return;
    }
    if curves.len() == HISTORY {
        curves.pop_front();
    }
    curves.push_back(CurvaturePair { s, y, product });
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
    fn an_ill_conditioned_quadratic_is_minimised() {
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
    fn the_search_ends_at_rounding_error() {
        let asked = std::cell::Cell::new(0);
        let found = minimise(vec![3.0], 1_000_000, 0.0, |at, gradient| {
            asked.set(asked.get() + 1);
            gradient[0] = -1.0;
            1e20 - at[0]
        });
        assert!(found == [3.0] && asked.get() < 100, "{} evaluations", asked.get());
    }

    #[test]
    fn a_function_that_never_falls_ends_the_search() {
        let found = minimise(vec![1.0], 100, 1e-9, |at, gradient| {
            gradient[0] = 1.0;
            -at[0]
        });
        assert_eq!(found, [1.0]);
    }
}
