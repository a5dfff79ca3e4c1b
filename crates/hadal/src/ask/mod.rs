//! One query to many forms, with merged answers (`hadal ask`).
//!
//! [`Asker::ask`] is the function to read first. It opens the chosen forms and sends the query to each of them
//! ([`source`]), in the same way as a harvest: one query, one result page, every submission in the audit log before it
//! is sent. [`merge`] merges the answers. No record is stored.

mod merge;
mod source;

pub use merge::{AnswerPlace, MergedAnswer};
pub use source::{AskOutcome, AskedSource};

use crate::fetch::Fetch;
use crate::harvest::open_form::{self, FormOpenError, OpenedForm, PostForms};
use crate::polite::{ClientOptions, Clock, PoliteClient};
use crate::store::{
    FormEntry, FormQuery, HarvestQuery, LabelFilter, RowOrder, Store, StoreError, form_by_id,
};
use futures::future::join_all;
use hadal_core::address::Site;
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::critic::probe::query_field;
use hadal_core::identity::FormId;
use rustc_hash::FxHashMap;
use serde::Serialize;
use source::ChosenSource;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;
use utoipa::ToSchema;

/// Maximum number of forms that one query is sent to. Guess.
pub const MAX_SOURCES: usize = 20;
/// Maximum number of characters of a query. Guess.
pub const MAX_QUERY_CHARS: usize = 200;

/// Maximum number of forms with a kept session state. Guess; a state takes some 100 kB.
const MAX_READERS: usize = 200;

/// Opens the HTTP client and the clock for a source name, as in [`crate::store::RunSpec::source`].
pub type OpenFetch = Box<dyn Fn(&str) -> anyhow::Result<(Arc<dyn Fetch>, Clock)> + Send + Sync>;

/// Sends queries to stored forms. Robots.txt and pauses of hosts are remembered between queries.
pub struct Asker {
    store: Arc<dyn Store>,
    options: ClientOptions,
    open_fetch: OpenFetch,
    clients: Mutex<FxHashMap<String, SourceClient>>,
    /// State of each form's session after its last query, so that the calibration query is sent once per form.
    readers: Mutex<FxHashMap<FormId, Vec<u8>>>,
    stop: watch::Receiver<bool>,
}

/// Client and clock for the forms of one source name.
#[derive(Clone)]
struct SourceClient {
    client: PoliteClient,
    clock: Clock,
}

/// Selection of the forms that a query is sent to.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceSelection {
    /// The most relevant forms of a topic, up to this number.
    Best(String, usize),
    /// Forms chosen by their ids.
    Forms(Vec<FormId>),
}

/// Merged answers to a query.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Answers {
    pub words: String,
    /// The forms that were queried, with their results.
    pub sources: Vec<AskedSource>,
    /// Records of all sources: the first of each source, then the second of each, and so on.
    pub answers: Vec<MergedAnswer>,
}

/// Reason why no form was queried.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The query is empty or too long.
    #[error("a query needs 1 to {MAX_QUERY_CHARS} characters")]
    NoWords,
    /// The number of forms is out of range.
    #[error("a query can be sent to 1 to {MAX_SOURCES} forms")]
    TooMany,
    /// None of the forms is in the store.
    #[error("none of these forms is in the store; `hadal forms` lists the forms")]
    NoForm,
    /// The topic has no form that takes words and may be submitted.
    #[error("the store has no form for the topic '{0}' that can be queried; `hadal find {0}` finds forms")]
    NoSource(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Asker {
    /// Asker without open clients.
    pub fn new(
        store: Arc<dyn Store>,
        options: ClientOptions,
        open_fetch: OpenFetch,
        stop: watch::Receiver<bool>,
    ) -> Asker {
        let options = ClientOptions { max_wait: source::SOURCE_TIMEOUT, ..options };
        Asker { store, options, open_fetch, clients: Mutex::default(), readers: Mutex::default(), stop }
    }

    /// Sends a query to the selected forms and merges their answers.
    pub async fn ask(self: &Arc<Self>, words: &str, selection: SourceSelection) -> Result<Answers, AskError> {
        let words = words.trim();
        if words.is_empty() || words.chars().count() > MAX_QUERY_CHARS {
            return Err(AskError::NoWords);
        }
        let asker = Arc::clone(self);
        let chosen = tokio::task::spawn_blocking(move || asker.open(&selection)).await;
        let chosen = chosen.expect("opening forms does not panic")?;
        let replies = join_all(chosen.into_iter().map(|source| source.ask(self, words))).await;
        let (sources, records): (Vec<AskedSource>, Vec<_>) = replies.into_iter().unzip();
        Ok(Answers { words: words.to_string(), answers: merge::merge_answers(&sources, records), sources })
    }

    /// Opens the selected forms. Forms of a topic that cannot be queried are replaced by the next best. Forms that
    /// were named are all returned, with the reason why they cannot be queried.
    fn open(&self, selection: &SourceSelection) -> Result<Vec<ChosenSource>, AskError> {
        match selection {
            SourceSelection::Best(_, limit) if !(1..=MAX_SOURCES).contains(limit) => Err(AskError::TooMany),
            SourceSelection::Best(topic, limit) => self.open_best(topic, *limit),
            SourceSelection::Forms(forms) if !(1..=MAX_SOURCES).contains(&forms.len()) => {
                Err(AskError::TooMany)
            }
            SourceSelection::Forms(forms) => {
                let opened = forms.iter().map(|form| self.open_named(*form)).filter_map(Result::transpose);
                let opened: Vec<ChosenSource> = opened.collect::<Result<_, _>>()?;
                if opened.is_empty() { Err(AskError::NoForm) } else { Ok(opened) }
            }
        }
    }

    fn open_best(&self, topic: &str, limit: usize) -> Result<Vec<ChosenSource>, AskError> {
        let query = FormQuery {
            topic: Some(topic.to_string()),
            min_relevance: MIN_ACCEPTED_P,
            min_searchable: MIN_ACCEPTED_P,
            labels: LabelFilter::Accepted,
            limit: Some(limit * 4),
            ..FormQuery::default()
        };
        let opened = self.store.forms(&query)?.rows.into_iter().map(|found| self.open_found(&found));
        let can_be_asked = |chosen: &Result<ChosenSource, AskError>| match chosen {
            Ok(chosen) => chosen.opened.as_ref().is_ok_and(|(form, _)| query_field(&form.form).is_some()),
            Err(_) => true,
        };
        let best: Vec<ChosenSource> = opened.filter(can_be_asked).take(limit).collect::<Result<_, _>>()?;
        if best.is_empty() { Err(AskError::NoSource(topic.to_string())) } else { Ok(best) }
    }

    /// Opens a form by its id: one that a crawl found, or one that was harvested by its URL. `None` if the store has
    /// no such form.
    fn open_named(&self, form: FormId) -> Result<Option<ChosenSource>, AskError> {
        if let Some(found) = form_by_id(self.store.as_ref(), form, None, false)? {
            return self.open_found(&found).map(Some);
        }
        match open_form::form_by_id(self.store.as_ref(), form, PostForms::Sure) {
            Err(FormOpenError::Store(error)) => Err(error.into()),
            Err(_) => Ok(None),
            Ok(form) => Ok(Some(ChosenSource {
                form_id: form.id,
                topic: form.topic.clone(),
                site: Site::of(&form.page),
                page_url: form.page.clone(),
                opened: self.with_client(form),
            })),
        }
    }

    fn open_found(&self, found: &FormEntry) -> Result<ChosenSource, AskError> {
        let opened = match open_form::open_found(self.store.as_ref(), found, PostForms::Sure) {
            Err(FormOpenError::Store(error)) => return Err(error.into()),
            Err(reason) => Err(reason.to_string()),
            Ok(form) => self.with_client(form),
        };
        let row = &found.row;
        Ok(ChosenSource {
            form_id: row.form_id,
            topic: row.topic.clone(),
            site: row.site.clone(),
            page_url: row.page_url.clone(),
            opened,
        })
    }

    fn with_client(&self, form: OpenedForm) -> Result<(OpenedForm, SourceClient), String> {
        let client = self.client_for(&form.source).map_err(|error| error.to_string())?;
        if self.reader(form.id).is_none()
            && let Some(readers) = self.harvest_readers(form.id).map_err(|error| error.to_string())?
        {
            self.keep_reader(form.id, readers);
        }
        Ok((form, client))
    }

    /// Readers that the last harvest of a form trained. With them an answer of a single record is recognised, too.
    fn harvest_readers(&self, form: FormId) -> Result<Option<Vec<u8>>, StoreError> {
        let query = HarvestQuery {
            form: Some(form),
            order: RowOrder::Newest,
            limit: Some(1),
            ..HarvestQuery::default()
        };
        match self.store.harvests(&query)?.first() {
            Some(row) => Ok(self.store.resume_harvest(row.id)?.reader),
            None => Ok(None),
        }
    }

    /// State of a form's session after an earlier query.
    fn reader(&self, form: FormId) -> Option<Vec<u8>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner).get(&form).cloned()
    }

    fn keep_reader(&self, form: FormId, reader: Vec<u8>) {
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.len() < MAX_READERS || readers.contains_key(&form) {
            readers.insert(form, reader);
        }
    }

    /// Client for a source name. It is opened once.
    fn client_for(&self, source: &str) -> anyhow::Result<SourceClient> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(source) {
            return Ok(client.clone());
        }
        let (fetch, clock) = (self.open_fetch)(source)?;
        let client = PoliteClient::new(fetch, self.options.clone(), self.stop.clone());
        let client = SourceClient { client, clock };
        clients.insert(source.to_string(), client.clone());
        Ok(client)
    }
}
