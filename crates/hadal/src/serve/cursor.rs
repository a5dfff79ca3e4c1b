//! Places in lists, as opaque text that clients hand back.

use super::problem::Problem;
use data_encoding::BASE64URL_NOPAD;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A place as text.
pub fn written(place: &impl Serialize) -> Option<String> {
    postcard::to_stdvec(place).ok().map(|bytes| BASE64URL_NOPAD.encode(&bytes))
}

/// The place that a text names.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Problem> {
    let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok();
    let place = bytes.and_then(|bytes| postcard::from_bytes(&bytes).ok());
    place.ok_or_else(|| Problem::bad("after is not what a page gave as next"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_comes_back_as_it_was_and_nonsense_is_refused() {
        let place = (0.25_f32, 7_u64, "topic".to_string());
        assert_eq!(read::<(f32, u64, String)>(&written(&place).unwrap()).unwrap(), place);
        for text in ["", "?", "AAAA", "\u{e9}"] {
            assert!(read::<(f32, u64, String)>(text).is_err(), "{text}");
        }
    }
}
