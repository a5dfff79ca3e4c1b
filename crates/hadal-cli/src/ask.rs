//! `hadal ask`: sends one query to the sources found and merges their answers.

use super::crawl::stop_on_signals;
use super::exit::{Exit, Usage};
use super::harvested::find_form;
use super::network::NetworkArgs;
use super::session::{Session, known_topic};
use super::{network, quality};
use anyhow::Context;
use clap::Args;
use hadal::ask::{Answers, AskError, AskOutcome, Asker, SourceSelection};
use hadal::config::{Config, Override};
use hadal::output::escape::{for_json, for_terminal};
use hadal::output::table::Table;
use hadal::report::values::plural;
use hadal::store::Store;
use std::io::Write;
use std::sync::Arc;
use tokio::sync::watch;

/// Send one query to the sources found and merge their answers
///
/// The best forms of a topic are queried in parallel, within robots.txt and delays. Forms that were marked
/// wrong, and forms that take orders, passwords or messages, are left out. `hadal submissions` lists what was
/// sent.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal ask \"deep sea\" --topic book
  hadal ask \"deep sea\" --topic book --top 10 --json
  hadal ask \"deep sea\" --form 00c5e1f2a9b84d37")]
pub struct AskArgs {
    /// Query words, in quotes
    words: String,
    /// Query the best forms found for this topic
    #[arg(long, value_name = "NAME", required_unless_present = "form")]
    topic: Option<String>,
    /// Number of forms to query
    #[arg(long, value_name = "N", default_value_t = 5)]
    top: usize,
    /// Query this form, by its form_id or the first digits of it (repeatable)
    #[arg(long, value_name = "ID", conflicts_with = "topic")]
    form: Vec<String>,
    #[command(flatten)]
    network: NetworkArgs,
}

impl AskArgs {
    pub fn overrides(&self) -> Vec<Override> {
        self.network.overrides()
    }

    fn selection(&self, store: &dyn Store) -> anyhow::Result<SourceSelection> {
        let forms = self.form.iter().map(|text| find_form(store, text));
        match &self.topic {
            Some(topic) => Ok(SourceSelection::Best(topic.clone(), self.top)),
            None => Ok(SourceSelection::Forms(forms.collect::<Result<_, _>>()?)),
        }
    }
}

pub fn run(args: &AskArgs, session: &Session) -> anyhow::Result<Exit> {
    let store = session.reader()?;
    known_topic(store.as_ref(), &args.topic)?;
    let selection = args.selection(store.as_ref())?;
    let runtime = tokio::runtime::Runtime::new().context("could not start threads")?;
    let answers = runtime.block_on(async {
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(stop_on_signals(stop));
        asker(&session.config, store, stopped).ask(&args.words, selection).await
    });
    runtime.shutdown_background();
    let answers = answers.map_err(usage)?;
    let mut out = std::io::stdout();
    match session.json {
        true => writeln!(out, "{}", for_json(serde_json::to_string(&answers)?))?,
        false => out.write_all(drawn(&answers, session).as_bytes())?,
    }
    Ok(if answers.sources.iter().all(|source| source.outcome == AskOutcome::Failed) {
        Exit::Failed
    } else {
        Exit::Done
    })
}

/// Converts errors that the user can correct into usage errors.
fn usage(error: AskError) -> anyhow::Error {
    match error {
        AskError::Store(error) => error.into(),
        other => Usage(other.to_string()).into(),
    }
}

/// Creates the asker with the configured politeness and network options.
pub fn asker(config: &Config, store: Arc<dyn Store>, stop: watch::Receiver<bool>) -> Arc<Asker> {
    let options = network::client_options(config);
    let config = config.clone();
    let open_fetch = Box::new(move |source: &str| quality::fetcher_for(source, &config));
    Arc::new(Asker::new(store, options, open_fetch, stop))
}

/// Table of answers, followed by the result of each source.
fn drawn(answers: &Answers, session: &Session) -> String {
    let mut table = Table::new(&["answer", "source", "address"], session.stdout());
    for answer in &answers.answers {
        let mut sites: Vec<&str> = answer.sources.iter().map(|place| place.site.as_str()).collect();
        sites.dedup();
        table.row([answer.title.as_str(), &sites.join(" "), answer.url.as_deref().unwrap_or_default()]);
    }
    let mut text = if answers.answers.is_empty() { String::new() } else { format!("{table}\n\n") };
    for source in &answers.sources {
        let found = source.found as u64;
        let went = match (&source.outcome, &source.reason) {
            (AskOutcome::Answered, _) => match source.total {
                Some(total) => format!("{found} of {}", plural(total, "answer", "answers")),
                None => plural(found, "answer", "answers"),
            },
            (AskOutcome::Nothing, _) => "nothing".to_string(),
            (AskOutcome::Failed, reason) => reason.clone().unwrap_or_else(|| "no answer".to_string()),
        };
        text.push_str(&format!(
            "{} {}: {}\n",
            source.form_id,
            for_terminal(&source.site),
            for_terminal(&went)
        ));
    }
    text
}
