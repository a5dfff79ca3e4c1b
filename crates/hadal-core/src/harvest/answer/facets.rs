//! Links that narrow the query they stand under: `Fiction (12)`, `Year: 1999`.

use super::Facet;
use super::view::AnswerView;
use crate::harvest::query::Query;
use rustc_hash::{FxHashMap, FxHashSet};
use url::Url;

/// Facets of one answer.
const MOST_FACETS: usize = 300;
/// Bytes of a label.
const LONG_LABEL: usize = 80;

/// The facets of an answer; links for which `is_taken` holds belong to records or the pager. An answer to no
/// words is asked again by whatever keeps all parameters of its address.
pub(super) fn facets(view: &AnswerView<'_>, query: &Query, is_taken: impl Fn(usize) -> bool) -> Vec<Facet> {
    let here = &view.page.url;
    let keeps = |there: &Url| there.host() == here.host() && there.path() == here.path();
    let is_wordless = query.words.trim().is_empty();
    let mut groups: FxHashMap<String, Vec<Facet>> = FxHashMap::default();
    let mut order: Vec<String> = Vec::new();
    let links = view.page.links.iter().enumerate();
    for (position, link) in links.filter(|(position, _)| !is_taken(*position)) {
        let asks_again = view.refining[position] || is_wordless && keeps(&link.url);
        if !asks_again {
            continue;
        }
        let Some((label, count)) = labelled(&link.context.anchor, &link.context.after) else { continue };
        let Some(name) = narrowed(here, &link.url) else { continue };
        let key = format!("{} {name}", link.context.tag_path);
        if !groups.contains_key(&key) {
            order.push(key.clone());
        }
        groups.entry(key).or_default().push(Facet { label, count, url: link.url.clone() });
    }
    let kept = order.iter().filter_map(|key| groups.remove(key)).filter(|group| is_facet(group));
    let mut seen = FxHashSet::default();
    kept.flatten().filter(|facet| seen.insert(facet.url.clone())).take(MOST_FACETS).collect()
}

/// Orders of sorting and other views have no counts; of facets most do.
fn is_facet(group: &[Facet]) -> bool {
    let counted = group.iter().filter(|facet| facet.count.is_some()).count();
    counted * 2 >= group.len()
}

/// The name of the only part in which a link differs from this page's address, which it must keep.
fn narrowed(here: &Url, there: &Url) -> Option<String> {
    let mine: Vec<(String, String)> = here.query_pairs().into_owned().collect();
    let theirs: Vec<(String, String)> = there.query_pairs().into_owned().collect();
    let kept = |pair: &&(String, String)| !pair.1.is_empty();
    let lost = mine.iter().filter(kept).filter(|pair| !theirs.contains(pair)).count();
    let mut added =
        theirs.iter().filter(kept).filter(|pair| !mine.contains(pair)).map(|(name, _)| name.clone());
    let name = added.next();
    let path = (here.path() != there.path()).then(|| "/".to_string());
    (lost <= 1).then_some(name.or(path)).flatten()
}

/// A label without the number that stands in it or behind it.
fn labelled(anchor: &str, after: &str) -> Option<(String, Option<u64>)> {
    let inside = trailing_count(anchor);
    let (label, count) = inside.unwrap_or_else(|| (anchor, leading_count(after)));
    let label = label.trim_end_matches([':', ' ']);
    let is_label = label.len() <= LONG_LABEL && label.chars().any(char::is_alphanumeric);
    let is_number = label.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ');
    // Page numbers stand in a row; a year is longer, or its count is in brackets.
    let is_page = is_number && (count.is_none() || (label.len() < 4 && !after.starts_with(['(', '['])));
    (is_label && !is_page).then(|| (label.to_string(), count))
}

/// `Fiction (12)`, `Fiction 12`
fn trailing_count(text: &str) -> Option<(&str, Option<u64>)> {
    let open = text.trim_end_matches([')', ']']);
    let is_bracketed = open.len() < text.len();
    let digits = open.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, ',' | '.' | '\u{a0}'));
    let label = digits.trim_end_matches(['(', '[', ' ']);
    let has_gap = is_bracketed || digits.ends_with(' ');
    let count = number(&open[digits.len()..])?;
    (has_gap && !label.is_empty()).then_some((label, Some(count)))
}

/// `(12)` or `12` behind a link.
fn leading_count(text: &str) -> Option<u64> {
    let word = text.split(' ').next().unwrap_or_default();
    let inner = word.strip_prefix(['(', '[']).and_then(|word| word.strip_suffix([')', ']'])).unwrap_or(word);
    number(inner)
}

fn number(text: &str) -> Option<u64> {
    let is_one = text.len() <= 15 && text.starts_with(|c: char| c.is_ascii_digit());
    let digits: String = text.chars().filter(|c| !matches!(c, ',' | '.' | '\u{a0}')).collect();
    digits.parse().ok().filter(|_| is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_stands_in_the_label_or_behind_it() {
        let of = |anchor, after| labelled(anchor, after);
        assert_eq!(of("Fiction (1,012)", ""), Some(("Fiction".into(), Some(1012))));
        assert_eq!(of("Fiction", "(12) Poems"), Some(("Fiction".into(), Some(12))));
        assert_eq!(of("1999", "7 1998"), Some(("1999".into(), Some(7))));
        assert_eq!(of("Newest first", "| Oldest"), Some(("Newest first".into(), None)));
        assert_eq!(of("2", "3 4"), None);
        assert_eq!(of("2", "Next"), None);
    }
}
