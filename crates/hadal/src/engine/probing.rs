//! Probes: selection of forms, their share of the requests, and their entries in the audit log.
//!
//! Two kinds of forms are probed: uncertain ones that a crawl finds, and a random sample of relevant ones, which
//! measures the precision of a crawl (`hadal quality`). The sample is drawn before the engine opens the run, straight
//! into the store. Sampled forms that have not been probed wait in a queue of their own, so a session that was stopped
//! resumes with the rest.
//!
//! Probes wait in queues of the engine's own, which strategies do not see. Each test query is a step like any other:
//! it is counted, keeps to politeness and robots.txt, and is in the audit log before it is sent.

use super::setup::Crawl;
use super::step::{Step, StepKind};
use crate::choice::Choice;
use crate::store::*;
use hadal_core::address::LinkId;
use hadal_core::critic::probe::ProbeState;
use hadal_core::critic::{MIN_ACCEPTED_P, quality};
use hadal_core::identity::FormId;
use hadal_core::link::{FrontierLink, LinkOrigin, LinkTask, QueueId, QueuedLink};
use hadal_core::page::{Field, FieldKind, Form};
use hadal_core::time::Time;
use std::collections::HashSet;
use xxhash_rust::xxh3::xxh3_64;

/// Maximum number of bytes of text of a form that is stored whole. Larger forms are not probed. Guess.
const MAX_FORM_BYTES: usize = 256 << 10;
/// Longest hidden value that is stored. Guess.
const MAX_KEPT_VALUE: usize = 4 << 10;

/// Settings of probes.
#[derive(Clone, Debug, PartialEq)]
pub struct Probing {
    /// Forms that are probed.
    pub when: ProbeWhen,
    /// Largest share of all requests that probes may use.
    pub share: f64,
    /// Least P(searchable) of a form that is probed.
    pub from: f32,
    /// Highest P(searchable) of a form that is probed.
    pub to: f32,
    /// Maximum number of forms probed per site.
    pub per_site: u32,
}

/// Least P(on topic if searchable) of a form that is probed. A probe changes P(searchable) only, so a form
/// with P(on topic) well below 0.5 stays irrelevant whatever the result. Guess: 0.1 below 0.5, for misjudged
/// topics.
const MIN_TOPIC: f32 = 0.4;

/// Condition under which forms are probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeWhen {
    /// No form is probed.
    Never,
    /// Forms with an uncertain `p_searchable` are probed.
    Uncertain,
}

impl Choice for ProbeWhen {
    const CHOICES: &'static [(ProbeWhen, &'static str, &'static str)] = &[
        (ProbeWhen::Never, "never", "No form is submitted"),
        (ProbeWhen::Uncertain, "uncertain", "Forms that may or may not be searches"),
    ];
}

/// The defaults of the settings `probe.*`. All of them are guesses.
impl Default for Probing {
    fn default() -> Probing {
        Probing { when: ProbeWhen::Uncertain, share: 0.05, from: 0.2, to: 0.8, per_site: 5 }
    }
}

impl Probing {
    /// Settings that probe no form.
    pub fn never() -> Probing {
        Probing { when: ProbeWhen::Never, ..Probing::default() }
    }

    /// True when a form is uncertain enough to be probed, and would be relevant if it searched.
    pub(super) fn selects(&self, form: &FormRow) -> bool {
        self.when == ProbeWhen::Uncertain
            && (self.from..=self.to).contains(&form.p_searchable)
            && form.verdict().p_topic_if_searchable() >= MIN_TOPIC
    }

    /// True when one more test query stays within the share, after `probes` test queries, those in flight included.
    pub(super) fn allows(&self, probes: u64, requests: u64) -> bool {
        self.when == ProbeWhen::Uncertain && (probes + 1) as f64 <= self.share * requests as f64
    }
}

/// Entry of the audit log for a step, if it submits a form.
pub(super) fn submission_of(step: &Step, run: RunId, topic: &str) -> Option<Submission> {
    let StepKind::Probe(queued) = &step.kind else { return None };
    let LinkTask::Probe(probe) = &queued.link.task else { return None };
    let request = probe.next_request()?;
    let is_sample = queued.queue == QueueId::SAMPLE;
    Some(Submission {
        by: Submitter::Run(run),
        seq: step.seq,
        at: step.at,
        topic: topic.to_string(),
        form: probe.form,
        page: probe.page.clone(),
        method: request.method,
        body: Submission::body_of(&request),
        url: request.url,
        purpose: if is_sample { SubmissionPurpose::Quality } else { SubmissionPurpose::Probe },
        answer: None,
    })
}

/// Link to the first test query of a form; `None` when the form may not be submitted or is out of scope. The id of the
/// link follows from the form, so a form is probed once per run.
pub(super) fn probe_link(
    row: &FormRow,
    snapshot: &Form,
    crawl: &Crawl,
    queue: QueueId,
    order: u64,
) -> Option<QueuedLink> {
    let (form, verdict) = ((row.form_id, snapshot), row.verdict());
    let probe = ProbeState::new(form, &row.page_url, &verdict, &crawl.probe_word, crawl.spec.seed).ok()?;
    let request = probe.next_request().filter(|request| crawl.scope.allows(&request.url))?;
    let link = FrontierLink {
        id: LinkId(xxh3_64(format!("probe of {}", row.form_id).as_bytes())),
        task: LinkTask::Probe(Box::new(probe)),
        depth: row.depth,
        ..FrontierLink::root(request.url, LinkOrigin::Link)
    };
    let score = verdict.p_topic_if_searchable();
    Some(QueuedLink { link, queue, score, order, generation: 0, attempts: 0, not_before: Time(0) })
}

/// Copy of a form for the store; `None` when the form is too large. It names the character set of its page, so that it
/// can be sent without the page. Long hidden values hold the state of one visit and are left out: a harvest takes them
/// from the entry page.
pub(super) fn kept_form(form: &Form, page_charset: &str) -> Option<Box<Form>> {
    let mut form = Box::new(form.clone());
    if form.accept_charset.is_empty() && !page_charset.eq_ignore_ascii_case("utf-8") {
        form.accept_charset = page_charset.to_string();
    }
    for field in form.fields.iter_mut().filter(|field| field.kind == FieldKind::Hidden) {
        if field.value.len() > MAX_KEPT_VALUE {
            field.value.clear();
        }
    }
    let options = |field: &Field| field.options.iter().map(|o| o.value.len() + o.text.len()).sum::<usize>();
    let of_field = |field: &Field| {
        let texts = [&field.name, &field.id, &field.label, &field.placeholder, &field.value];
        texts.map(String::len).iter().sum::<usize>() + options(field)
    };
    let bytes = form.text.len() + form.heading.len() + form.fields.iter().map(of_field).sum::<usize>();
    (bytes <= MAX_FORM_BYTES).then_some(form)
}

/// Puts the forms of a sample that were not probed before into the sample queue.
pub(super) fn draw_sample(crawl: &Crawl, run: RunId, size: usize, seed: u64) -> Result<(), StoreError> {
    let store = crawl.store.as_ref();
    let sample = quality::sample_forms(quality_population(store, run)?, |row| row.form_id, size, seed);
    let mut queued: Vec<QueuedLink> = Vec::new();
    let unprobed: Vec<FormRow> = sample.into_iter().filter(|row| row.finding.is_none()).collect();
    let ids: Vec<FormId> = unprobed.iter().map(|row| row.form_id).collect();
    for (row, form) in unprobed.iter().zip(form_snapshots(store, run, &ids)?) {
        let Some(form) = form else { continue };
        queued.extend(probe_link(row, &form, crawl, QueueId::SAMPLE, queued.len() as u64));
    }
    // A form that waits in the probe queue is moved; a form that was probed stays as it is.
    let changes = vec![FrontierChange::Replace(queued.clone()), FrontierChange::Add(queued)];
    store.commit(run, &Batch { changes, ..Batch::default() })
}

/// Forms that a quality sample is drawn from: every form of a run that is relevant, or was relevant when it was
/// sampled before. So the same seed draws the same sample again.
pub fn quality_population(store: &dyn Store, run: RunId) -> Result<Vec<FormRow>, StoreError> {
    let mut sampled: HashSet<FormId> = HashSet::new();
    for entry in all_submissions(store, SubmissionQuery { run: Some(run), ..SubmissionQuery::default() }) {
        let entry = entry?;
        if entry.purpose == SubmissionPurpose::Quality {
            sampled.insert(entry.form);
        }
    }
    let mut forms = Vec::new();
    for entry in all_forms(store, FormQuery { run: Some(run), ..FormQuery::default() }) {
        let row = entry?.row;
        if row.p_relevant >= MIN_ACCEPTED_P || sampled.contains(&row.form_id) {
            forms.push(row);
        }
    }
    Ok(forms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal_core::http::Method;
    use hadal_core::page::FieldOption;
    use url::Url;

    #[test]
    fn a_kept_form_names_the_character_set_of_its_page() {
        let word = Field::new(FieldKind::Text, "q", "");
        let form = Form::to(Url::parse("http://a.org/").unwrap(), Method::Get, vec![word]);
        assert_eq!(kept_form(&form, "windows-1251").unwrap().accept_charset, "windows-1251");
        assert_eq!(kept_form(&form, "UTF-8").unwrap().accept_charset, "");
    }

    #[test]
    fn the_page_state_in_a_hidden_field_is_not_kept() {
        let state = Field::new(FieldKind::Hidden, "__VIEWSTATE", &"x".repeat(MAX_KEPT_VALUE + 1));
        let kept = Field::new(FieldKind::Hidden, "collection", "maps");
        let form = Form::to(Url::parse("http://a.org/").unwrap(), Method::Post, vec![state, kept]);
        let values: Vec<String> =
            kept_form(&form, "utf-8").unwrap().fields.into_iter().map(|field| field.value).collect();
        assert_eq!(values, ["", "maps"]);
    }

    #[test]
    fn a_very_large_form_is_not_kept() {
        let form = |options: usize| {
            let choice = FieldOption { value: "v".repeat(50), text: "t".repeat(50), selected: false };
            let field = Field { options: vec![choice; options], ..Field::new(FieldKind::Select, "year", "") };
            Form::to(Url::parse("http://a.example/").unwrap(), Method::Get, vec![field])
        };
        assert!(kept_form(&form(2000), "utf-8").is_some());
        assert!(kept_form(&form(50_000), "utf-8").is_none());
    }

    #[test]
    fn the_share_is_never_exceeded() {
        let probing = Probing { share: 0.05, ..Probing::default() };
        assert!(!probing.allows(0, 19));
        assert!(probing.allows(0, 20));
        assert!(!probing.allows(1, 39));
        assert!(!Probing { share: 0.0, ..Probing::default() }.allows(0, 1_000_000));
    }
}
