//! Learned weights made small enough to ship: those that say nothing are left out, the rest is rounded.
//!
//! Used as `#[serde(with = "packed")]` on a list of weights. Values are kept as whole steps, at most 4095 to
//! the largest one, and places as gaps between the weights that are not 0. Learners round what they learned
//! at once, so that a model decides the same before and after it is stored.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const STEPS: f32 = 4095.0;

/// Most weights that are ever read: a longer list is no model of ours.
const MOST_WEIGHTS: u32 = 1 << 24;

#[derive(Serialize, Deserialize)]
struct PackedWeights {
    length: u32,
    step: f32,
    /// Distance of each kept weight from the one before it.
    gaps: Vec<u32>,
    values: Vec<i16>,
}

/// Writes weights, rounded.
pub fn serialize<S: Serializer>(weights: &[f32], serializer: S) -> Result<S::Ok, S::Error> {
    pack(weights).serialize(serializer)
}

/// Reads weights.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f32>, D::Error> {
    unpack(&PackedWeights::deserialize(deserializer)?).ok_or_else(|| D::Error::custom("weights out of place"))
}

/// Weights as they are after writing and reading.
pub fn rounded(weights: &[f32]) -> Vec<f32> {
    unpack(&pack(weights)).unwrap_or_default()
}

fn pack(weights: &[f32]) -> PackedWeights {
    let largest = weights.iter().fold(0.0f32, |most, weight| most.max(weight.abs()));
    // A power of two: what was rounded once is not changed by rounding it again.
    let step = if largest > 0.0 { (largest / STEPS).log2().ceil().exp2() } else { 1.0 };
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
    if packed.length > MOST_WEIGHTS || packed.gaps.len() != packed.values.len() {
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
    fn what_is_read_is_what_was_written_up_to_rounding() {
        let weights = [0.0, 0.0, 1.0, -0.5, 0.0, 0.0, 0.0001, 0.25];
        let packed = pack(&weights);
        assert_eq!(packed.values.len(), 3, "{:?}", packed.values);
        for (found, was) in unpack(&packed).unwrap().iter().zip(weights) {
            assert!((found - was).abs() <= 1.0 / STEPS, "{found} {was}");
        }
        assert_eq!(rounded(&rounded(&weights)), rounded(&weights));
        assert!(rounded(&[]).is_empty());
    }

    #[test]
    fn a_list_that_cannot_be_is_refused() {
        let sound = || pack(&[1.0, 2.0]);
        assert!(unpack(&PackedWeights { length: u32::MAX, ..sound() }).is_none());
        assert!(unpack(&PackedWeights { gaps: vec![9, 9], ..sound() }).is_none());
        assert!(unpack(&PackedWeights { gaps: vec![1, u32::MAX], ..sound() }).is_none());
        assert!(unpack(&PackedWeights { values: vec![1], ..sound() }).is_none());
    }
}
