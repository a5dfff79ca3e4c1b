//! Bytes to [`Page`] in one parse.
//!
//! 1. `charset`, `prescan`: bytes to text, as browsers choose the encoding;
//! 2. `feed`, `scan`, `tags`, `gate`, `sink`, `dom`: text to a tree, within the limits of `bounds`;
//! 3. `collect`, `text`, `folded`: one walk over the tree gathers text and notes what else is there;
//! 4. `links`, `forms`, `fields`, `labels`, `choices`, `hints`, `language`: what was noted becomes the page.
//!
//! Nothing here fails or panics, and nothing costs much more than its size: hostile pages are cut, and
//! [`Page::bound`] says so.

mod bounds;
mod charset;
mod choices;
mod collect;
mod dom;
mod feed;
mod fields;
mod folded;
mod forms;
mod gate;
mod hints;
mod labels;
mod language;
mod links;
mod prescan;
mod scan;
mod search_action;
mod sink;
mod tags;
mod text;

pub use search_action::search_action_form;

use crate::page::{Bound, Form, Hints, Page};
use crate::simhash::simhash;
use collect::Found;
use html5ever::local_name;
use typed_arena::Arena;
use url::Url;

/// Parses a document. Never fails: what cannot be read is left out, what was read before a bound is kept.
pub fn parse(body: &[u8], content_type: Option<&str>, url: &Url) -> Page {
    let decoded = charset::decode(body, content_type, url);
    let arena = Arena::new();
    let built = feed::build(&decoded.text, &arena);
    let found = collect::collect(&built.tree);

    let base = base(&found, url);
    let links = links::links(&found, &base);
    let hints = hints::hints(&found, &base);
    let (mut forms, is_cut) = forms::forms(&found, url, &base);
    add_search_actions(&mut forms, &hints, &base);

    let too_long = decoded.is_cut.then_some(Bound::Bytes);
    let too_many = (found.is_cut || is_cut).then_some(Bound::Items);
    let title =
        found.title.map_or(String::new(), |title| text::short(&dom::text_below(title, bounds::SHORT_TEXT)));
    let text = found.texts.into_visible();
    Page {
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
        bound: built.bound.or(too_long).or(too_many),
    }
}

/// What relative addresses refer to; an absurd `<base>` is ignored.
fn base(found: &Found<'_>, url: &Url) -> Url {
    let named = found.base.and_then(|base| base.attribute(&local_name!("href")));
    let joined = named
        .filter(|address| address.len() <= crate::address::LONGEST_URL)
        .and_then(|address| url.join(address.trim()).ok());
    joined.filter(|base| !base.cannot_be_a_base() && base.scheme() != "data").unwrap_or_else(|| url.clone())
}

/// Search actions follow the forms. Forms without an element count down from the largest index.
fn add_search_actions(forms: &mut Vec<Form>, hints: &Hints, base: &Url) {
    forms.extend(hints.search_actions.iter().filter_map(|template| search_action_form(template, base)));
    let without_element = forms.iter_mut().filter(|form| form.index == u32::MAX);
    for (ordinal, form) in without_element.enumerate() {
        form.index = u32::MAX - ordinal as u32;
    }
}
