//! Labels and messages of sites in ten languages.

use crate::database::layout::SiteLanguage;

/// Labels and messages in one language. `{total}`, `{from}` and `{to}` in counts are replaced.
pub(super) struct Wording {
    pub(super) code: &'static str,
    pub(super) search: [&'static str; 2],
    pub(super) words: &'static str,
    pub(super) any: &'static str,
    pub(super) low: &'static str,
    pub(super) high: &'static str,
    pub(super) next: [&'static str; 2],
    pub(super) back: &'static str,
    pub(super) more: &'static str,
    pub(super) details: &'static str,
    pub(super) counts: [&'static str; 3],
    pub(super) round_counts: [&'static str; 2],
    pub(super) nothing: [&'static str; 2],
    pub(super) empty: &'static str,
    pub(super) ignored: &'static str,
    pub(super) stale: &'static str,
    /// Separator of thousands.
    pub(super) thousands: &'static str,
}

impl SiteLanguage {
    /// ISO 639-1 code of the language.
    pub fn code(self) -> &'static str {
        Wording::of(self).code
    }
}

impl Wording {
    pub(super) fn of(language: SiteLanguage) -> &'static Wording {
        match language {
            SiteLanguage::English => &ENGLISH,
            SiteLanguage::German => &GERMAN,
            SiteLanguage::French => &FRENCH,
            SiteLanguage::Spanish => &SPANISH,
            SiteLanguage::Italian => &ITALIAN,
            SiteLanguage::Dutch => &DUTCH,
            SiteLanguage::Portuguese => &PORTUGUESE,
            SiteLanguage::Russian => &RUSSIAN,
            SiteLanguage::Japanese => &JAPANESE,
            SiteLanguage::Chinese => &CHINESE,
        }
    }

    /// Formats a number with the separator of the language.
    pub(super) fn number(&self, number: u32) -> String {
        let digits = number.to_string();
        let groups: Vec<&str> = digits
            .as_bytes()
            .rchunks(3)
            .rev()
            .map(|group| std::str::from_utf8(group).expect("digits are ASCII"))
            .collect();
        groups.join(self.thousands)
    }
}

const ENGLISH: Wording = Wording {
    code: "en",
    search: ["Search", "Find"],
    words: "Keywords",
    any: "Any",
    low: "from",
    high: "to",
    next: ["Next", "Next page »"],
    back: "Previous",
    more: "More results",
    details: "Details",
    counts: [
        "{total} results",
        "Showing {from}-{to} of {total} records",
        "Your search found {total} matches.",
    ],
    round_counts: ["About {total} results", "More than {total} records found"],
    nothing: ["No records match your search.", "Sorry, nothing was found. Try other words."],
    empty: "Please enter at least one search term.",
    ignored: "Your words are too short or too common to be searched.",
    stale: "Your session has expired. Please submit the form again.",
    thousands: ",",
};

const GERMAN: Wording = Wording {
    code: "de",
    search: ["Suchen", "Finden"],
    words: "Suchbegriff",
    any: "Alle",
    low: "von",
    high: "bis",
    next: ["Weiter", "Nächste Seite »"],
    back: "Zurück",
    more: "Weitere Treffer",
    details: "Einzelheiten",
    counts: [
        "{total} Treffer",
        "{from} bis {to} von {total} Ergebnissen",
        "Es wurden {total} Einträge gefunden.",
    ],
    round_counts: ["Etwa {total} Treffer", "Mehr als {total} Ergebnisse"],
    nothing: ["Keine Treffer.", "Leider wurde nichts gefunden."],
    empty: "Bitte geben Sie mindestens einen Suchbegriff ein.",
    ignored: "Ihre Begriffe sind zu kurz oder zu häufig.",
    stale: "Ihre Sitzung ist abgelaufen. Bitte suchen Sie noch einmal.",
    thousands: ".",
};

const FRENCH: Wording = Wording {
    code: "fr",
    search: ["Rechercher", "Trouver"],
    words: "Mots clés",
    any: "Tous",
    low: "de",
    high: "à",
    next: ["Suivant", "Page suivante »"],
    back: "Précédent",
    more: "Plus de résultats",
    details: "Détails",
    counts: ["{total} résultats", "Résultats {from} à {to} sur {total}", "{total} notices trouvées"],
    round_counts: ["Environ {total} résultats", "Plus de {total} notices"],
    nothing: ["Aucun résultat.", "Votre recherche n'a donné aucune réponse."],
    empty: "Veuillez saisir au moins un mot.",
    ignored: "Vos mots sont trop courts ou trop courants.",
    stale: "Votre session a expiré. Veuillez recommencer la recherche.",
    thousands: "\u{202f}",
};

const SPANISH: Wording = Wording {
    code: "es",
    search: ["Buscar", "Encontrar"],
    words: "Palabras clave",
    any: "Todos",
    low: "desde",
    high: "hasta",
    next: ["Siguiente", "Página siguiente »"],
    back: "Anterior",
    more: "Más resultados",
    details: "Detalles",
    counts: [
        "{total} resultados",
        "Mostrando {from} - {to} de {total} registros",
        "Se han encontrado {total} fichas.",
    ],
    round_counts: ["Unos {total} resultados", "Más de {total} registros"],
    nothing: ["No hay resultados.", "No se ha encontrado ningún registro."],
    empty: "Escriba al menos una palabra.",
    ignored: "Las palabras son demasiado cortas o comunes.",
    stale: "La sesión ha caducado. Vuelva a enviar el formulario.",
    thousands: ".",
};

const ITALIAN: Wording = Wording {
    code: "it",
    search: ["Cerca", "Trova"],
    words: "Parole chiave",
    any: "Tutti",
    low: "da",
    high: "a",
    next: ["Avanti", "Pagina successiva »"],
    back: "Indietro",
    more: "Altri risultati",
    details: "Dettagli",
    counts: ["{total} risultati", "Risultati da {from} a {to} di {total}", "Trovate {total} schede"],
    round_counts: ["Circa {total} risultati", "Oltre {total} schede"],
    nothing: ["Nessun risultato.", "La ricerca non ha prodotto risultati."],
    empty: "Inserire almeno una parola.",
    ignored: "Le parole sono troppo brevi o troppo comuni.",
    stale: "La sessione è scaduta. Ripetere la ricerca.",
    thousands: ".",
};

const DUTCH: Wording = Wording {
    code: "nl",
    search: ["Zoeken", "Vind"],
    words: "Trefwoorden",
    any: "Alle",
    low: "van",
    high: "tot",
    next: ["Volgende", "Volgende pagina »"],
    back: "Vorige",
    more: "Meer resultaten",
    details: "Meer informatie",
    counts: [
        "{total} resultaten",
        "{from} tot {to} van {total} resultaten",
        "Er zijn {total} records gevonden.",
    ],
    round_counts: ["Ongeveer {total} resultaten", "Meer dan {total} resultaten"],
    nothing: ["Geen resultaten.", "Er is helaas niets gevonden."],
    empty: "Vul ten minste één zoekterm in.",
    ignored: "Uw woorden zijn te kort of te algemeen.",
    stale: "Uw sessie is verlopen. Zoek opnieuw.",
    thousands: ".",
};

const PORTUGUESE: Wording = Wording {
    code: "pt",
    search: ["Pesquisar", "Procurar"],
    words: "Palavras-chave",
    any: "Todos",
    low: "de",
    high: "até",
    next: ["Seguinte", "Próxima página »"],
    back: "Anterior",
    more: "Mais resultados",
    details: "Detalhes",
    counts: [
        "{total} resultados",
        "A mostrar {from} a {to} de {total} registos",
        "Foram encontrados {total} registos.",
    ],
    round_counts: ["Cerca de {total} resultados", "Mais de {total} registos"],
    nothing: ["Nenhum resultado.", "Não foi encontrado nenhum registo."],
    empty: "Escreva pelo menos uma palavra.",
    ignored: "As palavras são demasiado curtas ou comuns.",
    stale: "A sessão expirou. Envie de novo o formulário.",
    thousands: ".",
};

const RUSSIAN: Wording = Wording {
    code: "ru",
    search: ["Поиск", "Найти"],
    words: "Ключевые слова",
    any: "Все",
    low: "от",
    high: "до",
    next: ["Далее", "Следующая страница »"],
    back: "Назад",
    more: "Ещё результаты",
    details: "Подробнее",
    counts: ["Найдено: {total}", "Результаты {from}–{to} из {total}", "По запросу найдено {total} записей"],
    round_counts: ["Примерно {total} результатов", "Более {total} записей"],
    nothing: ["Ничего не найдено.", "По вашему запросу нет результатов."],
    empty: "Введите хотя бы одно слово.",
    ignored: "Слова слишком короткие или слишком частые.",
    stale: "Сеанс истёк. Отправьте форму ещё раз.",
    thousands: "\u{a0}",
};

const JAPANESE: Wording = Wording {
    code: "ja",
    search: ["検索", "探す"],
    words: "キーワード",
    any: "すべて",
    low: "から",
    high: "まで",
    next: ["次へ", "次のページ »"],
    back: "前へ",
    more: "もっと見る",
    details: "詳細",
    counts: ["{total}件", "{total}件中 {from}～{to}件を表示", "検索結果：{total}件"],
    round_counts: ["約 {total} 件", "{total}件以上"],
    nothing: ["該当するデータはありません。", "見つかりませんでした。"],
    empty: "キーワードを入力してください。",
    ignored: "キーワードが短すぎます。",
    stale: "セッションの有効期限が切れました。もう一度検索してください。",
    thousands: ",",
};

const CHINESE: Wording = Wording {
    code: "zh",
    search: ["搜索", "查询"],
    words: "关键词",
    any: "全部",
    low: "从",
    high: "到",
    next: ["下一页", "下一页 »"],
    back: "上一页",
    more: "更多结果",
    details: "详情",
    counts: ["共 {total} 条结果", "第 {from}-{to} 条，共 {total} 条", "找到 {total} 条记录"],
    round_counts: ["约 {total} 条结果", "超过 {total} 条记录"],
    nothing: ["没有找到结果。", "没有符合条件的记录。"],
    empty: "请输入关键词。",
    ignored: "关键词太短。",
    stale: "会话已过期，请重新提交。",
    thousands: ",",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_totals_and_number_formats() {
        for language in SiteLanguage::ALL {
            let wording = Wording::of(language);
            let counts = wording.counts.iter().chain(&wording.round_counts);
            assert!(counts.into_iter().all(|text| text.contains("{total}")), "{language:?}");
            assert_eq!(wording.number(1_234_567).chars().filter(char::is_ascii_digit).count(), 7);
        }
        assert_eq!(Wording::of(SiteLanguage::German).number(12_345), "12.345");
        assert_eq!(Wording::of(SiteLanguage::English).number(99), "99");
    }
}
