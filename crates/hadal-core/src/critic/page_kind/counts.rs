//! How many results a page says there are: `1-10 of 1,234`, `about 245 Treffer`, `Found: 12`, `全 30 件`.

use super::phrases;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Bytes of text that are read, and pieces that are kept.
const READ: usize = 32 << 10;
const MOST_PIECES: usize = 6_000;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece<'a> {
    Number(u64),
    Dash,
    Slash,
    Plus,
    Stop,
    Word(&'a str),
}

/// A number of results as a page names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatedCount {
    /// How many there are.
    pub total: u64,
    /// Whether the page says that this is a round number, or a bound.
    pub is_round: bool,
    /// How many of them this page shows, where it says so.
    pub shown: Option<u64>,
}

/// Counts of one text that are told apart.
const MOST_COUNTS: usize = 40;

/// The number of results named in a text, if one is.
pub fn stated_total(text: &str) -> Option<u64> {
    all(text, &[range_of, of_range, counted, announced]).next().map(|count| count.total)
}

/// Every number of results that a text may name, the likeliest first, where things that are counted are
/// results: outside of the results themselves. Lines of the text are sentences of their own.
pub fn stated_counts(text: &str) -> Vec<StatedCount> {
    all(text, &[range_of, of_range, counted, announced, things]).take(MOST_COUNTS).collect()
}

/// A rule looks at the pieces from one position on, and may look back.
type CountRule = fn(&[Piece<'_>], usize) -> Option<StatedCount>;

fn all(text: &str, rules: &'static [CountRule]) -> impl Iterator<Item = StatedCount> {
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
    // Things may be named in between: "1-10 items of 245".
    let of = rest.iter().take(2).position(|piece| is(piece, OF) || *piece == Piece::Slash)?;
    let near = rest[of + 1..].iter().take(4).position(|piece| number(piece).is_some())?;
    let position = at + length + of + 1 + near;
    let total = number(&pieces[position])?;
    (from <= to && to <= total)
        .then(|| StatedCount { shown: Some(to - from + 1), ..plain(pieces, position, total) })
}

/// `245 件中 1-10`
fn of_range(pieces: &[Piece<'_>], at: usize) -> Option<StatedCount> {
    let total = number(&pieces[at])?;
    let of = pieces[at + 1..].iter().take(2).position(|piece| is(piece, OF))?;
    let (from, to, _) = range(&pieces[at + of + 2..])?;
    (from <= to && to <= total)
        .then(|| StatedCount { shown: Some(to - from + 1), ..plain(pieces, at, total) })
}

/// Two numbers with something between that makes them a range, and how many pieces that is.
fn range(pieces: &[Piece<'_>]) -> Option<(u64, u64, usize)> {
    let from = number(pieces.first()?)?;
    let between = pieces.get(1)?;
    let is_range = *between == Piece::Dash || is(between, TO);
    Some((from, number(pieces.get(2)?)?, 3)).filter(|_| is_range)
}

/// `245 results`, `245 matching records`, `245 books found`
fn counted(pieces: &[Piece<'_>], at: usize) -> Option<StatedCount> {
    let total = number(&pieces[at])?;
    let reach = words_after(pieces, at);
    let noun = reach.iter().take(2).position(|word| is(word, COUNTED));
    let is_per = noun.and_then(|at| reach.get(at + 1)).is_some_and(|word| is(word, PER));
    let found = reach.iter().take(4).any(|word| is(word, FOUND));
    ((noun.is_some() && !is_per) || found).then(|| plain(pieces, at, total))
}

/// `245 items`, where nothing plainer is said: a number of something that is listed.
fn things(pieces: &[Piece<'_>], at: usize) -> Option<StatedCount> {
    let total = number(&pieces[at]).filter(|total| *total > 0)?;
    let reach = words_after(pieces, at);
    let is_thing = reach.first().is_some_and(|word| is(word, THINGS));
    let is_per = reach.get(1).is_some_and(|word| is(word, PER));
    (is_thing && !is_per).then(|| plain(pieces, at, total))
}

/// The few words that follow a number, a plus sign or the end of a line passed over.
fn words_after<'p, 't>(pieces: &'p [Piece<'t>], at: usize) -> &'p [Piece<'t>] {
    let plus = usize::from(matches!(pieces.get(at + 1), Some(Piece::Plus | Piece::Stop)));
    let rest = &pieces[at + 1 + plus..];
    let words = rest.iter().take(4).take_while(|piece| matches!(piece, Piece::Word(_))).count();
    &rest[..words]
}

/// `Found 245`, `Results: 245`
fn announced(pieces: &[Piece<'_>], at: usize) -> Option<StatedCount> {
    let about = usize::from(number(pieces.get(at + 1)?).is_none());
    let total = number(pieces.get(at + 1 + about)?)?;
    let is_said = is(&pieces[at], FOUND) || is(&pieces[at], COUNTED);
    if about == 1 && !is(&pieces[at + 1], ABOUT) {
        return None;
    }
    let goes_on = pieces.get(at + 2 + about).is_some_and(|next| {
        matches!(next, Piece::Dash | Piece::Slash) || is(next, TO) || (is(next, OF) && !is(next, COUNTED))
    });
    (is_said && !goes_on).then(|| plain(pieces, at + 1 + about, total))
}

/// A number with nothing said about what is shown; what stands around it tells whether it is round.
fn plain(pieces: &[Piece<'_>], at: usize, total: u64) -> StatedCount {
    let before = pieces[at.saturating_sub(2)..at].iter().any(|piece| is(piece, ABOUT));
    let is_round = before || pieces.get(at + 1) == Some(&Piece::Plus);
    StatedCount { total, is_round, shown: None }
}

fn number(piece: &Piece<'_>) -> Option<u64> {
    match piece {
        Piece::Number(number) => Some(*number),
        _ => None,
    }
}

/// What a word may mean beside a number: bits, since some words mean several things.
type WordSenses = u8;
const COUNTED: WordSenses = 1;
const FOUND: WordSenses = 2;
const OF: WordSenses = 4;
const PER: WordSenses = 8;
const TO: WordSenses = 16;
const ABOUT: WordSenses = 32;
const THINGS: WordSenses = 64;

static SENSES: LazyLock<FxHashMap<&'static str, WordSenses>> = LazyLock::new(|| {
    let lists = [
        (phrases::COUNTED, COUNTED),
        (phrases::FOUND, FOUND),
        (phrases::OF, OF),
        (phrases::PER, PER),
        (phrases::TO, TO),
        (phrases::ABOUT, ABOUT),
        (phrases::THINGS, THINGS),
    ];
    let mut senses = FxHashMap::default();
    for (list, sense) in lists {
        list.iter().for_each(|word| *senses.entry(*word).or_insert(0) |= sense);
    }
    senses
});

/// Those of scripts without blanks.
static STICKY: LazyLock<Vec<(&'static str, WordSenses)>> = LazyLock::new(|| {
    let is_sticky = |word: &str| word.chars().next().is_some_and(is_unspaced);
    SENSES.iter().map(|(word, senses)| (*word, *senses)).filter(|(word, _)| is_sticky(word)).collect()
});

/// Whether a word has a sense; words of scripts without blanks need only begin or end with one that has.
fn is(piece: &Piece<'_>, sense: WordSenses) -> bool {
    let Piece::Word(word) = piece else { return false };
    if word.chars().next().is_some_and(is_unspaced) {
        let sticks = |entry: &str| word.starts_with(entry) || word.ends_with(entry);
        return STICKY.iter().any(|(entry, senses)| senses & sense != 0 && sticks(entry));
    }
    let mut lower = [0; LONG_WORD];
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

/// Bytes of the longest plain word that has a sense, and more.
const LONG_WORD: usize = 24;

fn is_unspaced(c: char) -> bool {
    c >= '\u{2e80}'
}

/// Words, numbers with their separators taken out, and dashes; a text changes from one
/// to the other where digits begin or end.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut read = 0;
    while let Some(c) = rest.chars().next() {
        if read > READ || pieces.len() >= MOST_PIECES {
            break;
        }
        let taken = if c.is_ascii_digit() {
            let (number, taken) = leading_number(rest);
            pieces.extend(number.map(Piece::Number));
            taken
        } else if c.is_alphabetic() {
            let taken = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
            pieces.push(Piece::Word(&rest[..taken]));
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

/// A whole number with or without thousands separators, and its length in bytes; none when it is too
/// large to count anything.
fn leading_number(text: &str) -> (Option<u64>, usize) {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut end = digits(text);
    let mut value = text[..end].to_string();
    while let Some(separator) = text[end..].chars().next() {
        let is_separator = matches!(separator, ',' | '.' | '\'' | '\u{2019}' | ' ' | '\u{a0}' | '\u{202f}');
        let after = end + separator.len_utf8();
        if !is_separator || value.len() > 15 || digits(&text[after..]) != 3 {
            break;
        }
        value.push_str(&text[after..after + 3]);
        end = after + 3;
    }
    (value.parse().ok().filter(|number: &u64| *number < 1_000_000_000_000), end)
}

#[cfg(test)]
mod tests {
    use super::{StatedCount, stated_counts, stated_total};

    #[test]
    fn totals_are_read_in_many_wordings() {
        for (text, expected) in [
            ("Showing 1-10 of 1,234 for hotels", Some(1234)),
            ("Results 1 \u{2013} 20 of about 5.300.000", Some(5_300_000)),
            ("Items 1 to 10 of 245 total", Some(245)),
            ("245 Treffer", Some(245)),
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
            ("Page 2 of 7", None),
            ("Call 555 1234 today", None),
            ("", None),
        ] {
            assert_eq!(stated_total(text), expected, "{text}");
        }
    }

    #[test]
    fn round_numbers_and_what_is_shown_are_told() {
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
            ("\u{ac80}\u{c0c9}\u{acb0}\u{acfc} \u{cd1d} 58\u{ac74}", 58, false, None),
        ] {
            assert_eq!(stated_counts(text).first(), Some(&StatedCount { total, is_round, shown }), "{text}");
        }
        for text in ["Cart: 0 items", "20 items per page", "Page 1/7", "24/7"] {
            assert!(stated_counts(text).is_empty(), "{text}");
        }
    }
}
