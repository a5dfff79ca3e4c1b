//! Opening a form for a harvest: one that a crawl found, or the search at a URL.
//!
//! At a URL, an endpoint that lists all records comes first, if the page suggests one and it answers. A visible form
//! comes next. When the page has no form that is surely a search, other endpoints and the OpenSearch descriptions that
//! it links are tried. The URL may also be that of a description, or of a document that lists records: a JSON file, a
//! feed, a sitemap, a page without a search that shows records and a link to the next page.

use crate::fetch::is_html;
use crate::polite::{Clock, PageError, PoliteClient, SendOutcome};
use crate::render::{RenderError, RenderMode, Renderer, SearchTrial};
use crate::store::{
    self, FormEntry, FormQuery, HarvestQuery, HarvestSpec, LabelFilter, RunQuery, Store, StoreError,
    Submitter, form_snapshots,
};
use hadal_core::address::{LinkId, Site};
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::critic::classifiers::Classifiers;
use hadal_core::critic::search_form::{NoSearchForm, pick_search_form};
use hadal_core::critic::veto::{Veto, veto};
use hadal_core::endpoint::holds_records_of;
use hadal_core::harvest::answer::{AnswerKind, DataDocument, DataReader, lists_records};
use hadal_core::harvest::query::Query;
use hadal_core::harvest::session::EntryPage;
use hadal_core::html;
use hadal_core::http::{BodyCompleteness, Method, Request, Response};
use hadal_core::identity::{FormId, form_id};
use hadal_core::page::{Field, FieldKind, Form, FormSource, Page};
use hadal_core::scripted::rendering::{gains_fields, is_scripted};
use hadal_core::submission::{FilledForm, goes_to_web, submission};
use url::Url;

/// P(searchable) above which a POST form is submitted by default. Guess; a wrong POST can change data on the
/// server.
const MIN_P_POST: f32 = 0.9;
/// Least P(searchable) of a box into which a test query is typed. It is low because the user says that the page has a
/// search. Guess.
pub const MIN_P_TYPED: f32 = 0.1;
/// Maximum number of words taken from the title of a page. Guess.
const MAX_TITLE_WORDS: usize = 8;
/// Maximum number of OpenSearch descriptions fetched for one page. Guess.
const MAX_DESCRIPTIONS: usize = 3;
/// Maximum number of endpoints of one page that are tried. Guess.
const MAX_TRIED: usize = 3;
/// Bytes of an endpoint's answer that are read to see whether it answers. Guess: some records of any interface.
const TRIED_BYTES: u64 = 256 << 10;
/// Least number of records in an answer that is a list. Guess: an error message or a description may look
/// like one or two.
const MIN_LISTED: usize = 3;
/// First bytes of an answer in which its kind shows. Guess.
const START_BYTES: usize = 200;
/// Bytes at the start of a document that are searched for the name of the OpenSearch root element. Guess.
const OPENSEARCH_HEAD: usize = 2_048;

/// POST forms that may be submitted. The vetoes hold for all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PostForms {
    /// Forms that are surely searches.
    #[default]
    Sure,
    /// Also forms that are likely searches: the user insists.
    Likely,
}

impl PostForms {
    fn min_p_searchable(self) -> f32 {
        match self {
            PostForms::Sure => MIN_P_POST,
            PostForms::Likely => MIN_ACCEPTED_P,
        }
    }
}

/// A form that may be harvested.
#[derive(Clone, Debug)]
pub struct OpenedForm {
    pub form: Form,
    /// Id of the form.
    pub id: FormId,
    /// URL of the page that the form is on.
    pub page: Url,
    /// Character encoding of that page.
    pub charset: String,
    /// Language of that page.
    pub language: Option<String>,
    /// Topic of the run that found the form; empty for a form that was given by URL.
    pub topic: String,
    /// Origin of its responses, as in [`crate::store::RunSpec::source`].
    pub source: String,
    /// Words of the page's title, for the first queries.
    pub words: Vec<String>,
    /// Requests and bytes that were spent to open it.
    pub cost: (u64, u64),
    /// The page that the form is on, if it was fetched to open the form.
    pub entry_page: Option<Box<Page>>,
}

/// Reason why a form is not harvested.
#[derive(Debug, thiserror::Error)]
pub enum FormOpenError {
    /// The store has no such form.
    #[error("unknown form {0}; `hadal forms` lists the forms in the store")]
    Unknown(FormId),
    /// The form was too large to be stored.
    #[error("form {0} was too large to be stored; give the URL of its page instead")]
    NotKept(FormId),
    /// The page could not be fetched.
    #[error("could not fetch {0}: {1}")]
    NoPage(Url, PageError),
    /// The page has no search form.
    #[error("{0}: {1}")]
    NoForm(Url, NoSearchForm),
    /// The form must never be submitted.
    #[error("{0}: the form must not be submitted: {1}")]
    Vetoed(Url, Veto),
    /// The form uses POST and may not be a search.
    #[error("{0}: P(searchable) of this POST form is {1:.2}; POST forms are submitted above {2}")]
    UnsurePost(Url, f32, f32),
    /// The form is not sent over HTTP.
    #[error("{0}: the form is not sent to a web server")]
    NotWeb(Url),
    /// The page could not be rendered.
    #[error("could not render {0}: {1}; run the same command again, or let `hadal doctor` check the browser")]
    NotRendered(Url, RenderError),
    /// No request of the rendered page carried the typed word.
    #[error(
        "{0}: a word typed into the search box of the rendered page reached no server; `hadal judge --render {0}` shows the requests of the page"
    )]
    NotLearned(Url),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Opens a form of the store by its id: one that a crawl found, or one that was harvested by its URL.
pub fn form_by_id(store: &dyn Store, id: FormId, posts: PostForms) -> Result<OpenedForm, FormOpenError> {
    match store::form_by_id(store, id, None, true)? {
        Some(found) => open_found(store, &found, posts),
        None => harvested_form(store, id, posts),
    }
}

/// Opens a form of an earlier harvest. It is checked again: the user may have insisted on that harvest only.
fn harvested_form(store: &dyn Store, id: FormId, posts: PostForms) -> Result<OpenedForm, FormOpenError> {
    let query = HarvestQuery { form: Some(id), limit: Some(1), ..HarvestQuery::default() };
    let spec = store.harvests(&query)?.pop().ok_or(FormOpenError::Unknown(id))?.spec;
    check_submittable(&spec.page, &spec.form_snapshot, p_searchable(&spec), posts)?;
    Ok(OpenedForm {
        form: spec.form_snapshot,
        id,
        page: spec.page,
        charset: "utf-8".into(),
        language: None,
        topic: spec.topic,
        source: spec.source,
        words: Vec::new(),
        cost: (0, 0),
        entry_page: None,
    })
}

/// P(searchable) of a harvested form, judged without the rest of its page, which is not stored.
fn p_searchable(spec: &HarvestSpec) -> f32 {
    let page = html::parse(b"", None, &spec.page);
    Classifiers::current().searchable.classify(&spec.form_snapshot, &page).0
}

/// Opens the most relevant forms of a topic, without those that may not be submitted or that a user rejected.
pub fn best_forms(
    store: &dyn Store,
    topic: &str,
    min_relevance: f32,
    limit: usize,
    posts: PostForms,
) -> Result<Vec<OpenedForm>, FormOpenError> {
    let query = FormQuery {
        topic: Some(topic.into()),
        min_relevance,
        labels: LabelFilter::Accepted,
        with_snapshot: true,
        limit: Some(4 * limit),
        ..FormQuery::default()
    };
    let mut opened = Vec::new();
    for found in store.forms(&query)?.rows {
        match open_found(store, &found, posts) {
            Ok(form) => opened.push(form),
            Err(FormOpenError::Store(error)) => return Err(error.into()),
            Err(reason) => tracing::info!("form skipped: {reason}"),
        }
        if opened.len() == limit {
            break;
        }
    }
    Ok(opened)
}

/// Opens a form of the directory.
pub fn open_found(
    store: &dyn Store,
    found: &FormEntry,
    posts: PostForms,
) -> Result<OpenedForm, FormOpenError> {
    let row = &found.row;
    let snapshot = match &row.form_snapshot {
        Some(form) => Some(form.clone()),
        None => form_snapshots(store, found.run, &[row.form_id])?.pop().flatten(),
    };
    let run = store.runs(&RunQuery::one(found.run))?.pop();
    let (Some(run), Some(form)) = (run, snapshot.map(|form| *form)) else {
        return Err(FormOpenError::NotKept(row.form_id));
    };
    check_submittable(&row.page_url, &form, row.p_searchable, posts)?;
    Ok(OpenedForm {
        form,
        id: row.form_id,
        page: row.page_url.clone(),
        charset: "utf-8".into(),
        language: row.language.clone(),
        topic: row.topic.clone(),
        source: run.spec.source,
        words: Vec::new(),
        cost: (0, 0),
        entry_page: None,
    })
}

/// A search to open by the URL of its page.
#[derive(Clone, Copy)]
pub struct SearchLocation<'s> {
    /// URL of the page.
    pub url: &'s Url,
    /// Index of a form on the page; `None` for the likeliest search.
    pub picked: Option<u32>,
    /// POST forms that may be submitted.
    pub posts: PostForms,
    /// Origin of its responses, as in [`crate::store::RunSpec::source`].
    pub source: &'s str,
    /// Browser for pages with a search by script.
    pub browser: Option<&'s BrowserUse<'s>>,
    /// Store with the audit log for the first request to a list of records.
    pub audit: Option<&'s dyn Store>,
    /// False: the first list of records that the page names is opened without a request for it.
    pub tries_lists: bool,
}

impl<'s> SearchLocation<'s> {
    /// The likeliest search at a URL, opened without a browser.
    pub fn at(url: &'s Url, source: &'s str) -> SearchLocation<'s> {
        let (picked, posts) = (None, PostForms::Sure);
        SearchLocation { url, picked, posts, source, browser: None, audit: None, tries_lists: true }
    }
}

/// Opens the search at a URL.
pub async fn form_at_url(
    search: &SearchLocation<'_>,
    client: &PoliteClient,
    clock: &mut Clock,
) -> Result<OpenedForm, FormOpenError> {
    let before = client.spent();
    let mut opened = open_search(search, client, clock).await?;
    let spent = client.spent();
    opened.cost = (spent.0 - before.0, spent.1 - before.1);
    Ok(opened)
}

async fn open_search(
    search: &SearchLocation<'_>,
    client: &PoliteClient,
    clock: &mut Clock,
) -> Result<OpenedForm, FormOpenError> {
    let SearchLocation { picked, posts, source, .. } = *search;
    let browser = search.browser.filter(|_| picked.is_none());
    let (url, response) = fetch(search.url, client, clock).await?;
    if let Some(form) = opensearch_form(&response, &url) {
        check_submittable(&url, &form, 1.0, posts)?;
        return Ok(opened(form, &url, None, source));
    }
    if picked.is_none() && is_list(&response, &url) {
        return Ok(opened(list_form(&url), &url, None, source));
    }
    if let Some(browser) = browser.filter(|browser| browser.mode == RenderMode::Always) {
        return form_in_browser(&url, response, browser, search, client).await;
    }
    let page = html::parse(&response.body, response.headers.get("content-type"), &url);
    let visible = form_on_page(&page, picked, posts);
    if let Some(form) = undisplayed_search(search, &page, &visible, client, clock).await? {
        return Ok(opened(form, &url, Some(&page), source));
    }
    // Without any form, a search service that the page names. A trial would be a submission; the harvest sends and logs
    // the first one.
    let service = page.hints.endpoints.iter().find(|endpoint| picked.is_none() && takes_words(endpoint));
    let needs_script = |form: &Form| is_scripted(form) || gains_fields(form);
    let needs_browser = visible.as_ref().map_or_else(is_no_form, |(form, _)| needs_script(form));
    let is_listing =
        picked.is_none() && visible.as_ref().is_err_and(is_no_form) && is_html_list(&response, &url);
    if let Some(browser) = browser.filter(|_| needs_browser && service.is_none()) {
        // A box that only a script can send is no form without the browser.
        let can_be_sent = is_listing || visible.as_ref().is_ok_and(|(form, _)| !is_scripted(form));
        match form_in_browser(&url, response, browser, search, client).await {
            Err(error) if can_be_sent => tracing::info!("no search in the rendered page: {error}"),
            found => return found,
        }
    }
    match (visible, service) {
        (Err(FormOpenError::NoForm(..)), Some(form)) => {
            check_submittable(&url, form, 1.0, posts)?;
            Ok(opened(form.clone(), &url, Some(&page), source))
        }
        (Err(FormOpenError::NoForm(..)), None) if is_listing => {
            Ok(opened(list_form(&url), &url, Some(&page), source))
        }
        (visible, _) => Ok(opened(visible?.0, &url, Some(&page), source)),
    }
}

/// True for a page without a search that lists records.
fn is_html_list(response: &Response, url: &Url) -> bool {
    lists_records(&html::parse_with_outline(&response.body, response.headers.get("content-type"), url))
}

/// Search that is preferred to the visible form: a list of all records, or, if the form is unsure, an OpenSearch
/// description. `None` if the user picked a form.
async fn undisplayed_search(
    search: &SearchLocation<'_>,
    page: &Page,
    visible: &Result<(Form, f32), FormOpenError>,
    client: &PoliteClient,
    clock: &mut Clock,
) -> Result<Option<Form>, StoreError> {
    if search.picked.is_some() {
        return Ok(None);
    }
    let form = visible.as_ref().ok().map(|(form, _)| form);
    if let Some(list) = record_list(search, page, form, client, clock).await? {
        return Ok(Some(list));
    }
    let is_sure = matches!(visible, Ok((_, p_searchable)) if *p_searchable >= MIN_ACCEPTED_P);
    for link in page.hints.opensearch.iter().take(if is_sure { 0 } else { MAX_DESCRIPTIONS }) {
        let description = fetch(&link.url, client, clock).await;
        let form = description.ok().and_then(|(at, response)| opensearch_form(&response, &at));
        if let Some(form) = form.filter(|form| check_submittable(&page.url, form, 1.0, search.posts).is_ok())
        {
            return Ok(Some(form));
        }
    }
    Ok(None)
}

/// Use of a browser to open a search.
pub struct BrowserUse<'s> {
    /// Browser that renders the page.
    pub renderer: &'s Renderer,
    /// [`RenderMode::Auto`]: pages without a form that can be sent. [`RenderMode::Always`]: all pages.
    pub mode: RenderMode,
    /// Store with the audit log for the test query.
    pub store: &'s dyn Store,
}

fn is_no_form(error: &FormOpenError) -> bool {
    matches!(error, FormOpenError::NoForm(..))
}

/// Opens the search of a page as a browser shows it: the request that its script sends for a typed word, or a form that
/// a script made.
async fn form_in_browser(
    url: &Url,
    response: Response,
    browser: &BrowserUse<'_>,
    search: &SearchLocation<'_>,
    client: &PoliteClient,
) -> Result<OpenedForm, FormOpenError> {
    let trial = SearchTrial {
        store: browser.store,
        by: Submitter::Person,
        topic: "",
        seed: LinkId::of(url).0,
        min_p_searchable: MIN_P_TYPED,
    };
    let rendered = browser.renderer.render(url, response, client, Some(&trial)).await;
    let rendered = rendered.map_err(|error| FormOpenError::NotRendered(url.clone(), error))?;
    match rendered.search {
        Some(learned) => {
            tracing::info!("{}", learned.evidence);
            check_submittable(url, &learned.form, 1.0, search.posts)?;
            Ok(opened_in_browser(learned.form, url, &rendered.page, search.source))
        }
        None => {
            let (form, _) = form_on_page(&rendered.page, None, search.posts)?;
            if is_scripted(&form) {
                return Err(FormOpenError::NotLearned(url.clone()));
            }
            Ok(opened_in_browser(form, url, &rendered.page, search.source))
        }
    }
}

/// Form of a rendered page. The harvest fetches the page once more, without its scripts.
fn opened_in_browser(form: Form, url: &Url, page: &Page, source: &str) -> OpenedForm {
    OpenedForm { entry_page: None, ..opened(form, url, Some(page), source) }
}

/// First endpoint of a page that lists records. Beside a visible form, only a list of the form's records counts.
async fn record_list(
    search: &SearchLocation<'_>,
    page: &Page,
    visible: Option<&Form>,
    client: &PoliteClient,
    clock: &mut Clock,
) -> Result<Option<Form>, StoreError> {
    let is_wanted = |endpoint: &&Form| {
        !takes_words(endpoint) && visible.is_none_or(|form| holds_records_of(endpoint, form))
    };
    for endpoint in page.hints.endpoints.iter().filter(is_wanted).take(MAX_TRIED) {
        if !search.tries_lists {
            return Ok(Some(endpoint.clone()));
        }
        let entry = EntryPage::new(endpoint.clone(), page.url.clone(), page.charset);
        let request = entry.request_for(&Query::default());
        let trial =
            |store| SearchTrial { store, by: Submitter::Person, topic: "", seed: 0, min_p_searchable: 0.0 };
        let trial = search.audit.map(trial);
        // A request that cannot be logged is not sent.
        let mut number = trial.as_ref().map(|trial| trial.log(endpoint, &page.url, &request)).transpose()?;
        let mut ended = Ok(());
        let end = |sent: &SendOutcome| {
            if let (Some(trial), Some(number)) = (&trial, number.take()) {
                ended = trial.end(number, sent);
            }
        };
        let answer = client.without_retries().get_page_up_to(&request.url, TRIED_BYTES, clock, end).await;
        ended?;
        let is_same_site = |at: &Url| Site::of(at) == Site::of(&request.url);
        if answer.is_ok_and(|(at, response)| is_same_site(&at) && is_list(&response, &at)) {
            return Ok(Some(endpoint.clone()));
        }
    }
    Ok(None)
}

/// Form of a document that lists records itself.
fn list_form(url: &Url) -> Form {
    let mut action = url.clone();
    let pairs: Vec<(String, String)> = action.query_pairs().into_owned().collect();
    action.set_query(None);
    let fields = pairs.iter().map(|(name, value)| Field::new(FieldKind::Hidden, name, value)).collect();
    let form = Form::to(action, Method::Get, fields);
    Form { index: u32::MAX, source: FormSource::SearchIndex, ..form }
}

/// True for data with some records, and for the start of longer data.
fn is_list(response: &Response, url: &Url) -> bool {
    if response.completeness == BodyCompleteness::Cut {
        return !is_html(response) && starts_as_data(&response.body);
    }
    let sent = Request::get(url.clone());
    DataDocument::parse(response, url).is_some_and(|data| {
        let answer = DataReader::default().read(&data, &sent, &Query::default(), true);
        answer.kind == AnswerKind::Results && answer.records.len() >= MIN_LISTED
    })
}

/// True for the start of XML, JSON, or a script that passes or assigns one literal. Other code has more before its
/// first bracket.
fn starts_as_data(body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&body[..body.len().min(START_BYTES)]);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let is_plain =
        |c: char| c.is_alphanumeric() || c.is_whitespace() || matches!(c, '_' | '.' | '$' | '=' | '(');
    text.starts_with("<?xml") || text.find(['{', '[']).is_some_and(|at| text[..at].chars().all(is_plain))
}

fn takes_words(form: &Form) -> bool {
    form.fields.iter().any(|field| field.kind.is_textual())
}

/// Fetches and parses the page at a URL.
pub async fn page_at_url(url: &Url, client: &PoliteClient, clock: &mut Clock) -> Result<Page, FormOpenError> {
    let (url, response) = fetch(url, client, clock).await?;
    Ok(html::parse(&response.body, response.headers.get("content-type"), &url))
}

/// Opens the likeliest search form that a page shows, whatever endpoints the page has.
pub async fn shown_form(
    search: &SearchLocation<'_>,
    client: &PoliteClient,
    clock: &mut Clock,
) -> Result<OpenedForm, FormOpenError> {
    let page = page_at_url(search.url, client, clock).await?;
    let (form, _) = form_on_page(&page, search.picked, search.posts)?;
    Ok(opened(form, &page.url, Some(&page), search.source))
}

async fn fetch(
    url: &Url,
    client: &PoliteClient,
    clock: &mut Clock,
) -> Result<(Url, Response), FormOpenError> {
    // A user waits for this page, so a dead host is reported instead of tried again.
    let page = client.without_retries().get_page(url, clock).await;
    page.map_err(|error| FormOpenError::NoPage(url.clone(), error))
}

/// Form of a page that may be submitted, with its P(searchable).
fn form_on_page(page: &Page, picked: Option<u32>, posts: PostForms) -> Result<(Form, f32), FormOpenError> {
    let found = pick_search_form(page, picked);
    let (form, p_searchable) = found.map_err(|reason| FormOpenError::NoForm(page.url.clone(), reason))?;
    check_submittable(&page.url, form, p_searchable, posts)?;
    Ok((form.clone(), p_searchable))
}

/// Form that an OpenSearch description declares; `None` when the document is not a description.
fn opensearch_form(response: &Response, url: &Url) -> Option<Form> {
    let head = String::from_utf8_lossy(&response.body[..response.body.len().min(OPENSEARCH_HEAD)]);
    head.contains("OpenSearchDescription").then(|| html::opensearch_form(&response.body, url))?
}

fn opened(form: Form, url: &Url, page: Option<&Page>, source: &str) -> OpenedForm {
    OpenedForm {
        id: form_id(&form, url),
        form,
        page: url.clone(),
        charset: page.map_or("utf-8", |page| page.charset).to_string(),
        language: page.and_then(|page| page.language.clone()),
        topic: String::new(),
        source: source.to_string(),
        words: page.map(|page| title_words(&page.title)).unwrap_or_default(),
        cost: (0, 0),
        entry_page: page.cloned().map(Box::new),
    }
}

/// First words of a title that have more than three letters, or more than one in a script other than Latin, Greek and
/// Cyrillic.
fn title_words(title: &str) -> Vec<String> {
    let mut words = hadal_core::harvest::policy::lexicon::split_words(title);
    let least = |word: &str| if word.chars().all(|c| c > '\u{530}') { 2 } else { 4 };
    words.retain(|word| word.chars().count() >= least(word));
    words.truncate(MAX_TITLE_WORDS);
    words
}

/// Returns an error when a form must not be submitted.
fn check_submittable(
    page: &Url,
    form: &Form,
    p_searchable: f32,
    posts: PostForms,
) -> Result<(), FormOpenError> {
    if let Some(veto) = veto(form) {
        return Err(FormOpenError::Vetoed(page.clone(), veto));
    }
    let sent = submission(form, &FilledForm::default(), "utf-8");
    if !goes_to_web(&sent) {
        return Err(FormOpenError::NotWeb(page.clone()));
    }
    let least = posts.min_p_searchable();
    if sent.method == Method::Post && p_searchable <= least {
        return Err(FormOpenError::UnsurePost(page.clone(), p_searchable, least));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(form: &str, p_searchable: f32, posts: PostForms) -> Result<(), FormOpenError> {
        let url = Url::parse("http://boats.example/").unwrap();
        let page = html::parse(form.as_bytes(), None, &url);
        check_submittable(&url, &page.forms[0], p_searchable, posts)
    }

    #[test]
    fn a_likely_post_search_is_submitted_only_if_the_user_insists() {
        let search = "<form method=post action=/find>Boats <input name=q><button>Search</button></form>";
        let refused = checked(search, 0.7, PostForms::Sure);
        assert!(matches!(refused, Err(FormOpenError::UnsurePost(..))), "{refused:?}");
        assert!(checked(search, 0.7, PostForms::Likely).is_ok());
        assert!(checked(search, 0.4, PostForms::Likely).is_err());
    }

    #[test]
    fn a_vetoed_form_is_refused_even_if_the_user_insists() {
        let login = "<form method=post action=/in>Name <input name=user> <input type=password name=p></form>";
        assert!(matches!(checked(login, 0.99, PostForms::Likely), Err(FormOpenError::Vetoed(..))));
    }
}
