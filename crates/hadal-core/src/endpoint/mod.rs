//! Search endpoints that a page's markup suggests, other than its forms.
//!
//! A detector reads the scripts, links and metadata of a page and returns the endpoint as a [`Form`]: hidden fields
//! with fixed parameters and, if the endpoint takes words, one search field. An endpoint without a search field lists
//! all records. Detection costs no request. [`crate::harvest::answer::DataReader`] reads the answers of all endpoints.
//! A form names no action if the page does not name the address and the software only usually has an endpoint there.
//! Such an endpoint counts once it has answered.
//!
//! | file | endpoints |
//! |---|---|
//! | [`index_file`] | search indexes of documentation generators and static sites |
//! | [`docusaurus`] | search indexes of the documentation generator Docusaurus |
//! | [`wordpress`], [`mediawiki`] | interfaces of content management systems |
//! | [`repository`] | OAI-PMH and CKAN |
//! | [`hosted`] | search services with a public key in the page, search engines that a script names |

pub mod docusaurus;
pub mod hosted;
pub mod index_file;
pub mod mediawiki;
pub mod repository;
pub mod wordpress;

use crate::page::{Field, FieldKind, Form, FormSource};
use url::Url;

/// Maximum number of endpoints kept per page. Guess.
const MAX_ENDPOINTS: usize = 8;

/// Elements of a page in which endpoints are detected.
#[derive(Clone, Debug)]
pub struct PageMarkup<'a> {
    /// Base for relative URLs.
    pub base: &'a Url,
    /// `src` attributes of scripts.
    pub scripts: Vec<&'a str>,
    /// Texts of inline scripts that [`may_name_endpoint`] accepts.
    pub inline: Vec<String>,
    /// `<link>` elements of the page.
    pub links: Vec<LinkElement<'a>>,
    /// `name` and `content` of `<meta>` elements.
    pub metas: Vec<(&'a str, &'a str)>,
}

impl PageMarkup<'_> {
    /// Name and version of the software that made the page.
    fn generator(&self) -> &str {
        let generator = self.metas.iter().find(|(name, _)| name.eq_ignore_ascii_case("generator"));
        generator.map(|(_, content)| *content).unwrap_or_default()
    }
}

/// A `<link>` element.
#[derive(Clone, Copy, Debug)]
pub struct LinkElement<'a> {
    /// The `rel` attribute.
    pub rel: &'a str,
    /// The `type` attribute.
    pub kind: &'a str,
    /// The `href` attribute.
    pub href: &'a str,
}

/// A kind of endpoint.
pub trait EndpointDetector: Sync {
    /// Adds the endpoints that the markup suggests.
    fn detect(&self, markup: &PageMarkup<'_>, found: &mut Vec<Form>);
}

/// Detectors, the cheapest way to all records first.
const DETECTORS: [&dyn EndpointDetector; 7] = [
    &index_file::IndexFile,
    &docusaurus::Docusaurus,
    &wordpress::WordPress,
    &mediawiki::MediaWiki,
    &repository::OaiPmh,
    &repository::Ckan,
    &hosted::HostedSearch,
];
/// Texts of which an inline script that names an endpoint contains one.
const INLINE_MARKS: [&str; 8] = [
    "lgolia",
    "docsearch",
    "docsSearchBar",
    "eiliSearch(",
    "ypesense",
    "/_search",
    "/solr/",
    "workers/search",
];

/// Returns true for the text of an inline script in which detectors look.
pub fn may_name_endpoint(script: &[u8]) -> bool {
    let contains = |mark: &str| memchr::memmem::find(script, mark.as_bytes()).is_some();
    INLINE_MARKS.iter().any(|mark| contains(mark))
        || contains("search") && (contains(".json") || contains("index.js"))
}

/// Returns the endpoints that a page's markup suggests, the cheapest way to all records first.
pub fn endpoints(markup: &PageMarkup<'_>) -> Vec<Form> {
    let mut found = Vec::new();
    for detector in DETECTORS {
        detector.detect(markup, &mut found);
    }
    found.dedup_by(|one, other| one.action == other.action && one.fields == other.fields);
    found.truncate(MAX_ENDPOINTS);
    found
}

/// Returns true if an endpoint holds the records of a visible form: the form has one field for words and no filter, is
/// sent to the endpoint's host, and names the field as the software does. The form of a search index is handled by a
/// script, so it leads to a static page.
pub fn holds_records_of(endpoint: &Form, form: &Form) -> bool {
    let is_word = |kind: FieldKind| matches!(kind, FieldKind::Text | FieldKind::Search);
    let words: Vec<&Field> = form.fields.iter().filter(|field| is_word(field.kind)).collect();
    let [words] = words[..] else { return false };
    let is_same_host =
        form.action.host_str() == endpoint.action.host_str() && form.action.port() == endpoint.action.port();
    let is_own_field = match endpoint.source {
        FormSource::WordPress => words.name == "s",
        FormSource::MediaWiki => words.name == "search",
        FormSource::SearchIndex => {
            let path = form.action.path();
            return is_same_host && [".html", ".htm", "/"].iter().any(|end| path.ends_with(end));
        }
        _ => true,
    };
    is_same_host && is_own_field && !form.fields.iter().any(is_filter)
}

/// Hidden fields of a search box that choose no records.
const NEUTRAL_FIELDS: [&str; 5] = ["title", "fulltext", "go", "profile", "limit"];

/// True for a field that restricts the records.
fn is_filter(field: &Field) -> bool {
    match field.kind {
        FieldKind::Select | FieldKind::Radio | FieldKind::Checkbox => true,
        FieldKind::Hidden => !field.value.is_empty() && !NEUTRAL_FIELDS.contains(&field.name.as_str()),
        _ => false,
    }
}

/// Returns true if a crawl counts an endpoint as a search of its own: the page names its address, the software does not
/// show a search box on every page, and no form of the page searches the same records.
pub fn is_own_search(endpoint: &Form, forms: &[Form]) -> bool {
    let shows_box = matches!(endpoint.source, FormSource::WordPress | FormSource::MediaWiki);
    endpoint.names_action && !shows_box && !forms.iter().any(|form| holds_records_of(endpoint, form))
}

/// Fixed parameter of an endpoint.
fn hidden(name: &str, value: &str) -> Field {
    Field::new(FieldKind::Hidden, name, value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;
    use crate::submission::{FilledForm, submission};

    /// Request for the first endpoint of a page, with empty words; empty if there is none.
    pub fn first_request(html: &str) -> String {
        let page = parse(html.as_bytes(), None, &Url::parse("http://a.org/start").unwrap());
        let first = page.hints.endpoints.first();
        first
            .map(|form| submission(form, &FilledForm::default(), "utf-8").url.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn an_endpoint_that_no_form_searches_is_a_form_of_the_page() {
        let sources = |html: &str| {
            let page = parse(html.as_bytes(), None, &Url::parse("http://a.org/start").unwrap());
            page.forms.iter().map(|form| form.source).collect::<Vec<_>>()
        };
        let index = "<script src=/searchindex.js></script>";
        assert_eq!(sources(index), [FormSource::SearchIndex]);
        assert_eq!(
            sources(&format!("{index}<form action=/search.html><input name=q></form>")),
            [FormSource::Form]
        );
        assert!(sources("<link rel='https://api.w.org/' href=/wp-json/>").is_empty());
    }

    #[test]
    fn an_endpoint_holds_the_records_of_its_own_softwares_search() {
        let page = |form: &str| {
            let html = format!("<link rel='https://api.w.org/' href=/wp-json/>{form}");
            parse(html.as_bytes(), None, &Url::parse("http://a.org/start").unwrap())
        };
        let stands = |form: &str| {
            let page = page(form);
            holds_records_of(&page.hints.endpoints[0], &page.forms[0])
        };
        assert!(stands("<form><input type=search name=s></form>"));
        assert!(!stands("<form action=/rooms><input name=town></form>"));
        assert!(!stands("<form action=http://other.net/><input name=s></form>"));
        assert!(!stands("<form><input name=s><input name=author></form>"));
        assert!(!stands("<form><input name=s><input type=hidden name=post_type value=product></form>"));
        assert!(!stands("<form><input name=s><select name=cat><option>a<option>b</select></form>"));
    }
}
