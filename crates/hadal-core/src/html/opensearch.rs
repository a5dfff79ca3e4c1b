//! OpenSearch descriptions: a site's own word, in XML, for how it is searched.
//!
//! A description offers addresses with places for search terms and a few other things. The first that
//! leads to a page for people becomes a form; parameters that may be left out are left out. Entities
//! that a document defines for itself are not resolved.

use super::search_action::field;
use crate::address::MAX_URL_BYTES;
use crate::http::Method;
use crate::page::{Field, FieldKind, Form, FormSource};
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use std::borrow::Cow;
use url::Url;

/// Bytes of a description that are read.
const MOST_BYTES: usize = 256 << 10;
/// Addresses of a description, and parameters of an address.
const MOST_ADDRESSES: usize = 50;
const MOST_PARAMETERS: usize = 200;

/// An address as it is offered.
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

/// The form that a description amounts to, addresses in it being relative to its own. `None` when it
/// offers nothing that a form can express.
pub fn opensearch_form(xml: &[u8], base: &Url) -> Option<Form> {
    let text = String::from_utf8_lossy(&xml[..xml.len().min(MOST_BYTES)]);
    let text = text.trim_start_matches('\u{feff}');
    let offered = addresses(text);
    offered.iter().filter(|address| address.is_for_people()).find_map(|address| address.form(base))
}

/// The addresses up to the first thing that is no XML.
fn addresses(text: &str) -> Vec<SearchUrl> {
    let mut reader = Reader::from_str(text);
    let (mut offered, mut is_inside) = (Vec::<SearchUrl>::new(), false);
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Eof => break,
            Event::Start(tag) | Event::Empty(tag)
                if is_named(&tag, "Url") && offered.len() < MOST_ADDRESSES =>
            {
                offered.push(SearchUrl::of(&tag));
                is_inside = true;
            }
            Event::Start(tag) | Event::Empty(tag)
                if is_inside && (is_named(&tag, "Param") || is_named(&tag, "Parameter")) =>
            {
                if let Some(address) = offered.last_mut().filter(|at| at.parameters.len() < MOST_PARAMETERS) {
                    address.parameters.push((attribute(&tag, "name"), attribute(&tag, "value")));
                }
            }
            _ => {}
        }
    }
    offered
}

fn is_named(tag: &BytesStart<'_>, name: &str) -> bool {
    tag.local_name().into_inner().eq_ignore_ascii_case(name)
}

/// The value of an attribute, whatever its prefix; empty when it is missing or broken.
fn attribute(tag: &BytesStart<'_>, name: &str) -> String {
    let mut attributes = tag.attributes();
    // Looking for repeated names takes the square of their number.
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

    /// Results as a page, not suggestions, feeds or the description itself.
    fn is_for_people(&self) -> bool {
        let is_page = matches!(self.kind.as_str(), "" | "text/html" | "application/xhtml+xml");
        let is_results = self.rel.trim().is_empty()
            || self.rel.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("results"));
        is_page && is_results
    }

    fn form(&self, base: &Url) -> Option<Form> {
        let (address, query) = self.template.split_once('?').unwrap_or((&self.template, ""));
        if address.contains('{') {
            return None;
        }
        let query = query.split('#').next().unwrap_or_default();
        let parsed = url::form_urlencoded::parse(query.as_bytes()).into_owned();
        let all = parsed.take(MOST_PARAMETERS).chain(self.parameters.iter().cloned());
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

    /// The field that a parameter makes; none for those that may be left out.
    fn field(&self, name: &str, value: &str) -> Option<Field> {
        let place = value.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let Some(place) = place else {
            return (!value.contains('{')).then(|| field(FieldKind::Hidden, name, value));
        };
        let default = match place.strip_suffix('?').unwrap_or(place) {
            "searchTerms" => return Some(field(FieldKind::Search, name, "")),
            _ if place.ends_with('?') => return None,
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
    fn the_address_for_people_becomes_a_form() {
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
    fn what_no_form_can_express_is_none() {
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
    fn hostile_descriptions_cost_little_and_say_nothing() {
        let base = Url::parse("https://a.org/").unwrap();
        let deep = "<a>".repeat(200_000);
        let laughs = "<!DOCTYPE d [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]><d><Url template='/f?q=&b;{searchTerms}'/></d>";
        let many = format!("<d>{}</d>", "<Url template='/x'/>".repeat(20_000));
        for xml in [deep.as_bytes(), laughs.as_bytes(), many.as_bytes(), b"\xff\xfe\x00<", b""] {
            assert_eq!(opensearch_form(xml, &base), None);
        }
    }
}
