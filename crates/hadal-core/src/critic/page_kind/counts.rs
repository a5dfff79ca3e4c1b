//! Totals that a page states: `1-10 of 1,234`, `about 245 Treffer`, `Found: 12`, `全 30 件`.
//!
//! The text is split into numbers, words and signs. Each rule recognises one pattern at a position of this list.

use super::phrases;
use crate::text::words::decimal_digit;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Maximum number of bytes of text that are read. Guess.
const MAX_TEXT: usize = 32 << 10;
/// Maximum number of pieces of a text. Guess.
const MAX_PIECES: usize = 6_000;

/// Token of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece<'a> {
    Number(u64),
    Dash,
    Slash,
    Plus,
    Stop,
    Word(&'a str),
}

/// Number of results that a page states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatedCount {
    /// Total of the query.
    pub total: u64,
    /// True if the page marks the total as rounded or as a bound.
    pub is_round: bool,
    /// Number of results on this page, if stated.
    pub shown: Option<u64>,
}

/// Maximum number of counts that are returned for one text. Guess.
const MAX_COUNTS: usize = 40;

/// Total that a text states.
pub fn stated_total(text: &str) -> Option<u64> {
    apply_rules(text, &[range_of, of_range, counted, announced]).next().map(|count| count.total)
}

/// All totals that a text may state, most likely first. The text must not contain the results themselves, because
/// counts of any items are accepted. Each line of the text is a sentence.
pub fn stated_counts(text: &str) -> Vec<StatedCount> {
    apply_rules(text, &[range_of, of_range, counted, announced, any_items]).take(MAX_COUNTS).collect()
}

/// Pattern that starts at a position of the pieces.
type CountRule = fn(&[Piece<'_>], usize) -> Option<StatedCount>;

fn apply_rules(text: &str, rules: &'static [CountRule]) -> impl Iterator<Item = StatedCount> {
    let pieces = pieces(text);
    let places = rules.iter().flat_map({
        let length = pieces.len();
        move |rule| (0..length).map(move |at| (rule, at))
    });
    places.filter_map(move |(rule, at)| rule(&pieces, at))
}

/// `1-10 of 245`, `1-10 / 245`, `1 to 10 of about 245`
fn range_of(pieces: &[Piece<'_>], at: usize) -> Option<StatedCount> {
    let (from, to, length) = range(&pieces[at..])?;
    let rest = &pieces[at + length..];
    // A noun may follow the range: "1-10 items of 245".
    let of = rest.iter().take(2).position(|piece| has_sense(piece, OF) || *piece == Piece::Slash)?;
    let near = rest[of + 1..].iter().take(4).position(|piece| number(piece).is_some())?;
    let position = at + length + of + 1 + near;
    let total = number(&pieces[position])?;
    (from <= to && to <= total)
        .then(|| StatedCount { shown: Some(to - from + 1), ..count_at(pieces, position, total) })
}

/// Count in a range of shown results, as in `245 件中 1-10`.
fn of_range(pieces: &[Piece<'_>], at: usize) -> Option<StatedCount> {
    let total = number(&pieces[at])?;
    let of = pieces[at + 1..].iter().take(2).position(|piece| has_sense(piece, OF))?;
    let (from, to, _) = range(&pieces[at + of + 2..])?;
    (from <= to && to <= total)
        .then(|| StatedCount { shown: Some(to - from + 1), ..count_at(pieces, at, total) })
}

/// Range at the start of the pieces: first number, last number, number of pieces.
fn range(pieces: &[Piece<'_>]) -> Option<(u64, u64, usize)> {
    let from = number(pieces.first()?)?;
    let between = pieces.get(1)?;
    let is_range = *between == Piece::Dash || has_sense(between, TO);
    Some((from, number(pieces.get(2)?)?, 3)).filter(|_| is_range)
}

/// Number at a position that may be a total: no end of a range, no number of pages, no number of results per page.
fn total_at(pieces: &[Piece<'_>], at: usize) -> Option<u64> {
    let total = number(&pieces[at])?;
    let before = |distance: usize| at.checked_sub(distance).map(|before| &pieces[before]);
    let starts_range = |from: usize| range(&pieces[from..]).is_some_and(|(from, to, _)| from <= to);
    // "Page 1 - 245 results" is not a range.
    let is_after_page = before(3).is_some_and(|word| has_sense(word, PAGES));
    let ends_range = at >= 2 && starts_range(at - 2) && !is_after_page;
    let is_per_page = before(1).is_some_and(|word| has_sense(word, EACH_PAGE));
    let counts_pages = pieces.get(at + 1).is_some_and(|word| has_sense(word, PAGES));
    (!ends_range && !starts_range(at) && !is_per_page && !counts_pages).then_some(total)
}

/// `245 results`, `245 matching records`, `245 books found`
fn counted(pieces: &[Piece<'_>], at: usize) -> Option<StatedCount> {
    let total = total_at(pieces, at)?;
    let words = words_after(pieces, at);
    let noun = words.iter().take(2).position(|word| has_sense(word, COUNTED));
    let is_per = noun.and_then(|at| words.get(at + 1)).is_some_and(|word| has_sense(word, PER));
    // A word for "found" directly before another number announces that one.
    let first = at + 1 + usize::from(has_mark_after(pieces, at));
    let announces = |nth: usize| pieces.get(first + nth + 1).is_some_and(|next| number(next).is_some());
    let found = words.iter().enumerate().any(|(nth, word)| has_sense(word, FOUND) && !announces(nth));
    ((noun.is_some() && !is_per) || found).then(|| count_at(pieces, at, total))
}

/// `245 items`: number of any items. The weakest rule. The year of a date counts nothing: `Nov 19 2026 Posts: 601`.
fn any_items(pieces: &[Piece<'_>], at: usize) -> Option<StatedCount> {
    let is_page = pieces.get(at + 1).is_some_and(|word| has_sense(word, PAGES));
    let total = if is_page { number(&pieces[at]) } else { total_at(pieces, at) };
    let total = total.filter(|total| *total > 0)?;
    let words = words_after(pieces, at);
    let is_item = words.first().is_some_and(|word| has_sense(word, THINGS));
    let is_per = words.get(1).is_some_and(|word| has_sense(word, PER));
    let is_number = |at: Option<usize>| at.and_then(|at| pieces.get(at)).and_then(number).is_some();
    let is_date = is_number(at.checked_sub(1)) && is_number(Some(at + 2));
    (is_item && !is_per && !is_date).then(|| count_at(pieces, at, total))
}

/// Up to four words after a number. A plus sign or line end directly after the number is skipped.
fn words_after<'p, 't>(pieces: &'p [Piece<'t>], at: usize) -> &'p [Piece<'t>] {
    let rest = &pieces[at + 1 + usize::from(has_mark_after(pieces, at))..];
    let words = rest.iter().take(4).take_while(|piece| matches!(piece, Piece::Word(_))).count();
    &rest[..words]
}

/// Returns true if a plus sign or line end directly follows a number.
fn has_mark_after(pieces: &[Piece<'_>], at: usize) -> bool {
    matches!(pieces.get(at + 1), Some(Piece::Plus | Piece::Stop))
}

/// Count after a word that announces it, as in `Found 245` or `Results: 245`.
fn announced(pieces: &[Piece<'_>], at: usize) -> Option<StatedCount> {
    let about = usize::from(number(pieces.get(at + 1)?).is_none());
    number(pieces.get(at + 1 + about)?)?;
    let total = total_at(pieces, at + 1 + about)?;
    let is_announcement = has_sense(&pieces[at], FOUND) || has_sense(&pieces[at], COUNTED);
    if about == 1 && !has_sense(&pieces[at + 1], ABOUT) {
        return None;
    }
    let rest = pieces.get(at + 2 + about..).unwrap_or_default();
    let has_number = || rest.iter().skip(1).take(3).any(|piece| number(piece).is_some());
    let continues = rest.first().is_some_and(|next| {
        matches!(next, Piece::Dash | Piece::Slash)
            || has_sense(next, TO)
            || (has_sense(next, OF) && !has_sense(next, COUNTED) && has_number())
    });
    (is_announcement && !continues).then(|| count_at(pieces, at + 1 + about, total))
}

/// Count without a range. It is rounded if a word such as "about" precedes the number or a plus sign follows it.
fn count_at(pieces: &[Piece<'_>], at: usize, total: u64) -> StatedCount {
    let before = pieces[at.saturating_sub(2)..at].iter().any(|piece| has_sense(piece, ABOUT));
    let is_round = before || pieces.get(at + 1) == Some(&Piece::Plus);
    StatedCount { total, is_round, shown: None }
}

fn number(piece: &Piece<'_>) -> Option<u64> {
    match piece {
        Piece::Number(number) => Some(*number),
        _ => None,
    }
}

/// Bit set of the meanings of a word beside a number. Some words have several.
type WordSenses = u16;
const COUNTED: WordSenses = 1;
const FOUND: WordSenses = 2;
const OF: WordSenses = 4;
const PER: WordSenses = 8;
const TO: WordSenses = 16;
const ABOUT: WordSenses = 32;
const THINGS: WordSenses = 64;
const PAGES: WordSenses = 128;
const EACH_PAGE: WordSenses = 256;

static SENSES: LazyLock<FxHashMap<&'static str, WordSenses>> = LazyLock::new(|| {
    let lists = [
        (phrases::COUNTED, COUNTED),
        (phrases::FOUND, FOUND),
        (phrases::OF, OF),
        (phrases::PER, PER),
        (phrases::TO, TO),
        (phrases::ABOUT, ABOUT),
        (phrases::THINGS, THINGS),
        (phrases::PAGES, PAGES),
        (phrases::EACH_PAGE, EACH_PAGE),
    ];
    let mut senses = FxHashMap::default();
    for (list, sense) in lists {
        list.iter().for_each(|word| *senses.entry(*word).or_insert(0) |= sense);
    }
    senses
});

/// Entries of [`SENSES`] in scripts without spaces.
static UNSPACED_SENSES: LazyLock<Vec<(&'static str, WordSenses)>> = LazyLock::new(|| {
    let is_unspaced_word = |word: &str| word.chars().next().is_some_and(is_unspaced);
    SENSES.iter().map(|(word, senses)| (*word, *senses)).filter(|(word, _)| is_unspaced_word(word)).collect()
});

/// True if a word has a meaning. In scripts without spaces it is enough that the word starts or ends with such a word.
fn has_sense(piece: &Piece<'_>, sense: WordSenses) -> bool {
    let Piece::Word(word) = piece else { return false };
    if word.chars().next().is_some_and(is_unspaced) {
        let is_affix = |entry: &str| word.starts_with(entry) || word.ends_with(entry);
        return UNSPACED_SENSES.iter().any(|(entry, senses)| senses & sense != 0 && is_affix(entry));
    }
    let mut lower = [0; MAX_SENSE_WORD];
    let known = match lower.get_mut(..word.len()) {
        Some(lower) if word.is_ascii() => {
            lower.copy_from_slice(word.as_bytes());
            lower.make_ascii_lowercase();
            std::str::from_utf8(lower).ok().and_then(|word| SENSES.get(word))
        }
        _ => SENSES.get(word.to_lowercase().as_str()),
    };
    known.is_some_and(|senses| senses & sense != 0)
}

/// Length of the buffer for lower-case words. No ASCII word in [`SENSES`] is longer.
const MAX_SENSE_WORD: usize = 24;

fn is_unspaced(c: char) -> bool {
    c >= '\u{2e80}'
}

/// Splits a text into words, numbers without thousands separators, and signs.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut read = 0;
    while let Some(c) = rest.chars().next() {
        if read > MAX_TEXT || pieces.len() >= MAX_PIECES {
            break;
        }
        let taken = if c.is_alphabetic() {
            let taken = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
            pieces.push(Piece::Word(&rest[..taken]));
            taken
        } else if decimal_digit(c).is_some() {
            let (number, taken) = leading_number(rest);
            pieces.extend(number.map(Piece::Number));
            taken
        } else {
            pieces.extend(sign(c));
            c.len_utf8()
        };
        rest = &rest[taken..];
        read += taken;
    }
    pieces
}

fn sign(c: char) -> Option<Piece<'static>> {
    match c {
        '-' | '\u{2010}'..='\u{2015}' | '~' | '\u{301c}' | '\u{ff5e}' => Some(Piece::Dash),
        '/' => Some(Piece::Slash),
        '+' => Some(Piece::Plus),
        '.' | ';' | '!' | '?' | '|' | ')' | '\n' | '\u{3002}' => Some(Piece::Stop),
        _ => None,
    }
}

/// Number at the start of a text, with or without thousands separators, and its length in bytes. `None` for numbers of
/// 10^12 and above.
fn leading_number(text: &str) -> (Option<u64>, usize) {
    let (mut value, first_digits, mut end) = leading_digits(text);
    while let Some(separator) = text[end..].chars().next().filter(|_| first_digits <= 3) {
        let after = end + separator.len_utf8();
        if !is_thousands_separator(separator) || value >= MAX_NUMBER {
            break;
        }
        let (group, digits, length) = leading_digits(&text[after..]);
        if digits != 3 {
            break;
        }
        value = value.saturating_mul(1_000).saturating_add(group);
        end = after + length;
    }
    (Some(value).filter(|number| *number < MAX_NUMBER), end)
}

/// Numbers from here on are not totals. Guess.
const MAX_NUMBER: u64 = 1_000_000_000_000;

fn is_thousands_separator(c: char) -> bool {
    matches!(c, ',' | '.' | '\'' | '\u{2019}' | ' ' | '\u{a0}' | '\u{202f}' | '\u{66c}' | '\u{ff0c}')
}

/// Decimal digits at the start of a text: their value, their number and their length in bytes.
fn leading_digits(text: &str) -> (u64, usize, usize) {
    let digits = text.chars().map_while(|c| Some((u64::from(decimal_digit(c)?), c.len_utf8())));
    digits.fold((0, 0, 0), |(value, count, length), (digit, bytes): (u64, usize)| {
        (value.saturating_mul(10).saturating_add(digit), count + 1, length + bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::{StatedCount, stated_counts, stated_total};

    #[test]
    fn totals_are_read_in_many_languages() {
        for (text, expected) in [
            ("Showing 1-10 of 1,234 for hotels", Some(1234)),
            ("Results 1 \u{2013} 20 of about 5.300.000", Some(5_300_000)),
            ("Items 1 to 10 of 245 total", Some(245)),
            ("245 Treffer", Some(245)),
            ("2019 150 Treffer", Some(150)),
            ("Ergebnisse 1 bis 10 von 87", Some(87)),
            ("1 234 r\u{e9}sultats trouv\u{e9}s", Some(1234)),
            ("Se han encontrado 12 resultados", Some(12)),
            ("\u{41d}\u{430}\u{439}\u{434}\u{435}\u{43d}\u{43e}: 42", Some(42)),
            ("\u{5171}245\u{6761}\u{7ed3}\u{679c}", Some(245)),
            ("\u{691c}\u{7d22}\u{7d50}\u{679c} 30\u{4ef6}", Some(30)),
            ("37 used cars found near you", Some(37)),
            ("Your query returned 0 records.", Some(0)),
            ("0 results", Some(0)),
            ("10 results per page", None),
            ("Showing 1-20 results, 340 total", Some(340)),
            ("Page 1 - 245 results", Some(245)),
            ("显示第1到20条，共340条", Some(340)),
            ("每页显示20条，共340条", Some(340)),
            ("1～20件を表示（全340件）", Some(340)),
            ("第1页，共24页，共340条", Some(340)),
            ("共24页", None),
            ("全24ページ", None),
            ("총 24페이지", None),
            ("1-20 results", None),
            ("с 1 по 20 из 340", Some(340)),
            ("1 إلى 10 من 245", Some(245)),
            ("1 až 20 z 340", Some(340)),
            ("1 til 20 av 340", Some(340)),
            ("Hiển thị 1 đến 20 trong 340", Some(340)),
            ("1 έως 20 από 340", Some(340)),
            ("340건 중 1~20", Some(340)),
            ("۱۲۳ نتیجه", Some(123)),
            ("١٬٢٣٤ نتيجة", Some(1234)),
            ("１２３件", Some(123)),
            ("Page 2 of 7", None),
            ("Call 555 1234 today", None),
            ("", None),
        ] {
            assert_eq!(stated_total(text), expected, "{text}");
        }
    }

    #[test]
    fn the_year_of_a_date_before_a_labelled_number_is_no_total() {
        let totals = |text| stated_counts(text).iter().map(|count| count.total).collect::<Vec<u64>>();
        assert!(!totals("Joined: Nov 19 2026 Posts: 601").contains(&2026));
        assert_eq!(totals("2026 posts"), [2026]);
        assert_eq!(totals("120 posts 14 topics"), [120, 14]);
    }

    #[test]
    fn rounded_totals_and_shown_results_are_recognised() {
        for (text, total, is_round, shown) in [
            ("Results 1-10 of about 5,300", 5300, true, Some(10)),
            ("1-20 / 245", 245, false, Some(20)),
            ("\u{7d04} 1,200 \u{4ef6}", 1200, true, None),
            ("30 \u{4ef6}\u{4e2d} 11-20 \u{4ef6}\u{3092}\u{8868}\u{793a}", 30, false, Some(10)),
            ("1,000+ results", 1000, true, None),
            ("Ungef\u{e4}hr 2.345 Treffer", 2345, true, None),
            ("Plus de 300 r\u{e9}sultats", 300, true, None),
            ("Anzeige der Treffer 1 bis 20 von insgesamt 1.024", 1024, false, Some(20)),
            ("Showing 1\u{2013}16 of 204 products", 204, false, Some(16)),
            ("37 items", 37, false, None),
            ("4,817 rows where search matches \"the\"", 4817, false, None),
            ("4.817 Datens\u{e4}tze", 4817, false, None),
            ("4 817 lignes", 4817, false, None),
            ("4 817 \u{441}\u{442}\u{440}\u{43e}\u{43a}", 4817, false, None),
            ("4,817 \u{884c}", 4817, false, None),
            ("\u{ac80}\u{c0c9}\u{acb0}\u{acfc} \u{cd1d} 58\u{ac74}", 58, false, None),
        ] {
            assert_eq!(stated_counts(text).first(), Some(&StatedCount { total, is_round, shown }), "{text}");
        }
        for text in ["Cart: 0 items", "20 items per page", "Page 1/7", "24/7"] {
            assert!(stated_counts(text).is_empty(), "{text}");
        }
    }
}
