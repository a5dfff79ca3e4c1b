//! How many results a page says there are: `1-10 of 1,234`, `245 Treffer`, `Found: 12`.

use super::phrases::{COUNTED, FOUND, OF, PER, TO};

/// Bytes of text that are read, and pieces that are kept.
const READ: usize = 32 << 10;
const MOST_PIECES: usize = 6_000;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Number(u64),
    Dash,
    Word(String),
}

/// The number of results named in a text, if one is.
pub fn total(text: &str) -> Option<u64> {
    let pieces = pieces(text);
    let at_each = |rule: fn(&[Piece]) -> Option<u64>| (0..pieces.len()).find_map(|at| rule(&pieces[at..]));
    at_each(range_of).or_else(|| at_each(counted)).or_else(|| at_each(announced))
}

/// `1-10 of 245`
fn range_of(pieces: &[Piece]) -> Option<u64> {
    let [Piece::Number(from), between, Piece::Number(to), of, rest @ ..] = pieces else { return None };
    let is_range = *between == Piece::Dash || is(between, TO);
    // "of about 245"
    let total = rest.iter().take(3).find_map(number)?;
    (is_range && is(of, OF) && from <= to && *to <= total).then_some(total)
}

/// `245 results`, `245 matching records`, `245 books found`
fn counted(pieces: &[Piece]) -> Option<u64> {
    let [Piece::Number(total), rest @ ..] = pieces else { return None };
    let words = rest.iter().take_while(|piece| matches!(piece, Piece::Word(_)));
    let reach: Vec<&Piece> = words.take(4).collect();
    let noun = reach.iter().take(2).position(|word| is(word, COUNTED));
    let is_per = noun.and_then(|at| reach.get(at + 1)).is_some_and(|word| is(word, PER));
    let found = reach.iter().take(4).any(|word| is(word, FOUND));
    ((noun.is_some() && !is_per) || found).then_some(*total)
}

/// `Found 245`, `Results: 245`
fn announced(pieces: &[Piece]) -> Option<u64> {
    let [word, Piece::Number(total), rest @ ..] = pieces else { return None };
    let goes_on = matches!(rest.first(), Some(Piece::Dash)) || rest.first().is_some_and(|next| is(next, TO));
    ((is(word, FOUND) || is(word, COUNTED)) && !goes_on).then_some(*total)
}

fn number(piece: &Piece) -> Option<u64> {
    match piece {
        Piece::Number(number) => Some(*number),
        _ => None,
    }
}

/// Whether a word is one of a list; words of scripts without blanks need only begin or end so.
fn is(piece: &Piece, list: &[&str]) -> bool {
    let Piece::Word(word) = piece else { return false };
    let sticks = |entry: &&str| {
        entry.chars().next().is_some_and(|c| c >= '\u{2e80}')
            && (word.starts_with(entry) || word.ends_with(entry))
    };
    list.iter().any(|entry| word == entry || sticks(entry))
}

/// Words in lower case, numbers with their separators taken out, and dashes; a text changes from one
/// to the other where digits begin or end.
fn pieces(text: &str) -> Vec<Piece> {
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
            pieces.push(Piece::Word(rest[..taken].to_lowercase()));
            taken
        } else {
            if matches!(c, '-' | '\u{2010}'..='\u{2015}' | '~' | '\u{301c}' | '\u{ff5e}') {
                pieces.push(Piece::Dash);
            }
            c.len_utf8()
        };
        rest = &rest[taken..];
        read += taken;
    }
    pieces
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
    use super::total;

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
            assert_eq!(total(text), expected, "{text}");
        }
    }
}
