//! Page numbers in a row, and which of them follows the page they stand on.

use super::url_change::{is_here, number};
use crate::page::{Link, Page};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use url::Url;

/// Links that may stand between two numbers of a row.
const MOST_BETWEEN: usize = 2;
/// Records on a page, at most.
const LONG_PAGE: u64 = 1_000;
/// Larger numbers count other things.
const MOST_PAGES: u64 = 100_000;

/// A link with a number on it.
struct NumberedLink<'a> {
    position: usize,
    number: u64,
    link: &'a Link,
}

/// The position of the link to the page after this one, by numbers alone.
pub(super) fn successor(page: &Page, is_content: &impl Fn(usize) -> bool) -> Option<usize> {
    let numbered: Vec<NumberedLink<'_>> = page
        .links
        .iter()
        .enumerate()
        .filter(|(position, _)| !is_content(*position))
        .filter_map(|(position, link)| Some(NumberedLink { position, number: page_number(link)?, link }))
        .collect();
    let rows = numbered.chunk_by(|one, next| belongs(one, next)).filter(|row| is_row(&page.url, row));
    let mut longest: Vec<&[NumberedLink<'_>]> = rows.collect();
    longest.sort_by_key(|row| std::cmp::Reverse(row.len()));
    longest.into_iter().find_map(|row| follows(page, row))
}

/// The number on a link: `3`, `[3]`, `Page 3`, `p. 3`.
fn page_number(link: &Link) -> Option<u64> {
    let label = link.context.anchor.trim_matches(|c: char| !c.is_alphanumeric());
    if label.len() > 24 {
        return None;
    }
    let digits = label.trim_start_matches(|c: char| !c.is_ascii_digit());
    let word = label[..label.len() - digits.len()].trim();
    let is_bare = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_page = word.chars().count() <= 10 && !word.contains(' ');
    digits.parse().ok().filter(|number| is_bare && is_page && *number < MOST_PAGES)
}

fn belongs(one: &NumberedLink<'_>, next: &NumberedLink<'_>) -> bool {
    next.position <= one.position + 1 + MOST_BETWEEN
        && next.number > one.number
        && skeleton(&one.link.url) == skeleton(&next.link.url)
}

/// An address without its numbers, and without parameters that hold nothing else, which first pages lack.
fn skeleton(url: &Url) -> u64 {
    let mut hasher = FxHasher::default();
    url.host_str().hash(&mut hasher);
    let path = url.path_segments().into_iter().flatten().filter(|part| number(part).is_none());
    path.for_each(|part| part.hash(&mut hasher));
    let mut pairs: Vec<&str> =
        url.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty()).collect();
    pairs.retain(|pair| pair.split_once('=').is_none_or(|(_, value)| number(value).is_none()));
    pairs.sort_unstable();
    pairs.hash(&mut hasher);
    hasher.finish()
}

/// Several numbers, or the single number of a list of two pages, whose address holds it.
fn is_row(here: &Url, row: &[NumberedLink<'_>]) -> bool {
    match row {
        [only] => {
            only.number <= 2 && skeleton(&only.link.url) == skeleton(here) && !is_here(here, &only.link.url)
        }
        _ => row
            .windows(2)
            .any(|pair| pair[1].number == pair[0].number + 1 || pair[1].number == pair[0].number + 2),
    }
}

fn follows(page: &Page, row: &[NumberedLink<'_>]) -> Option<usize> {
    let current = current(page, row)?;
    let next = row.iter().filter(|one| one.number > current).min_by_key(|one| one.number)?;
    (next.number == current + 1 && fits(next)).then_some(next.position)
}

/// Whether an address holds a number that a page may have: a date that stands for a day of a calendar is
/// too large.
fn fits(one: &NumberedLink<'_>) -> bool {
    let path = one.link.url.path_segments().into_iter().flatten().filter_map(number);
    let values = one.link.url.query_pairs();
    let mut numbers = path.chain(values.filter_map(|(_, value)| number(&value)));
    let first = numbers.next();
    first.is_none_or(|first| {
        std::iter::once(first).chain(numbers).any(|value| value <= LONG_PAGE * one.number)
    })
}

/// The number of this page: linked to itself, missing from the row, or told by its address.
fn current(page: &Page, row: &[NumberedLink<'_>]) -> Option<u64> {
    if let Some(own) = row.iter().find(|one| is_here(&page.url, &one.link.url)) {
        return Some(own.number);
    }
    let (first, last) = (row.first()?, row.last()?);
    let says = |text: &str, number: u64| {
        let word = text.split(' ').find(|word| word.bytes().any(|byte| byte.is_ascii_digit()));
        word.is_some_and(|word| word.trim_matches(|c: char| !c.is_ascii_digit()).parse() == Ok(number))
    };
    let missing =
        row.windows(2).find(|pair| pair[1].number == pair[0].number + 2).map(|pair| pair[0].number + 1);
    let by_gap = missing.or_else(|| (first.number == 2).then_some(1));
    let at_end = says(&last.link.context.after, last.number + 1).then_some(last.number + 1);
    let by_address = || {
        let here = varying(&page.url, row);
        row.iter().find(|one| varying(&one.link.url, row) == here).map(|one| one.number)
    };
    // A first page that lacks the parameter is linked from its own number.
    let at_start = || (first.number == 1 && varying(&page.url, row).is_none()).then_some(1);
    by_gap.or(at_end).or_else(by_address).or_else(at_start)
}

/// The value, in an address, of the parameter in which the links of a row differ.
fn varying(url: &Url, row: &[NumberedLink<'_>]) -> Option<String> {
    let [.., one, other] = row else { return None };
    let theirs: Vec<(String, String)> = other.link.url.query_pairs().into_owned().collect();
    let differs = |(name, value): &(String, String)| {
        theirs.iter().any(|(known, given)| known == name && given != value)
    };
    let (name, _) = one.link.url.query_pairs().into_owned().find(differs)?;
    url.query_pairs().find(|(known, _)| *known == *name).map(|(_, value)| value.into_owned())
}
