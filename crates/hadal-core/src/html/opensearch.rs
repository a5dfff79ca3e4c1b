//! OpenSearch descriptions: XML documents that declare how a site is searched.
//!
//! A description lists URL templates with placeholders. The first template that leads to an HTML page of results
//! becomes a form, or else the first that leads to a feed or other data. Optional parameters are left out, except the
//! position in a feed, which names no next page. Entities that a document defines are not resolved.

use super::search_action::field;
use crate::address::MAX_URL_BYTES;
use crate::http::Method;
use crate::page::{Field, FieldKind, Form, FormSource};
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use std::borrow::Cow;
use url::Url;

/// Maximum number of bytes of a description that are parsed. Guess.
const MAX_BYTES: usize = 256 << 10;
/// Maximum number of templates read from one description. Guess.
const MAX_URLS: usize = 50;
/// Maximum number of parameters read from one template. Guess.
const MAX_PARAMETERS: usize = 200;

/// Media types of results: pages, then data, the most common format first.
const RESULT_KINDS: [&[&str]; 4] = [
    &PAGE_KINDS,
    &["application/atom+xml", "application/rss+xml"],
    &["application/json", "application/geo+json"],
    &["application/xml", "text/xml"],
];
/// Media types of pages. The type is often missing.
const PAGE_KINDS: [&str; 3] = ["", "text/html", "application/xhtml+xml"];

/// A `<Url>` element of a description.
#[derive(Default)]
struct SearchUrl {
    template: String,
    kind: String,
    rel: String,
    method: String,
    enctype: String,
    first_page: String,
    first_index: String,
    parameters: Vec<(String, String)>,
}

/// Builds the form of a description. `base` is the URL of the description. Returns `None` if it has no template
/// that a form can express.
pub fn opensearch_form(xml: &[u8], base: &Url) -> Option<Form> {
    let text = String::from_utf8_lossy(&xml[..xml.len().min(MAX_BYTES)]);
    let text = text.trim_start_matches('\u{feff}');
    let urls = search_urls(text);
    RESULT_KINDS.iter().find_map(|kinds| {
        let mut of_kind = urls.iter().filter(|url| url.has_results() && kinds.contains(&url.kind()));
        of_kind.find_map(|url| url.form(base))
    })
}

/// `<Url>` elements up to the first XML error.
fn search_urls(text: &str) -> Vec<SearchUrl> {
    let mut reader = Reader::from_str(text);
    let (mut urls, mut is_inside) = (Vec::<SearchUrl>::new(), false);
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Eof => break,
            Event::Start(tag) | Event::Empty(tag) if is_named(&tag, "Url") && urls.len() < MAX_URLS => {
                urls.push(SearchUrl::of(&tag));
                is_inside = true;
            }
            Event::Start(tag) | Event::Empty(tag)
                if is_inside && (is_named(&tag, "Param") || is_named(&tag, "Parameter")) =>
            {
                if let Some(url) = urls.last_mut().filter(|at| at.parameters.len() < MAX_PARAMETERS) {
                    url.parameters.push((attribute(&tag, "name"), attribute(&tag, "value")));
                }
            }
            _ => {}
        }
    }
    urls
}

fn is_named(tag: &BytesStart<'_>, name: &str) -> bool {
    tag.local_name().into_inner().eq_ignore_ascii_case(name)
}

/// Value of an attribute with any namespace prefix; empty if it is missing or malformed.
fn attribute(tag: &BytesStart<'_>, name: &str) -> String {
    let mut attributes = tag.attributes();
    // The check for duplicate names is quadratic in the number of attributes.
    let mut given = attributes.with_checks(false).flatten();
    let found = given.find(|given| given.key.local_name().into_inner().eq_ignore_ascii_case(name));
    let value = found.filter(|given| given.value.len() <= MAX_URL_BYTES);
    let value =
        value.and_then(|given| given.normalized_value(XmlVersion::Implicit1_0).ok().map(Cow::into_owned));
    value.unwrap_or_default()
}

impl SearchUrl {
    fn of(tag: &BytesStart<'_>) -> SearchUrl {
        let or_one = |value: String| if value.is_empty() { "1".to_string() } else { value };
        SearchUrl {
            template: attribute(tag, "template").trim().to_string(),
            kind: attribute(tag, "type").trim().to_ascii_lowercase(),
            rel: attribute(tag, "rel"),
            method: attribute(tag, "method"),
            enctype: attribute(tag, "enctype").trim().to_ascii_lowercase(),
            first_page: or_one(attribute(tag, "pageOffset")),
            first_index: or_one(attribute(tag, "indexOffset")),
            parameters: Vec::new(),
        }
    }

    /// False for suggestions, the description itself, and data under a malformed template.
    fn has_results(&self) -> bool {
        let is_results = self.rel.trim().is_empty()
            || self.rel.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("results"));
        is_results && (PAGE_KINDS.contains(&self.kind()) || is_percent_encoded(&self.template))
    }

    /// Media type without parameters.
    fn kind(&self) -> &str {
        self.kind.split(';').next().unwrap_or_default().trim()
    }

    fn form(&self, base: &Url) -> Option<Form> {
        let (address, query) = self.template.split_once('?').unwrap_or((&self.template, ""));
        if address.contains('{') {
            return None;
        }
        let query = query.split('#').next().unwrap_or_default();
        let parsed = url::form_urlencoded::parse(query.as_bytes()).into_owned();
        let all = parsed.take(MAX_PARAMETERS).chain(self.parameters.iter().cloned());
        let mut fields: Vec<Field> = Vec::new();
        for (name, value) in all.filter(|(name, _)| !name.is_empty()) {
            let has_box = fields.iter().any(|field| field.kind == FieldKind::Search);
            fields.extend(
                self.field(&name, &value).filter(|field| field.kind != FieldKind::Search || !has_box),
            );
        }
        fields.iter().find(|field| field.kind == FieldKind::Search)?;
        let action = base.join(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        let is_post = self.method.trim().eq_ignore_ascii_case("post");
        let form = Form::to(action, if is_post { Method::Post } else { Method::Get }, fields);
        Some(Form { index: u32::MAX, source: FormSource::OpenSearch, enctype: self.enctype.clone(), ..form })
    }

    /// Field of a parameter; `None` for optional parameters other than the search terms and the position in a feed.
    fn field(&self, name: &str, value: &str) -> Option<Field> {
        let placeholder = value.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let Some(placeholder) = placeholder else {
            return (!value.contains('{')).then(|| field(FieldKind::Hidden, name, value));
        };
        let parameter = placeholder.strip_suffix('?').unwrap_or(placeholder);
        let is_position =
            matches!(parameter, "startPage" | "startIndex") && !PAGE_KINDS.contains(&self.kind());
        let default = match parameter {
            "searchTerms" => return Some(field(FieldKind::Search, name, "")),
            _ if placeholder.ends_with('?') && !is_position => return None,
            "startPage" => &self.first_page,
            "startIndex" => &self.first_index,
            "count" => "20",
            "language" => "*",
            "inputEncoding" | "outputEncoding" => "UTF-8",
            _ => "",
        };
        Some(field(FieldKind::Hidden, name, default))
    }
}

/// Returns true if two hexadecimal digits follow every percent sign.
fn is_percent_encoded(text: &str) -> bool {
    let is_code = |rest: &str| rest.len() >= 2 && rest.as_bytes()[..2].iter().all(u8::is_ascii_hexdigit);
    text.split('%').skip(1).all(is_code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(urls: &str) -> Option<Form> {
        let xml = format!(
            "\u{feff}<?xml version='1.0'?><OpenSearchDescription xmlns='http://a9.com/-/spec/opensearch/1.1/'
            xmlns:p='http://a9.com/-/spec/opensearch/extensions/parameters/1.0/'>
            <ShortName>Boats</ShortName>{urls}</OpenSearchDescription>"
        );
        opensearch_form(xml.as_bytes(), &Url::parse("https://a.org/os/description.xml").unwrap())
    }

    fn fields(form: &Form) -> Vec<(FieldKind, &str, &str)> {
        form.fields.iter().map(|field| (field.kind, field.name.as_str(), field.value.as_str())).collect()
    }

    #[test]
    fn the_template_of_html_results_becomes_a_form() {
        let found = form(
            "<Url type='application/atom+xml' template='/feed?q={searchTerms}'/>
            <Url type='text/html' rel='self' template='/os?q={searchTerms}'/>
            <Url type='text/html' pageOffset='0' template='../find?kind=boat&amp;q={searchTerms}&amp;p={startPage}&amp;n={count?}&amp;ie={inputEncoding}&amp;geo={geo:box?}'/>",
        );
        let found = found.unwrap();
        assert_eq!((found.action.as_str(), found.source), ("https://a.org/find", FormSource::OpenSearch));
        let expected = [
            (FieldKind::Hidden, "kind", "boat"),
            (FieldKind::Search, "q", ""),
            (FieldKind::Hidden, "p", "0"),
            (FieldKind::Hidden, "ie", "UTF-8"),
        ];
        assert_eq!(fields(&found), expected);
    }

    #[test]
    fn without_html_results_the_template_of_a_feed_becomes_a_form() {
        let xml = "<?xml version='1.0'?><os:OpenSearchDescription xmlns:os='http://a9.com/-/spec/opensearch/1.1/'>
            <os:Url type='application/xml' template='/csw?q={searchTerms?}&amp;from={startIndex?}'/>
            <os:Url type='application/atom+xml; charset=utf-8' template='/feed?q={searchTerms?}&amp;box={geo:box?}&amp;from={startIndex?}'/>
            <os:Url type='application/x-suggestions+json' template='/hints?q={searchTerms}'/></os:OpenSearchDescription>";
        let found = opensearch_form(xml.as_bytes(), &Url::parse("https://a.org/os").unwrap()).unwrap();
        assert_eq!(found.action.as_str(), "https://a.org/feed");
        assert_eq!(fields(&found), [(FieldKind::Search, "q", ""), (FieldKind::Hidden, "from", "1")]);
        let found = form(
            "<Url type='application/atom+xml' template='/feed?as=atom%%2Bxml&amp;q={searchTerms}'/>
            <Url type='application/xml' template='/csw?as=a%2Bxml&amp;q={searchTerms}'/>",
        );
        assert_eq!(found.unwrap().action.path(), "/csw");
    }

    #[test]
    fn parameters_may_be_elements_and_the_method_post() {
        let found = form(
            "<Url template='https://b.org/find' p:method='POST'><p:Param name='q' value='{searchTerms}'/>
            <p:Param name='lang' value='{language?}'/><p:Param name='v' value='2'/></Url>",
        );
        let found = found.unwrap();
        assert_eq!(found.method, Method::Post);
        assert_eq!(fields(&found), [(FieldKind::Search, "q", ""), (FieldKind::Hidden, "v", "2")]);
    }

    #[test]
    fn templates_that_no_form_can_express_are_left_out() {
        for urls in [
            "",
            "<Url template='/find/{searchTerms}'/>",
            "<Url template='/find?q=1'/>",
            "<Url template='javascript:find?q={searchTerms}'/>",
            "<Url type='application/x-suggestions+json' template='/s?q={searchTerms}'/>",
            "<Url",
            "<Url template='/find?q=&no;{searchTerms}'/>",
        ] {
            assert_eq!(form(urls), None, "{urls}");
        }
    }

    #[test]
    fn hostile_descriptions_cost_little_and_make_no_form() {
        let base = Url::parse("https://a.org/").unwrap();
        let deep = "<a>".repeat(200_000);
        let laughs = "<!DOCTYPE d [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]><d><Url template='/f?q=&b;{searchTerms}'/></d>";
        let many = format!("<d>{}</d>", "<Url template='/x'/>".repeat(20_000));
        for xml in [deep.as_bytes(), laughs.as_bytes(), many.as_bytes(), b"\xff\xfe\x00<", b""] {
            assert_eq!(opensearch_form(xml, &base), None);
        }
    }
}
