//! HTML parser: response body to [`Page`].
//!
//! The steps of [`parse`], with the files that implement them:
//!
//! 1. `charset`, `prescan`: decode the body in the encoding that a browser would choose.
//! 2. `feed`, `scan`, `tags`, `token_limiter`, `sink`, `dom`: build the DOM tree with html5ever, within `limits`.
//! 3. `collect`, `text`, `folded_text`: walk the tree once, gather the text, list links, forms, controls and
//!    metadata elements.
//! 4. `links`, `script_links`, `forms`, `fields`, `labels`, `hints`, `language`: turn those lists into the
//!    parts of the page.
//! 5. `outline`: copy the visible tree. Only [`parse_with_outline`] does this; record extraction needs it.
//!
//! Parsing never fails and never panics, and its cost is close to linear in the size of the body. A page that
//! exceeds a limit is truncated, and [`Page::truncated_by`] names the limit.

mod charset;
mod collect;
mod document_base;
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
mod loose;
mod opensearch;
mod outline;
mod page_scripts;
mod prescan;
mod scan;
mod script_links;
mod search_action;
mod sink;
mod sitemap;
mod tags;
mod text;
mod token_limiter;

pub(crate) use charset::decode_data;
pub use language::detected as detect_language;
pub(crate) use limits::truncate;
pub use opensearch::opensearch_form;
pub use outline::Outline;
pub(crate) use outline::{OutlineNode, tag};
pub use page_scripts::{PageScripts, page_scripts};
pub use search_action::search_action_form;
pub use sitemap::{Sitemap, sitemap, sitemap_links};

use crate::endpoint::is_own_search;
use crate::page::{Form, Page, PageHints, ParseLimit};
use crate::simhash::simhash;
use collect::Collected;
use document_base::DocumentBase;
use sink::DomTree;
use typed_arena::Arena;
use url::Url;

/// A page with its visible DOM tree.
#[derive(Clone, Debug)]
pub struct Document {
    /// Text, links, forms and metadata.
    pub page: Page,
    /// Visible elements and texts, in which record extraction looks for repeated structure.
    pub outline: Outline,
}

/// Parses a document. Markup that cannot be parsed is left out; a truncated page keeps everything before the limit.
pub fn parse(body: &[u8], content_type: Option<&str>, url: &Url) -> Page {
    parse_inspecting(body, content_type, url, None, |_, _, _| ()).0
}

/// Parses a document for a crawl that follows a link once, and only if `is_used` is true for its URL. Other links, and
/// repeated ones, are marked as unused and get no context.
pub fn parse_used_links(
    body: &[u8],
    content_type: Option<&str>,
    url: &Url,
    is_used: &dyn Fn(&Url) -> bool,
) -> Page {
    parse_inspecting(body, content_type, url, Some(is_used), |_, _, _| ()).0
}

/// Parses a document and also returns its outline.
pub fn parse_with_outline(body: &[u8], content_type: Option<&str>, url: &Url) -> Document {
    let (page, outline) = parse_inspecting(body, content_type, url, None, outline::outline);
    Document { page, outline }
}

/// Parses a document. `inspect` is called with the tree, the collected nodes and the link index of each anchor
/// before the tree is dropped.
fn parse_inspecting<T>(
    body: &[u8],
    content_type: Option<&str>,
    url: &Url,
    is_used: Option<&dyn Fn(&Url) -> bool>,
    inspect: impl for<'a> FnOnce(&DomTree<'a>, &Collected<'a>, &[u32]) -> T,
) -> (Page, T) {
    let decoded = charset::decode(body, content_type, url);
    let arena = Arena::new();
    let built = feed::build(&decoded.text, &arena);
    let found = collect::collect(&built.tree);

    let base = DocumentBase::of(&found, url, decoded.charset);
    let (links, link_indices) = links::links(&found, url, &base, is_used);
    let inspected = inspect(&built.tree, &found, &link_indices);
    let hints = hints::hints(&found, &base);
    let (mut forms, is_cut) = forms::forms(&found, url, &base);
    add_declared_searches(&mut forms, &hints, &base.url);

    let too_long = decoded.is_cut.then_some(ParseLimit::Bytes);
    let too_many = (found.is_cut || is_cut).then_some(ParseLimit::Items);
    let title =
        found.title.map_or(String::new(), |title| text::short(&dom::text_below(title, limits::SHORT_TEXT)));
    let text = found.texts.into_visible();
    let page = Page {
        url: url.clone(),
        base: base.url,
        title,
        language: language::language(built.tree.language.as_deref(), &text),
        charset: decoded.charset,
        links,
        forms,
        hints,
        fingerprint: simhash(&text),
        text,
        truncated_by: built.truncated_by.or(too_long).or(too_many),
    };
    (page, inspected)
}

/// Appends the forms of search actions and of endpoints that no form searches, and numbers all forms without an element
/// down from `u32::MAX`.
fn add_declared_searches(forms: &mut Vec<Form>, hints: &PageHints, base: &Url) {
    forms.extend(hints.search_actions.iter().filter_map(|template| search_action_form(template, base)));
    let own = hints.endpoints.iter().filter(|endpoint| is_own_search(endpoint, forms)).cloned();
    forms.extend(own.collect::<Vec<Form>>());
    let without_element = forms.iter_mut().filter(|form| form.index == u32::MAX);
    for (ordinal, form) in without_element.enumerate() {
        form.index = u32::MAX - ordinal as u32;
    }
}
