//! The link to the next page, by a score over all links of a page.

use super::labels::{PagerLabel, class_label, label_of};
use super::numbers::numbered_successor;
use super::url_change::{UrlChange, is_same_page, keeps_query};
use super::{NextPage, PagerKind};
use crate::address::Site;
use crate::harvest::query::Query;
use crate::html::Document;
use crate::http::Request;
use crate::page::Link;

/// Maximum number of links of a page that are scored. Guess.
const MAX_LINKS: usize = 4_000;
/// Least score of a link that is taken for the next page. Guess.
const MIN_SCORE: f32 = 3.0;
/// Least score of a link that wins over `rel=next` in the page's head, which may lack the query. Guess.
const MIN_SCORE_OVER_HEAD: f32 = 5.0;

// Terms of the score. All values are guesses.
const NEXT_LABEL: f32 = 4.5;
const ARROW_LABEL: f32 = 2.5;
const DOUBLE_ARROW_LABEL: f32 = 2.2;
const MORE_LABEL: f32 = 2.5;
const NEXT_CLASS: f32 = 2.5;
/// Used instead of [`NEXT_CLASS`] for a link with a long label that is not a pager's.
const NEXT_CLASS_LONG_LABEL: f32 = 1.0;
const NEXT_NUMBER: f32 = 3.2;
const REL_NEXT: f32 = 4.0;
const URL_FORWARD: f32 = 1.5;
const URL_SAME_PATH: f32 = 0.7;
const URL_BACKWARD: f32 = -2.5;
const URL_ELSEWHERE: f32 = -1.0;
const IN_PAGER_ELEMENT: f32 = 0.8;
/// Bytes of a label above which it is long. Guess.
const LONG_LABEL_BYTES: usize = 24;

/// Returns the best-scored link of the page's site, or `rel=next` from the page's head.
pub(super) fn best_link(
    document: &Document,
    query: &Query,
    is_content: impl Fn(usize) -> bool,
) -> Option<NextPage> {
    let page = &document.page;
    let keeps = |link: &Link| keeps_query(&page.url, &link.url, &query.words);
    let numbered = numbered_successor(page, &|at| is_content(at) || !keeps(&page.links[at]));
    let site = Site::of(&page.url);
    let classes = class_labels(document);
    let mut has_single_arrow = false;
    let mut candidates: Vec<(f32, PagerKind, &Link)> = Vec::new();
    for (position, link) in page.links.iter().enumerate().take(MAX_LINKS) {
        let is_numbered = numbered == Some(position);
        let label = label_of(&link.context.anchor);
        if (is_content(position) && !is_numbered) || is_same_page(&page.url, &link.url) {
            continue;
        }
        // A link without the query continues another list, unless its label promises the next page.
        let is_declared = label == PagerLabel::Next || link.context.rel.split(' ').any(|rel| rel == "next");
        if !is_declared && !keeps(link) {
            continue;
        }
        has_single_arrow |= label == PagerLabel::Arrow;
        let scored = score(document, link, label, &classes[position], is_numbered);
        if let Some((score, kind)) = scored.filter(|_| Site::of(&link.url) == site) {
            candidates.push((score, kind, link));
        }
    }
    // A double arrow beside a single arrow leads to the last page.
    let is_last = |link: &Link| has_single_arrow && label_of(&link.context.anchor) == PagerLabel::DoubleArrow;
    candidates.retain(|(score, _, link)| *score >= MIN_SCORE && !is_last(link));
    let best = candidates.into_iter().rev().max_by(|a, b| a.0.total_cmp(&b.0));
    let in_head =
        page.hints.next.as_ref().filter(|url| !is_same_page(&page.url, url) && Site::of(url) == site);
    let (url, kind) = match (best, in_head) {
        (Some((_, kind, link)), None) => (&link.url, kind),
        (Some((score, kind, link)), Some(_)) if score >= MIN_SCORE_OVER_HEAD => (&link.url, kind),
        (_, Some(url)) => (url, PagerKind::Declared),
        (None, None) => return None,
    };
    Some(NextPage { request: Request::get(url.clone()), kind })
}

/// For every link of the page, the meaning of its class or id, or of those of an element that holds nothing else.
fn class_labels(document: &Document) -> Vec<Option<PagerLabel>> {
    let outline = &document.outline;
    let mut labels = vec![None; document.page.links.len()];
    for (at, node) in outline.nodes().iter().enumerate() {
        let Some(label) = node.link.and_then(|link| labels.get_mut(link as usize)) else { continue };
        let parent = node.parent as usize;
        let own = [outline.class_of(at), outline.id_of(at)];
        let outer = [outline.class_of(parent), outline.id_of(parent)];
        let is_alone = || outline.text_of(parent) == outline.text_of(at);
        let by_own = own.into_iter().find_map(class_label);
        // The picture of a link without text.
        let has_text = !outline.text_of(at).is_empty();
        let inner = outline.children(at).next().filter(|_| !has_text).map(|child| outline.class_of(child));
        let by_outer = || outer.into_iter().find_map(class_label).filter(|_| is_alone());
        *label = by_own.or_else(by_outer).or_else(|| inner.and_then(class_label));
    }
    labels
}

/// Score of a link as the next page, and its kind. `None` for links to the previous page and for links without any
/// sign of a pager.
fn score(
    document: &Document,
    link: &Link,
    label: PagerLabel,
    class: &Option<PagerLabel>,
    is_numbered: bool,
) -> Option<(f32, PagerKind)> {
    let rel = |name: &str| link.context.rel.split(' ').any(|rel| rel == name);
    let is_declared_next = *class == Some(PagerLabel::Next) || rel("next");
    let is_labelled_previous =
        label == PagerLabel::Previous || label == PagerLabel::LeftArrow && !is_declared_next;
    if is_labelled_previous || *class == Some(PagerLabel::Previous) || rel("prev") || rel("previous") {
        return None;
    }
    let (mut score, mut kind) = match label {
        PagerLabel::Next => (NEXT_LABEL, PagerKind::Link),
        PagerLabel::Arrow => (ARROW_LABEL, PagerKind::Link),
        PagerLabel::DoubleArrow => (DOUBLE_ARROW_LABEL, PagerKind::Link),
        PagerLabel::More => (MORE_LABEL, PagerKind::More),
        PagerLabel::Previous | PagerLabel::LeftArrow | PagerLabel::Other => (0.0, PagerKind::Link),
    };
    if *class == Some(PagerLabel::Next) {
        let is_long = label == PagerLabel::Other && link.context.anchor.len() > LONG_LABEL_BYTES;
        score += if is_long { NEXT_CLASS_LONG_LABEL } else { NEXT_CLASS };
    }
    if is_numbered {
        score += NEXT_NUMBER;
        kind = if label == PagerLabel::Other { PagerKind::Number } else { kind };
    }
    if rel("next") {
        (score, kind) = (score + REL_NEXT, PagerKind::Declared);
    }
    if score == 0.0 {
        return None;
    }
    score += match UrlChange::between(&document.page.url, &link.url) {
        UrlChange::Forward => URL_FORWARD,
        UrlChange::SamePath => URL_SAME_PATH,
        UrlChange::Backward => URL_BACKWARD,
        UrlChange::Elsewhere => URL_ELSEWHERE,
    };
    score += if is_in_pager_element(&link.context.tag_path) { IN_PAGER_ELEMENT } else { 0.0 };
    Some((score, kind))
}

fn is_in_pager_element(tag_path: &str) -> bool {
    const NAMES: [&str; 6] = ["pag", "nav-links", "seiten", "numbers", "resultnav", "browse"];
    let path = tag_path.to_ascii_lowercase();
    NAMES.iter().any(|name| path.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_of_a_link_overrides_the_direction_of_its_arrow() {
        let next = |html: &str| {
            let url = url::Url::parse("http://a.org/find?q=sea&page=2").unwrap();
            let document =
                crate::html::parse_with_outline(html.as_bytes(), Some("text/html; charset=utf-8"), &url);
            best_link(&document, &Query::words("sea"), |_| false).map(|next| next.request.url.to_string())
        };
        let pager = "<html dir=rtl><a class='prev' href='/find?q=sea&page=1'>→</a>
            <a class='next page-numbers' href='/find?q=sea&page=3'>←</a>";
        assert_eq!(next(pager).as_deref(), Some("http://a.org/find?q=sea&page=3"));
        assert_eq!(next("<a href='/find?q=sea&page=3'>←</a>"), None);
    }
}
