//! Language of a page: declared by the markup, or else detected from the text.

use super::limits::truncate;

/// Bytes of text passed to the language detector. Guess.
const DETECTION_BYTES: usize = 2000;

/// ISO 639-1 code of the declared language, or else of the detected one if detection is reliable.
pub(super) fn language(declared: Option<&str>, text: &str) -> Option<String> {
    declared.and_then(primary).or_else(|| detected(text).map(str::to_string))
}

/// Primary subtag, such as `de` of `de-AT`. Three-letter codes are converted to two letters if possible.
fn primary(tag: &str) -> Option<String> {
    let code = tag.trim().split(['-', '_']).next()?.to_ascii_lowercase();
    match code.len() {
        2 if code.bytes().all(|c| c.is_ascii_lowercase()) => Some(code),
        3 => short_code(&code).map(str::to_string),
        _ => None,
    }
}

/// ISO 639-1 code of the language of a text, if detection is reliable.
pub fn detected(text: &str) -> Option<&'static str> {
    // The start of a page is mostly navigation, so the sample comes from the middle of the text.
    let from = text.len().saturating_sub(DETECTION_BYTES) / 2;
    let from = (from..=text.len()).find(|&at| text.is_char_boundary(at))?;
    let info = whatlang::detect(truncate(&text[from..], DETECTION_BYTES))?;
    if info.is_reliable() { short_code(info.lang().code()) } else { None }
}

/// ISO 639-1 code for an ISO 639-3 code.
fn short_code(code: &str) -> Option<&'static str> {
    const CODES: [(&str, &str); 70] = [
        ("afr", "af"),
        ("aka", "ak"),
        ("amh", "am"),
        ("ara", "ar"),
        ("aze", "az"),
        ("bel", "be"),
        ("ben", "bn"),
        ("bul", "bg"),
        ("cat", "ca"),
        ("ces", "cs"),
        ("cmn", "zh"),
        ("cym", "cy"),
        ("dan", "da"),
        ("deu", "de"),
        ("ell", "el"),
        ("eng", "en"),
        ("epo", "eo"),
        ("est", "et"),
        ("fin", "fi"),
        ("fra", "fr"),
        ("guj", "gu"),
        ("heb", "he"),
        ("hin", "hi"),
        ("hrv", "hr"),
        ("hun", "hu"),
        ("hye", "hy"),
        ("ind", "id"),
        ("ita", "it"),
        ("jav", "jv"),
        ("jpn", "ja"),
        ("kan", "kn"),
        ("kat", "ka"),
        ("khm", "km"),
        ("kor", "ko"),
        ("lat", "la"),
        ("lav", "lv"),
        ("lit", "lt"),
        ("mal", "ml"),
        ("mar", "mr"),
        ("mkd", "mk"),
        ("mya", "my"),
        ("nep", "ne"),
        ("nld", "nl"),
        ("nob", "nb"),
        ("ori", "or"),
        ("pan", "pa"),
        ("pes", "fa"),
        ("pol", "pl"),
        ("por", "pt"),
        ("ron", "ro"),
        ("rus", "ru"),
        ("sin", "si"),
        ("slk", "sk"),
        ("slv", "sl"),
        ("sna", "sn"),
        ("spa", "es"),
        ("srp", "sr"),
        ("swe", "sv"),
        ("tam", "ta"),
        ("tel", "te"),
        ("tgl", "tl"),
        ("tha", "th"),
        ("tuk", "tk"),
        ("tur", "tr"),
        ("ukr", "uk"),
        ("urd", "ur"),
        ("uzb", "uz"),
        ("vie", "vi"),
        ("yid", "yi"),
        ("zul", "zu"),
    ];
    CODES.binary_search_by_key(&code, |pair| pair.0).ok().map(|at| CODES[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_languages_lose_their_country() {
        assert_eq!(language(Some("de-AT"), "").as_deref(), Some("de"));
        assert_eq!(language(Some(" PT_br "), "").as_deref(), Some("pt"));
        assert_eq!(language(Some("eng"), "").as_deref(), Some("en"));
        assert_eq!(language(Some("{{lang}}"), ""), None);
    }

    #[test]
    fn every_detectable_language_has_a_short_code() {
        for language in whatlang::Lang::all() {
            assert!(short_code(language.code()).is_some(), "{language:?}");
        }
    }

    #[test]
    fn undeclared_languages_are_detected_when_clear() {
        let text = "Wir suchen in allen Antiquariaten nach dem Buch, das Sie schon lange vermissen, und \
                    zeigen Ihnen sofort, wer es zu welchem Preis anbietet.";
        assert_eq!(language(None, text).as_deref(), Some("de"));
        assert_eq!(language(None, "OK 1 2 3"), None);
    }
}
