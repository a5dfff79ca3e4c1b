//! Interface of MediaWiki, which lists all pages with their text.

use super::{EndpointDetector, PageMarkup, hidden};
use crate::http::Method;
use crate::page::{Form, FormSource};

/// Parameters that list the articles, without redirects. The interface returns the text of 50 pages at most.
const PARAMETERS: [(&str, &str); 9] = [
    ("action", "query"),
    ("format", "json"),
    ("generator", "allpages"),
    ("gaplimit", "50"),
    ("gapfilterredir", "nonredirects"),
    ("prop", "info|revisions"),
    ("inprop", "url"),
    ("rvprop", "content"),
    ("rvslots", "main"),
];

/// Detector of `<link rel="EditURI">`, which names the interface.
pub struct MediaWiki;

impl EndpointDetector for MediaWiki {
    fn detect(&self, markup: &PageMarkup<'_>, found: &mut Vec<Form>) {
        let is_interface = |href: &str| href.split('?').next().is_some_and(|path| path.ends_with("/api.php"));
        let link = markup
            .links
            .iter()
            .find(|link| link.rel.eq_ignore_ascii_case("EditURI") && is_interface(link.href));
        let Some(mut action) = link.and_then(|link| markup.base.join(link.href).ok()) else { return };
        action.set_query(None);
        let fields = PARAMETERS.iter().map(|(name, value)| hidden(name, value)).collect();
        let form = Form::to(action, Method::Get, fields);
        found.push(Form { index: u32::MAX, source: FormSource::MediaWiki, ..form });
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::first_request;

    #[test]
    fn the_interface_lists_articles_with_text() {
        let link = "<link rel=EditURI type='application/rsd+xml' href='//a.org/w/api.php?action=rsd'>";
        let request = first_request(link);
        assert!(
            request.starts_with("http://a.org/w/api.php?action=query&format=json&generator=allpages"),
            "{request}"
        );
        assert_eq!(first_request("<link rel=EditURI href='/xmlrpc.php?rsd'>"), "");
    }
}
