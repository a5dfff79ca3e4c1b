//! Which forms are asked whether they search, when, and what share of the run's requests that may cost.
//!
//! Inquiries wait in lanes of the engine's own, so that no strategy has to know of them. Each of their
//! requests is a step like any other: charged, polite, obedient to robots.txt, and put on record before
//! it is sent.

use super::step::{Job, Step};
use super::{Crawl, CrawlError, CrawlMode, Engine};
use crate::choice::Choice;
use crate::store::*;
use hadal_core::address::LinkId;
use hadal_core::critic::probe::ProbeState;
use hadal_core::identity::FormId;
use hadal_core::link::{FrontierLink, LinkOrigin, LinkTask, QueueId, QueuedLink};
use hadal_core::page::{Field, Form};
use hadal_core::strategy::SiteCounters;
use hadal_core::time::Time;
use xxhash_rust::xxh3::xxh3_64;

/// A form with more text than this is neither kept whole nor asked.
const MOST_FORM_BYTES: usize = 256 << 10;

/// Which forms are asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Probing {
    /// Whether any are.
    pub when: ProbeWhen,
    /// Of all requests, the share that may be spent on it.
    pub share: f64,
    /// P(searchable) from which a form is worth asking.
    pub from: f32,
    /// P(searchable) up to which it is not certain anyway.
    pub to: f32,
    /// Forms of one site at most.
    pub per_site: u32,
}

/// When forms are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeWhen {
    /// No form is probed.
    Never,
    /// Forms whose `p_searchable` is uncertain are probed.
    Uncertain,
}

impl Choice for ProbeWhen {
    const CHOICES: &'static [(ProbeWhen, &'static str, &'static str)] = &[
        (ProbeWhen::Never, "never", "No form is submitted"),
        (ProbeWhen::Uncertain, "uncertain", "Forms that may or may not be searches"),
    ];
}

impl Default for Probing {
    fn default() -> Probing {
        Probing { when: ProbeWhen::Uncertain, share: 0.05, from: 0.2, to: 0.8, per_site: 5 }
    }
}

impl Probing {
    /// No form is asked.
    pub fn never() -> Probing {
        Probing { when: ProbeWhen::Never, ..Probing::default() }
    }

    fn wants(&self, form: &FormRow) -> bool {
        self.when == ProbeWhen::Uncertain && (self.from..=self.to).contains(&form.p_searchable)
    }

    /// Whether one more submission stays within the share, with `probes` made or under way.
    fn affords(&self, probes: u64, requests: u64) -> bool {
        (probes + 1) as f64 <= self.share * requests as f64
    }
}

impl Engine {
    /// Leads to the new forms of a page that are worth asking; the site's tally counts them.
    pub(super) fn inquiries(&mut self, forms: &[FoundForm], tally: &mut SiteCounters) -> Vec<QueuedLink> {
        let probing = &self.setup.probing;
        let mut found = Vec::new();
        for form in forms {
            let FoundForm::New(row) = form else { continue };
            let Some(whole) = row.whole.as_deref() else { continue };
            if !probing.wants(row) || tally.probes >= probing.per_site {
                continue;
            }
            let waiting = probe_link(row, whole, &self.setup, QueueId::PROBES, self.progress.next_order);
            if let Some(waiting) = waiting {
                tally.probes += 1;
                self.progress.next_order += 1;
                found.push(waiting);
            }
        }
        found
    }

    /// The next request of an inquiry, or the robots.txt it needs, if one may be made now.
    pub(super) fn choose_inquiry(&mut self) -> Result<Option<Job>, CrawlError> {
        for lane in [QueueId::SAMPLE, QueueId::PROBES] {
            while self.may_ask(lane) && self.frontier.best_host(lane).is_some() {
                if let Some(job) = self.take(lane)? {
                    return Ok(Some(job));
                }
            }
        }
        Ok(None)
    }

    fn may_ask(&self, lane: QueueId) -> bool {
        let probing = &self.setup.probing;
        let under_way = self.in_flight.values().filter(|flight| flight.probe).count() as u64;
        lane == QueueId::SAMPLE
            || self.setup.mode == CrawlMode::Find
                && probing.when == ProbeWhen::Uncertain
                && probing.affords(self.spent.probes + under_way, self.spent.requests)
    }

    /// The entry of the audit log that a step has to be on record with before it is sent.
    pub(super) fn submission(&self, step: &Step) -> Option<Submission> {
        let Job::Probe(waiting) = &step.job else { return None };
        let LinkTask::Probe(inquiry) = &waiting.link.task else { return None };
        let request = inquiry.next_request()?;
        Some(Submission {
            by: Submitter::Run(self.run),
            seq: step.seq,
            at: step.at,
            topic: self.setup.spec.topic.clone(),
            form: inquiry.form,
            page: inquiry.page.clone(),
            method: request.method,
            body: Submission::body_of(&request),
            url: request.url,
            purpose: if waiting.queue == QueueId::SAMPLE {
                SubmissionPurpose::Quality
            } else {
                SubmissionPurpose::Probe
            },
            answer: None,
        })
    }
}

/// A lead to a form's first request, if it may be asked at all and is in scope. A form has one identity
/// as a lead too, so it is asked once in a run.
pub(super) fn probe_link(
    row: &FormRow,
    whole: &Form,
    setup: &Crawl,
    lane: QueueId,
    order: u64,
) -> Option<QueuedLink> {
    let (found, verdict) = ((row.form_id, whole), row.verdict());
    let inquiry = ProbeState::new(found, &row.page_url, &verdict, &setup.probe_word, setup.spec.seed).ok()?;
    let request = inquiry.next_request().filter(|request| setup.scope.allows(&request.url))?;
    let lead = FrontierLink {
        id: link_of(row.form_id),
        task: LinkTask::Probe(Box::new(inquiry)),
        depth: row.depth,
        ..FrontierLink::root(request.url, LinkOrigin::Link)
    };
    let score = verdict.p_topic_if_searchable();
    Some(QueuedLink {
        link: lead,
        queue: lane,
        score,
        order,
        generation: 0,
        attempts: 0,
        not_before: Time(0),
    })
}

fn link_of(form: FormId) -> LinkId {
    LinkId(xxh3_64(format!("probe of {form}").as_bytes()))
}

/// The form to keep, unless it is larger than any that people fill.
pub(super) fn kept_whole(form: &Form) -> Option<Box<Form>> {
    let options = |field: &Field| field.options.iter().map(|o| o.value.len() + o.text.len()).sum::<usize>();
    let of_field = |field: &Field| {
        let texts = [&field.name, &field.id, &field.label, &field.placeholder, &field.value];
        texts.map(String::len).iter().sum::<usize>() + options(field)
    };
    let bytes = form.text.len() + form.heading.len() + form.fields.iter().map(of_field).sum::<usize>();
    (bytes <= MOST_FORM_BYTES).then(|| Box::new(form.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal_core::http::Method;
    use hadal_core::page::{FieldKind, FieldOption};
    use url::Url;

    #[test]
    fn a_form_larger_than_any_that_people_fill_is_not_kept() {
        let form = |options: usize| {
            let choice = FieldOption { value: "v".repeat(50), text: "t".repeat(50), selected: false };
            let field = Field { options: vec![choice; options], ..Field::new(FieldKind::Select, "year", "") };
            Form::to(Url::parse("http://a.example/").unwrap(), Method::Get, vec![field])
        };
        assert!(kept_whole(&form(2000)).is_some());
        assert!(kept_whole(&form(50_000)).is_none());
    }

    #[test]
    fn the_share_is_never_exceeded_not_even_by_one() {
        let probing = Probing { share: 0.05, ..Probing::default() };
        assert!(!probing.affords(0, 19));
        assert!(probing.affords(0, 20));
        assert!(!probing.affords(1, 39));
        assert!(!Probing { share: 0.0, ..Probing::default() }.affords(0, 1_000_000));
    }
}
