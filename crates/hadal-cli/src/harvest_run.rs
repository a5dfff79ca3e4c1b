//! Runs harvests in a terminal: settings, progress display and events.

use super::echo::HiddenEcho;
use super::session::Session;
use anyhow::Context;
use hadal::harvest::open_form::OpenedForm;
use hadal::harvest::{HarvestJob, HarvestPlan, HarvestSummary, harvest};
use hadal::output::escape::for_json;
use hadal::output::harvest::{HarvestDisplay, summary_line};
use hadal::polite::{Clock, PoliteClient};
use hadal::store::Store;
use hadal_core::harvest::session::HarvestOptions;
use std::io::Write;
use std::sync::Arc;

/// Sets up the harvest of a form. First words are those given, or else those of the topic or the page.
pub fn harvest_job(
    form: OpenedForm,
    first: &[String],
    fresh: bool,
    session: &Session,
) -> anyhow::Result<HarvestJob> {
    let config = &session.config.harvest;
    let first_words = if first.is_empty() { first_words(&form, session) } else { first.to_vec() };
    let policy = crate::extensions().policies.find(&config.policy).context("no such policy")?;
    let options = HarvestOptions {
        coverage: config.target_coverage,
        records: config.max_records,
        details: config.details,
        seed: session.seed,
    };
    let mut job = HarvestJob::new(form, policy, options);
    job.policy_context.first_words = first_words;
    job.fresh = fresh;
    Ok(job)
}

/// Words of the topic, or else of the form's page.
fn first_words(form: &OpenedForm, session: &Session) -> Vec<String> {
    let wanted = Some(&form.topic).filter(|topic| !topic.is_empty());
    let topic =
        wanted.and_then(|topic| hadal::topic::resolve::resolve_existing(topic, &session.config.topics).ok());
    let of_topic = topic.map(|wanted| wanted.topic.words).unwrap_or_default();
    of_topic.into_iter().chain(form.words.iter().cloned()).collect()
}

/// Plan for harvesting several forms with the current settings.
pub fn harvest_plan(
    jobs: Vec<HarvestJob>,
    client: PoliteClient,
    clock: Clock,
    store: Arc<dyn Store>,
    session: &Session,
) -> HarvestPlan {
    let config = &session.config.harvest;
    HarvestPlan {
        max_requests: config.max_requests,
        max_bytes: config.max_bytes,
        max_time: config.max_time,
        concurrency: config.concurrency,
        clock,
        ..HarvestPlan::new(store, client, jobs)
    }
}

/// Runs the plan and shows its progress.
pub async fn run_plan(plan: HarvestPlan, session: &Session) -> anyhow::Result<Vec<HarvestSummary>> {
    let _hidden = HiddenEcho::begin(session.progress());
    let mut display = HarvestDisplay::new(session.progress(), plan.max_requests);
    let ended = harvest(plan, &mut |event| {
        display.note(&event);
        if session.json
            && let Ok(line) = serde_json::to_string(&event)
        {
            // A closed standard output does not stop the harvest.
            writeln!(std::io::stdout(), "{}", for_json(line)).ok();
        }
    })
    .await;
    display.finish(&ended.as_ref().map_or_else(|_| "the harvest failed".into(), |all| summary_line(all)));
    Ok(ended?)
}
