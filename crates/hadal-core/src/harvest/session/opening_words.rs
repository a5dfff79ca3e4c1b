//! Words for the first queries of a harvest that has no record yet: words of the entry page, then frequent words of
//! its language.
//!
//! Words of the page are ordered by their source: title, link texts, other text. Stop words, numbers, short words and
//! words of the form itself are left out. Words of scripts without spaces are pairs of characters.

use crate::harvest::policy::lexicon::split_words;
use crate::page::Page;
use crate::text::language::Language;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// Maximum number of words of the page that are sent. Guess.
const MAX_PAGE_WORDS: usize = 10;
/// Maximum number of words of the page that are sent from one link text, so that one link does not supply
/// all. Guess.
const MAX_WORDS_PER_LINK: usize = 2;
/// Maximum number of bytes of the page's text that are split into words. Guess.
const MAX_TEXT: usize = 8 << 10;
/// Minimum number of letters of a word in the Latin, Greek and Cyrillic scripts. Guess.
const MIN_LETTERS: usize = 4;
/// Minimum number of letters of a word in other scripts. Guess.
const MIN_LETTERS_OF_SHORT_WORDS: usize = 2;
/// Least share of a page's letters in the script of its language. Guess; names and addresses are often Latin.
const MIN_SCRIPT_SHARE: f64 = 0.3;
/// Finished queries before the first word is sent on a page in a language other than English. Guess.
const QUERIES_BEFORE: u32 = 1;
/// Finished queries before the first word is sent on other pages. Guess.
const ENGLISH_QUERIES_BEFORE: u32 = 2;

/// Queue of words.
#[derive(Default)]
pub struct OpeningWords {
    words: VecDeque<String>,
    /// Words that were queued before.
    known: FxHashSet<String>,
    /// The page is in a language other than English, so that the policy's frequent words do not fit.
    is_foreign: bool,
}

impl OpeningWords {
    /// Words of an entry page and of its language.
    pub fn of(page: &Page) -> OpeningWords {
        let mut words = PageWords::new(page);
        words.add(&page.title, MAX_PAGE_WORDS / 2);
        for link in &page.links {
            words.add(&link.context.anchor, MAX_WORDS_PER_LINK);
        }
        words.add(crate::html::truncate(&page.text, MAX_TEXT), MAX_PAGE_WORDS);
        let language = page_language(page);
        let frequent = frequent_words(language).split(' ').map(String::from);
        let is_foreign = language.is_some_and(|code| code != "en");
        let script =
            SCRIPTS.iter().filter(|script| language.is_some_and(|code| script.languages.contains(&code)));
        let scripts: Vec<&Script> = script.collect();
        // Words in another script than that of the language are those of the page's template.
        let fits = |word: &String| {
            scripts.is_empty() || word.chars().any(|c| scripts.iter().any(|script| script.contains(c)))
        };
        let (fitting, other): (Vec<String>, Vec<String>) = words.found.into_iter().partition(fits);
        let words: VecDeque<String> = fitting.into_iter().chain(frequent).chain(other).collect();
        OpeningWords { known: words.iter().cloned().collect(), words, is_foreign }
    }

    /// Adds the words of another page of the site that were not queued before.
    pub fn add(&mut self, other: OpeningWords) {
        self.is_foreign |= other.is_foreign;
        let known = &mut self.known;
        self.words.extend(other.words.into_iter().filter(|word| known.insert(word.clone())));
    }

    /// True if the next query is a word of this queue. On English pages it alternates with the policy, which also
    /// starts with frequent English words.
    pub fn is_due(&self, queries: u32) -> bool {
        let by_turn = queries >= ENGLISH_QUERIES_BEFORE && queries % 2 == 1;
        !self.words.is_empty() && (by_turn || self.is_foreign && queries >= QUERIES_BEFORE)
    }

    /// Returns true if no word is left.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Removes and returns the next word.
    pub fn take_next(&mut self) -> Option<String> {
        self.words.pop_front().filter(|word| !word.is_empty())
    }
}

/// Words found on a page so far.
struct PageWords {
    language: &'static Language,
    /// Words that are not sent: those of forms and those found before.
    excluded: FxHashSet<String>,
    found: Vec<String>,
}

impl PageWords {
    fn new(page: &Page) -> PageWords {
        let in_forms = page.forms.iter().flat_map(|form| split_words(&form.text));
        PageWords {
            language: Language::of(page_language(page)),
            excluded: in_forms.collect(),
            found: Vec::new(),
        }
    }

    /// Adds at most `most` words of a text.
    fn add(&mut self, text: &str, most: usize) {
        let room = MAX_PAGE_WORDS.saturating_sub(self.found.len()).min(most);
        if room == 0 {
            return;
        }
        let mut words = split_words(text);
        words.retain(|word| self.is_query(word));
        words.retain(|word| self.excluded.insert(word.clone()));
        self.found.extend(words.into_iter().take(room));
    }

    fn is_query(&self, word: &str) -> bool {
        let is_european = word.chars().any(|c| c.is_alphabetic() && c < '\u{530}');
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        let is_long = letters >= if is_european { MIN_LETTERS } else { MIN_LETTERS_OF_SHORT_WORDS };
        is_long && !word.chars().any(char::is_numeric) && !self.language.is_stop(word)
    }
}

/// Language of a page: the declared or detected one, or the most common one of the page's script if that language is
/// written in another script. Templates in English often declare English for other contents.
fn page_language(page: &Page) -> Option<&str> {
    let text = crate::html::truncate(&page.text, MAX_TEXT);
    let letters: Vec<char> = page.title.chars().chain(text.chars()).filter(|c| c.is_alphabetic()).collect();
    let count = |script: &Script| letters.iter().filter(|c| script.contains(**c)).count();
    let has_share = |script: &&Script| count(script) as f64 > MIN_SCRIPT_SHARE * letters.len() as f64;
    let declared = page.language.as_deref();
    match SCRIPTS.iter().find(has_share) {
        Some(script) if !declared.is_some_and(|code| script.languages.contains(&code)) => {
            script.languages.first().copied()
        }
        _ => declared,
    }
}

/// A script other than Latin and the languages that are written in it, the most common one first.
struct Script {
    first: char,
    last: char,
    languages: &'static [&'static str],
}

impl Script {
    fn contains(&self, letter: char) -> bool {
        (self.first..=self.last).contains(&letter)
    }
}

/// Scripts by their main block. Japanese is written with Kana and Han letters, so Kana come first.
#[rustfmt::skip]
const SCRIPTS: [Script; 10] = [
    Script { first: '\u{3040}', last: '\u{30ff}', languages: &["ja"] },
    Script { first: '\u{4e00}', last: '\u{9fff}', languages: &["zh", "ja"] },
    Script { first: '\u{ac00}', last: '\u{d7a3}', languages: &["ko"] },
    Script { first: '\u{400}', last: '\u{52f}', languages: &["ru", "uk", "bg", "sr", "be", "mk", "kk"] },
    Script { first: '\u{370}', last: '\u{3ff}', languages: &["el"] },
    Script { first: '\u{590}', last: '\u{5ff}', languages: &["he", "yi"] },
    Script { first: '\u{600}', last: '\u{6ff}', languages: &["ar", "fa", "ur"] },
    Script { first: '\u{900}', last: '\u{97f}', languages: &["hi", "mr", "ne"] },
    Script { first: '\u{980}', last: '\u{9ff}', languages: &["bn"] },
    Script { first: '\u{e00}', last: '\u{e7f}', languages: &["th"] },
];

/// Frequent words of a language, as far as possible nouns and adjectives, because many sites ignore stop words. Chosen
/// by hand.
fn frequent_words(language: Option<&str>) -> &'static str {
    FREQUENT_WORDS
        .iter()
        .find(|(code, _)| Some(*code) == language)
        .map_or(FREQUENT_WORDS[0].1, |(_, words)| words)
}

#[rustfmt::skip]
const FREQUENT_WORDS: [(&str, &str); 36] = [
    ("en", "new time year world work life house water"),
    ("ar", "عام عمل جديد كتاب العالم يوم حياة مدينة"),
    ("bg", "нов година време свят живот ден град работа"),
    ("bn", "বছর সময় কাজ জীবন মানুষ দিন বাংলা দেশ"),
    ("ca", "nou any temps vida món dia ciutat aigua"),
    ("cs", "rok nový čas život svět den město voda"),
    ("da", "ny tid år liv verden dag by vand"),
    ("de", "neu jahr zeit welt leben tag stadt wasser"),
    ("el", "νέο χρόνος κόσμος ζωή ημέρα πόλη εργασία νερό"),
    ("es", "nuevo año tiempo vida mundo día ciudad agua"),
    ("et", "uus aasta aeg elu maailm päev linn vesi"),
    ("fa", "سال کار زندگی جدید کتاب روز شهر جهان"),
    ("fi", "uusi vuosi aika elämä maailma päivä kaupunki vesi"),
    ("fr", "nouveau temps année monde vie jour ville eau"),
    ("he", "חדש שנה זמן חיים עולם יום עיר ספר"),
    ("hi", "नया वर्ष समय काम जीवन दिन भारत देश"),
    ("hr", "novi godina vrijeme život svijet dan grad voda"),
    ("hu", "új év idő élet világ nap város víz"),
    ("id", "baru tahun waktu dunia hidup hari kota air"),
    ("it", "nuovo anno tempo vita mondo giorno città acqua"),
    ("ja", "日本 の 一 人 東京 時間 年 世界 大 生活 新 本"),
    ("ko", "한국 시간 사람 세계 생활 도시 사랑 사용"),
    ("lt", "naujas metai laikas gyvenimas pasaulis diena miestas vanduo"),
    ("nl", "nieuw jaar tijd leven wereld dag stad water"),
    ("no", "ny tid år liv verden dag by vann"),
    ("pl", "nowy rok czas życie świat dzień miasto woda"),
    ("pt", "novo ano tempo vida mundo dia cidade água"),
    ("ro", "nou timp viață lume zi oraș muncă apă"),
    ("ru", "год время жизнь человек день новый город работа"),
    ("sk", "nový rok čas život svet deň mesto voda"),
    ("sr", "година време живот свет дан град нови вода"),
    ("sv", "ny tid år liv värld dag stad vatten"),
    ("th", "ไทย ปี คน เวลา งาน ชีวิต วัน โลก"),
    ("tr", "yeni zaman yıl hayat dünya gün şehir su"),
    ("uk", "рік час життя людина день новий місто робота"),
    ("zh", "的 一 中国 人 大 世界 年 不 时间 个 生活 新 国"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn words(html: &str) -> Vec<String> {
        let url = Url::parse("http://a.org/").unwrap();
        let mut words = OpeningWords::of(&crate::html::parse(html.as_bytes(), None, &url));
        std::iter::from_fn(|| words.take_next()).collect()
    }

    #[test]
    fn words_of_the_page_come_before_frequent_words_of_its_language() {
        let page = "<html lang=ru><meta charset=utf-8><title>Архив цитат</title>
            <form><input name=q><input type=submit value=Найти></form><a href=/1>Лев Толстой</a>";
        let words = words(page);
        assert_eq!(&words[..3], ["архив", "цитат", "толстой"]);
        assert!(words.contains(&"время".to_string()) && !words.contains(&"найти".to_string()));
    }

    #[test]
    fn unspaced_scripts_give_pairs_of_characters() {
        let page = "<html lang=zh><meta charset=utf-8><title>图书目录</title><form><input name=q></form>";
        let words = words(page);
        assert_eq!(words[0], "图书");
        assert!(words.contains(&"中国".to_string()));
    }

    #[test]
    fn the_script_of_a_page_overrules_the_language_that_its_template_declares() {
        let page = "<html lang=en><meta charset=utf-8><title>\u{434}\u{43e}\u{43c}</title><form><input name=q></form>";
        assert!(words(page).contains(&"время".to_string()));
        let latin = "<html lang=uk><meta charset=utf-8><title>Lviv</title><form><input name=q></form>";
        assert!(words(latin).contains(&"час".to_string()));
    }

    #[test]
    fn words_are_sent_early_and_without_english_ones_between_on_a_foreign_page() {
        let url = Url::parse("http://a.org/").unwrap();
        let due = |language: &str| {
            let html = format!("<html lang={language}><title>Archive</title>");
            let words = OpeningWords::of(&crate::html::parse(html.as_bytes(), None, &url));
            (0..6).filter(|queries| words.is_due(*queries)).collect::<Vec<u32>>()
        };
        assert_eq!((due("fr"), due("en")), (vec![1, 2, 3, 4, 5], vec![3, 5]));
    }

    #[test]
    fn words_of_the_template_come_last() {
        let page =
            "<html lang=ru><meta charset=utf-8><title>Архив - Catalogue</title><form><input name=q></form>";
        let words = words(page);
        assert_eq!((words[0].as_str(), words.last().map(String::as_str)), ("архив", Some("catalogue")));
    }
}
