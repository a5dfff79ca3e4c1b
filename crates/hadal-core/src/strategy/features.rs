//! What a link says: stems in its address, its anchor and the words around it.
//!
//! The same word in an address and in an anchor are two features (FFC paper, section 3.1). [`terms`] reads
//! a link as an example to learn from, [`select`] keeps the few stems worth knowing, and a [`Matcher`]
//! looks for those in the hundreds of links of every page without stemming them again. Links come
//! without a language: plain letters are stemmed as English, other words stay as they stand.

mod matcher;
mod select;

use crate::link::FrontierLink;
use crate::page::LinkContext;
use crate::text::language::Language;
use crate::text::terms::{Token, each_token};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use url::Url;

pub use matcher::Matcher;
pub use select::{is_among, select};

/// Words read before a link and after it (ACHE paper, section 3.3).
const WINDOW: usize = 5;
/// Words of an address that tell of the server, not of the page.
const PLUMBING: [&str; 11] =
    ["www", "html", "htm", "shtml", "xhtml", "php", "asp", "aspx", "jsp", "cgi", "index"];

/// Where a word of a link stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    /// Host name without its public suffix, path and query.
    Url,
    /// The path alone.
    Path,
    /// What the link is called.
    Anchor,
    /// The words next to it.
    Around,
}

impl Space {
    /// Its name in lessons and listings.
    pub fn name(self) -> &'static str {
        match self {
            Space::Url => "url",
            Space::Path => "path",
            Space::Anchor => "anchor",
            Space::Around => "around",
        }
    }

    /// Whether words are written together here, as in `usedcars`.
    fn joins_words(self) -> bool {
        matches!(self, Space::Url | Space::Path)
    }
}

/// The stems of a link's link in one space, in order, stop words and numbers left out.
pub fn terms(space: Space, link: &FrontierLink) -> Vec<String> {
    terms_of(space, &link.url, &link.context)
}

/// The stems of a link that is no link yet.
pub fn terms_of(space: Space, url: &Url, context: &LinkContext) -> Vec<String> {
    let mut stems = Vec::new();
    each_term(space, url, context, |word, _| stems.push(Language::of(None).stem(word)));
    stems
}

/// Tells the words of a link in one space, each with the number of its stem; stop words and numbers are
/// left out. Nothing is stemmed that was met before.
pub fn each_term(space: Space, url: &Url, context: &LinkContext, mut tell: impl FnMut(&str, u32)) {
    let mut tell = |word: &str, token: Token| {
        if token.term != 0 && !(space.joins_words() && PLUMBING.contains(&word)) {
            tell(word, token.term);
        }
    };
    match space {
        Space::Url | Space::Path => {
            for part in address_parts(space, url) {
                each_token(&unescaped(part), None, &mut tell);
            }
        }
        Space::Anchor => each_token(&context.anchor, None, tell),
        Space::Around => {
            each_token(last_words(&context.before), None, &mut tell);
            each_token(first_words(&context.after), None, &mut tell);
        }
    }
}

/// The beginning of a text, as far as the window goes.
fn first_words(text: &str) -> &str {
    let end = text.match_indices(' ').nth(WINDOW - 1).map_or(text.len(), |(at, _)| at);
    &text[..end]
}

/// The end of a text, as far back as the window goes.
fn last_words(text: &str) -> &str {
    let start = text.rmatch_indices(' ').nth(WINDOW - 1).map_or(0, |(at, _)| at);
    &text[start..]
}

/// The parts of an address that have words; all of them hold ASCII only.
fn address_parts(space: Space, url: &Url) -> [&str; 3] {
    match space {
        Space::Url => [name_of(url), url.path(), url.query().unwrap_or_default()],
        _ => ["", url.path(), ""],
    }
}

/// The host name without its public suffix; nothing of a numeric address.
fn name_of(url: &Url) -> &str {
    let Some(host) = url.domain() else { return "" };
    let suffix = psl::suffix_str(host).unwrap_or_default();
    host.strip_suffix(suffix).unwrap_or(host)
}

/// A part of an address as people read it.
fn unescaped(part: &str) -> Cow<'_, str> {
    if !part.contains('%') {
        return Cow::Borrowed(part);
    }
    let mut text = String::with_capacity(part.len());
    for (name, value) in url::form_urlencoded::parse(part.as_bytes()) {
        text.extend([&name, " ", &value, " "]);
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::LinkOrigin;

    fn link(url: &str, anchor: &str, before: &str, after: &str) -> FrontierLink {
        let text = String::from;
        let context = LinkContext {
            anchor: text(anchor),
            before: text(before),
            after: text(after),
            ..LinkContext::default()
        };
        FrontierLink { context, ..FrontierLink::root(Url::parse(url).unwrap(), LinkOrigin::Link) }
    }

    #[test]
    fn an_address_gives_stems_without_suffix_numbers_and_plumbing() {
        let link = link("http://www.used-books.co.uk/Catalogues/index.php?author=42&sort=titles", "", "", "");
        assert_eq!(terms(Space::Url, &link), ["book", "catalogu", "author", "sort", "titl"]);
        assert_eq!(terms(Space::Path, &link), ["catalogu"]);
    }

    #[test]
    fn an_anchor_gives_stems_without_stop_words() {
        let link = link("http://a.org/", "Search all of our Libraries", "", "");
        assert_eq!(terms(Space::Anchor, &link), ["search", "librari"]);
    }

    #[test]
    fn five_words_on_each_side_are_around_a_link() {
        let link = link(
            "http://a.org/",
            "x",
            "novels fiction poets drama essays letters",
            "rare maps and old prints atlas",
        );
        let around = terms(Space::Around, &link);
        assert_eq!(around, ["fiction", "poet", "drama", "essay", "letter", "rare", "map", "print"]);
    }

    #[test]
    fn escaped_addresses_are_read_as_people_read_them() {
        let link =
            link("http://a.org/%D0%BA%D0%BD%D0%B8%D0%B3%D0%B8?q=%D0%BA%D0%B0%D1%80%D1%82%D1%8B", "", "", "");
        assert_eq!(terms(Space::Path, &link), ["книги"]);
        assert_eq!(terms(Space::Url, &link).last().map(String::as_str), Some("карты"));
    }

    #[test]
    fn numeric_hosts_and_bad_escapes_are_no_trouble() {
        let link = link("http://192.168.0.1/%zz%f0%28?%", "", "", "");
        terms(Space::Url, &link);
        assert_eq!(terms(Space::Anchor, &link), Vec::<String>::new());
    }
}
