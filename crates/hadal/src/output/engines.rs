//! Sources for other search programs: OpenSearch descriptions and engines of SearXNG.
//!
//! An OpenSearch description has the form's own request, with a place for the words. A SearXNG engine sends its query
//! through `hadal serve`, which submits the form and reads the answer.

use crate::store::FormRow;
use hadal_core::critic::veto::veto;
use hadal_core::harvest::query::Query;
use hadal_core::harvest::session::EntryPage;
use hadal_core::http::Method;
use hadal_core::submission::goes_to_web;
use serde_json::json;
use url::form_urlencoded;

/// Word that stands for the query while a request is built. No form has it by chance.
const PLACEHOLDER: &str = "hadal0query0words";
/// Greatest length of names in an OpenSearch description (OpenSearch 1.1, sections 4.3 and 4.5).
const MAX_SHORT_NAME: usize = 16;
const MAX_LONG_NAME: usize = 48;
/// Seconds that SearXNG waits for an answer. Guess: entry page and answer with a delay of a second each.
const TIMEOUT_S: f64 = 20.0;
/// Digits of a form id in the shortcut of an engine. Guess: unique among some thousand forms.
const SHORTCUT_DIGITS: usize = 8;

/// Request of a form with `{searchTerms}` for the words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchTemplate {
    pub method: Method,
    /// URL; has the words if the method is GET.
    pub url: String,
    /// Pairs of the body of a POST request.
    pub body: Vec<(String, String)>,
}

/// Request of a form that takes words; `None` for other forms and forms that are never submitted.
pub fn search_template(row: &FormRow) -> Option<SearchTemplate> {
    let form = row.form_snapshot.as_deref().filter(|form| veto(form).is_none())?;
    let entry_page = EntryPage::new(form.clone(), row.page_url.clone(), "utf-8");
    let request = Some(entry_page.request_for(&Query::words(PLACEHOLDER))).filter(goes_to_web)?;
    let with_terms = |text: &str| text.replace(PLACEHOLDER, "{searchTerms}");
    let body: Vec<(String, String)> = match request.method {
        Method::Get => Vec::new(),
        Method::Post => form_urlencoded::parse(&request.body)
            .map(|(name, value)| (name.into_owned(), with_terms(&value)))
            .collect(),
    };
    let url = with_terms(request.url.as_str());
    let has_terms = |text: &str| text.contains("{searchTerms}");
    let is_complete = has_terms(&url) || body.iter().any(|(_, value)| has_terms(value));
    (entry_page.takes_words() && is_complete).then_some(SearchTemplate { method: request.method, url, body })
}

/// OpenSearch description of a form; `None` if it takes no words.
pub fn opensearch(row: &FormRow) -> Option<String> {
    let template = search_template(row)?;
    let site = row.site.to_string();
    let method = if template.method == Method::Post { "post" } else { "get" };
    let pair = |(name, value): &(String, String)| {
        format!("    <Param name=\"{}\" value=\"{}\"/>\n", for_xml(name), for_xml(value))
    };
    let params: String = template.body.iter().map(pair).collect();
    let language = row.language.as_deref().map(|code| format!("  <Language>{}</Language>\n", for_xml(code)));
    Some(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <OpenSearchDescription xmlns=\"http://a9.com/-/spec/opensearch/1.1/\">\n  \
         <ShortName>{}</ShortName>\n  <LongName>{}</LongName>\n  \
         <Description>{} search of {}, form {}</Description>\n  <Tags>{}</Tags>\n{}  \
         <InputEncoding>UTF-8</InputEncoding>\n  \
         <Url type=\"text/html\" method=\"{method}\" template=\"{}\">\n{params}  </Url>\n\
         </OpenSearchDescription>\n",
        for_xml(&first(&site, MAX_SHORT_NAME)),
        for_xml(&first(&site, MAX_LONG_NAME)),
        for_xml(&row.topic),
        for_xml(&site),
        row.form_id,
        for_xml(&row.topic),
        language.unwrap_or_default(),
        for_xml(&template.url),
    ))
}

/// Start of a SearXNG settings file with engines of a server at this address.
pub const SEARXNG_HEAD: &str = "\
# Engines for the settings.yml of SearXNG. Each sends its query through `hadal serve`.
# Replace TOKEN by the token of that server (hadal serve --token TOKEN).
engines:
";

/// Engine of SearXNG for a form, as an item of YAML; `None` if it takes no words. `server` is the URL of `hadal serve`.
pub fn searxng(row: &FormRow, server: &str) -> Option<String> {
    search_template(row)?;
    let id = row.form_id.to_string();
    let digits = &id[..SHORTCUT_DIGITS];
    let site = row.site.to_string().to_lowercase().replace('_', "-");
    let address = format!("{}/api/forms/{id}/try?words={{query}}", server.trim_end_matches('/'));
    let quoted = |text: &str| json!(text).to_string();
    let pairs = [
        ("name", quoted(&format!("{site} {digits}"))),
        ("engine", "json_engine".to_string()),
        ("shortcut", quoted(&format!("h{digits}"))),
        ("categories", json!([row.topic]).to_string()),
        ("method", "POST".to_string()),
        ("search_url", quoted(&address)),
        ("headers", json!({ "Authorization": "Bearer TOKEN" }).to_string()),
        ("results_query", "answers".to_string()),
        ("url_query", "url".to_string()),
        ("title_query", "title".to_string()),
        ("content_query", "text".to_string()),
        ("timeout", format!("{TIMEOUT_S:.1}")),
        ("enable_http", "true".to_string()),
        ("about", json!({ "website": row.page_url.as_str(), "results": "JSON" }).to_string()),
    ];
    let line = |(at, (name, value)): (usize, &(&str, String))| {
        format!("  {} {name}: {value}\n", if at == 0 { '-' } else { ' ' })
    };
    Some(pairs.iter().enumerate().map(line).collect())
}

fn first(text: &str, length: usize) -> String {
    text.chars().take(length).collect()
}

/// Text for XML content and attributes. Characters that XML forbids are left out.
fn for_xml(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&apos;"),
            '\t' | '\n' | '\r' => safe.push(' '),
            c if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') => {}
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::FormRow;
    use hadal_core::address::Site;
    use hadal_core::critic::FormKind;
    use hadal_core::html;
    use hadal_core::identity::FormId;
    use hadal_core::page::FormSource;
    use url::Url;

    fn row(markup: &str) -> FormRow {
        let page_url = Url::parse("http://a.org/books").unwrap();
        let form =
            html::parse(markup.as_bytes(), Some("text/html; charset=utf-8"), &page_url).forms.remove(0);
        FormRow {
            form_id: FormId(0x00c5_e1f2_a9b8_4d37),
            topic: "book".into(),
            site: Site("a_long-name.example.org".into()),
            action: form.action.clone(),
            page_url,
            method: form.method,
            fields: vec![],
            kind: FormKind::Search,
            p_searchable: 0.9,
            p_relevant: 0.9,
            found_at_request: 1,
            depth: 0,
            also_on: 0,
            source: FormSource::Form,
            language: Some("de".into()),
            evidence: vec![],
            finding: None,
            form_snapshot: Some(Box::new(form)),
            check: None,
        }
    }

    const GET: &str = "<form action=/find><input name=q><input type=hidden name=in value='a&b'></form>";

    #[test]
    fn a_description_has_the_request_of_the_form() {
        let text = opensearch(&row(GET)).unwrap();
        assert!(text.contains("template=\"http://a.org/find?q={searchTerms}&amp;in=a%26b\""), "{text}");
        assert!(text.contains("<ShortName>a_long-name.exam</ShortName>"), "{text}");
        let post = "<form action=/find method=post><input name=q><input type=hidden name=x value=1></form>";
        let text = opensearch(&row(post)).unwrap();
        assert!(text.contains("method=\"post\" template=\"http://a.org/find\""), "{text}");
        assert!(text.contains("<Param name=\"q\" value=\"{searchTerms}\"/>"), "{text}");
        assert!(text.contains("<Param name=\"x\" value=\"1\"/>"), "{text}");
    }

    #[test]
    fn forms_that_take_no_words_or_are_never_submitted_have_none() {
        assert_eq!(opensearch(&row("<form><select name=a><option>1<option>2</select></form>")), None);
        assert_eq!(opensearch(&row("<form><input name=q><input type=password name=p></form>")), None);
        assert_eq!(searxng(&FormRow { form_snapshot: None, ..row(GET) }, "http://127.0.0.1:7878"), None);
    }

    #[test]
    fn an_engine_sends_its_query_through_the_server() {
        let text = searxng(&row(GET), "http://127.0.0.1:7878/").unwrap();
        assert!(text.starts_with("  - name: \"a-long-name.example.org 00c5e1f2\"\n"), "{text}");
        let address = "http://127.0.0.1:7878/api/forms/00c5e1f2a9b84d37/try?words={query}";
        assert!(text.contains(&format!("    search_url: \"{address}\"\n")), "{text}");
        assert_eq!(text.lines().count(), 14);
    }
}
