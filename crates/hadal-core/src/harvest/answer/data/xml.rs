//! XML documents as values: feeds, sitemaps and answers of repository protocols.
//!
//! An element with children becomes an object in a list under its local name, so that one record is read like many. An
//! element with text alone becomes that text. Attributes count as children. Entities that a document defines are not
//! resolved.

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use serde_json::{Map, Value};

/// Maximum depth of nested elements of a document. Guess.
const MAX_DEPTH: usize = 60;

/// An element that is not closed yet.
#[derive(Default)]
struct OpenElement {
    name: String,
    children: Map<String, Value>,
    text: String,
}

/// Returns the value of an XML document up to its first error; `None` if it has no element.
pub fn xml_value(text: &str) -> Option<Value> {
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}').trim_start());
    let mut open = vec![OpenElement::default()];
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Eof => break,
            Event::Start(_) if open.len() > MAX_DEPTH => return None,
            Event::Start(tag) => open.push(OpenElement::of(&tag)),
            Event::Empty(tag) => {
                open.push(OpenElement::of(&tag));
                close(&mut open);
            }
            Event::End(_) => close(&mut open),
            Event::Text(part) => add_text(&mut open, &part.xml_content(XmlVersion::Implicit1_0)),
            Event::CData(part) => add_text(&mut open, &part),
            Event::GeneralRef(name) => add_text(&mut open, &entity(&name)),
            _ => {}
        }
    }
    while open.len() > 1 {
        close(&mut open);
    }
    let root = open.pop()?.children;
    (!root.is_empty()).then_some(Value::Object(root))
}

/// Elements that say only what type of value they hold.
const GENERIC_ELEMENTS: [&str; 21] = [
    "str",
    "string",
    "int",
    "integer",
    "long",
    "float",
    "double",
    "bool",
    "boolean",
    "date",
    "arr",
    "array",
    "lst",
    "list",
    "result",
    "field",
    "column",
    "property",
    "attribute",
    "param",
    "value",
];

impl OpenElement {
    /// The `name` attribute of a generic element, as in `<str name="id">`, is its name.
    fn of(tag: &BytesStart<'_>) -> OpenElement {
        let mut element =
            OpenElement { name: tag.local_name().as_ref().to_string(), ..OpenElement::default() };
        let is_generic = GENERIC_ELEMENTS.contains(&element.name.to_ascii_lowercase().as_str());
        for attribute in tag.attributes().with_checks(false).flatten() {
            let name = attribute.key.local_name().as_ref().to_string();
            let is_namespace = attribute.key.as_ref().starts_with("xmlns");
            let value = attribute.normalized_value(XmlVersion::Implicit1_0).unwrap_or_default().into_owned();
            match name.as_str() {
                _ if is_namespace => {}
                "name" if is_generic => element.name = value,
                _ => drop(element.children.insert(name, Value::String(value))),
            }
        }
        element
    }
}

fn add_text(open: &mut [OpenElement], text: &str) {
    if let Some(element) = open.last_mut() {
        element.text.push_str(text);
    }
}

/// Adds the last open element to its parent.
fn close(open: &mut Vec<OpenElement>) {
    if open.len() < 2 {
        return;
    }
    let Some(OpenElement { name, mut children, text }) = open.pop() else { return };
    let Some(parent) = open.last_mut() else { return };
    let text = text.trim().to_string();
    let has_elements = children.values().any(Value::is_array);
    let value = match children.is_empty() || !text.is_empty() && !has_elements {
        true => Value::String(text),
        false => {
            if !text.is_empty() {
                children.insert("text".to_string(), Value::String(text));
            }
            Value::Array(vec![Value::Object(children)])
        }
    };
    add_child(&mut parent.children, name, value);
}

fn add_child(children: &mut Map<String, Value>, name: String, value: Value) {
    let items = |value: Value| if let Value::Array(items) = value { items } else { vec![value] };
    match children.remove(&name) {
        None => drop(children.insert(name, value)),
        Some(before) => {
            let mut all = items(before);
            all.extend(items(value));
            children.insert(name, Value::Array(all));
        }
    }
}

fn entity(name: &str) -> String {
    let code = |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
    let found = match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        other => other.strip_prefix('#').and_then(|code_text| match code_text.strip_prefix('x') {
            Some(digits) => code(digits, 16),
            None => code(code_text, 10),
        }),
    };
    found.map(String::from).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::xml_value;
    use serde_json::json;

    #[test]
    fn elements_with_children_are_lists_of_objects() {
        let xml =
            "<?xml version='1.0'?><urlset xmlns='http://x/'><url><loc>http://a.org/?a=1&amp;b=2</loc></url>
            <url><loc>http://a.org/2</loc></url></urlset>";
        let expected =
            json!({"urlset": [{"url": [{"loc": "http://a.org/?a=1&b=2"}, {"loc": "http://a.org/2"}]}]});
        assert_eq!(xml_value(xml), Some(expected));
    }

    #[test]
    fn attributes_and_names_of_generic_elements_count() {
        let xml =
            "<feed><entry><link rel='alternate' href='/1'/><title type='text'>One</title></entry></feed>";
        let expected =
            json!({"feed": [{"entry": [{"link": [{"rel": "alternate", "href": "/1"}], "title": "One"}]}]});
        assert_eq!(xml_value(xml), Some(expected));
        let solr = "<doc><str name='id'>7</str><arr name='tag'><str>a</str><str>b</str></arr></doc>";
        assert_eq!(xml_value(solr), Some(json!({"doc": [{"id": "7", "tag": [{"str": ["a", "b"]}]}]})));
    }

    #[test]
    fn a_name_of_another_element_is_one_of_its_values() {
        let xml = "<l><s name='A'><n>1</n></s><s name='B'><n>2</n></s></l>";
        let expected = json!({"l": [{"s": [{"name": "A", "n": "1"}, {"name": "B", "n": "2"}]}]});
        assert_eq!(xml_value(xml), Some(expected));
    }

    #[test]
    fn broken_and_hostile_documents_cost_little() {
        assert_eq!(xml_value(""), None);
        assert_eq!(xml_value(&"<a>".repeat(100_000)), None);
        assert_eq!(xml_value("<a><b>x</b>"), Some(json!({"a": [{"b": "x"}]})));
        let laughs = "<!DOCTYPE d [<!ENTITY a 'ha'>]><d><t>&a;!</t></d>";
        assert_eq!(xml_value(laughs), Some(json!({"d": [{"t": "!"}]})));
    }
}
