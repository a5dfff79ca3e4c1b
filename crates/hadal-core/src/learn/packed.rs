//! Compact serialisation of weights, used as `#[serde(with = "packed")]`.
//!
//! A weight is stored as an integer multiple of a step; the largest weight has at most 4095 steps. Weights that
//! round to 0 are left out, and positions are stored as differences. Learners round their weights after training
//! ([`rounded`]), so that a model predicts the same before and after it is stored.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Number of steps up to the largest weight: 12 bits. Guess.
const MAX_STEPS: f32 = 4095.0;

/// Limit on the number of weights that are read. Protects against bad input; guess.
const MAX_WEIGHTS: u32 = 1 << 24;

#[derive(Serialize, Deserialize)]
struct PackedWeights {
    length: u32,
    step: f32,
    /// Difference of the position of each stored weight from the previous one.
    gaps: Vec<u32>,
    values: Vec<i16>,
}

/// Serialises rounded weights.
pub fn serialize<S: Serializer>(weights: &[f32], serializer: S) -> Result<S::Ok, S::Error> {
    pack(weights).serialize(serializer)
}

/// Deserialises weights. Fails if positions are out of range.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f32>, D::Error> {
    unpack(&PackedWeights::deserialize(deserializer)?)
        .ok_or_else(|| D::Error::custom("invalid positions of weights"))
}

/// Rounds weights as serialisation does.
pub fn rounded(weights: &[f32]) -> Vec<f32> {
    unpack(&pack(weights)).unwrap_or_default()
}

fn pack(weights: &[f32]) -> PackedWeights {
    let largest = weights.iter().fold(0.0f32, |most, weight| most.max(weight.abs()));
    // The step is a power of two, so that rounding again changes nothing.
    let step = if largest > 0.0 { (largest / MAX_STEPS).log2().ceil().exp2() } else { 1.0 };
    let mut packed =
        PackedWeights { length: weights.len() as u32, step, gaps: Vec::new(), values: Vec::new() };
    let mut last = 0;
    for (place, weight) in weights.iter().enumerate() {
        let value = (weight / step).round() as i16;
        if value != 0 {
            packed.gaps.push(place as u32 - last);
            packed.values.push(value);
            last = place as u32;
        }
    }
    packed
}

fn unpack(packed: &PackedWeights) -> Option<Vec<f32>> {
    if packed.length > MAX_WEIGHTS || packed.gaps.len() != packed.values.len() {
        return None;
    }
    let mut weights = vec![0.0; packed.length as usize];
    let mut place = 0u32;
    for (gap, value) in packed.gaps.iter().zip(&packed.values) {
        place = place.checked_add(*gap)?;
        *weights.get_mut(place as usize)? = f32::from(*value) * packed.step;
    }
    Some(weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_survive_up_to_rounding() {
        let weights = [0.0, 0.0, 1.0, -0.5, 0.0, 0.0, 0.0001, 0.25];
        let packed = pack(&weights);
        assert_eq!(packed.values.len(), 3, "{:?}", packed.values);
        for (found, was) in unpack(&packed).unwrap().iter().zip(weights) {
            assert!((found - was).abs() <= 1.0 / MAX_STEPS, "{found} {was}");
        }
        assert_eq!(rounded(&rounded(&weights)), rounded(&weights));
        assert!(rounded(&[]).is_empty());
    }

    #[test]
    fn invalid_input_is_rejected() {
        let sound = || pack(&[1.0, 2.0]);
        assert!(unpack(&PackedWeights { length: u32::MAX, ..sound() }).is_none());
        assert!(unpack(&PackedWeights { gaps: vec![9, 9], ..sound() }).is_none());
        assert!(unpack(&PackedWeights { gaps: vec![1, u32::MAX], ..sound() }).is_none());
        assert!(unpack(&PackedWeights { values: vec![1], ..sound() }).is_none());
    }
}
