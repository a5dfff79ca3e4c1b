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

/// Words of the page that are sent. Guess.
const MAX_PAGE_WORDS: usize = 10;
/// Words of the page that are sent from one link text, so that one link does not supply all. Guess.
const MAX_WORDS_PER_LINK: usize = 2;
/// Bytes of the page's text that are split into words. Guess.
const MAX_TEXT: usize = 8 << 10;
/// Least letters of a word in a script with spaces. Guess.
const MIN_LETTERS: usize = 4;

/// Queue of words.
#[derive(Default)]
pub struct OpeningWords {
    words: VecDeque<String>,
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
        let frequent = frequent_words(page.language.as_deref()).split(' ').map(String::from);
        OpeningWords { words: words.found.into_iter().chain(frequent).collect() }
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
            language: Language::of(page.language.as_deref()),
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
        let is_unspaced = word.chars().all(is_unspaced_letter);
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        let is_long = letters >= if is_unspaced { 2 } else { MIN_LETTERS };
        is_long && !word.chars().any(char::is_numeric) && !self.language.is_stop(word)
    }
}

/// Returns true for letters of scripts without spaces between words.
fn is_unspaced_letter(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

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
    ("ja", "日本 東京 時間 世界 生活 人 年 新 大 本"),
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
    ("zh", "中国 世界 时间 生活 人 年 大 新 的 国"),
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
}
