//! Search for weights with which crawls find more forms.
//!
//! The figure of merit of a crawl is the mean of the relevant forms found after each of [`BUDGETS`] requests;
//! that of a set of weights is the sum over all webs and topics, less a penalty on the distance from the
//! first weights. The search is an evolution strategy with a step size per weight (sep-CMA-ES, Ros and Hansen
//! 2008): it needs no gradient, which a crawl does not have.

use super::crawl::{FoundCurve, crawl};
use super::web::KnownWeb;
use hadal_core::learn::rng::Rng;
use hadal_core::strategy::hadal::prior::PriorWeights;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Numbers of requests at which found forms count. Guess.
pub const BUDGETS: [u32; 5] = [125, 250, 500, 1000, 2000];
/// Forms that one squared standard step away from the first weights costs. Guess.
const PENALTY: f64 = 0.02;
/// Standard step of a weight. Guess.
const FIRST_STEP: f64 = 0.25;

/// Best weights so far.
pub struct SearchProgress<'a> {
    /// Number of generations so far.
    pub generation: usize,
    /// Figure of merit of the mean weights.
    pub merit: f64,
    /// Mean weights of the search.
    pub weights: &'a PriorWeights,
}

/// Settings of a search for weights.
pub struct WeightSearch {
    /// Crawls per set of weights end after this many requests.
    pub requests: u32,
    /// Requests in flight.
    pub window: usize,
    /// Threads that crawl.
    pub threads: usize,
    /// Seed of the random steps.
    pub seed: u64,
}

impl WeightSearch {
    /// Curves of all webs with these weights.
    pub fn curves(&self, webs: &[Mutex<KnownWeb>], weights: &PriorWeights) -> Vec<FoundCurve> {
        let next = AtomicUsize::new(0);
        let results: Vec<Mutex<FoundCurve>> = webs.iter().map(|_| Mutex::default()).collect();
        std::thread::scope(|scope| {
            for _ in 0..self.threads.max(1) {
                scope.spawn(|| {
                    while let Some((web, result)) = take(webs, &results, &next) {
                        let mut web = web.lock().unwrap_or_else(PoisonError::into_inner);
                        let curve = crawl(&mut web, weights, self.requests, self.window);
                        *result.lock().unwrap_or_else(PoisonError::into_inner) = curve;
                    }
                });
            }
        });
        let taken = |result: Mutex<FoundCurve>| result.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.into_iter().map(taken).collect()
    }

    fn merit(&self, webs: &[Mutex<KnownWeb>], point: &[f64], first: &[f64]) -> f64 {
        let curves = self.curves(webs, &to_weights(point));
        let found: f64 = curves.iter().map(merit).sum();
        let distance: f64 =
            point.iter().zip(first).map(|(x, start)| ((x - start) / FIRST_STEP).powi(2)).sum();
        found - PENALTY * distance
    }

    /// Improves weights over some generations. Returns the mean weights at the end.
    pub fn improve(
        &self,
        webs: &[Mutex<KnownWeb>],
        first: &PriorWeights,
        generations: usize,
        on_progress: &mut dyn FnMut(&SearchProgress<'_>),
    ) -> PriorWeights {
        let start = to_point(first);
        let mut evolution = Evolution::new(start.clone(), FIRST_STEP, self.seed);
        for generation in 0..generations {
            let candidates = evolution.candidates();
            let merits = candidates.iter().map(|point| self.merit(webs, point, &start)).collect();
            evolution.update(candidates, merits);
            let (weights, best) = (to_weights(&evolution.mean), evolution.last_best);
            on_progress(&SearchProgress { generation: generation + 1, merit: best, weights: &weights });
        }
        to_weights(&evolution.mean)
    }
}

fn take<'a, A, B>(webs: &'a [A], results: &'a [B], next: &AtomicUsize) -> Option<(&'a A, &'a B)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    Some((webs.get(number)?, results.get(number)?))
}

/// Figure of merit of one crawl.
pub fn merit(curve: &FoundCurve) -> f64 {
    BUDGETS.iter().map(|budget| curve.at(*budget) as f64).sum::<f64>() / BUDGETS.len() as f64
}

/// Weights as a point of the search space. The step size is searched on a logarithmic scale.
fn to_point(weights: &PriorWeights) -> Vec<f64> {
    let plain = weights.link.iter().chain(&weights.site).copied();
    let all =
        plain.chain([weights.open_site, weights.step.ln(), 2.0 * weights.discount, weights.first_step.ln()]);
    all.map(f64::from).collect()
}

fn to_weights(point: &[f64]) -> PriorWeights {
    let mut weights = PriorWeights::default();
    let mut values = point.iter().map(|value| *value as f32);
    weights
        .link
        .iter_mut()
        .chain(&mut weights.site)
        .for_each(|weight| *weight = values.next().unwrap_or(*weight));
    weights.open_site = values.next().unwrap_or(weights.open_site);
    weights.step = values.next().map_or(weights.step, f32::exp);
    weights.discount = values.next().map_or(weights.discount, |twice| (twice / 2.0).clamp(0.0, 0.9));
    weights.first_step = values.next().map_or(weights.first_step, f32::exp);
    weights
}

/// Separable CMA-ES. Symbols and default constants are those of the paper.
struct Evolution {
    mean: Vec<f64>,
    sigma: f64,
    /// Variance of each coordinate.
    variance: Vec<f64>,
    path_sigma: Vec<f64>,
    path_c: Vec<f64>,
    random: Rng,
    lambda: usize,
    generation: usize,
    last_best: f64,
}

impl Evolution {
    fn new(mean: Vec<f64>, sigma: f64, seed: u64) -> Evolution {
        let n = mean.len();
        Evolution {
            variance: vec![1.0; n],
            path_sigma: vec![0.0; n],
            path_c: vec![0.0; n],
            mean,
            sigma,
            random: Rng::new(seed),
            lambda: 4 + (3.0 * (n as f64).ln()) as usize,
            generation: 0,
            last_best: 0.0,
        }
    }

    fn candidates(&mut self) -> Vec<Vec<f64>> {
        let (mean, variance, sigma, random) = (&self.mean, &self.variance, self.sigma, &mut self.random);
        let mut draw = || {
            let steps = mean.iter().zip(variance);
            steps.map(|(center, variance)| center + sigma * variance.sqrt() * gaussian(random)).collect()
        };
        (0..self.lambda).map(|_| draw()).collect()
    }

    fn update(&mut self, candidates: Vec<Vec<f64>>, merits: Vec<f64>) {
        let n = self.mean.len() as f64;
        let mut ranked: Vec<(f64, Vec<f64>)> = merits.into_iter().zip(candidates).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        self.last_best = ranked.first().map_or(0.0, |best| best.0);
        let mu = self.lambda / 2;
        let raw: Vec<f64> = (1..=mu).map(|rank| (mu as f64 + 0.5).ln() - (rank as f64).ln()).collect();
        let total: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.iter().map(|weight| weight / total).collect();
        let mu_eff = 1.0 / weights.iter().map(|weight| weight * weight).sum::<f64>();
        let c_sigma = (mu_eff + 2.0) / (n + mu_eff + 5.0);
        let damping = 1.0 + 2.0 * (((mu_eff - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + c_sigma;
        let c_c = (4.0 + mu_eff / n) / (n + 4.0 + 2.0 * mu_eff / n);
        let c_1 = 2.0 / ((n + 1.3).powi(2) + mu_eff) * (n + 2.0) / 3.0;
        let c_mu = (2.0 * (mu_eff - 2.0 + 1.0 / mu_eff) / ((n + 2.0).powi(2) + mu_eff) * (n + 2.0) / 3.0)
            .min(1.0 - c_1);
        let chi = n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));
        self.generation += 1;
        let steps: Vec<Vec<f64>> = ranked.iter().take(mu).map(|(_, point)| self.step_to(point)).collect();
        for i in 0..self.mean.len() {
            let step: f64 = weights.iter().zip(&steps).map(|(weight, step)| weight * step[i]).sum();
            self.mean[i] += self.sigma * step;
            let normal = step / self.variance[i].sqrt();
            self.path_sigma[i] =
                (1.0 - c_sigma) * self.path_sigma[i] + (c_sigma * (2.0 - c_sigma) * mu_eff).sqrt() * normal;
            self.path_c[i] = (1.0 - c_c) * self.path_c[i] + (c_c * (2.0 - c_c) * mu_eff).sqrt() * step;
            let spread: f64 =
                weights.iter().zip(&steps).map(|(weight, step)| weight * step[i] * step[i]).sum();
            self.variance[i] =
                (1.0 - c_1 - c_mu) * self.variance[i] + c_1 * self.path_c[i] * self.path_c[i] + c_mu * spread;
        }
        let length = self.path_sigma.iter().map(|step| step * step).sum::<f64>().sqrt();
        self.sigma *= (c_sigma / damping * (length / chi - 1.0)).exp();
    }

    /// Step from the mean to a point, in units of sigma.
    fn step_to(&self, point: &[f64]) -> Vec<f64> {
        point.iter().zip(&self.mean).map(|(x, center)| (x - center) / self.sigma).collect()
    }
}

/// A normally distributed number (Box and Muller 1958).
fn gaussian(random: &mut Rng) -> f64 {
    let (radius, angle) = (random.fraction().max(1e-12), random.fraction());
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_evolution_approaches_the_best_point() {
        let mut evolution = Evolution::new(vec![0.0; 8], 0.3, 1);
        let distance = |point: &[f64]| point.iter().map(|x| (x - 1.0).powi(2)).sum::<f64>();
        for _ in 0..120 {
            let candidates = evolution.candidates();
            let merits = candidates.iter().map(|point| -distance(point)).collect();
            evolution.update(candidates, merits);
        }
        assert!(distance(&evolution.mean) < 0.1, "{:?}", evolution.mean);
    }

    #[test]
    fn a_point_of_the_search_space_is_a_set_of_weights() {
        let weights = PriorWeights { open_site: 0.7, step: 0.5, discount: 0.2, ..PriorWeights::default() };
        let back = to_weights(&to_point(&weights));
        assert!((back.step - 0.5).abs() < 1e-5 && (back.discount - 0.2).abs() < 1e-5);
        assert_eq!((back.link, back.site, back.open_site), (weights.link, weights.site, weights.open_site));
    }
}
