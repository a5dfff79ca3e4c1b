//! `hadal topics train`: trains a topic again from its examples, a labelled folder, or labels of the directory.

use super::gather::gather;
use super::labels::marked;
use super::pointer::pointers;
use crate::exit::{Exit, Usage};
use crate::network::NetworkArgs;
use crate::session::Session;
use clap::Args;
use hadal::choice::nearest;
use hadal::output::escape::{for_json, for_terminal};
use hadal::topic::comparison::{self, MarkedForms, TopicComparison, compare};
use hadal::topic::file::checked_name;
use hadal::topic::labelled::{self, LabelledPage};
use hadal::topic::learn::{estimate, learn};
use hadal::topic::resolve::resolve_existing;
use hadal::topic::{ExampleOrigin, Sample, TopicError, TopicFile, TopicFolder, TopicModel, TrainingData};
use hadal_core::critic::classifiers::TopicEstimate;
use hadal_core::critic::quality::ProportionInterval;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Train a topic again: after its file was edited, from a labelled folder, or from labels of the directory
///
/// Without --from the examples that its file lists are fetched again. A labelled folder has relevant/*.html,
/// pages whose most searchable form is of the topic, and other/*.html, where it is not. With --from-labels the
/// pages of labelled forms (`hadal serve`) and the topic's own examples are fetched again; a built-in topic is
/// extended and becomes one of your own. The topic is kept as it is unless training lowers its errors on marks that
/// are held back.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal topics train recipes
  hadal topics train recipes --from labelled
  hadal topics train book --from-labels")]
pub struct TrainArgs {
    /// Name of the topic; with --from it may be new
    name: String,
    /// Folder with relevant/*.html and other/*.html
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
    /// Learn from the forms of the store that users marked right, wrong or not a search
    #[arg(long, conflicts_with = "from")]
    from_labels: bool,
    #[command(flatten)]
    pub network: NetworkArgs,
}

pub fn run(args: &TrainArgs, session: &Session) -> anyhow::Result<Exit> {
    let name = checked_name(&args.name)?;
    let folder = &session.config.topics;
    let file = match (folder.has(name), &args.from) {
        (true, _) => folder.file(name)?,
        (false, Some(_)) => named(name),
        (false, None) if args.from_labels => TopicFile { words: words(name, folder), ..named(name) },
        (false, None) => return Err(unknown(name, folder).into()),
    };
    match &args.from {
        Some(folder) => from_folder(file, folder, session),
        None if args.from_labels => from_labels(file, session),
        None => from_examples(file, session),
    }
}

fn named(name: &str) -> TopicFile {
    TopicFile { name: name.to_string(), ..TopicFile::default() }
}

/// Words of a built-in topic; empty for a new name.
fn words(name: &str, folder: &TopicFolder) -> String {
    resolve_existing(name, folder).map(|wanted| wanted.topic.words.join(" ")).unwrap_or_default()
}

fn unknown(name: &str, folder: &TopicFolder) -> TopicError {
    let own = folder.names();
    let hint = match nearest(name, own.iter().map(String::as_str)) {
        Some(meant) => format!(" of your own; did you mean '{meant}'?"),
        None => " of your own; create one with --from DIR or `hadal topics new`".to_string(),
    };
    TopicError::Unknown { name: name.to_string(), hint }
}

fn from_examples(mut file: TopicFile, session: &Session) -> anyhow::Result<Exit> {
    let Some(gathered) = gather(&pointers(&file.examples)?, session)? else { return Ok(Exit::Interrupted) };
    let samples = gathered.samples;
    if samples.is_empty() && file.words.is_empty() {
        return Err(Usage(format!("'{}' has neither words nor a usable example", file.name)).into());
    }
    warn_if_few(samples.len());
    let from = match (samples.is_empty(), file.made.from) {
        (true, _) => ExampleOrigin::Words,
        (false, ExampleOrigin::Cluster) => ExampleOrigin::Cluster,
        (false, _) => ExampleOrigin::Examples,
    };
    file.made = TrainingData { from, relevant: samples.len() as u32, other: 0 };
    let model = learn(&samples, &[], &file.words);
    let estimate = estimate(&samples, &[], &file.words);
    finish(&file, &model, Some(estimate), gathered.skipped, session)
}

fn from_folder(mut file: TopicFile, folder: &Path, session: &Session) -> anyhow::Result<Exit> {
    let pages = labelled::read(folder)?;
    let total = pages.len();
    let (relevant, other): (Vec<LabelledPage>, Vec<LabelledPage>) =
        pages.into_iter().partition(|page| page.relevant);
    let (relevant, other) = (samples(relevant), samples(other));
    let skipped = total - relevant.len() - other.len();
    if relevant.is_empty() {
        return Err(Usage(format!("no page of {}/relevant has a usable form", folder.display())).into());
    }
    warn_if_few(relevant.len());
    file.made = TrainingData {
        from: ExampleOrigin::Folder,
        relevant: relevant.len() as u32,
        other: other.len() as u32,
    };
    let model = learn(&relevant, &other, &file.words);
    let estimate = estimate(&relevant, &other, &file.words);
    finish(&file, &model, Some(estimate), skipped, session)
}

fn from_labels(mut file: TopicFile, session: &Session) -> anyhow::Result<Exit> {
    let Some(marked) = marked(&file.name, session)? else { return Ok(Exit::Interrupted) };
    let Some(own) = gather(&pointers(&file.examples)?, session)? else { return Ok(Exit::Interrupted) };
    let count = own.samples.len() + marked.relevant.len();
    if count == 0 {
        let why = "no form that is marked right could be fetched, and at least one is needed";
        return Err(Usage(format!("'{}': {why}", file.name)).into());
    }
    let old = resolve_existing(&file.name, &session.config.topics)?;
    let words = file.words.clone();
    let forms =
        MarkedForms { own: &own.samples, right: &marked.relevant, wrong: &marked.other, words: &words };
    let model = comparison::train(&old.target, &forms);
    let compared = compare(&old.target, &model, &forms);
    // A topic of words only has nothing that could get worse.
    if !old.weak && !compared.prefers_new() {
        return keep(&file.name, &compared, session);
    }
    warn_if_few(count);
    let (relevant, other) = (count as u32, marked.other.len() as u32);
    file.made = TrainingData { from: ExampleOrigin::Labels, relevant, other };
    finish(&file, &model, None, marked.skipped + own.skipped, session)
}

/// Reports that a topic stays as it is.
fn keep(name: &str, compared: &TopicComparison, session: &Session) -> anyhow::Result<Exit> {
    let TopicComparison { marks, old_errors, new_errors, changed, background } = *compared;
    let mut out = std::io::stdout();
    if session.json {
        let event = json!({
            "event": "kept", "topic": name, "marks": marks, "errors": old_errors, "errors_trained": new_errors,
            "background": background, "background_changed": changed,
        });
        writeln!(out, "{}", for_json(event.to_string()))?;
        return Ok(Exit::Done);
    }
    writeln!(
        out,
        "{name}: kept as it is. It errs on {old_errors} of {marks} marked forms; trained on the others it would err \
         on {new_errors}, and judge {changed} of {background} background forms differently."
    )?;
    Ok(Exit::Done)
}

fn samples(pages: Vec<LabelledPage>) -> Vec<Sample> {
    let sample = |labelled: LabelledPage| {
        let source = labelled.path.display().to_string();
        let sample = Sample::of(&source, labelled.page, None);
        if let Err(why) = &sample {
            writeln!(std::io::stderr(), "{}: skipped, {why}", for_terminal(&source)).ok();
        }
        sample.ok()
    };
    pages.into_iter().filter_map(sample).collect()
}

/// Warns about topics with few examples.
pub fn warn_if_few(usable: usize) {
    let warning = match usable {
        0 => "note: a topic made of words only finds less and makes more errors; give --examples".to_string(),
        1 | 2 => format!("warning: only {usable} usable examples; a topic needs at least 3, better 5"),
        _ => return,
    };
    writeln!(std::io::stderr(), "{warning}").ok();
}

/// Writes both files and prints a summary.
pub fn finish(
    file: &TopicFile,
    model: &TopicModel,
    estimate: Option<TopicEstimate>,
    skipped: usize,
    session: &Session,
) -> anyhow::Result<Exit> {
    let path = session.config.topics.save(file, model)?;
    let words: Vec<&str> =
        model.strongest_words.forms.iter().take(10).map(|(word, _)| word.as_str()).collect();
    let mut out = std::io::stdout();
    if session.json {
        let event = json!({
            "event": "topic", "topic": file.name, "file": path, "made_from": file.made_from(),
            "relevant": file.made.relevant, "other": file.made.other, "skipped": skipped,
            "weak": file.made.relevant == 0, "words": words, "estimate": estimate.map(estimated),
        });
        writeln!(out, "{}", for_json(event.to_string()))?;
        return Ok(Exit::Done);
    }
    writeln!(out, "{}: learned from {}, stored in {}", file.name, file.made_from(), path.display())?;
    writeln!(out, "strongest: {}", for_terminal(&words.join(", ")))?;
    if let Some((estimate, recall)) = estimate.and_then(|of| Some((of, of.recall()?))) {
        let ProportionInterval { estimate: p, low, high } = recall;
        writeln!(
            out,
            "estimate: recognises {} of {} examples when each is left out, recall {p:.2} ({low:.2} to {high:.2}); \
             claims {} of {} background forms",
            estimate.recognised, estimate.examples, estimate.claimed, estimate.background
        )?;
    }
    Ok(Exit::Done)
}

fn estimated(estimate: TopicEstimate) -> serde_json::Value {
    let recall = estimate.recall();
    json!({
        "recall": recall.map(|recall| recall.estimate), "recall_low": recall.map(|recall| recall.low),
        "recall_high": recall.map(|recall| recall.high), "examples": estimate.examples,
        "recognised": estimate.recognised, "background": estimate.background, "claimed": estimate.claimed,
    })
}
