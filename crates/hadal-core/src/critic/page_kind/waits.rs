//! Waits that a site asks for in a message, as boards do between two searches of one visitor.

use super::non_answers::SHORT_TEXT;
use crate::critic::phrase_set::{PhraseSet, normalise_prefix};
use crate::page::Page;
use std::sync::LazyLock;
use std::time::Duration;

/// Longest wait that is believed. Guess.
const MAX_WAIT: u64 = 600;
/// Words around the number of which one must mean waiting. Guess.
const NEAR_WORDS: usize = 12;

/// Words of messages that ask to wait.
#[rustfmt::skip]
static WAIT_WORDS: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "again", "wait", "retry", "warten", "erneut", "nochmals", "attendre", "patienter", "nouveau", "réessayer", "esperar",
    "espere", "nuevo", "aguarde", "aguardar", "novamente", "attendere", "riprovare", "nuovamente", "wachten", "opnieuw",
    "poczekać", "odczekać", "ponownie", "vänta", "vent", "odota", "uudelleen", "počkejte", "znovu", "подождите",
    "подождать", "повторите", "повторить", "снова", "зачекайте", "bekleyin", "tekrar", "περιμένετε", "ξανά", "انتظر",
    "等待", "稍后", "稍後", "再试", "再試", "再次", "お待ち", "再度", "다시", "기다",
]));

/// Names of units in many languages, with their seconds. A word of the text begins with one of them, or is one of up to
/// four ASCII letters.
#[rustfmt::skip]
const UNITS: [(&str, u64); 34] = [
    ("second", 1), ("sec", 1), ("sekund", 1), ("segundo", 1), ("sekunt", 1), ("vteřin", 1), ("секунд", 1), ("saniye", 1),
    ("δευτερ", 1), ("ثانية", 1), ("ثوان", 1), ("sn", 1), ("秒", 1), ("초", 1),
    ("minut", 60), ("minuut", 60), ("min", 60), ("минут", 60), ("хвилин", 60), ("dakika", 60), ("λεπτ", 60), ("دقيقة", 60),
    ("دقائق", 60), ("分钟", 60), ("分鐘", 60), ("分", 60), ("분", 60), ("perc", 60), ("percet", 60), ("percig", 60), ("perccel", 60), ("secs", 1), ("mins", 60), ("másodperc", 1),
];

/// Wait that a short page asks for: a number with a unit of time beside a word for waiting.
pub fn stated_wait(page: &Page) -> Option<Duration> {
    let text = normalise_prefix(&page.text, SHORT_TEXT);
    if text.len() >= SHORT_TEXT {
        return None;
    }
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    // The digits after a decimal point are a word of their own: "0.24 seconds" is the time that a search took.
    let is_decimal = |at: usize| at > 0 && words[at - 1].bytes().all(|byte| byte.is_ascii_digit());
    let asked = |at: usize| {
        if is_decimal(at) {
            return None;
        }
        let seconds = duration_at(&words, at).filter(|seconds| (1..=MAX_WAIT).contains(seconds))?;
        let near = &words[at.saturating_sub(NEAR_WORDS)..words.len().min(at + NEAR_WORDS)];
        WAIT_WORDS.found_in(&format!(" {} ", near.join(" "))).then_some(Duration::from_secs(seconds))
    };
    (0..words.len()).find_map(asked)
}

/// Seconds of a number with a unit, in one word or two.
fn duration_at(words: &[&str], at: usize) -> Option<u64> {
    let end = words[at].find(|c: char| !c.is_ascii_digit()).unwrap_or(words[at].len());
    let number: u64 = words[at][..end].parse().ok()?;
    let unit = if end < words[at].len() { &words[at][end..] } else { words.get(at + 1)? };
    let is_unit =
        |name: &str| unit == name || unit.starts_with(name) && !(name.is_ascii() && name.len() <= 4);
    let (_, seconds) = UNITS.iter().find(|(name, _)| is_unit(name))?;
    // "Posted 5 minutes ago" is the age of something.
    let after = words.get(at + if end < words[at].len() { 1 } else { 2 });
    number.checked_mul(*seconds).filter(|_| after != Some(&"ago"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn wait(text: &str) -> Option<u64> {
        let page = crate::html::parse(text.as_bytes(), None, &Url::parse("http://a.org/").unwrap());
        stated_wait(&page).map(|wait| wait.as_secs())
    }

    #[test]
    fn a_wait_between_searches_is_read_in_many_languages() {
        for (text, seconds) in [
            ("<p>You cannot search again so soon. Please try again in 12 seconds.", 12),
            ("<p>Bitte warten Sie 2 Minuten bis zur nächsten Suche.", 120),
            ("<p>Повторите попытку через 30 секунд.", 30),
            ("<p>请等待30秒后再试。", 30),
            ("<p>あと15秒お待ちください。", 15),
        ] {
            assert_eq!(wait(text), Some(seconds), "{text}");
        }
    }

    #[test]
    fn the_time_of_a_search_is_no_wait() {
        assert_eq!(wait("<p>240 results in 2 seconds"), None);
        assert_eq!(wait("<p>Please try again later."), None);
        assert_eq!(wait("<p>Nothing found (0.24 seconds). Please try again."), None);
        assert_eq!(wait("<p>Posted 5 minutes ago. Search again"), None);
        assert_eq!(wait("<p>Wait: 3 ministers, 4 sections, 10 percent"), None);
        assert_eq!(wait("<p>Wait 90000 minutes"), None);
        assert_eq!(wait(&format!("<p>{} wait 10 seconds", "many words of a record ".repeat(200))), None);
    }
}
