//! Base of the relative addresses of a document.

use super::collect::Collected;
use encoding_rs::{Encoding, UTF_8};
use html5ever::local_name;
use url::{ParseError, Url};

/// Base URL of a document, and the encoding of the queries in its addresses.
pub(super) struct DocumentBase {
    pub url: Url,
    /// `None` for UTF-8.
    encoding: Option<&'static Encoding>,
}

impl DocumentBase {
    /// Base of the document at `url`. A `<base>` that is too long, is a `data:` URL or cannot be a base is ignored.
    /// `charset` is the name of the document's encoding.
    pub fn of(found: &Collected<'_>, url: &Url, charset: &str) -> DocumentBase {
        let named = found.base.and_then(|base| base.attribute(&local_name!("href")));
        let joined = named
            .filter(|address| address.len() <= crate::address::MAX_URL_BYTES)
            .and_then(|address| url.join(address.trim()).ok());
        let joined = joined.filter(|base| !base.cannot_be_a_base() && base.scheme() != "data");
        DocumentBase::new(joined.unwrap_or_else(|| url.clone()), charset)
    }

    pub fn new(url: Url, charset: &str) -> DocumentBase {
        DocumentBase { url, encoding: query_encoding(charset) }
    }

    /// Absolute URL of an address in the document. Like browsers, it encodes letters of the query in the encoding of
    /// the document.
    pub fn join(&self, address: &str) -> Result<Url, ParseError> {
        match self.encoding.filter(|_| !address.is_ascii()) {
            None => self.url.join(address),
            Some(encoding) => Url::options()
                .base_url(Some(&self.url))
                .encoding_override(Some(&|query| encoding.encode(query).0))
                .parse(address),
        }
    }
}

/// Encoding of queries in a document, if it is not UTF-8.
fn query_encoding(charset: &str) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(charset.as_bytes())?.output_encoding();
    (encoding != UTF_8).then_some(encoding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;

    #[test]
    fn words_in_links_are_encoded_as_the_document_is() {
        let url = Url::parse("http://a.org/find").unwrap();
        let target = |charset: &str, markup: &str| {
            let (bytes, _, _) = Encoding::for_label(charset.as_bytes()).unwrap().encode(markup);
            let page = parse(&bytes, Some(&format!("text/html; charset={charset}")), &url);
            page.links[0].url.to_string()
        };
        let markup = "<a href='?q=\u{43a}\u{43d}\u{438}\u{433}\u{430}&p=2'>2</a>";
        assert_eq!(target("windows-1251", markup), "http://a.org/find?q=%EA%ED%E8%E3%E0&p=2");
        assert_eq!(target("utf-8", markup), "http://a.org/find?q=%D0%BA%D0%BD%D0%B8%D0%B3%D0%B0&p=2");
        let path = "<a href='/\u{43a}?q=\u{43a}'>k</a>";
        assert_eq!(target("koi8-r", path), "http://a.org/%D0%BA?q=%CB");
    }
}
