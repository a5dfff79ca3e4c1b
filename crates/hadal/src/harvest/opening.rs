//! Which form is meant: one that a crawl found, or the search at an address (`visit`).

use crate::store::{FormEntry, FormQuery, Store, StoreError};
use crate::topic::SampleError;
use hadal_core::critic::veto::{Veto, veto};
use hadal_core::http::Method;
use hadal_core::identity::FormId;
use hadal_core::page::Form;
use hadal_core::submission::{FormInput, goes_to_web, submission};
use url::Url;

/// P(searchable) that a form which posts needs to be submitted at all.
const POST_NEEDS: f32 = 0.9;

/// A form that may be harvested.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The form.
    pub form: Form,
    /// Which one it is.
    pub id: FormId,
    /// The page it stands on.
    pub page: Url,
    /// That page's character encoding.
    pub charset: String,
    /// Language of that page.
    pub language: Option<String>,
    /// What it was found for; empty when somebody named it.
    pub topic: String,
    /// Where its answers come from, as [`crate::store::RunSpec::source`] has it.
    pub source: String,
    /// Words of its page to begin with.
    pub words: Vec<String>,
}

/// Why a form is not harvested.
#[derive(Debug, thiserror::Error)]
pub enum NotOpened {
    /// Nobody found it.
    #[error("there is no form {0} in the store: `hadal forms` lists those that are")]
    Unknown(FormId),
    /// It was too large to be kept.
    #[error("form {0} was found but not kept whole: name its page instead")]
    NotKept(FormId),
    /// The page did not come.
    #[error("{0} did not come: {1}")]
    NoPage(Url, String),
    /// There is no search on it.
    #[error("{0}: {1}")]
    NoForm(Url, SampleError),
    /// It must never be submitted.
    #[error("{0}: the form must not be submitted ({1:?})")]
    Vetoed(Url, Veto),
    /// It changes things when it is no search.
    #[error("{0}: a POST form is submitted only when it surely searches (this one: {1:.2})")]
    UnsurePost(Url, f32),
    /// It is not sent over HTTP.
    #[error("{0}: the form is not sent to a web server")]
    NotWeb(Url),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A form of the store, by its identity.
pub fn known(store: &dyn Store, id: FormId) -> Result<Opened, NotOpened> {
    of_found(store, &store.found(id, None)?.ok_or(NotOpened::Unknown(id))?)
}

/// The most relevant forms of a topic that may be submitted, but for those that a person took out.
pub fn best(
    store: &dyn Store,
    topic: &str,
    min_relevance: f32,
    most: usize,
) -> Result<Vec<Opened>, NotOpened> {
    let query =
        FormQuery { topic: Some(topic.into()), min_relevance, most: 4 * most, ..FormQuery::default() };
    let mut opened = Vec::new();
    for found in store.directory(&query)?.forms {
        match of_found(store, &found) {
            Ok(form) => opened.push(form),
            Err(NotOpened::Store(error)) => return Err(error.into()),
            Err(why) => tracing::info!("left out: {why}"),
        }
        if opened.len() == most {
            break;
        }
    }
    Ok(opened)
}

/// A form of the directory, if it may be submitted.
pub fn of_found(store: &dyn Store, found: &FormEntry) -> Result<Opened, NotOpened> {
    let row = &found.row;
    let (run, form) = (store.run_row(found.run)?, store.whole_form(found.run, row.form_id)?);
    let (Some(run), Some(form)) = (run, form) else { return Err(NotOpened::NotKept(row.form_id)) };
    may_submit(&row.page_url, &form, row.p_searchable)?;
    Ok(Opened {
        form,
        id: row.form_id,
        page: row.page_url.clone(),
        charset: "utf-8".into(),
        language: row.language.clone(),
        topic: row.topic.clone(),
        source: run.spec.source,
        words: Vec::new(),
    })
}

/// Whether a form may be submitted at all.
pub(super) fn may_submit(page: &Url, form: &Form, p_searchable: f32) -> Result<(), NotOpened> {
    if let Some(veto) = veto(form) {
        return Err(NotOpened::Vetoed(page.clone(), veto));
    }
    let sent = submission(form, &FormInput::default(), "utf-8");
    if !goes_to_web(&sent) {
        return Err(NotOpened::NotWeb(page.clone()));
    }
    if sent.method == Method::Post && p_searchable <= POST_NEEDS {
        return Err(NotOpened::UnsurePost(page.clone(), p_searchable));
    }
    Ok(())
}
