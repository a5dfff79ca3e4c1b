//! Rows of page numbers, and the number that follows the current page.

use super::url_change::{is_same_page, number_in};
use crate::page::{Link, Page};
use crate::text::words::with_ascii_digits;
use crate::url_query::{encoded_pairs, query_pairs};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use url::Url;

/// Maximum number of other links that may stand between two numbers of a row. Guess.
const MAX_LINKS_BETWEEN: usize = 2;
/// Maximum number of records on one page; bounds an offset in the URL of page `n` to `n` times this. Guess.
const MAX_PAGE_SIZE: u64 = 1_000;
/// Numbers from here on are not page numbers. Guess.
const MAX_PAGES: u64 = 100_000;
/// Longest label of a page number in bytes. Guess.
const MAX_LABEL_BYTES: usize = 24;
/// Longest word before a page number in characters. Guess.
const MAX_WORD_CHARS: usize = 10;

/// A link labelled with a number.
struct NumberedLink<'a> {
    /// Position among the links of the page.
    position: usize,
    number: u64,
    link: &'a Link,
}

/// Position of the link with the number after the current page's. Longer rows of numbers are tried first.
pub(super) fn numbered_successor(page: &Page, is_content: &impl Fn(usize) -> bool) -> Option<usize> {
    let numbered: Vec<NumberedLink<'_>> = page
        .links
        .iter()
        .enumerate()
        .filter(|(position, _)| !is_content(*position))
        .filter_map(|(position, link)| Some(NumberedLink { position, number: page_number(link)?, link }))
        .collect();
    let rows = numbered.chunk_by(|one, next| are_in_row(one, next)).filter(|row| is_pager(&page.url, row));
    let mut longest: Vec<&[NumberedLink<'_>]> = rows.collect();
    longest.sort_by_key(|row| std::cmp::Reverse(row.len()));
    longest.into_iter().find_map(|row| successor(page, row))
}

/// Number on a link: `3`, `[3]`, `Page 3`, `p. 3`.
fn page_number(link: &Link) -> Option<u64> {
    let label = link.context.anchor.trim_matches(|c: char| !c.is_alphanumeric());
    if label.len() > MAX_LABEL_BYTES {
        return None;
    }
    let label = with_ascii_digits(label);
    let digits = label.trim_start_matches(|c: char| !c.is_ascii_digit());
    let word = label[..label.len() - digits.len()].trim();
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_short = word.chars().count() <= MAX_WORD_CHARS && !word.contains(' ');
    digits.parse().ok().filter(|number| is_number && is_short && *number < MAX_PAGES)
}

fn are_in_row(one: &NumberedLink<'_>, next: &NumberedLink<'_>) -> bool {
    next.position <= one.position + 1 + MAX_LINKS_BETWEEN
        && next.number > one.number
        && numberless_key(&one.link.url) == numberless_key(&next.link.url)
}

/// Hash of a URL without its numbers. Parameters with a numeric value are left out, because links to the first page
/// often lack them.
fn numberless_key(url: &Url) -> u64 {
    let mut hasher = FxHasher::default();
    url.host_str().hash(&mut hasher);
    let path = url.path_segments().into_iter().flatten().filter(|segment| number_in(segment).is_none());
    path.for_each(|segment| segment.hash(&mut hasher));
    let mut pairs: Vec<&str> = encoded_pairs(url).collect();
    pairs.retain(|pair| pair.split_once('=').is_none_or(|(_, value)| number_in(value).is_none()));
    pairs.sort_unstable();
    pairs.hash(&mut hasher);
    hasher.finish()
}

/// True if two neighbouring links of the row differ by 1, or by 2 (the current page has no link), and for the single
/// link of a pager with two pages.
fn is_pager(here: &Url, row: &[NumberedLink<'_>]) -> bool {
    match row {
        [only] => {
            let url = &only.link.url;
            only.number <= 2 && numberless_key(url) == numberless_key(here) && !is_same_page(here, url)
        }
        _ => row
            .windows(2)
            .any(|pair| pair[1].number == pair[0].number + 1 || pair[1].number == pair[0].number + 2),
    }
}

fn successor(page: &Page, row: &[NumberedLink<'_>]) -> Option<usize> {
    let current = current_number(page, row)?;
    let next = row.iter().filter(|one| one.number > current).min_by_key(|one| one.number)?;
    (next.number == current + 1 && has_plausible_offset(next)).then_some(next.position)
}

/// Returns false if all numbers in a link's URL are too large for a page number or offset, as in links to the days of
/// a calendar.
fn has_plausible_offset(one: &NumberedLink<'_>) -> bool {
    let path = one.link.url.path_segments().into_iter().flatten().filter_map(number_in);
    let values = query_pairs(&one.link.url);
    let mut numbers = path.chain(values.filter_map(|(_, value)| number_in(&value)));
    let first = numbers.next();
    first.is_none_or(|first| {
        std::iter::once(first).chain(numbers).any(|value| value <= MAX_PAGE_SIZE * one.number)
    })
}

/// Number of the current page: the link to itself, the gap in the row, the number behind the row, or the link that
/// agrees with the page's URL in the varying parameter.
fn current_number(page: &Page, row: &[NumberedLink<'_>]) -> Option<u64> {
    if let Some(own) = row.iter().find(|one| is_same_page(&page.url, &one.link.url)) {
        return Some(own.number);
    }
    let (first, last) = (row.first()?, row.last()?);
    if first.number > 2 && is_parameter_new(page, first, row) {
        return None;
    }
    let starts_with = |text: &str, number: u64| {
        let text = with_ascii_digits(text);
        let word = text.split(' ').find(|word| word.bytes().any(|byte| byte.is_ascii_digit()));
        word.is_some_and(|word| word.trim_matches(|c: char| !c.is_ascii_digit()).parse() == Ok(number))
    };
    let missing =
        row.windows(2).find(|pair| pair[1].number == pair[0].number + 2).map(|pair| pair[0].number + 1);
    let by_gap = missing.or_else(|| (first.number == 2).then_some(1));
    let at_end = starts_with(&last.link.context.after, last.number + 1).then_some(last.number + 1);
    let by_url = || {
        let here = varying_value(&page.url, row);
        row.iter().find(|one| varying_value(&one.link.url, row) == here).map(|one| one.number)
    };
    // The URL of the first page may lack the parameter.
    let at_start = || (first.number == 1 && varying_value(&page.url, row).is_none()).then_some(1);
    by_gap.or(at_end).or_else(by_url).or_else(at_start)
}

/// Returns true if the links of a row differ in a parameter that the page's URL lacks. Such a page is the
/// first one, so a row from a number above 2 on is not a pager but, for example, a list of years.
fn is_parameter_new(page: &Page, first: &NumberedLink<'_>, row: &[NumberedLink<'_>]) -> bool {
    varying_value(&first.link.url, row).is_some() && varying_value(&page.url, row).is_none()
}

/// Value, in a URL, of the parameter in which the links of a row differ.
fn varying_value(url: &Url, row: &[NumberedLink<'_>]) -> Option<String> {
    let [.., one, other] = row else { return None };
    let theirs: Vec<(String, String)> = query_pairs(&other.link.url).collect();
    let differs = |(name, value): &(String, String)| {
        theirs.iter().any(|(known, given)| known == name && given != value)
    };
    let (name, _) = query_pairs(&one.link.url).find(differs)?;
    query_pairs(url).find(|(known, _)| *known == name).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// URL of the link after the current page, on a page with numbered links.
    fn successor_of(here: &str, numbers: &[u64], parameter: &str) -> Option<String> {
        let links: String =
            numbers.iter().map(|n| format!("<a href='/find?q=sea&{parameter}={n}'>{n}</a> ")).collect();
        let url = Url::parse(&format!("http://a.org{here}")).unwrap();
        let page = crate::html::parse(links.as_bytes(), None, &url);
        numbered_successor(&page, &|_| false)
            .map(|at| page.links[at].url[url::Position::BeforeQuery..].to_string())
    }

    #[test]
    fn the_gap_in_a_row_is_the_current_page() {
        assert_eq!(successor_of("/find?q=sea", &[2, 3, 4], "page").as_deref(), Some("q=sea&page=2"));
        assert_eq!(
            successor_of("/find?q=sea&page=7", &[5, 6, 8, 9], "page").as_deref(),
            Some("q=sea&page=8")
        );
    }

    #[test]
    fn numbers_form_a_row_in_urls_with_semicolons() {
        let html = "<a href='/find?do=list2;start=20'>2</a> <a href='/find?do=list2;start=40'>3</a>";
        let url = Url::parse("http://a.org/find?do=list2").unwrap();
        let page = crate::html::parse(html.as_bytes(), None, &url);
        assert_eq!(numbered_successor(&page, &|_| false), Some(0));
    }

    #[test]
    fn page_numbers_are_read_in_digits_of_other_scripts() {
        let html = "<a href='/find?page=2'>٢</a> <a href='/find?page=3'>٣</a> <a href='/find?page=4'>４</a>";
        let url = Url::parse("http://a.org/find").unwrap();
        let page = crate::html::parse(html.as_bytes(), Some("text/html; charset=utf-8"), &url);
        assert_eq!(numbered_successor(&page, &|_| false), Some(0));
    }

    #[test]
    fn a_list_of_years_is_no_pager() {
        assert_eq!(successor_of("/find?q=sea", &[2020, 2022, 2023], "year"), None);
    }
}
