//! Deterministic random numbers.
//!
//! Each generated object has a seed, and each use of random numbers for it has a purpose number. A [`SeededRng`] starts
//! from the hash of both. Equal seeds and purposes give equal numbers, so a page can be generated again byte by byte
//! without storing it. Changing a purpose number, or the order of calls, changes every generated world.

/// Hashes two numbers into one (the finalizer of SplitMix64).
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    let mut z = a.wrapping_add(b.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Random number generator (SplitMix64) for one seed and purpose.
#[derive(Clone, Debug)]
pub(crate) struct SeededRng(u64);

impl SeededRng {
    /// Generator for a seed and a purpose number.
    pub(crate) fn new(seed: u64, purpose: u64) -> SeededRng {
        SeededRng(mix(seed, purpose))
    }

    /// Next 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0, 0)
    }

    /// Uniform integer below `n`; zero if `n` is zero.
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u32
    }

    /// Uniform integer from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// Uniform number in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// True with the given probability.
    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Element chosen uniformly from a non-empty slice.
    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }

    /// Index chosen with probability proportional to its weight.
    pub(crate) fn weighted(&mut self, weights: &[f64]) -> usize {
        let mut left = self.unit() * weights.iter().sum::<f64>();
        for (index, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return index;
            }
        }
        weights.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seed_and_purpose_give_equal_numbers() {
        let (mut a, mut b) = (SeededRng::new(1, 2), SeededRng::new(1, 2));
        assert!((0..100).all(|_| a.bits() == b.bits()));
        assert_ne!(SeededRng::new(1, 2).bits(), SeededRng::new(1, 3).bits());
    }

    #[test]
    fn numbers_stay_within_their_bounds() {
        let mut rng = SeededRng::new(7, 7);
        for _ in 0..1000 {
            assert!(rng.below(3) < 3);
            assert!((4..=6).contains(&rng.between(4, 6)));
            assert!(rng.weighted(&[0.0, 1.0, 0.0]) == 1);
        }
        assert_eq!(rng.below(0), 0);
    }
}
