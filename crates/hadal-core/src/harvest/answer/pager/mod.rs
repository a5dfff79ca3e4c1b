//! The way to the next page of an answer.
//!
//! Every link that may lead there is scored by all signs at once: what it declares, says, is classed as,
//! what number it has (`numbers`), by how much its address differs from this page's (`step`), and where it
//! stands. When no link does it, a button may (`buttons`).

mod buttons;
mod labels;
mod numbers;
mod url_change;

use crate::address::Site;
use crate::html::Document;
use crate::http::Request;
use crate::page::Link;
use labels::{PagerLabel, class_says, sign};
use numbers::successor;
use serde::{Deserialize, Serialize};
use url_change::{UrlChange, is_here};

/// Links that are looked at.
const MOST_LINKS: usize = 4_000;
/// A link needs this score to be taken for the way onwards.
const ENOUGH: f32 = 3.0;
/// With this score it is believed before what the head of the page declares, which may forget the query.
const PLAIN: f32 = 5.0;

/// The request for the next page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextPage {
    /// What to send.
    pub request: Request,
    /// How the page offers it.
    pub way: PagerKind,
}

/// How a page offers its next page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PagerKind {
    /// Declared as `rel=next`.
    Declared,
    /// A link that says so.
    Link,
    /// The number after this page's.
    Number,
    /// A link that shows more below.
    More,
    /// A button of a form.
    Button,
}

/// The next page of a document; links for which `is_content` holds, by their position, belong to records
/// and are not looked at.
pub fn next_page(document: &Document, is_content: impl Fn(usize) -> bool) -> Option<NextPage> {
    by_link(document, is_content).or_else(|| buttons::by_button(&document.page))
}

fn by_link(document: &Document, is_content: impl Fn(usize) -> bool) -> Option<NextPage> {
    let page = &document.page;
    let numbered = successor(page, &is_content);
    let site = Site::of(&page.url);
    let classes = classes(document);
    let mut has_single = false;
    let mut candidates: Vec<(f32, PagerKind, &Link)> = Vec::new();
    for (position, link) in page.links.iter().enumerate().take(MOST_LINKS) {
        let is_numbered = numbered == Some(position);
        let signs = sign(&link.context);
        if (is_content(position) && !is_numbered) || is_here(&page.url, &link.url) {
            continue;
        }
        has_single |= signs == PagerLabel::Arrow;
        let scored = score(document, link, signs, &classes[position], is_numbered);
        if let Some((score, way)) = scored.filter(|_| Site::of(&link.url) == site) {
            candidates.push((score, way, link));
        }
    }
    // A double arrow beside a single one goes to the end.
    let is_last = |link: &Link| has_single && sign(&link.context) == PagerLabel::DoubleArrow;
    candidates.retain(|(score, _, link)| *score >= ENOUGH && !is_last(link));
    let best = candidates.into_iter().rev().max_by(|a, b| a.0.total_cmp(&b.0));
    let declared = page.hints.next.as_ref().filter(|url| !is_here(&page.url, url) && Site::of(url) == site);
    let (url, way) = match (best, declared) {
        (Some((_, way, link)), None) => (&link.url, way),
        (Some((score, way, link)), Some(_)) if score >= PLAIN => (&link.url, way),
        (_, Some(url)) => (url, PagerKind::Declared),
        (None, None) => return None,
    };
    Some(NextPage { request: Request::get(url.clone()), way })
}

/// What the classes of every link and of the element around it say.
fn classes(document: &Document) -> Vec<Option<PagerLabel>> {
    let outline = &document.outline;
    let mut says = vec![None; document.page.links.len()];
    for (at, node) in outline.nodes().iter().enumerate() {
        let Some(link) = node.link.and_then(|link| says.get_mut(link as usize)) else { continue };
        let around = node.parent as usize;
        let names = [outline.class_of(at), outline.id_of(at)];
        let outer = [outline.class_of(around), outline.id_of(around)];
        let is_alone = || outline.text_of(around) == outline.text_of(at);
        let own = names.into_iter().find_map(class_says);
        *link = own.or_else(|| outer.into_iter().find_map(class_says).filter(|_| is_alone()));
    }
    says
}

fn score(
    document: &Document,
    link: &Link,
    sign: PagerLabel,
    class: &Option<PagerLabel>,
    is_numbered: bool,
) -> Option<(f32, PagerKind)> {
    let rel = |name: &str| link.context.rel.split(' ').any(|rel| rel == name);
    if sign == PagerLabel::Previous || *class == Some(PagerLabel::Previous) || rel("prev") || rel("previous")
    {
        return None;
    }
    let (mut score, mut way) = match sign {
        PagerLabel::Next => (4.5, PagerKind::Link),
        PagerLabel::Arrow => (2.5, PagerKind::Link),
        PagerLabel::DoubleArrow => (2.2, PagerKind::Link),
        PagerLabel::More => (2.5, PagerKind::More),
        PagerLabel::Previous | PagerLabel::None => (0.0, PagerKind::Link),
    };
    if *class == Some(PagerLabel::Next) {
        score += if sign == PagerLabel::None && link.context.anchor.len() > 24 { 1.0 } else { 2.5 };
    }
    if is_numbered {
        score += 3.2;
        way = if sign == PagerLabel::None { PagerKind::Number } else { way };
    }
    if rel("next") {
        (score, way) = (score + 4.0, PagerKind::Declared);
    }
    if score == 0.0 {
        return None;
    }
    score += match UrlChange::between(&document.page.url, &link.url) {
        UrlChange::Onwards => 1.5,
        UrlChange::Same => 0.7,
        UrlChange::Backwards => -2.5,
        UrlChange::Elsewhere => -1.0,
    };
    score += if stands_in_pager(&link.context.tag_path) { 0.8 } else { 0.0 };
    Some((score, way))
}

fn stands_in_pager(path: &str) -> bool {
    const NAMES: [&str; 6] = ["pag", "nav-links", "seiten", "numbers", "resultnav", "browse"];
    let path = path.to_ascii_lowercase();
    NAMES.iter().any(|name| path.contains(name))
}
