//! Tools of `hadal mcp`: their descriptions and their calls.

use super::super::ask::asker;
use super::super::harvested::find_form;
use super::super::network;
use super::super::session::Session;
use super::protocol::ToolResult;
use hadal::ask::{Asker, SourceSelection};
use hadal::fetch::is_html;
use hadal::fetch::network::Network;
use hadal::polite::{Clock, PoliteClient};
use hadal::report::form::{has_words, search_words, view as form_view};
use hadal::report::harvest::record as record_view;
use hadal::report::judged::{DocumentLocation, JudgedPage, JudgedTopics, judge};
use hadal::store::{
    FormEntry, FormQuery, HarvestQuery, HarvestRow, HarvestRowQuery, LabelFilter, Store, all_forms,
    all_records,
};
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::html;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use tokio::sync::watch;
use url::Url;

/// Rows that a tool returns if the call states no number. Guess: few enough for a context window.
const USUAL_ROWS: u64 = 20;
/// Maximum number of rows that a tool returns. Guess.
const MAX_ROWS: u64 = 200;
/// Maximum number of forms that `search_sources` examines. Guess: they are read in a second.
const MAX_EXAMINED: usize = 20_000;
/// Forms that `ask` queries if the call states no number. Guess.
const USUAL_SOURCES: u64 = 5;

/// Descriptions of all tools, as `tools/list` returns them.
pub fn descriptions() -> Vec<Value> {
    let (text, number) = (json!({ "type": "string" }), json!({ "type": "integer", "minimum": 1 }));
    let topic = json!({ "type": "string", "description": "Only this topic, as book" });
    let limit = json!({ "type": "integer", "minimum": 1, "maximum": MAX_ROWS, "default": USUAL_ROWS });
    let form = json!({ "type": "string", "description": "form_id of a source, or the first digits of it" });
    vec![
        tool(
            "list_sources",
            "Search forms found by crawls, most relevant first, with the number of records downloaded from each.",
            json!({ "topic": topic, "limit": limit }),
            &[],
        ),
        tool(
            "search_sources",
            "Search forms whose site, page, fields or topic contain all of these words.",
            json!({ "words": text, "topic": topic, "limit": limit }),
            &["words"],
        ),
        tool(
            "get_records",
            "Downloaded records, or those that contain all of these words. Sends no request.",
            json!({ "words": text, "topic": topic, "form": form, "limit": limit }),
            &[],
        ),
        tool(
            "ask",
            "Sends a query to sources on the web and merges their answers. Needs --allow-crawl. Name the forms, or a \
             topic whose best forms are asked.",
            json!({ "words": text, "topic": topic, "forms": { "type": "array", "items": form }, "top": number }),
            &["words"],
        ),
        tool(
            "find_forms_on_page",
            "Finds the forms of a page and judges them: kind, topic, fields. Takes the page's HTML, or its URL if \
             the server runs with --allow-crawl.",
            json!({ "url": text, "html": text }),
            &[],
        ),
    ]
}

fn tool(name: &str, description: &str, properties: Value, required: &[&str]) -> Value {
    let sends = ["ask", "find_forms_on_page"].contains(&name);
    json!({
        "name": name,
        "description": description,
        "inputSchema": { "type": "object", "properties": properties, "required": required },
        "annotations": { "readOnlyHint": name != "ask", "openWorldHint": sends },
    })
}

/// Store and clients behind the tools.
pub struct Toolbox<'a> {
    session: &'a Session,
    allow_crawl: bool,
    store: Option<Arc<dyn Store>>,
    asker: Option<Arc<Asker>>,
    client: Option<PoliteClient>,
    /// Never set: calls end with the process.
    stop: watch::Sender<bool>,
}

impl<'a> Toolbox<'a> {
    /// Tools on the store of a session. The store is opened at the first call that needs it.
    pub fn new(session: &'a Session, allow_crawl: bool) -> Toolbox<'a> {
        let stop = watch::channel(false).0;
        Toolbox { session, allow_crawl, store: None, asker: None, client: None, stop }
    }

    /// Calls a tool by name.
    pub async fn call(&mut self, name: &str, arguments: &Map<String, Value>) -> ToolResult {
        let arguments = Arguments(arguments);
        match name {
            "list_sources" => self.list_sources(&arguments),
            "search_sources" => self.search_sources(&arguments),
            "get_records" => self.get_records(&arguments),
            "ask" => self.ask(&arguments).await,
            "find_forms_on_page" => self.find_forms_on_page(&arguments).await,
            other => Err(format!("unknown tool '{other}'")),
        }
    }

    fn store(&mut self) -> Result<Arc<dyn Store>, String> {
        if self.store.is_none() {
            self.store = Some(self.session.reader().map_err(message)?);
        }
        self.store.clone().ok_or_else(|| "the store is not open".to_string())
    }

    fn list_sources(&mut self, arguments: &Arguments<'_>) -> ToolResult {
        let (store, limit) = (self.store()?, arguments.rows()?);
        let found = all_forms(store.as_ref(), sources(arguments)?).take(limit).collect::<Result<Vec<_>, _>>();
        listed(store.as_ref(), &found.map_err(message)?)
    }

    fn search_sources(&mut self, arguments: &Arguments<'_>) -> ToolResult {
        let (store, limit) = (self.store()?, arguments.rows()?);
        let words = search_words(arguments.text("words")?.ok_or("give words to search for")?);
        let matches = |entry: &FormEntry| has_words(&entry.row, &words);
        let examined = all_forms(store.as_ref(), sources(arguments)?).take(MAX_EXAMINED);
        let found = examined.filter(|entry| entry.as_ref().map_or(true, matches)).take(limit);
        listed(store.as_ref(), &found.collect::<Result<Vec<_>, _>>().map_err(message)?)
    }

    fn get_records(&mut self, arguments: &Arguments<'_>) -> ToolResult {
        let (store, limit) = (self.store()?, arguments.rows()?);
        let form = arguments.text("form")?.map(|text| find_form(store.as_ref(), text)).transpose();
        let query = HarvestRowQuery {
            form: form.map_err(message)?,
            topic: arguments.text("topic")?.map(String::from),
            search: arguments.text("words")?.map(String::from),
            ..HarvestRowQuery::default()
        };
        let rows = all_records(store.as_ref(), query).take(limit).collect::<Result<Vec<_>, _>>();
        let records: Vec<_> = rows.map_err(message)?.iter().map(record_view).collect();
        Ok(json!({ "records": records }))
    }

    async fn ask(&mut self, arguments: &Arguments<'_>) -> ToolResult {
        if !self.allow_crawl {
            return Err("this server is read-only; get_records searches downloaded records, and `hadal mcp \
                        --allow-crawl` lets ask send queries"
                .into());
        }
        let store = self.store()?;
        let words = arguments.text("words")?.ok_or("give the words of the query")?;
        let forms = arguments.texts("forms")?;
        let forms =
            forms.iter().map(|text| find_form(store.as_ref(), text)).collect::<anyhow::Result<Vec<_>>>();
        let selection = match (forms.map_err(message)?, arguments.text("topic")?) {
            (forms, _) if !forms.is_empty() => SourceSelection::Forms(forms),
            (_, Some(topic)) => {
                let top =
                    usize::try_from(arguments.number("top")?.unwrap_or(USUAL_SOURCES)).unwrap_or(usize::MAX);
                SourceSelection::Best(topic.to_string(), top)
            }
            _ => return Err("name a topic or forms; list_sources lists both".into()),
        };
        let stop = self.stop.subscribe();
        let asker = self.asker.get_or_insert_with(|| asker(&self.session.config, store, stop));
        let answers = asker.ask(words, selection).await.map_err(message)?;
        serde_json::to_value(answers).map_err(message)
    }

    async fn find_forms_on_page(&mut self, arguments: &Arguments<'_>) -> ToolResult {
        let url = arguments.text("url")?.map(Url::parse).transpose().map_err(message)?;
        let judged = match (arguments.text("html")?, url) {
            (Some(text), url) => judged(text.as_bytes(), None, url, 200),
            (None, Some(url)) if self.allow_crawl => self.fetched(&url).await?,
            (None, Some(_)) => return Err("this server is read-only; give the page's html".into()),
            (None, None) => return Err("give the html of a page, or its url".into()),
        };
        serde_json::to_value(judged).map_err(message)
    }

    async fn fetched(&mut self, url: &Url) -> Result<JudgedPage, String> {
        if self.client.is_none() {
            let config = &self.session.config;
            let options = network::options(config).map_err(message)?;
            let fetch = Arc::new(Network::new(options).map_err(message)?);
            self.client =
                Some(PoliteClient::new(fetch, network::client_options(config), self.stop.subscribe()));
        }
        let client = self.client.as_ref().ok_or("the client is not open")?;
        let (url, response) = client.get_page(url, &mut Clock::Real).await.map_err(message)?;
        if !is_html(&response) {
            return Err(format!("{url} is not an HTML page"));
        }
        let content_type = response.headers.get("content-type");
        Ok(judged(&response.body, content_type, Some(url), response.status))
    }
}

fn judged(body: &[u8], content_type: Option<&str>, url: Option<Url>, status: u16) -> JudgedPage {
    let name = url.as_ref().map_or("page".to_string(), Url::to_string);
    let place = url.map_or(DocumentLocation::Unknown, DocumentLocation::At);
    let page = html::parse(body, content_type, &place.address());
    judge(&name, &page, &place, status, &JudgedTopics::BuiltIn)
}

/// Accepted search forms, of one topic if the call names it.
fn sources(arguments: &Arguments<'_>) -> Result<FormQuery, String> {
    Ok(FormQuery {
        topic: arguments.text("topic")?.map(String::from),
        min_relevance: MIN_ACCEPTED_P,
        min_searchable: MIN_ACCEPTED_P,
        labels: LabelFilter::Accepted,
        ..FormQuery::default()
    })
}

/// Sources with the number of records downloaded from each.
fn listed(store: &dyn Store, found: &[FormEntry]) -> ToolResult {
    let harvests = store.harvests(&HarvestQuery::default()).map_err(message)?;
    let source = |entry: &FormEntry| {
        let own = |harvest: &&HarvestRow| harvest.spec.form == entry.row.form_id;
        let records: u64 = harvests.iter().filter(own).map(|harvest| harvest.counters.records).sum();
        let mut view = serde_json::to_value(form_view(entry)).map_err(message)?;
        view["records"] = json!(records);
        Ok(view)
    };
    let sources = found.iter().map(source).collect::<Result<Vec<Value>, String>>()?;
    Ok(json!({ "sources": sources }))
}

fn message(error: impl std::fmt::Display) -> String {
    format!("{error:#}")
}

/// Arguments of a call. A value of the wrong type is an error.
struct Arguments<'a>(&'a Map<String, Value>);

impl Arguments<'_> {
    fn given(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn text(&self, name: &str) -> Result<Option<&str>, String> {
        match self.given(name) {
            Some(value) if !value.is_string() => Err(format!("{name} must be a text")),
            given => Ok(given.and_then(Value::as_str).filter(|text| !text.trim().is_empty())),
        }
    }

    fn texts(&self, name: &str) -> Result<Vec<&str>, String> {
        let wrong = || format!("{name} must be a list of texts");
        let Some(value) = self.given(name) else { return Ok(Vec::new()) };
        value.as_array().ok_or_else(wrong)?.iter().map(|text| text.as_str().ok_or_else(wrong)).collect()
    }

    fn number(&self, name: &str) -> Result<Option<u64>, String> {
        let positive = |value: &Value| value.as_u64().filter(|number| *number > 0);
        let wrong = || format!("{name} must be a positive number");
        self.given(name).map(|value| positive(value).ok_or_else(wrong)).transpose()
    }

    fn rows(&self) -> Result<usize, String> {
        Ok(self.number("limit")?.unwrap_or(USUAL_ROWS).min(MAX_ROWS) as usize)
    }
}
