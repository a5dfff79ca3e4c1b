//! Parses numbers written on forms and in records: `£1,250`, `12 500 km`, `1.5`, `10k`.

/// Maximum number of bytes of a text that are searched. Guess.
const MAX_BYTES: usize = 4 << 10;

/// Larger numbers are taken for identifiers and ignored. Guess.
const LARGEST: f64 = 1e15;

/// First number in a text.
pub fn number(text: &str) -> Option<f64> {
    let text = beginning(text);
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let (digits, end) = digits(&text[start..]);
    let value: f64 = digits.parse().ok()?;
    let rest = &text[start + end..];
    let is_thousands = rest.starts_with(['k', 'K']) && !rest[1..].starts_with(char::is_alphanumeric);
    let before = text[..start].strip_suffix('-').map(|before| before.chars().next_back());
    let is_negative = before.is_some_and(|c| c.is_none_or(|c| !c.is_alphanumeric()));
    let value = if is_thousands { value * 1000.0 } else { value };
    let value = if is_negative { -value } else { value };
    Some(value).filter(|value| value.abs() < LARGEST)
}

/// Number that follows a name in a text within six characters.
pub fn number_after(text: &str, name: &str) -> Option<f64> {
    /// Characters between the name and the first digit. Guess.
    const NEAR: usize = 6;
    let text = beginning(text);
    let at = text.to_ascii_lowercase().find(name)?;
    let rest = &text[at + name.len()..];
    let near = rest.char_indices().take(NEAR).any(|(_, c)| c.is_ascii_digit());
    if near { number(rest) } else { None }
}

/// First amount of money in a text: a number next to a currency sign.
pub fn amount(text: &str) -> Option<f64> {
    let text = beginning(text);
    let is_currency = |c: char| matches!(c, '$' | '£' | '€' | '¥' | '₹' | '₽' | '₩' | '₺');
    let (at, sign) = text.char_indices().find(|(_, c)| is_currency(*c))?;
    let rest = &text[at + sign.len_utf8()..];
    if rest.trim_start().starts_with(|c: char| c.is_ascii_digit()) {
        return number(rest);
    }
    let before = text[..at].trim_end();
    let start = before.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '\u{a0}'));
    number(&before[start.len()..])
}

/// First year in a text: four digits from 1800 to 2099.
pub fn year(text: &str) -> Option<f64> {
    let runs = beginning(text).split(|c: char| !c.is_alphanumeric());
    let years = runs.filter(|run| run.len() == 4).filter_map(|run| run.parse::<u32>().ok());
    years.into_iter().find(|year| (1800..2100).contains(year)).map(f64::from)
}

/// Formats a number for a box.
pub fn written(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

fn beginning(text: &str) -> &str {
    let mut end = text.len().min(MAX_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Digits at the start of a text with groups joined and a point for decimals, and the offset of their end.
fn digits(text: &str) -> (String, usize) {
    let mut parts = vec![String::new()];
    let (mut marks, mut end) = (Vec::new(), 0);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let goes_on = chars.peek().is_some_and(|(_, next)| next.is_ascii_digit());
        if c.is_ascii_digit() {
            parts.last_mut().expect("there is always a part").push(c);
            end = at + 1;
        } else if matches!(c, ',' | '.') && goes_on || is_gap(c) && is_group(&text[at + c.len_utf8()..]) {
            marks.push(c);
            parts.push(String::new());
        } else {
            break;
        }
    }
    let last = parts.pop().expect("there is always a part");
    let is_decimal = matches!(marks.last(), Some(',' | '.'))
        && (last.len() != 3 || marks.len() > 1 && marks.last() != marks.first());
    let whole = parts.concat();
    (if is_decimal { format!("{whole}.{last}") } else { whole + &last }, end)
}

fn is_gap(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\'' | '’')
}

fn is_group(rest: &str) -> bool {
    let run = rest.bytes().take(4).take_while(u8::is_ascii_digit).count();
    run == 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_every_notation() {
        for (text, value) in [
            ("£1,250", 1250.0),
            ("up to 12 500 km", 12500.0),
            ("1.5 litres", 1.5),
            ("10k", 10_000.0),
            ("1.234.567,89 €", 1_234_567.89),
            ("-40 degrees", -40.0),
            ("A-40", 40.0),
            ("100000+", 100_000.0),
            ("2'500", 2500.0),
        ] {
            assert_eq!(number(text), Some(value), "{text}");
        }
        assert_eq!(number("any"), None);
        assert_eq!(number(&"9".repeat(400)), None);
    }

    #[test]
    fn amounts_and_years_are_distinguished_from_other_numbers() {
        assert_eq!(amount("2017 Ford, 5 doors, £3,500"), Some(3500.0));
        assert_eq!(amount("5 doors 3.500 €"), Some(3500.0));
        assert_eq!(amount("5 doors"), None);
        assert_eq!(year("1.4 litres 12000 miles, 2017"), Some(2017.0));
        assert_eq!(number_after("Mileage: 30,000", "mileage"), Some(30_000.0));
        assert_eq!(number_after("mileage on request, 5 doors", "mileage"), None);
    }
}
