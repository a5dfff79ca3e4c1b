//! Labels of pager links and buttons: words in many languages, arrows, and class names.

use crate::text::words::decimal_digit;
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// Meaning of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PagerLabel {
    Next,
    /// The previous page, or the first or last one.
    Previous,
    /// An arrow to the left: the previous page, unless the markup declares the next one. Lists in scripts
    /// that run to the left continue there.
    LeftArrow,
    /// One arrow to the right.
    Arrow,
    /// Two arrows to the right: the next page, or the last one if there is a single arrow too.
    DoubleArrow,
    /// More results below the current ones.
    More,
    Other,
}

/// Longest label of a pager in bytes. Guess.
const MAX_LABEL_BYTES: usize = 60;
/// Maximum number of bytes of a class or id that are examined. Guess.
const MAX_CLASS_BYTES: usize = 80;

/// Reads the label of a link or button. Digits and punctuation around the words are ignored.
pub(super) fn label_of(text: &str) -> PagerLabel {
    if text.is_empty() || text.len() > MAX_LABEL_BYTES {
        return PagerLabel::Other;
    }
    let words = words(text);
    if words.is_empty() {
        return arrows(text);
    }
    match label_of_words(&words) {
        PagerLabel::Other => label_with_count(text),
        label => label,
    }
}

/// Label that consists of these words, see [`words`].
fn label_of_words(words: &str) -> PagerLabel {
    if PREVIOUS.contains(words) {
        PagerLabel::Previous
    } else if NEXT.contains(words) {
        PagerLabel::Next
    } else if MORE.contains(words) || promises_more(words) {
        PagerLabel::More
    } else {
        PagerLabel::Other
    }
}

/// Label with a number and few words behind a direction: "Next 20 jobs", "Next page 2 of 12". "Next 7 days"
/// is not a page.
fn label_with_count(text: &str) -> PagerLabel {
    let Some(at) = text.find(|c: char| decimal_digit(c).is_some()) else { return PagerLabel::Other };
    let behind = words(&text[at..]);
    let is_time = |word: &str| {
        let is_unspaced = |unit: &&&str| unit.starts_with(|c: char| c >= '\u{2e80}');
        TIME_UNITS.contains(&word) || TIME_UNITS.iter().filter(is_unspaced).any(|unit| word.starts_with(unit))
    };
    if behind.split(' ').count() > MAX_WORDS_BEHIND || behind.split(' ').any(is_time) {
        return PagerLabel::Other;
    }
    match label_of_words(&words(&text[..at])) {
        PagerLabel::More => PagerLabel::Other,
        label => label,
    }
}

/// Maximum number of words behind the number of a label such as "Next 20 open jobs". Guess.
const MAX_WORDS_BEHIND: usize = 2;
/// Units of time, which filters count: "next 7 days".
#[rustfmt::skip]
const TIME_UNITS: [&str; 81] = [
    "day", "days", "week", "weeks", "weekend", "month", "months", "year", "years", "hour", "hours", "minutes", "tage", "tagen", "wochen",
    "monate", "monaten", "jahre", "stunden", "minuten", "jours", "semaines", "mois", "ans", "heures", "días", "semanas", "meses", "años", "horas", "dias",
    "anos", "giorni", "settimane", "mesi", "anni", "ore", "dagen", "weken", "maanden", "jaar", "uur", "dni", "tygodni", "tygodnie",
    "miesięcy", "miesiące", "lat", "godzin", "дней", "дня", "недель", "недели", "месяцев", "месяца", "часов", "лет", "днів", "gün", "hafta", "ay", "yıl",
    "saat", "dagar", "veckor", "månader", "dager", "uker", "päivää", "viikkoa", "dnů", "nap", "日", "天", "年", "週", "时", "時", "개월", "일간", "주간",
];

/// Returns true for a word for "more" with words for results or for showing them, such as "more records".
fn promises_more(label: &str) -> bool {
    let is_short_unspaced = label.chars().count() <= MAX_UNSPACED_LABEL && !label.contains(' ');
    let is_unspaced = UNSPACED_MORE.iter().any(|more| label.starts_with(more)) && is_short_unspaced;
    let is_more = |word: &str| MORE_WORDS.contains(&word);
    let mut words = label.split(' ');
    let is_spaced =
        label.split(' ').any(is_more) && words.all(|word| is_more(word) || BESIDE_MORE.contains(&word));
    is_unspaced || is_spaced
}

/// Longest label in a script without spaces that begins with a word for "more", in characters. Guess.
const MAX_UNSPACED_LABEL: usize = 6;
const UNSPACED_MORE: [&str; 5] = ["更多", "もっと", "さらに", "続き", "查看更多"];
#[rustfmt::skip]
const MORE_WORDS: [&str; 26] = [
    "more", "mehr", "weitere", "plus", "más", "mais", "altri", "altre", "meer", "więcej", "ещё", "еще", "больше", "ще", "fler", "flere", "mere",
    "lisää", "další", "více", "több", "περισσότερα", "daha", "thêm", "더", "المزيد",
];
/// Words for results and for showing them, and articles between them.
#[rustfmt::skip]
const BESIDE_MORE: [&str; 56] = [
    "results", "result", "hits", "items", "entries", "records", "matches", "documents", "articles", "show", "load", "view", "see", "display",
    "treffer", "ergebnisse", "einträge", "anzeigen", "laden", "zeigen", "résultats", "afficher", "charger", "voir", "de", "d",
    "resultados", "registros", "ver", "mostrar", "cargar", "carregar", "risultati", "carica", "mostra", "resultaten", "tonen", "wyników", "pokaż",
    "результаты", "результатов", "записей", "показать", "загрузить", "найденное", "результати", "показати",
    "resultat", "visa", "vis", "tuloksia", "näytä", "výsledků", "zobrazit", "találat", "sonuç",
];

/// Words of a label in lower case, joined by spaces, without digits and punctuation.
fn words(label: &str) -> String {
    let mut out = String::new();
    for word in label.split(|c: char| !c.is_alphabetic() && !is_mark(c)).filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
    out
}

/// Combining marks and vowel signs, which belong to words in Thai, Hindi and other scripts.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036f}' | '\u{0900}'..='\u{0dff}' | '\u{0e00}'..='\u{0eff}')
}

fn arrows(label: &str) -> PagerLabel {
    let marks: Vec<char> =
        label.chars().filter(|c| !c.is_whitespace() && !matches!(c, '[' | ']' | '(' | ')')).collect();
    match marks[..] {
        [
            '>' | '\u{203a}' | '\u{2192}' | '\u{25b6}' | '\u{25ba}' | '\u{276f}' | '\u{27e9}' | '\u{2794}'
            | '\u{279c}' | '\u{21e8}' | '\u{27f6}' | '\u{25b8}' | '\u{3009}' | '\u{ff1e}' | '\u{232a}'
            | '\u{1f86a}',
        ] => PagerLabel::Arrow,
        ['\u{bb}' | '\u{226b}' | '\u{300b}' | '\u{23e9}' | '\u{21a0}']
        | ['>', '>']
        | ['-', '>']
        | ['=', '>'] => PagerLabel::DoubleArrow,
        ['<' | '\u{2039}' | '\u{2190}' | '\u{ab}' | '\u{25c0}' | '\u{25c4}' | '\u{276e}', ..] => {
            PagerLabel::LeftArrow
        }
        _ => PagerLabel::Other,
    }
}

/// Words of classes and ids of links to the next page, besides `next`. Lists of news and of bookmarks start with the
/// newest entry, so older entries follow.
const NEXT_CLASSES: [&str; 8] =
    ["older", "forward", "weiter", "suivant", "siguiente", "successiva", "volgende", "nastepna"];
/// Words of classes and ids of links to the previous page, besides `prev`.
const PREVIOUS_CLASSES: [&str; 7] =
    ["newer", "backward", "zurueck", "precedent", "anterior", "precedente", "vorige"];

/// Meaning of a class or id such as `next`, `pagination-next`, `nextLink` or `prev`.
pub(super) fn class_label(name: &str) -> Option<PagerLabel> {
    if name.is_empty() {
        return None;
    }
    let lower = name.get(..name.len().min(MAX_CLASS_BYTES))?.to_ascii_lowercase();
    let has = |part: &str| lower.contains(part);
    let has_word =
        |words: &[&str]| lower.split(|c: char| !c.is_ascii_alphabetic()).any(|word| words.contains(&word));
    if has("prev") || has_word(&PREVIOUS_CLASSES) {
        Some(PagerLabel::Previous)
    } else if has("next") && !has("context") && !has("nextend") && !has("nextag") || has_word(&NEXT_CLASSES) {
        Some(PagerLabel::Next)
    } else {
        None
    }
}

fn set(list: &'static [&'static str]) -> FxHashSet<&'static str> {
    list.iter().copied().collect()
}

#[rustfmt::skip]
static NEXT: LazyLock<FxHashSet<&str>> = LazyLock::new(|| set(&[
    "next", "next page", "next results", "next result page", "next page of results", "go to next page", "to next page", "next set", "next items",
    "next records", "next hits", "next entries", "older", "older posts", "older entries", "older results", "older articles", "forward", "more results", "next step", "page next", "continue to next page",
    "go to the next page", "next screen", "view next", "show next", "see next page",
    "weiter", "nächste", "nächste seite", "nächste treffer", "nächste ergebnisse", "zur nächsten seite", "vorwärts", "vor", "ältere beiträge", "ältere einträge",
    "weiter zu seite", "folgende", "folgende seite", "nächster", "weitere treffer", "weitere ergebnisse", "eine seite vor",
    "suivant", "suivante", "suivants", "suivantes", "page suivante", "suiv", "résultats suivants", "aller à la page suivante", "articles plus anciens",
    "siguiente", "siguientes", "página siguiente", "siguiente página", "próxima página", "sig", "resultados siguientes", "adelante", "entradas antiguas",
    "próximo", "próxima", "próximos", "seguinte", "página seguinte", "avançar", "avante", "proximo", "proxima", "proxima pagina",
    "successiva", "successivo", "successivi", "pagina successiva", "avanti", "prossima", "prossimo", "pagina seguente", "segue",
    "volgende", "volgende pagina", "verder", "volgende resultaten", "ga naar volgende pagina",
    "następna", "następny", "następne", "następna strona", "dalej", "kolejna", "kolejne",
    "следующая", "следующий", "следующие", "далее", "дальше", "вперед", "вперёд", "следующая страница", "след", "туда",
    "наступна", "наступна сторінка", "далі", "следваща", "напред", "следећа",
    "sonraki", "sonraki sayfa", "ileri", "nästa", "nästa sida", "framåt", "neste", "neste side", "næste", "næste side", "frem",
    "seuraava", "seuraava sivu", "seuraavat", "další", "další stránka", "následující", "ďalšia", "ďalšie", "ďalej", "nasledujúca", "következő", "következő oldal", "tovább",
    "următoarea", "următor", "pagina următoare", "înainte", "urmatoarea", "επόμενη", "επόμενο", "επόμενη σελίδα", "sljedeća", "sljedeće", "naslednja", "naprej", "dalje", "järgmine", "nākamā", "kitas", "kitas puslapis",
    "następne wyniki", "següent", "següents", "hurrengoa", "seguinte páxina", "nesaf", "ar aghaidh",
    "下一页", "下一頁", "下页", "下頁", "后页", "后一页", "下一个", "下一步", "次へ", "次", "次のページ", "次ページ", "次のページへ", "次の", "后", "後", "下", "다음", "다음 페이지", "다음페이지",
    "التالي", "التالية", "الصفحة التالية", "הבא", "הבאה", "העמוד הבא", "לעמוד הבא", "بعدی", "صفحه بعد", "اگلا",
    "berikutnya", "selanjutnya", "halaman berikutnya", "seterusnya", "tiếp", "tiếp theo", "trang sau", "sau", "trang tiếp", "ถัดไป", "หน้าถัดไป", "หน้าต่อไป", "अगला", "पुढील", "susunod",
]));

#[rustfmt::skip]
static PREVIOUS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| set(&[
    "previous", "previous page", "prev", "prev page", "back", "newer", "newer posts", "first", "last", "zurück", "vorherige", "vorige", "vorherige seite",
    "précédent", "précédente", "page précédente", "anterior", "anteriores", "página anterior", "precedente", "indietro", "vorige pagina", "poprzednia",
    "wstecz", "предыдущая", "назад", "önceki", "föregående", "forrige", "předchozí", "edellinen", "上一页", "上一頁", "前へ", "前のページ", "이전", "السابق",
]));

#[rustfmt::skip]
static MORE: LazyLock<FxHashSet<&str>> = LazyLock::new(|| set(&[
    "more", "load more", "load more results", "show more", "show more results", "see more results", "view more", "view more results", "more hits", "more items",
    "more products", "more entries", "mehr", "mehr laden", "mehr anzeigen", "mehr ergebnisse", "weitere laden", "weitere anzeigen", "mehr treffer",
    "voir plus", "afficher plus", "charger plus", "plus de résultats", "ver más", "mostrar más", "cargar más", "más resultados", "mais resultados",
    "ver mais", "carregar mais", "mostrar mais", "carica altri", "mostra altri", "altri risultati", "meer laden", "meer tonen", "meer resultaten",
    "pokaż więcej", "więcej wyników", "załaduj więcej", "показать ещё", "показать еще", "загрузить еще", "загрузить ещё", "ещё", "daha fazla", "daha fazla göster", "visa fler", "vis flere", "vis mere",
    "načíst další", "zobrazit další", "näytä lisää", "加载更多", "更多", "載入更多", "もっと見る", "さらに表示", "더보기", "더 보기", "المزيد",
]));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_name_the_direction() {
        assert_eq!(class_label("paging_older"), Some(PagerLabel::Next));
        assert_eq!(class_label("paging-newer"), Some(PagerLabel::Previous));
        assert_eq!(class_label("nextLink"), Some(PagerLabel::Next));
        assert_eq!((class_label("shoulder"), class_label("")), (None, None));
    }

    #[test]
    fn labels_are_understood_with_numbers_and_arrows_around() {
        for label in [
            "Next",
            "next \u{bb}",
            "NEXT 10",
            "Weiter >",
            "\u{6b21}\u{306e}20\u{4ef6}\u{3078} >",
            "[Next page]",
            "Suivant \u{203a}",
            "\u{e16}\u{e31}\u{e14}\u{e44}\u{e1b}",
            "次の20件",
            "다음 10개",
            "后10条",
            "Next 10 jobs",
            "Next page 2 of 12",
            "Nächste 20 Treffer",
        ] {
            assert_eq!(label_of(label), PagerLabel::Next, "{label}");
        }
        assert_eq!(label_of("\u{203a}"), PagerLabel::Arrow);
        assert_eq!(label_of(">>"), PagerLabel::DoubleArrow);
        assert_eq!(label_of("\u{ab} Previous"), PagerLabel::Previous);
        assert_eq!(label_of("Previous 10 jobs"), PagerLabel::Previous);
        assert_eq!(label_of("<"), PagerLabel::LeftArrow);
        assert_eq!(label_of("Load more results"), PagerLabel::More);
        for label in ["", "Next month in Oslo", "12", "Nextel", "...", "Next 7 days", "次の10日間"] {
            assert_eq!(label_of(label), PagerLabel::Other, "{label}");
        }
    }
}
