//! Rows about harvests: specification, progress, counters, queries and records.

use super::super::{FailureKind, HarvestPoint};
use super::HarvestStep;
use hadal_core::harvest::policy::{ReadingEnd, StatedTotal};
use hadal_core::harvest::query::Query;
use hadal_core::harvest::record::{Record, RecordId};
use hadal_core::http::Request;
use hadal_core::identity::FormId;
use hadal_core::page::Form;
use hadal_core::time::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use url::Url;

/// Number of a harvest within its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct HarvestId(pub u64);

/// Specification of a harvest. Form, policy, seed and source are its identity.
#[derive(Clone, Debug, PartialEq)]
pub struct HarvestSpec {
    /// Identity of the form.
    pub form: FormId,
    /// Topic for which the form was found; empty for a form given by URL.
    pub topic: String,
    /// Page with the form.
    pub page: Url,
    /// The complete form.
    pub form_snapshot: Form,
    /// Name of the query policy.
    pub policy: String,
    /// Seed of the random number generator.
    pub seed: u64,
    /// Origin of the answers: `web`, or the name of a simulated web such as `world 7`.
    pub source: String,
}

impl HarvestSpec {
    /// True if both specify the same harvest.
    pub fn is_same(&self, other: &HarvestSpec) -> bool {
        let key = |spec: &HarvestSpec| (spec.form, spec.seed);
        key(self) == key(other) && self.policy == other.policy && self.source == other.source
    }

    /// A query as text: its words, `field=value` for each choice, `[label]` for a browse link, and `[from n]` if it
    /// continues an earlier answer at record `n`.
    pub fn wording(&self, query: &Query) -> String {
        let name = |at: usize| self.form_snapshot.fields.get(at).map_or("", |field| field.name.as_str());
        let choices = query.choices.iter().map(|(at, value)| format!("{}={value}", name(*at)));
        let typed = Some(query.words.clone()).filter(|words| !words.is_empty());
        let link = query.link.iter().map(|link| format!("[{}]", link.label));
        let from = Some(query.after).filter(|after| *after > 0).map(|after| format!("[from {}]", after + 1));
        typed.into_iter().chain(choices).chain(link).chain(from).collect::<Vec<_>>().join(" ")
    }
}

/// A harvest, as `hadal harvests` prints it.
#[derive(Clone, Debug, PartialEq)]
pub struct HarvestRow {
    /// Number of the harvest.
    pub id: HarvestId,
    /// Form, topic, policy and source.
    pub spec: HarvestSpec,
    /// Start time, on the clock of the harvest.
    pub began: Time,
    /// State, reason for the end, clock and running time.
    pub progress: HarvestProgress,
    /// Totals over all sessions.
    pub counters: HarvestCounters,
    /// Last size estimate.
    pub estimate: Option<HarvestEstimate>,
    /// Queries that the policy would send next, as text, as of the last finished query.
    pub upcoming: Vec<String>,
    /// History of the counters, oldest point first. Empty unless the query selects them.
    pub curve: Vec<HarvestPoint>,
    /// Last refresh of the records; `None` before the first.
    pub refresh: Option<RefreshCounters>,
}

/// One refresh of a harvest: its time and its counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefreshCounters {
    /// Start of the refresh, on the clock of the harvest.
    pub began: Time,
    /// End of the refresh; `None` while it runs and after a kill.
    pub ended: Option<Time>,
    /// Requests sent or attempted.
    pub requests: u64,
    /// Records that were not known before.
    pub new: u64,
    /// Records with another text than before.
    pub changed: u64,
    /// Records that are gone.
    pub removed: u64,
}

/// Progress of a harvest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HarvestProgress {
    /// State of the harvest.
    pub state: HarvestState,
    /// Reason for the end, as text for users.
    pub ending: Option<String>,
    /// Clock of the harvest. Every step sets it, too.
    pub now: Time,
    /// Running time in milliseconds, over all sessions.
    pub elapsed_ms: u64,
}

/// State of a harvest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HarvestState {
    /// A session is running. In the table also a session that was killed.
    #[default]
    Running,
    /// The last session was killed. The same command resumes the harvest. Lists return this for harvests of a store
    /// that no process holds open.
    Interrupted,
    /// Stopped by the user. The same command resumes the harvest.
    Stopped,
    /// A budget is used up. A higher budget resumes the harvest.
    Budget,
    /// The harvest reached its goal, or nothing more can be downloaded.
    Done,
}

impl HarvestState {
    /// Name in tables and exports.
    pub fn name(self) -> &'static str {
        match self {
            HarvestState::Running => "running",
            HarvestState::Interrupted => "interrupted",
            HarvestState::Stopped => "stopped",
            HarvestState::Budget => "budget",
            HarvestState::Done => "done",
        }
    }
}

/// Counters of a harvest. The store derives them from steps alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HarvestCounters {
    /// Requests sent or attempted.
    pub requests: u64,
    /// Bytes of body received.
    pub bytes: u64,
    /// Finished queries. A query that continues an earlier answer does not count.
    pub queries: u64,
    /// Result pages and detail pages read.
    pub pages: u64,
    /// Number of distinct records.
    pub records: u64,
    /// Number of steps that failed.
    pub failed: u64,
    /// Failures by kind.
    pub errors: BTreeMap<FailureKind, u64>,
}

impl HarvestCounters {
    /// Adds the cost and the failure of a step. Queries and records are counted by the back end, which knows whether
    /// they are new.
    pub(in crate::store) fn count_step(&mut self, step: &HarvestStep) {
        self.requests += u64::from(step.requests);
        self.bytes += step.bytes;
        self.pages += u64::from(step.pages);
        if let Some(kind) = step.failed {
            self.failed += 1;
            *self.errors.entry(kind).or_default() += 1;
        }
    }
}

/// Size estimate of a harvest. Each array holds the lower end of the 90 % interval, the estimate and the
/// upper end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HarvestEstimate {
    /// Number of records behind the form. The upper bound may be infinite.
    pub size: [f64; 3],
    /// Share of these records that was downloaded.
    pub coverage: [f64; 3],
}

impl HarvestEstimate {
    /// The estimate, or `None` if a part of it is NaN.
    pub(in crate::store) fn without_nan(self) -> Option<HarvestEstimate> {
        let parts = [self.size, self.coverage];
        (!parts.as_flattened().iter().any(|part| part.is_nan())).then_some(self)
    }
}

/// A finished query, as `hadal queries` prints it.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryRow {
    /// Harvest of the query. The store sets it.
    pub harvest: HarvestId,
    /// Form of the harvest. The store sets it.
    pub form: FormId,
    /// Number of the query within its harvest.
    pub number: u32,
    pub query: Query,
    /// The query as text, see [`HarvestSpec::wording`].
    pub words: String,
    /// Kind of query, as the policy names it.
    pub kind: String,
    /// Total that the form states.
    pub total: Option<StatedTotal>,
    /// Records in the part of the answer that was read.
    pub found: u32,
    /// Records among them that no earlier answer held.
    pub new: u32,
    /// Result pages read.
    pub pages: u32,
    /// Requests sent for this query.
    pub requests: u32,
    /// Reason why no further result page was read.
    pub end: ReadingEnd,
    /// Time at which the query ended, on the clock of the harvest.
    pub at: Time,
    /// Records of the answer, in its order.
    pub hits: Vec<RecordId>,
    /// Request for the next result page, if the answer can be continued.
    pub next: Option<Request>,
    /// History of the query in refreshes.
    pub rechecks: QueryRechecks,
}

/// History of a query that refreshes sent again.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QueryRechecks {
    /// Number of times that the query was sent again.
    pub times: u32,
    /// New, changed and removed records found by then.
    pub changes: u32,
    /// Sum over the records compared of the days since each was last seen.
    pub record_days: f64,
}

/// A record, as `hadal records` prints it.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordRow {
    /// Harvest of the record. The store sets it.
    pub harvest: HarvestId,
    /// Form of the harvest. The store sets it.
    pub form: FormId,
    /// Topic of the harvest. The store sets it.
    pub topic: String,
    pub record: Record,
    /// Number of the query that found the record first.
    pub query_number: u32,
    /// That query as text, see [`HarvestSpec::wording`].
    pub words: String,
    /// Position in the answer, counted from 1.
    pub position: u32,
    /// Time of the response, on the clock of the harvest.
    pub fetched_at: Time,
    /// Text of the detail page, if it was fetched.
    pub detail: Option<String>,
    /// Findings of refreshes.
    pub dates: RecordDates,
}

impl RecordRow {
    /// Time at which the record was seen last, on the clock of the harvest.
    pub fn seen_at(&self) -> Time {
        self.dates.seen.unwrap_or(self.fetched_at)
    }

    /// Time at which the record was found, changed or removed last.
    pub fn modified_at(&self) -> Time {
        [self.dates.changed, self.dates.removed].into_iter().flatten().fold(self.fetched_at, Time::max)
    }
}

/// Findings of refreshes about a record, on the clock of the harvest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordDates {
    /// Last time that an answer of a refresh held the record.
    pub seen: Option<Time>,
    /// Last time that its text changed.
    pub changed: Option<Time>,
    /// Time since which the record is gone.
    pub removed: Option<Time>,
}

/// Finding of a refresh about a known record, at the time of its step.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordChange {
    /// The record is unchanged.
    Seen(RecordId),
    /// The record has another text. Its detail text is deleted.
    Changed(Record),
    /// The record is gone.
    Removed(RecordId),
}

/// Result of the last check of a form's page.
#[derive(Clone, Debug, PartialEq)]
pub struct FormCheck {
    /// Identity of the form.
    pub form: FormId,
    /// State of the form.
    pub state: FormState,
    /// Time of the check, on the clock of the web that the form is on.
    pub at: Time,
    /// Page that shows the form now, if it is another one.
    pub moved_to: Option<Url>,
    /// `ETag` or `Last-Modified` of the page, for a conditional request.
    pub validator: Option<String>,
}

/// State of a form at its last check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FormState {
    /// The page shows the form.
    Alive,
    /// Another page shows the form: the old one redirects to it.
    Moved,
    /// The page shows another form that searches, with other fields or another action.
    Changed,
    /// The page is gone, or shows no form that searches.
    Gone,
    /// The page could not be fetched. A later check may succeed.
    Unreachable,
}

impl FormState {
    /// Name in tables and exports.
    pub fn name(self) -> &'static str {
        match self {
            FormState::Alive => "alive",
            FormState::Moved => "moved",
            FormState::Changed => "changed",
            FormState::Gone => "gone",
            FormState::Unreachable => "unreachable",
        }
    }
}

/// A record of a past answer, with everything known about it now.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerRecord {
    /// Identity of the record.
    pub id: RecordId,
    /// True if no earlier answer held the record.
    pub is_new: bool,
    /// Title of the record.
    pub title: String,
    /// Text from the result page, followed by the text of the detail page.
    pub text: String,
    /// Names and values from the result page.
    pub fields: Vec<(String, String)>,
}

impl AnswerRecord {
    /// The record as part of the answer to the query with this number.
    pub(in crate::store) fn of(row: RecordRow, number: u32) -> AnswerRecord {
        let text = match row.detail {
            Some(detail) => format!("{}\n{detail}", row.record.text),
            None => row.record.text,
        };
        let Record { id, title, fields, .. } = row.record;
        AnswerRecord { id, is_new: row.query_number == number, title, text, fields }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal_core::http::Method;
    use hadal_core::page::{Field, FieldKind};

    #[test]
    fn a_query_as_text_has_its_words_and_its_choices_by_name() {
        let page = Url::parse("http://a.org/").unwrap();
        let fields = vec![Field::new(FieldKind::Text, "q", ""), Field::new(FieldKind::Text, "year", "")];
        let spec = HarvestSpec {
            form: FormId(1),
            topic: String::new(),
            form_snapshot: Form::to(page.clone(), Method::Get, fields),
            page,
            policy: "hadal".into(),
            seed: 1,
            source: "web".into(),
        };
        let query =
            Query { words: "deep sea".into(), ..Query::choices(vec![(1, "1999".into()), (7, "x".into())]) };
        assert_eq!(spec.wording(&query), "deep sea year=1999 =x");
        assert_eq!(spec.wording(&Query::default()), "");
    }

    #[test]
    fn an_estimate_with_nan_is_none() {
        let good = HarvestEstimate { size: [1.0, 2.0, f64::INFINITY], coverage: [0.0, 0.5, 1.0] };
        assert_eq!(good.without_nan(), Some(good));
        assert_eq!(HarvestEstimate { coverage: [0.0, f64::NAN, 1.0], ..good }.without_nan(), None);
    }
}
