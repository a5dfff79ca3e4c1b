//! Argument parsers that several commands share.

pub fn probability(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(p) if (0.0..=1.0).contains(&p) => Ok(p),
        _ => Err("expected a probability from 0 to 1".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probability_is_between_0_and_1() {
        assert_eq!(probability("0.5"), Ok(0.5));
        for text in ["1.5", "-0.1", "NaN", "half", ""] {
            assert!(probability(text).is_err(), "{text}");
        }
    }
}
