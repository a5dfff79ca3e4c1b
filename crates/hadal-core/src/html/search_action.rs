//! schema.org search actions, which declare how a site is searched.

use super::limits;
use crate::http::Method;
use crate::page::{Field, FieldKind, Form, FormSource};
use serde_json::Value;
use url::Url;

/// True if a text looks like a URL template with a placeholder.
pub(super) fn is_template(text: &str) -> bool {
    text.len() <= crate::address::MAX_URL_BYTES && text.find('{').is_some_and(|at| text[at..].contains('}'))
}

/// Adds the URL templates of all search actions in a JSON-LD text.
pub(super) fn in_linked_data(json: &str, templates: &mut Vec<String>) {
    if !json.contains("SearchAction") {
        return;
    }
    if let Ok(value) = serde_json::from_str(json.trim()) {
        visit(&value, templates);
    }
}

fn visit(value: &Value, templates: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| visit(item, templates)),
        Value::Object(object) => {
            if is_search_action(object.get("@type")) {
                object.get("target").into_iter().for_each(|target| add_targets(target, templates));
            }
            object.values().for_each(|item| visit(item, templates));
        }
        _ => {}
    }
}

fn is_search_action(kind: Option<&Value>) -> bool {
    match kind {
        Some(Value::String(name)) => name.rsplit(['/', ':']).next() == Some("SearchAction"),
        Some(Value::Array(kinds)) => {
            kinds.iter().any(|kind| matches!(kind, Value::String(name) if name == "SearchAction"))
        }
        _ => false,
    }
}

/// Adds the templates of a target: a template, an entry point with one, or a list of these.
fn add_targets(target: &Value, templates: &mut Vec<String>) {
    match target {
        Value::String(text) if is_template(text) && templates.len() < limits::HINTS => {
            templates.push(text.trim().to_string());
        }
        Value::Array(targets) => targets.iter().for_each(|target| add_targets(target, templates)),
        Value::Object(entry) => {
            entry.get("urlTemplate").into_iter().for_each(|template| add_targets(template, templates));
        }
        _ => {}
    }
}

/// Builds the form of a search action: one search field, other parameters hidden. Returns `None` if the
/// placeholder is in the path, which no form can express.
pub fn search_action_form(template: &str, base: &Url) -> Option<Form> {
    let (address, query) = template.split_once('?')?;
    if address.contains('{') {
        return None;
    }
    let query = query.split('#').next().unwrap_or_default();
    let mut fields = Vec::new();
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        match value.contains('{') {
            false => fields.push(field(FieldKind::Hidden, &name, &value)),
            true if fields.iter().any(|field| field.kind == FieldKind::Search) => {}
            true => fields.push(field(FieldKind::Search, &name, "")),
        }
    }
    fields.iter().find(|field| field.kind == FieldKind::Search)?;
    let action = base.join(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let form = Form::to(action, Method::Get, fields);
    Some(Form { index: u32::MAX, source: FormSource::SearchAction, ..form })
}

pub(super) fn field(kind: FieldKind, name: &str, value: &str) -> Field {
    Field { required: kind == FieldKind::Search, ..Field::new(kind, name, value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn templates(json: &str) -> Vec<String> {
        let mut found = Vec::new();
        in_linked_data(json, &mut found);
        found
    }

    #[test]
    fn actions_are_found_at_any_depth() {
        for json in [
            r#"{"@type":"WebSite","potentialAction":{"@type":"SearchAction","target":"/s?q={term}"}}"#,
            r#"{"@graph":[{"@type":"Thing"},{"potentialAction":[{"@type":"SearchAction","target":
                {"@type":"EntryPoint","urlTemplate":"/s?q={term}"}}]}]}"#,
            r#"[{"@type":["SearchAction"],"target":["/s?q={term}","ios-app://x"]}]"#,
            r#"{"@type":"http://schema.org/SearchAction","target":"/s?q={term}"}"#,
        ] {
            assert_eq!(templates(json), ["/s?q={term}"], "{json}");
        }
    }

    #[test]
    fn broken_linked_data_has_no_templates() {
        for json in
            ["", "SearchAction", r#"{"@type":"SearchAction","target":5}"#, r#"{"@type":"SearchAction""#]
        {
            assert!(templates(json).is_empty(), "{json}");
        }
        let deep = format!("{}\"SearchAction\"{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(templates(&deep).is_empty());
    }

    #[test]
    fn a_template_becomes_a_form_with_one_search_field() {
        let base = Url::parse("https://a.org/shop/").unwrap();
        let form = search_action_form("find?kind=book&q={search_term_string}&page={page}", &base).unwrap();
        assert_eq!(form.action.as_str(), "https://a.org/shop/find");
        let fields: Vec<_> =
            form.fields.iter().map(|f| (f.kind, f.name.as_str(), f.value.as_str())).collect();
        assert_eq!(fields, [(FieldKind::Hidden, "kind", "book"), (FieldKind::Search, "q", "")]);
        assert_eq!(search_action_form("https://a.org/find/{term}", &base), None);
        assert_eq!(search_action_form("https://a.org/find?q=1", &base), None);
        assert_eq!(search_action_form("app://find?q={term}", &base), None);
    }
}
