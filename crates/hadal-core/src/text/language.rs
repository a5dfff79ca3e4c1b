//! Stemmers and stop words of languages.

use rustc_hash::{FxHashMap, FxHashSet};
use snowball_stemmers_rs::{Algorithm, Stemmer};
use std::sync::LazyLock;

/// Known languages by ISO 639-1 code, with their stemmers.
const LANGUAGES: [(&str, Option<Algorithm>); 36] = [
    ("ar", Some(Algorithm::Arabic)),
    ("bg", None),
    ("ca", Some(Algorithm::Catalan)),
    ("cs", Some(Algorithm::Czech)),
    ("da", Some(Algorithm::Danish)),
    ("de", Some(Algorithm::German)),
    ("el", Some(Algorithm::Greek)),
    ("en", Some(Algorithm::English)),
    ("es", Some(Algorithm::Spanish)),
    ("et", Some(Algorithm::Estonian)),
    ("eu", Some(Algorithm::Basque)),
    ("fa", Some(Algorithm::Persian)),
    ("fi", Some(Algorithm::Finnish)),
    ("fr", Some(Algorithm::French)),
    ("ga", Some(Algorithm::Irish)),
    ("hi", Some(Algorithm::Hindi)),
    ("hr", None),
    ("hu", Some(Algorithm::Hungarian)),
    ("hy", Some(Algorithm::Armenian)),
    ("id", Some(Algorithm::Indonesian)),
    ("it", Some(Algorithm::Italian)),
    ("ja", None),
    ("lt", Some(Algorithm::Lithuanian)),
    ("nl", Some(Algorithm::Dutch)),
    ("no", Some(Algorithm::Norwegian)),
    ("pl", Some(Algorithm::Polish)),
    ("pt", Some(Algorithm::Portuguese)),
    ("ro", Some(Algorithm::Romanian)),
    ("ru", Some(Algorithm::Russian)),
    ("sk", None),
    ("sr", Some(Algorithm::Serbian)),
    ("sv", Some(Algorithm::Swedish)),
    ("tr", Some(Algorithm::Turkish)),
    ("uk", Some(Algorithm::Ukrainian)),
    ("vi", None),
    ("zh", None),
];

static KNOWN: LazyLock<FxHashMap<&'static str, Language>> = LazyLock::new(|| {
    let mut ids = 0;
    let known = LANGUAGES.iter().map(|(code, algorithm)| {
        ids += 1;
        let stop = stop_words::lookup(code).unwrap_or_default();
        let stop = stop.iter().copied().collect();
        (*code, Language { id: ids, stemmer: algorithm.map(Stemmer::create), stop })
    });
    known.collect()
});

static UNKNOWN: LazyLock<Language> =
    LazyLock::new(|| Language { id: 0, stemmer: None, stop: FxHashSet::default() });

/// Stemmer and stop words of one language.
pub struct Language {
    id: u8,
    stemmer: Option<Stemmer>,
    stop: FxHashSet<&'static str>,
}

impl Language {
    /// Language of an ISO 639-1 code. An unknown language has no stemmer and no stop words of its own.
    pub fn of(code: Option<&str>) -> &'static Language {
        let code = match code {
            Some("nb" | "nn") => Some("no"),
            other => other,
        };
        code.and_then(|code| KNOWN.get(code)).unwrap_or(&UNKNOWN)
    }

    /// Number of the language; 0 is the unknown language.
    pub fn id(&self) -> u8 {
        self.id
    }

    /// True for a stop word in lower case. English stop words count in every language.
    pub fn is_stop(&self, word: &str) -> bool {
        word.len() < 2 || self.stop.contains(word) || Language::of(Some("en")).stop.contains(word)
    }

    /// Stem of a lower-case word. In languages with another script or without a stemmer, ASCII words are
    /// probably English and use the English stemmer.
    pub fn stem(&self, word: &str) -> String {
        let uses_english = self.stemmer.is_none() || !self.is_latin();
        match word.is_ascii() && uses_english {
            true => Language::of(Some("en")).stemmed(word),
            false => self.stemmed(word),
        }
    }

    fn is_latin(&self) -> bool {
        let others = ["ar", "bg", "el", "fa", "hi", "hy", "ru", "sr", "uk"];
        !others.iter().any(|code| KNOWN.get(code).is_some_and(|other| other.id == self.id))
    }

    fn stemmed(&self, word: &str) -> String {
        match &self.stemmer {
            Some(stemmer) => stemmer.stem(word).into_owned(),
            None => word.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_stemmed_by_their_language() {
        for (code, word, stem) in
            [("en", "libraries", "librari"), ("en", "searching", "search"), ("de", "b\u{fc}cher", "buch")]
        {
            assert_eq!(Language::of(Some(code)).stem(word), stem);
        }
        let russian = Language::of(Some("ru"));
        assert_eq!(russian.stem("книги"), russian.stem("книга"));
    }

    #[test]
    fn english_words_are_stemmed_wherever_they_stand() {
        assert_eq!(Language::of(None).stem("hotels"), "hotel");
        assert_eq!(Language::of(Some("ru")).stem("hotels"), "hotel");
        assert_eq!(Language::of(Some("xx")).stem("отели"), "отели");
    }

    #[test]
    fn stop_words_are_the_languages_own_and_english() {
        assert!(Language::of(Some("de")).is_stop("und") && Language::of(Some("de")).is_stop("the"));
        assert!(!Language::of(Some("en")).is_stop("und") && !Language::of(Some("fr")).is_stop("livre"));
    }
}
