//! Rows of lists in the dashboard: sites, and entries of the audit log.

use super::values::{method_name, timestamp};
use crate::store::{SiteRow, Submission, SubmissionResult};
use serde::Serialize;
use utoipa::ToSchema;

/// A site that a crawl visited.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct SiteView {
    /// Registrable domain.
    pub site: String,
    /// Topic of the run.
    pub topic: String,
    /// Pages fetched.
    pub pages: u32,
    /// Distinct forms of any kind.
    pub forms: u32,
    /// Distinct searchable forms.
    pub searchable: u32,
    /// Distinct relevant forms.
    pub relevant: u32,
    /// Highest `p_relevant` of its forms.
    pub best: f32,
    /// True if the strategy visits no further page of the site.
    pub closed: bool,
}

/// Site for a list.
pub fn site_view(row: &SiteRow) -> SiteView {
    let counters = &row.counters;
    SiteView {
        site: row.site.to_string(),
        topic: row.topic.clone(),
        pages: counters.pages,
        forms: counters.forms,
        searchable: counters.searchable,
        relevant: counters.relevant,
        best: row.best,
        closed: counters.closed,
    }
}

/// One sending of a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SubmissionView {
    /// Run that sent it.
    pub run: Option<u64>,
    /// Harvest that sent it.
    pub harvest: Option<u64>,
    /// Time right before sending, on the clock of the run or harvest.
    pub time: String,
    pub topic: String,
    pub form_id: String,
    /// Page with the form.
    pub page_url: String,
    /// HTTP method: get or post.
    pub method: String,
    /// URL of the request.
    pub url: String,
    /// Body of the request.
    pub body: String,
    /// Reason: probe, quality, harvest or ask.
    pub purpose: String,
    /// Status code or kind of failure; empty while there is no response.
    pub answer: String,
}

/// Entry for a list.
pub fn submission_view(entry: &Submission) -> SubmissionView {
    SubmissionView {
        run: entry.by.run().map(|run| run.0),
        harvest: entry.by.harvest().map(|harvest| harvest.0),
        time: timestamp(entry.at),
        topic: entry.topic.clone(),
        form_id: entry.form.to_string(),
        page_url: entry.page.to_string(),
        method: method_name(entry.method).to_string(),
        url: entry.url.to_string(),
        body: entry.body.clone(),
        purpose: entry.purpose.name().to_string(),
        answer: answer_name(entry.answer.as_ref()),
    }
}

/// Status code or failure kind; empty while there is no response.
pub fn answer_name(answer: Option<&SubmissionResult>) -> String {
    match answer {
        Some(SubmissionResult::Status(status)) => status.to_string(),
        Some(SubmissionResult::Failure(kind)) => kind.to_string(),
        None => String::new(),
    }
}
