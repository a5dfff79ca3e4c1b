//! An answer to an inquiry: the probe takes it in, and goes on or settles what the form is.

use super::super::step::Step;
use super::super::{CrawlError, Engine};
use super::again;
use crate::polite::retry::NextAction;
use crate::store::*;
use hadal_core::address::Site;
use hadal_core::critic::probe::ProbeState;
use hadal_core::critic::probe::{ProbeAnswer, ProbeResult};
use hadal_core::http::Exchange;
use hadal_core::link::{FrontierLink, LinkTask, QueuedLink};
use hadal_core::page::Page;
use hadal_core::strategy::SiteCounters;
use hadal_core::time::Time;

impl Engine {
    /// What may pass is tried again; everything else, redirects and error pages included, tells the
    /// probe something.
    pub(super) fn digest_probe(
        &mut self,
        waiting: QueuedLink,
        step: &Step,
        exchange: &Exchange,
        page: Option<&Page>,
        outcome: &mut Outcome,
    ) -> Result<(), CrawlError> {
        let next = self.next_after(&waiting, step, exchange, outcome)?;
        outcome.submission = Some(SubmissionResult::from(exchange));
        let LinkTask::Probe(inquiry) = &waiting.link.task else { return Ok(()) };
        let location = match &next {
            NextAction::Retry { at, kind, .. } => {
                outcome.end = again(waiting, *at, *kind);
                return Ok(());
            }
            NextAction::Redirect(target) => Some(target),
            NextAction::Accept | NextAction::GiveUp(_) => None,
        };
        let mut inquiry = inquiry.clone();
        let status = exchange.result.as_ref().map_or(0, |response| response.status);
        inquiry.probe.receive(ProbeAnswer { status, location, page });
        match (inquiry.probe.result(), inquiry.next_request()) {
            (None, Some(request)) => {
                let lead = FrontierLink { url: request.url, task: LinkTask::Probe(inquiry), ..waiting.link };
                // What was begun is ended before anything new is begun.
                let score = waiting.score + 1.0;
                let further = QueuedLink { link: lead, score, attempts: 0, not_before: Time(0), ..waiting };
                outcome.end = StepEnd::Continue(Box::new(further));
                Ok(())
            }
            (finding, _) => self.settle(&inquiry, finding.unwrap_or(ProbeResult::Unclear), outcome),
        }
    }

    /// The probe is over: the form is held for what it showed itself to be.
    fn settle(
        &mut self,
        inquiry: &ProbeState,
        finding: ProbeResult,
        outcome: &mut Outcome,
    ) -> Result<(), CrawlError> {
        let (before, verdict) = (&inquiry.verdict, inquiry.verdict_after(finding));
        let site = Site::of(&inquiry.page);
        let tally = self.site_book.get(self.setup.store.as_ref(), self.run, &site)?;
        let moved = |count: u32, was: bool, is: bool| (count + u32::from(is)).saturating_sub(u32::from(was));
        let tally = SiteCounters {
            searchable: moved(tally.searchable, before.is_searchable(), verdict.is_searchable()),
            relevant: moved(tally.relevant, before.is_relevant(), verdict.is_relevant()),
            ..tally
        };
        self.site_book.set(site.clone(), tally);
        outcome.site = Some((site, tally));
        outcome.probe = Some(Box::new(ProbedForm { form: inquiry.form, finding, verdict }));
        outcome.end = StepEnd::Visited;
        Ok(())
    }
}
