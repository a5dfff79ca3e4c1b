//! Bytes to [`Page`] in one parse.
//!
//! 1. `charset`, `prescan`: bytes to text, as browsers choose the encoding;
//! 2. `feed`, `scan`, `tags`, `gate`, `sink`, `dom`: text to a tree, within the limits of `limits`;
//! 3. `collect`, `text`, `folded`: one walk over the tree gathers text and notes what else is there;
//! 4. `links`, `forms`, `fields`, `labels`, `choices`, `hints`, `language`: what was noted becomes the page;
//! 5. `outline`, for answers to queries: the visible tree, kept for those who look for records in it.
//!
//! Nothing here fails or panics, and nothing costs much more than its size: hostile pages are truncate, and
//! [`Page::truncated_by`] says so.

mod charset;
mod choices;
mod collect;
mod dom;
mod feed;
mod fields;
mod folded_text;
mod forms;
mod hints;
mod labels;
mod language;
mod limits;
mod links;
mod opensearch;
mod outline;
mod prescan;
mod scan;
mod search_action;
mod sink;
mod tags;
mod text;
mod token_limiter;

pub(crate) use limits::truncate;
pub use opensearch::opensearch_form;
pub use outline::Outline;
pub(crate) use outline::{OutlineNode, tag};
pub use search_action::search_action_form;

use crate::page::{Form, Page, PageHints, ParseLimit};
use crate::simhash::simhash;
use collect::Collected;
use html5ever::local_name;
use sink::DomTree;
use typed_arena::Arena;
use url::Url;

/// A page together with the tree it was made of.
#[derive(Clone, Debug)]
pub struct Document {
    /// What every page becomes.
    pub page: Page,
    /// Its visible elements, for whoever looks for repetition.
    pub outline: Outline,
}

/// Parses a document. Never fails: what cannot be read is left out, what was read before a bound is kept.
pub fn parse(body: &[u8], content_type: Option<&str>, url: &Url) -> Page {
    parse_and(body, content_type, url, |_, _, _| ()).0
}

/// Parses a document and keeps an outline of its tree.
pub fn parse_with_outline(body: &[u8], content_type: Option<&str>, url: &Url) -> Document {
    let (page, outline) = parse_and(body, content_type, url, outline::outline);
    Document { page, outline }
}

/// Parses a document; `look` sees the tree before it goes, and which link each anchor became.
fn parse_and<T>(
    body: &[u8],
    content_type: Option<&str>,
    url: &Url,
    look: impl for<'a> FnOnce(&DomTree<'a>, &Collected<'a>, &[u32]) -> T,
) -> (Page, T) {
    let decoded = charset::decode(body, content_type, url);
    let arena = Arena::new();
    let built = feed::build(&decoded.text, &arena);
    let found = collect::collect(&built.tree);

    let base = base(&found, url);
    let (links, of_anchors) = links::links(&found, &base);
    let looked = look(&built.tree, &found, &of_anchors);
    let hints = hints::hints(&found, &base);
    let (mut forms, is_truncated) = forms::forms(&found, url, &base);
    add_search_actions(&mut forms, &hints, &base);

    let too_long = decoded.is_truncated.then_some(ParseLimit::Bytes);
    let too_many = (found.is_truncated || is_truncated).then_some(ParseLimit::Items);
    let title =
        found.title.map_or(String::new(), |title| text::short(&dom::text_below(title, limits::SHORT_TEXT)));
    let text = found.texts.into_visible();
    let page = Page {
        url: url.clone(),
        base,
        title,
        language: language::language(built.tree.language.as_deref(), &text),
        charset: decoded.charset,
        links,
        forms,
        hints,
        fingerprint: simhash(&text),
        text,
        truncated_by: built.bound.or(too_long).or(too_many),
    };
    (page, looked)
}

/// What relative addresses refer to; an absurd `<base>` is ignored.
fn base(found: &Collected<'_>, url: &Url) -> Url {
    let named = found.base.and_then(|base| base.attribute(&local_name!("href")));
    let joined = named
        .filter(|address| address.len() <= crate::address::MAX_URL_BYTES)
        .and_then(|address| url.join(address.trim()).ok());
    joined.filter(|base| !base.cannot_be_a_base() && base.scheme() != "data").unwrap_or_else(|| url.clone())
}

/// Search actions follow the forms. Forms without an element count down from the largest index.
fn add_search_actions(forms: &mut Vec<Form>, hints: &PageHints, base: &Url) {
    forms.extend(hints.search_actions.iter().filter_map(|template| search_action_form(template, base)));
    let without_element = forms.iter_mut().filter(|form| form.index == u32::MAX);
    for (ordinal, form) in without_element.enumerate() {
        form.index = u32::MAX - ordinal as u32;
    }
}
