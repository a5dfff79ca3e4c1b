//! Text features of a link: stems of its URL, its anchor text and the text around it.
//!
//! A stem in the URL and the same stem in the anchor are two features (FFC paper, section 3.1). [`stems_of`] lists the
//! stems of a training example, [`select_stems`] picks the most frequent ones, and a [`StemMatcher`] finds those in the
//! links of every page without stemming them again. The language of a link is unknown: words of plain letters are
//! stemmed as English, other words stay unchanged.

mod stems;

use crate::page::LinkContext;
use crate::text::language::Language;
use crate::text::terms::{Token, each_token};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use url::Url;

pub use stems::{StemMatcher, contains_stem, is_inner_stem, select_stems};

/// Words before and after a link that count as text around it. The ACHE paper (section 3.3) leaves the number open.
/// Guess.
const AROUND_WINDOW: usize = 5;
/// Words of a URL that describe the server, not the page.
const SERVER_WORDS: [&str; 11] =
    ["www", "html", "htm", "shtml", "xhtml", "php", "asp", "aspx", "jsp", "cgi", "index"];

/// Feature space: the part of a link that contains a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkPart {
    /// Host name without its public suffix, path and query.
    Url,
    /// Path of the URL.
    Path,
    /// Anchor text of the link.
    Anchor,
    /// Text before and after the link.
    Around,
}

impl LinkPart {
    /// Name in lessons and listings.
    pub fn name(self) -> &'static str {
        match self {
            LinkPart::Url => "url",
            LinkPart::Path => "path",
            LinkPart::Anchor => "anchor",
            LinkPart::Around => "around",
        }
    }

    /// True if words are written together here, as in `usedcars`.
    fn joins_words(self) -> bool {
        matches!(self, LinkPart::Url | LinkPart::Path)
    }
}

/// Stems in one part of a link, in text order, without stop words and numbers.
pub fn stems_of(part: LinkPart, url: &Url, context: &LinkContext) -> Vec<String> {
    let mut stems = Vec::new();
    each_term(part, url, context, |word, _| stems.push(Language::of(None).stem(word)));
    stems
}

/// Calls `visit` with each word in one part of a link and the number of its stem. Stop words and numbers are left out.
/// A cache of words spares most of the stemming.
pub fn each_term(part: LinkPart, url: &Url, context: &LinkContext, mut visit: impl FnMut(&str, u32)) {
    let mut visit = |word: &str, token: Token| {
        if token.term != 0 && !(part.joins_words() && SERVER_WORDS.contains(&word)) {
            visit(word, token.term);
        }
    };
    match part {
        LinkPart::Url | LinkPart::Path => {
            for text in url_texts(part, url) {
                each_token(&unescaped(text), None, &mut visit);
            }
        }
        LinkPart::Anchor => each_token(&context.anchor, None, visit),
        LinkPart::Around => {
            each_token(last_words(&context.before), None, &mut visit);
            each_token(first_words(&context.after), None, &mut visit);
        }
    }
}

/// The first [`AROUND_WINDOW`] words of a text.
fn first_words(text: &str) -> &str {
    let end = text.match_indices(' ').nth(AROUND_WINDOW - 1).map_or(text.len(), |(at, _)| at);
    &text[..end]
}

/// The last [`AROUND_WINDOW`] words of a text.
fn last_words(text: &str) -> &str {
    let start = text.rmatch_indices(' ').nth(AROUND_WINDOW - 1).map_or(0, |(at, _)| at);
    &text[start..]
}

/// Texts of a URL that belong to a part; ASCII only.
fn url_texts(part: LinkPart, url: &Url) -> [&str; 3] {
    match part {
        LinkPart::Url => [host_name(url), url.path(), url.query().unwrap_or_default()],
        _ => ["", url.path(), ""],
    }
}

/// Host name without its public suffix; empty for an IP address.
fn host_name(url: &Url) -> &str {
    let Some(host) = url.domain() else { return "" };
    let suffix = psl::suffix_str(host).unwrap_or_default();
    host.strip_suffix(suffix).unwrap_or(host)
}

/// Text of a URL with percent-encoding decoded.
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

    fn stems(part: LinkPart, url: &str, [anchor, before, after]: [&str; 3]) -> Vec<String> {
        let [anchor, before, after] = [anchor, before, after].map(String::from);
        let context = LinkContext { anchor, before, after, ..LinkContext::default() };
        stems_of(part, &Url::parse(url).unwrap(), &context)
    }

    #[test]
    fn a_url_gives_stems_without_suffix_numbers_and_server_words() {
        let url = "http://www.used-books.co.uk/Catalogues/index.php?author=42&sort=titles";
        assert_eq!(stems(LinkPart::Url, url, [""; 3]), ["book", "catalogu", "author", "sort", "titl"]);
        assert_eq!(stems(LinkPart::Path, url, [""; 3]), ["catalogu"]);
    }

    #[test]
    fn an_anchor_gives_stems_without_stop_words() {
        let texts = ["Search all of our Libraries", "", ""];
        assert_eq!(stems(LinkPart::Anchor, "http://a.org/", texts), ["search", "librari"]);
    }

    #[test]
    fn five_words_on_each_side_are_around_a_link() {
        let texts = ["x", "novels fiction poets drama essays letters", "rare maps and old prints atlas"];
        let around = stems(LinkPart::Around, "http://a.org/", texts);
        assert_eq!(around, ["fiction", "poet", "drama", "essay", "letter", "rare", "map", "print"]);
    }

    #[test]
    fn percent_encoding_is_decoded() {
        let url = "http://a.org/%D0%BA%D0%BD%D0%B8%D0%B3%D0%B8?q=%D0%BA%D0%B0%D1%80%D1%82%D1%8B";
        assert_eq!(stems(LinkPart::Path, url, [""; 3]), ["книги"]);
        assert_eq!(stems(LinkPart::Url, url, [""; 3]).last().map(String::as_str), Some("карты"));
    }

    #[test]
    fn ip_addresses_and_bad_escapes_do_not_fail() {
        let url = "http://192.168.0.1/%zz%f0%28?%";
        stems(LinkPart::Url, url, [""; 3]);
        assert_eq!(stems(LinkPart::Anchor, url, [""; 3]), Vec::<String>::new());
    }
}
