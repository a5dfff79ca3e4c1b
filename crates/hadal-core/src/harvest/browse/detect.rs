//! Detection of browse lists: rows of links labelled with letters, years or ranges, or with numbered names of sections.

use crate::harvest::query::BrowseLink;
use crate::page::{Link, Page};
use rustc_hash::{FxHashMap, FxHashSet};
use url::{Host, Position, Url};

/// Least number of links in a browse list. Guess.
const MIN_LINKS: usize = 8;
/// Maximum number of links read from one list. Guess.
const MAX_LINKS: usize = 500;
/// Share of a row's links that must have labels of one kind; "All" and "Other" may be among them. Guess.
const MIN_LABEL_SHARE: f64 = 0.7;
/// Numbers up to this are days of a month or page numbers, not list labels.
const MAX_DAY: u32 = 31;
/// Maximum number of letters at either end of a range such as `Aa-Am`. Guess.
const MAX_END_LETTERS: usize = 3;

/// Browse lists of a page, in page order. On an answer to `words`, rows of numbers are pagers, and links that repeat
/// the words narrow the answer; neither is a browse list.
pub fn browse_lists(page: &Page, words: &str) -> Vec<Vec<BrowseLink>> {
    let mut rows: FxHashMap<String, Vec<&Link>> = FxHashMap::default();
    let mut order = Vec::new();
    for link in page.links.iter().filter(|link| leads_away(&page.url, &link.url, words)) {
        let key = row_key(link);
        if !rows.contains_key(&key) {
            order.push(key.clone());
        }
        rows.entry(key).or_default().push(link);
    }
    let rows = order.iter().filter_map(|key| rows.remove(key));
    rows.filter_map(|row| browse_list(&row, words)).collect()
}

/// Returns true for a link to another page of the same host that does not repeat the words.
fn leads_away(here: &Url, there: &Url, words: &str) -> bool {
    let host = |url: &Url| url.host().map(|host: Host<&str>| host.to_owned());
    let is_page = host(here) == host(there) && matches!(there.scheme(), "http" | "https");
    let repeats = |value: &str| !words.is_empty() && value.eq_ignore_ascii_case(words);
    is_page
        && there[..Position::AfterQuery] != here[..Position::AfterQuery]
        && !there.query_pairs().any(|(_, value)| repeats(&value))
}

/// Key of a link's row: tag path, path up to the last segment, and parameter names. In `browse.cgi?A` the query is a
/// value, and the whole path belongs to the key.
fn row_key(link: &Link) -> String {
    let path = link.url.path().trim_end_matches('/');
    if link.url.query().is_some_and(|query| !query.is_empty() && !query.contains('=')) {
        return format!("{} {path}?", link.context.tag_path);
    }
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut names: Vec<String> = link.url.query_pairs().map(|(name, _)| name.into_owned()).collect();
    names.sort_unstable();
    format!("{} {folder} {}", link.context.tag_path, names.join("&"))
}

fn browse_list(row: &[&Link], words: &str) -> Option<Vec<BrowseLink>> {
    let labelled = row.iter().filter_map(|link| Some((BrowseLabel::of(&link.context.anchor)?, *link)));
    let labelled: Vec<(BrowseLabel, &Link)> = labelled.take(MAX_LINKS).collect();
    let count = |kind: BrowseLabel| labelled.iter().filter(|(label, _)| *label == kind).count();
    let kinds = [BrowseLabel::Letter, BrowseLabel::Number, BrowseLabel::Range, BrowseLabel::Section];
    let kind = kinds.into_iter().find(|kind| count(*kind) >= MIN_LINKS)?;
    let is_mixed = (count(kind) as f64) < MIN_LABEL_SHARE * row.len() as f64;
    if kind != BrowseLabel::Letter && !words.is_empty() || is_mixed {
        return None;
    }
    // "0-9" belongs to the letters.
    let belongs =
        |label: BrowseLabel| label == kind || (kind == BrowseLabel::Letter && label == BrowseLabel::Range);
    let mut seen = FxHashSet::default();
    let kept = labelled.iter().filter(|(label, link)| belongs(*label) && seen.insert(&link.url));
    let links = kept
        .map(|(_, link)| BrowseLink { label: link.context.anchor.trim().to_string(), url: link.url.clone() });
    Some(links.collect()).filter(|links: &Vec<BrowseLink>| links.len() >= MIN_LINKS)
}

/// Kind of a browse link's label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BrowseLabel {
    /// A single letter of any script.
    Letter,
    /// A number above [`MAX_DAY`], such as a year.
    Number,
    /// A range or decade: `A-C`, `100-199`, `1990s`.
    Range,
    /// A number with a name: `3. Rivers`.
    Section,
}

impl BrowseLabel {
    fn of(text: &str) -> Option<BrowseLabel> {
        let text = text.trim().trim_matches(['[', ']', '(', ')', '.', '|', ' ']);
        let mut letters = text.chars();
        if let (Some(letter), None) = (letters.next(), letters.next()) {
            return letter.is_alphabetic().then_some(BrowseLabel::Letter);
        }
        if is_number(text) {
            return text.parse::<u32>().ok().filter(|number| *number > MAX_DAY).map(|_| BrowseLabel::Number);
        }
        let is_section = || is_section(text).then_some(BrowseLabel::Section);
        is_range(text).then_some(BrowseLabel::Range).or_else(is_section)
    }
}

fn is_section(text: &str) -> bool {
    let parts = text.split_once(['.', ')', ':']);
    parts.is_some_and(|(number, name)| is_number(number) && name.trim().starts_with(char::is_alphabetic))
}

fn is_range(text: &str) -> bool {
    if text.strip_suffix('s').is_some_and(|decade| decade.len() == 4 && is_number(decade)) {
        return true;
    }
    let ends = text.split_once(['-', '\u{2013}', '\u{2014}', '\u{2026}']);
    let Some((first, last)) = ends.map(|(first, last)| (first.trim(), last.trim())) else { return false };
    let is_word = |end: &str| {
        (1..=MAX_END_LETTERS).contains(&end.chars().count()) && end.chars().all(char::is_alphabetic)
    };
    let are_alike = is_number(first) && is_number(last) || is_word(first) && is_word(last);
    are_alike && is_ascending(first, last)
}

fn is_ascending(first: &str, last: &str) -> bool {
    match (first.parse::<u32>(), last.parse::<u32>()) {
        (Ok(first), Ok(last)) => first < last,
        _ => first.to_lowercase() < last.to_lowercase(),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    fn labels(html: &str, words: &str) -> Vec<Vec<String>> {
        let url = Url::parse("http://a.org/find?q=sea").unwrap();
        let page = crate::html::parse(html.as_bytes(), None, &url);
        let labels = |list: Vec<BrowseLink>| list.into_iter().map(|link| link.label).collect();
        browse_lists(&page, words).into_iter().map(labels).collect()
    }

    fn row(labels: impl Iterator<Item = String>, href: &str) -> String {
        let mut html = String::from("<p>");
        for label in labels {
            write!(html, "<a href='{}'>{label}</a> ", href.replace('*', &label)).unwrap();
        }
        html + "</p>"
    }

    fn alphabet() -> impl Iterator<Item = String> {
        ('A'..='Z').map(String::from)
    }

    #[test]
    fn an_alphabet_is_a_list_for_every_shape_of_url() {
        for href in ["/browse?letter=*", "/titles/*", "/titles/*/", "/list-*.html"] {
            assert_eq!(labels(&row(alphabet(), href), "").len(), 1, "{href}");
        }
        let with_rest = row(["0-9".into(), "All".into()].into_iter().chain(alphabet()), "/titles/*");
        assert_eq!(labels(&with_rest, "")[0].len(), 27);
    }

    #[test]
    fn numbered_sections_behind_a_program_are_a_list() {
        let sections = |program: &str| {
            let link = |n: usize| format!("<a href='/cgi-bin/{program}?{n}'>{n}. Part {n}</a>; ");
            (1..9).map(link).collect::<String>()
        };
        let html = format!(
            "<p>{}</p><p>{} <a href='/cgi-bin/names?all'>All</a></p>",
            sections("lines"),
            sections("names")
        );
        let found = labels(&html, "");
        assert_eq!((found.len(), found[0].len(), found[1].len()), (2, 8, 8));
    }

    #[test]
    fn years_are_a_list_and_pages_are_none() {
        let numbers = |from: u32, to: u32| (from..to).map(|number| number.to_string());
        assert_eq!(labels(&row(numbers(1990, 2010), "/year/*"), "")[0].len(), 20);
        assert!(labels(&row(numbers(1, 30), "/find?page=*"), "").is_empty());
        assert!(labels(&row(numbers(1990, 2010), "/year/*"), "sea").is_empty(), "on an answer");
    }

    #[test]
    fn links_to_the_same_page_or_with_the_words_are_no_list() {
        assert!(labels(&row(alphabet(), "#*"), "").is_empty());
        assert!(labels(&row(alphabet(), "/find?q=sea&letter=*"), "sea").is_empty());
        assert!(labels(&row(alphabet(), "http://b.org/*"), "").is_empty());
        assert!(labels(&row(alphabet().take(7), "/titles/*"), "").is_empty());
    }

    #[test]
    fn letters_years_and_ranges_are_labels() {
        let of = |labels: &[&str]| labels.iter().map(|label| BrowseLabel::of(label)).collect::<Vec<_>>();
        assert_eq!(of(&["A", "[z]", "\u{416}"]), [Some(BrowseLabel::Letter); 3]);
        assert_eq!(of(&["1999", "120"]), [Some(BrowseLabel::Number); 2]);
        assert_eq!(of(&["0-9", "A-C", "Aa \u{2013} Am", "1990s", "101-200"]), [Some(BrowseLabel::Range); 5]);
    }

    #[test]
    fn pages_days_and_words_are_no_labels() {
        for label in ["", "1", "12", "31", "Next", "e-mail", "well-known", "9-0", "C-A", "to", "#", "?"] {
            assert_eq!(BrowseLabel::of(label), None, "{label}");
        }
    }
}
