//! Outcome of a test query: the probe continues, or its result changes the verdict on the form.

use super::{Commands, OutcomeBuilder, retry};
use crate::polite::retry::NextAction;
use crate::store::*;
use hadal_core::address::Site;
use hadal_core::critic::probe::{ProbeAnswer, ProbeResult, ProbeState};
use hadal_core::http::Exchange;
use hadal_core::link::{FrontierLink, LinkTask, QueuedLink};
use hadal_core::page::Page;
use hadal_core::strategy::SiteCounters;
use hadal_core::time::Time;

impl OutcomeBuilder<'_> {
    /// Temporary failures are retried. Every other response is evidence for the probe, redirects and error pages
    /// included.
    pub(super) fn probe(
        &mut self,
        queued: QueuedLink,
        exchange: &Exchange,
        page: Option<&Page>,
    ) -> Result<Commands, StoreError> {
        let next = self.next_action(&queued, exchange, false)?;
        self.outcome.submission = Some(SubmissionResult::from(exchange));
        let LinkTask::Probe(probe) = &queued.link.task else { return Ok(Vec::new()) };
        let location = match &next {
            NextAction::Retry { at, kind } => {
                self.outcome.end = retry(queued, *at, *kind);
                return Ok(Vec::new());
            }
            NextAction::Redirect(target) => Some(target),
            NextAction::Accept | NextAction::GiveUp { .. } => None,
        };
        let mut probe = probe.clone();
        let status = exchange.result.as_ref().map_or(0, |response| response.status);
        probe.probe.receive(ProbeAnswer { status, location, page });
        match (probe.probe.result(), probe.next_request()) {
            (None, Some(request)) => {
                let link = FrontierLink { url: request.url, task: LinkTask::Probe(probe), ..queued.link };
                // A probe in progress comes before probes that have not started, whose scores are
                // probabilities.
                let score = queued.score + 1.0;
                let next = QueuedLink { link, score, attempts: 0, not_before: Time(0), ..queued };
                self.outcome.end = StepEnd::Continue(Box::new(next));
            }
            (finding, _) => self.probed(&probe, finding.unwrap_or(ProbeResult::Unclear))?,
        }
        Ok(Vec::new())
    }

    /// Applies the result of a finished probe to the form and to the counters of its site.
    fn probed(&mut self, probe: &ProbeState, finding: ProbeResult) -> Result<(), StoreError> {
        let (before, verdict) = (&probe.verdict, probe.verdict_after(finding));
        let site = Site::of(&probe.page);
        let counters = self.frontier.known.site(&site)?;
        let moved = |count: u32, was: bool, is: bool| (count + u32::from(is)).saturating_sub(u32::from(was));
        let counters = SiteCounters {
            searchable: moved(counters.searchable, before.is_searchable(), verdict.is_searchable()),
            relevant: moved(counters.relevant, before.is_relevant(), verdict.is_relevant()),
            ..counters
        };
        // The page may be on a site of another worker, which then keeps its counters as they are.
        if self.frontier.partitions.own_site(&site) {
            self.frontier.known.set_site(&site, counters);
            self.outcome.site = Some((site, counters));
        }
        self.outcome.probe = Some(Box::new(ProbedForm { form: probe.form, finding, verdict }));
        self.outcome.end = StepEnd::Visited;
        Ok(())
    }
}
