//! A site for the dashboard.

use crate::store::SiteRow;
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
pub fn view(row: &SiteRow) -> SiteView {
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
