//! Links of a page with their context.

use super::collect::Collected;
use super::dom::{NodeRef, TreeWalk, WalkEvent};
use super::limits::{self, truncate};
use super::text::{first_terms, last_terms, short};
use crate::address::{TrackingParams, normalise};
use crate::page::{Link, LinkContext};
use html5ever::local_name;
use url::Url;

/// Terms kept before and after a link. Guess.
const TERMS_AROUND: usize = 10;
/// Elements of a tag path, counted from the link. Guess.
const PATH_ELEMENTS: usize = 16;
/// Bytes of an element name, class or id in a tag path. Guess.
const PATH_NAME: usize = 32;
/// Walk events inspected to find an image inside a link without text. Guess.
const IMAGE_SEARCH: usize = 64;

/// Link index of an anchor without a usable target URL.
pub(super) const NO_LINK: u32 = u32::MAX;

/// Links in document order, and for every collected anchor the index of its link or [`NO_LINK`].
pub(super) fn links(found: &Collected<'_>, base: &Url) -> (Vec<Link>, Vec<u32>) {
    let mut links: Vec<Link> = Vec::with_capacity(found.anchors.len());
    let mut link_indices = Vec::with_capacity(found.anchors.len());
    for &anchor in &found.anchors {
        let position = links.len() as u32;
        let url = target(anchor, base);
        link_indices.push(if url.is_some() { position } else { NO_LINK });
        links.extend(url.map(|url| Link { url, context: context(found, anchor, position) }));
    }
    (links, link_indices)
}

/// Normalised target of an anchor; `None` for links within the page.
fn target(anchor: NodeRef<'_>, base: &Url) -> Option<Url> {
    let address = anchor.attribute(&local_name!("href"))?.trim();
    if address.is_empty() || address.starts_with('#') {
        return None;
    }
    normalise(base.join(address).ok()?, TrackingParams::Strip)
}

fn context<'a>(found: &Collected<'a>, anchor: NodeRef<'a>, position: u32) -> LinkContext {
    let span = found.span(anchor);
    LinkContext {
        anchor: anchor_text(found, anchor),
        before: span.map_or("", |span| last_terms(found.texts.before(span), TERMS_AROUND)).to_string(),
        after: span.map_or("", |span| first_terms(found.texts.after(span), TERMS_AROUND)).to_string(),
        tag_path: tag_path(anchor),
        rel: anchor.attribute(&local_name!("rel")).map_or(String::new(), |rel| short(rel).to_lowercase()),
        position,
        topic: None,
    }
}

/// Text of a link, or else the `alt` of an image in it, or else a label attribute.
fn anchor_text<'a>(found: &Collected<'a>, anchor: NodeRef<'a>) -> String {
    let text = found.text_of(anchor);
    if !text.is_empty() {
        return truncate(text, limits::SHORT_TEXT).to_string();
    }
    let own = || {
        let names = [local_name!("aria-label"), local_name!("title"), local_name!("alt")];
        names.iter().find_map(|name| anchor.attribute(name).map(short).filter(|text| !text.is_empty()))
    };
    image_name(anchor).or_else(own).unwrap_or_default()
}

fn image_name(anchor: NodeRef<'_>) -> Option<String> {
    TreeWalk::below(anchor).take(IMAGE_SEARCH).find_map(|step| match step {
        WalkEvent::Enter(node) if node.is(&local_name!("img")) => {
            node.attribute(&local_name!("alt")).map(short).filter(|text| !text.is_empty())
        }
        _ => None,
    })
}

/// Tag path such as `body div.nav#top ul li a`: element names with first class and id. Outer elements of long
/// paths are left out.
fn tag_path(node: NodeRef<'_>) -> String {
    let is_inner = |node: &NodeRef<'_>| node.element().is_some() && !node.is(&local_name!("html"));
    let path: Vec<NodeRef<'_>> =
        std::iter::once(node).chain(node.ancestors()).take_while(is_inner).take(PATH_ELEMENTS).collect();
    let mut text = String::with_capacity(path.len() * 12);
    for node in path.into_iter().rev() {
        let Some(element) = node.element() else { continue };
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(short_name(&element.name.local));
        for (mark, attribute) in [('.', local_name!("class")), ('#', local_name!("id"))] {
            let name = node.attribute(&attribute).and_then(|value| value.split_ascii_whitespace().next());
            if let Some(name) = name {
                text.push(mark);
                text.push_str(short_name(name));
            }
        }
    }
    text
}

fn short_name(name: &str) -> &str {
    truncate(name, PATH_NAME)
}
