//! Forms that users marked in the directory, as examples of a topic. Their pages are fetched again.

use crate::crawl::stop_on_signals;
use crate::exit::Usage;
use crate::session::Session;
use crate::{network, quality};
use anyhow::Context;
use futures::StreamExt;
use hadal::harvest::open_form::page_at_url;
use hadal::output::escape::for_terminal;
use hadal::polite::{Clock, PoliteClient};
use hadal::store::{FormEntry, Label, LabelRow, RunQuery, Store, StoreError, all_labels, form_by_id};
use hadal::topic::Sample;
use hadal_core::identity::form_id;
use std::collections::BTreeMap;
use std::io::Write;
use tokio::sync::watch;

/// Maximum number of pages fetched at the same time. Guess.
const MAX_IN_FLIGHT: usize = 8;

/// Marked forms of a topic.
#[derive(Default)]
pub struct Marked {
    /// Forms marked right.
    pub relevant: Vec<Sample>,
    /// Forms marked wrong.
    pub other: Vec<Sample>,
    /// Number of forms that could not be fetched.
    pub skipped: usize,
}

/// Forms marked for a topic, with their pages. `None` after Ctrl-C.
pub fn marked(topic: &str, session: &Session) -> anyhow::Result<Option<Marked>> {
    let store = session.reader()?;
    let mut forms = Vec::new();
    for label in labels(store.as_ref(), topic)? {
        forms.extend(form_by_id(store.as_ref(), label.form, Some(topic), false)?);
    }
    if forms.is_empty() {
        let hint = "label forms in the directory of `hadal serve`";
        return Err(Usage(format!("no form of '{topic}' is labelled in this store; {hint}")).into());
    }
    let mut by_source: BTreeMap<String, Vec<FormEntry>> = BTreeMap::new();
    for found in forms {
        let run = store.runs(&RunQuery::one(found.run))?.pop().context("the run of a form is gone")?;
        by_source.entry(run.spec.source).or_default().push(found);
    }
    let runtime = tokio::runtime::Runtime::new().context("could not start threads")?;
    let marked = runtime.block_on(async {
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(stop_on_signals(stop));
        let mut marked = Marked::default();
        for (source, forms) in by_source {
            fetch(&source, forms, &mut marked, session, stopped.clone()).await?;
        }
        let is_stopped = *stopped.borrow();
        Ok::<_, anyhow::Error>((!is_stopped).then_some(marked))
    });
    runtime.shutdown_background();
    marked
}

fn labels(store: &dyn Store, topic: &str) -> Result<Vec<LabelRow>, StoreError> {
    let is_of_topic = |row: &Result<LabelRow, _>| row.as_ref().is_ok_and(|row| row.topic == topic);
    all_labels(store).filter(|row| row.is_err() || is_of_topic(row)).collect()
}

/// Fetches the pages of forms of one web and sorts them by label.
async fn fetch(
    source: &str,
    forms: Vec<FormEntry>,
    marked: &mut Marked,
    session: &Session,
    stop: watch::Receiver<bool>,
) -> anyhow::Result<()> {
    let config = &session.config;
    let (fetch, clock) = quality::fetcher_for(source, config)?;
    let client = PoliteClient::new(fetch, network::client_options(config), stop);
    let asked = forms.into_iter().map(|found| {
        let (client, mut clock) = (&client, clock);
        async move {
            let sample = sample(&found, client, &mut clock).await;
            (found, sample)
        }
    });
    let mut asked =
        futures::stream::iter(asked).buffered(if clock.is_simulated() { 1 } else { MAX_IN_FLIGHT });
    while let Some((found, sample)) = asked.next().await {
        match (sample, found.label) {
            (Ok(sample), Some(Label::Right)) => marked.relevant.push(sample),
            (Ok(sample), Some(Label::Wrong | Label::NotASearch)) => marked.other.push(sample),
            // The label was removed in the meantime.
            (Ok(_), None) => {}
            (Err(why), _) => {
                marked.skipped += 1;
                let page = for_terminal(found.row.page_url.as_str()).into_owned();
                writeln!(std::io::stderr(), "{page}: skipped, {}", for_terminal(&why)).ok();
            }
        }
    }
    Ok(())
}

/// The form on its current page.
async fn sample(found: &FormEntry, client: &PoliteClient, clock: &mut Clock) -> Result<Sample, String> {
    let row = &found.row;
    let page = page_at_url(&row.page_url, client, clock).await.map_err(|error| error.to_string())?;
    let is_meant = |form: &&hadal_core::page::Form| form_id(form, &page.url) == row.form_id;
    let form = page.forms.iter().find(is_meant).cloned();
    let form = form.ok_or("the form is no longer on the page")?;
    Ok(Sample { source: row.page_url.to_string(), page, form, p_searchable: row.p_searchable })
}
