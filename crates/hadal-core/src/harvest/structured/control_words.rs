//! Words that show the purpose of a control, in several languages.

use crate::critic::phrase_set::{PhraseSet, normalise};
use std::sync::LazyLock;

/// Words of options that leave an input open.
#[rustfmt::skip]
static ANY: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "any", "all", "every", "everything", "everywhere", "anywhere", "select", "choose", "please", "pick", "no preference",
    "no min", "no max", "no limit", "min", "max", "minimum", "maximum", "from", "to", "none", "unspecified", "doesn t matter",
    "alle", "alles", "beliebig", "egal", "bitte", "auswählen", "wählen", "tous", "toutes", "tout", "choisir", "choisissez",
    "indifférent", "todos", "todas", "cualquier", "cualquiera", "seleccione", "elegir", "qualquer", "selecione", "tutti",
    "tutte", "qualsiasi", "scegli", "seleziona", "alle", "kies", "willekeurig", "wszystkie", "dowolny", "wybierz", "vše",
    "все", "любой", "любая", "выберите", "tümü", "hepsi", "seçiniz", "不限", "全部", "所有", "请选择", "すべて", "指定なし", "選択", "전체", "선택",
]));

/// Words for the lower end of a range.
#[rustfmt::skip]
static LOW: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "min", "minimum", "from", "low", "lower", "lowest", "lo", "start", "begin", "after", "since", "above", "over", "more than",
    "at least", "gte", "gt", "ge", "von", "ab", "mindestens", "de", "dès", "depuis", "à partir", "desde", "mínimo", "da",
    "minimo", "od", "vanaf", "van", "от", "с", "fra", "från", "より", "以上", "最低", "最小", "下限", "최소",
]));

/// Words for the upper end of a range.
#[rustfmt::skip]
static HIGH: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "max", "maximum", "to", "high", "upper", "highest", "hi", "end", "before", "until", "till", "below", "under", "less than",
    "up to", "upto", "at most", "lte", "lt", "le", "bis", "höchstens", "à", "jusqu", "hasta", "máximo", "até", "a", "massimo",
    "fino", "do", "tot", "до", "по", "til", "till", "以下", "最高", "最大", "上限", "최대",
]));

/// Words in control names that carry no meaning.
const FILLERS: [&str; 8] = ["val", "value", "range", "ctl", "txt", "ddl", "sel", "search"];

/// Prefixes and suffixes for the lower end in names written as one word, such as `minprice`.
const LOW_PARTS: [&str; 4] = ["min", "from", "low", "start"];
/// Prefixes and suffixes for the upper end.
const HIGH_PARTS: [&str; 4] = ["max", "to", "high", "end"];

/// Kind of values that a box or a range takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Calendar year, such as 2017.
    Year,
    /// Amount of money.
    Price,
    /// Other number, such as mileage, rooms or area.
    Number,
    /// Calendar day, such as a date of arrival.
    Date,
    /// Postal code of any country.
    Zip,
    /// Name of a place.
    City,
}

#[rustfmt::skip]
static VALUE_KINDS: LazyLock<[(ValueKind, PhraseSet); 6]> = LazyLock::new(|| [
    (ValueKind::Date, PhraseSet::new(&[
        "date", "day", "datum", "tag", "fecha", "data", "jour", "checkin", "checkout", "check in", "check out", "arrival",
        "departure", "дата", "日期", "日付", "날짜",
    ])),
    (ValueKind::Year, PhraseSet::new(&[
        "year", "yr", "jahr", "baujahr", "année", "annee", "año", "ano", "anno", "jaar", "bouwjaar", "rok", "год", "registration",
        "erstzulassung", "年", "年份", "연도",
    ])),
    (ValueKind::Price, PhraseSet::new(&[
        "price", "cost", "preis", "prix", "precio", "preço", "preco", "prezzo", "prijs", "cena", "цена", "salary", "gehalt",
        "salaire", "salario", "rent", "miete", "loyer", "budget", "amount", "fiyat", "价格", "價格", "価格", "가격",
    ])),
    (ValueKind::Zip, PhraseSet::new(&[
        "zip", "zipcode", "zip code", "postcode", "post code", "postal", "plz", "postleitzahl", "code postal", "codigo postal",
        "código postal", "cep", "cap", "индекс", "邮编", "郵便番号", "우편번호",
    ])),
    (ValueKind::City, PhraseSet::new(&[
        "city", "town", "place", "location", "where", "stadt", "ort", "ville", "lieu", "ciudad", "cidade", "città", "comune",
        "plaats", "miasto", "город", "şehir", "城市", "市区町村", "도시",
    ])),
    (ValueKind::Number, PhraseSet::new(&[
        "number", "mileage", "miles", "kilometer", "kilometre", "km", "rooms", "bedrooms", "beds", "baths", "area", "size", "sqft",
        "surface", "fläche", "zimmer", "pièces", "habitaciones", "quartos", "camere", "age", "weight", "length", "power", "hp", "ps",
        "engine", "seats", "doors", "distance", "laufleistung", "kilométrage", "пробег", "площадь", "面积", "面積",
    ])),
]);

/// End of a range that a control sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeEnd {
    /// Lower end of the range.
    Low,
    /// Upper end of the range.
    High,
}

/// True if an option leaves its input open.
pub fn is_any(value: &str, text: &str) -> bool {
    let value = value.trim();
    let has_no_text = !text.chars().any(char::is_alphanumeric);
    let is_blank = value.is_empty() || matches!(value, "-1" | "*" | "%");
    is_blank || has_no_text || (ANY.found_in(&normalise(text)) && !text.chars().any(|c| c.is_ascii_digit()))
}

/// Kind of values of a control, by its name and label.
pub fn value_kind(called: &str) -> Option<ValueKind> {
    VALUE_KINDS.iter().find(|(_, words)| words.found_in(called)).map(|(kind, _)| *kind)
}

/// End of a range that a plain name denotes, and the name without the word for it.
pub fn range_end(name: &str) -> Option<(RangeEnd, String)> {
    let words: Vec<&str> = name.split_whitespace().filter(|word| !FILLERS.contains(word)).collect();
    let is = |list: &PhraseSet, word: &str| list.equals(&format!(" {word} "));
    let without = |at: usize| [&words[..at], &words[at + 1..]].concat().join(" ");
    for (at, word) in words.iter().enumerate() {
        match (is(&LOW, word), is(&HIGH, word)) {
            (true, _) => return Some((RangeEnd::Low, without(at))),
            (_, true) => return Some((RangeEnd::High, without(at))),
            _ => {}
        }
    }
    words.iter().enumerate().find_map(|(at, word)| {
        let (side, stem) = joined(word)?;
        let stem = [&words[..at], &[stem], &words[at + 1..]].concat().join(" ");
        Some((side, stem))
    })
}

/// End and stem of a name written as one word: `minprice`, `pricemax`.
fn joined(word: &str) -> Option<(RangeEnd, &str)> {
    /// Minimum number of characters of the stem. Guess.
    const SHORTEST: usize = 3;
    let rest = |part: &&str| word.strip_prefix(part).or_else(|| word.strip_suffix(part));
    let of = |parts: [&str; 4], side| {
        let stem = parts.iter().find_map(rest).filter(|stem| stem.chars().count() >= SHORTEST)?;
        value_kind(&format!(" {stem} ")).map(|_| (side, stem))
    };
    of(LOW_PARTS, RangeEnd::Low).or_else(|| of(HIGH_PARTS, RangeEnd::High))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_a_range_are_read_off_names() {
        for (name, expected, stem) in [
            ("price_from", RangeEnd::Low, "price"),
            ("maxPrice", RangeEnd::High, "price"),
            ("minprice", RangeEnd::Low, "price"),
            ("yearto", RangeEnd::High, "year"),
            ("Preis bis", RangeEnd::High, "preis"),
            ("min", RangeEnd::Low, ""),
        ] {
            assert_eq!(range_end(&normalise(name)), Some((expected, stem.to_string())), "{name}");
        }
        assert_eq!(range_end(&normalise("motor")), None);
        assert_eq!(range_end(&normalise("make")), None);
    }

    #[test]
    fn open_options_are_known_in_several_languages() {
        for (value, text) in
            [("", "Ford"), ("0", "Any make"), ("x", "-- bitte wählen --"), ("all", "不限"), ("-1", "?")]
        {
            assert!(is_any(value, text), "{text}");
        }
        for (value, text) in [("1", "Ford"), ("1000", "from 1000"), ("0", "Automatic")] {
            assert!(!is_any(value, text), "{text}");
        }
    }
}
