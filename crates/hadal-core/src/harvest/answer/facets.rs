//! Facets: links that narrow the query of their page, such as `Fiction (12)` or `Year: 1999`.

use super::Facet;
use super::view::AnswerView;
use crate::harvest::query::Query;
use crate::url_query::query_pairs;
use rustc_hash::{FxHashMap, FxHashSet};
use url::Url;

/// Maximum number of facets read from one page. Guess.
const MAX_FACETS: usize = 300;
/// Longest label in bytes. Guess.
const MAX_LABEL_BYTES: usize = 80;

/// Facets of a page in page order. Links that `is_taken` accepts belong to records or to the pager and are skipped.
///
/// A facet repeats the query and differs from the page's URL in one part. For a query without words, any link with the
/// same host and path counts as a repetition. Facets with the same tag path and parameter form a group, and a group
/// is kept if at least half of its links state a count: sort orders and other views do not.
pub(super) fn facets(view: &AnswerView<'_>, query: &Query, is_taken: impl Fn(usize) -> bool) -> Vec<Facet> {
    let here = &view.page.url;
    let same_path = |there: &Url| there.host() == here.host() && there.path() == here.path();
    let is_wordless = query.words.trim().is_empty();
    let mut groups: FxHashMap<String, Vec<Facet>> = FxHashMap::default();
    let mut order: Vec<String> = Vec::new();
    let links = view.page.links.iter().enumerate();
    for (position, link) in links.filter(|(position, _)| !is_taken(*position)) {
        let repeats = view.repeats_query[position] || is_wordless && same_path(&link.url);
        if !repeats {
            continue;
        }
        let Some((label, count)) = label_and_count(&link.context.anchor, &link.context.after) else {
            continue;
        };
        let Some(name) = changed_part(here, &link.url) else { continue };
        let key = format!("{} {name}", link.context.tag_path);
        if !groups.contains_key(&key) {
            order.push(key.clone());
        }
        groups.entry(key).or_default().push(Facet { label, count, url: link.url.clone() });
    }
    let kept = order.iter().filter_map(|key| groups.remove(key)).filter(|group| has_counts(group));
    let mut seen = FxHashSet::default();
    kept.flatten().filter(|facet| seen.insert(facet.url.clone())).take(MAX_FACETS).collect()
}

fn has_counts(group: &[Facet]) -> bool {
    let counted = group.iter().filter(|facet| facet.count.is_some()).count();
    counted * 2 >= group.len()
}

/// Name of the parameter that a link adds or changes, or `/` if its path differs. `None` if nothing changes or more
/// than one parameter of the page's URL is lost.
fn changed_part(here: &Url, there: &Url) -> Option<String> {
    let ours: Vec<(String, String)> = query_pairs(here).collect();
    let theirs: Vec<(String, String)> = query_pairs(there).collect();
    let has_value = |pair: &&(String, String)| !pair.1.is_empty();
    let lost = ours.iter().filter(has_value).filter(|pair| !theirs.contains(pair)).count();
    let mut added = theirs.iter().filter(has_value).filter(|pair| !ours.contains(pair));
    let name = added.next().map(|(name, _)| name.clone());
    let path = (here.path() != there.path()).then(|| "/".to_string());
    (lost <= 1).then_some(name.or(path)).flatten()
}

/// Label and count of a link with the given anchor text and following text. `None` for empty or long labels and for
/// page numbers.
fn label_and_count(anchor: &str, after: &str) -> Option<(String, Option<u64>)> {
    let inside = trailing_count(anchor);
    let (label, count) = inside.unwrap_or_else(|| (anchor, leading_count(after)));
    let label = label.trim_end_matches([':', ' ']);
    let is_label = label.len() <= MAX_LABEL_BYTES && label.chars().any(char::is_alphanumeric);
    let is_number = label.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ');
    // The text after a page number is the next page number. A year is longer, or its count has brackets.
    let is_page = is_number && (count.is_none() || (label.len() < 4 && !after.starts_with(['(', '['])));
    (is_label && !is_page).then(|| (label.to_string(), count))
}

/// Splits `Fiction (12)` or `Fiction 12` into label and count.
fn trailing_count(text: &str) -> Option<(&str, Option<u64>)> {
    let open = text.trim_end_matches([')', ']']);
    let is_bracketed = open.len() < text.len();
    let digits = open.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, ',' | '.' | '\u{a0}'));
    let label = digits.trim_end_matches(['(', '[', ' ']);
    let has_gap = is_bracketed || digits.ends_with(' ');
    let count = number(&open[digits.len()..])?;
    (has_gap && !label.is_empty()).then_some((label, Some(count)))
}

/// Reads `(12)` or `12` at the start of the text after a link.
fn leading_count(text: &str) -> Option<u64> {
    let word = text.split(' ').next().unwrap_or_default();
    let inner = word.strip_prefix(['(', '[']).and_then(|word| word.strip_suffix([')', ']'])).unwrap_or(word);
    number(inner)
}

/// Reads a number with separators of thousands.
fn number(text: &str) -> Option<u64> {
    let is_number = text.len() <= 15 && text.starts_with(|c: char| c.is_ascii_digit());
    let digits: String = text.chars().filter(|c| !matches!(c, ',' | '.' | '\u{a0}')).collect();
    digits.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_read_from_the_label_or_the_text_after_it() {
        assert_eq!(label_and_count("Fiction (1,012)", ""), Some(("Fiction".into(), Some(1012))));
        assert_eq!(label_and_count("Fiction", "(12) Poems"), Some(("Fiction".into(), Some(12))));
        assert_eq!(label_and_count("1999", "7 1998"), Some(("1999".into(), Some(7))));
        assert_eq!(label_and_count("Newest first", "| Oldest"), Some(("Newest first".into(), None)));
        assert_eq!(label_and_count("2", "3 4"), None);
        assert_eq!(label_and_count("2", "Next"), None);
    }
}
