//! Parsers for sizes and durations.

use std::time::Duration;

/// Parses bytes: `4096`, `500kB`, `4MiB`, `1.5 GB`. B units are decimal, iB units binary.
pub fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: f64 = number.parse().ok()?;
    let power = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "kb" | "k" => 1e3,
        "mb" | "m" => 1e6,
        "gb" | "g" => 1e9,
        "tb" | "t" => 1e12,
        "kib" => 1024f64,
        "mib" => 1024f64.powi(2),
        "gib" => 1024f64.powi(3),
        "tib" => 1024f64.powi(4),
        _ => return None,
    };
    let bytes = (number * power).round();
    // Above 2^53 a float cannot represent every byte.
    (bytes <= 9e15).then_some(bytes as u64)
}

/// Parses a duration: `500ms`, `1s`, `2h`, `1h 30m`. A bare number other than 0 is invalid.
pub fn duration(text: &str) -> Option<Duration> {
    humantime::parse_duration(text.trim()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sizes_as_people_write_them() {
        for (text, bytes) in [
            ("4MiB", 4 * 1024 * 1024),
            ("500kB", 500_000),
            (" 1.5 GB ", 1_500_000_000),
            ("4096", 4096),
            ("0", 0),
            ("1tib", 1 << 40),
        ] {
            assert_eq!(size(text), Some(bytes), "{text}");
        }
        for text in ["", "MiB", "-1", "4 apples", "1e99", "99999999999TB", "1.2.3"] {
            assert_eq!(size(text), None, "{text}");
        }
    }

    #[test]
    fn durations_need_a_unit() {
        assert_eq!(duration("1h 30m"), Some(Duration::from_secs(5400)));
        assert_eq!(duration("500ms"), Some(Duration::from_millis(500)));
        for text in ["5", "", "1 parsec", "-1s"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_them(text in any::<String>()) {
            size(&text);
            duration(&text);
        }
    }
}
