//! `hadal topics train`: trains a topic again from its examples, a labelled folder, or labels of the directory.

use super::gather::gather;
use super::labels::marked;
use super::pointer::pointers;
use crate::exit::{Exit, Usage};
use crate::network_args::NetworkArgs;
use crate::session::Session;
use clap::Args;
use hadal::choice::nearest;
use hadal::output::escape::{for_json, for_terminal};
use hadal::topic::file::checked_name;
use hadal::topic::labelled::{self, LabelledPage};
use hadal::topic::learn::learn;
use hadal::topic::resolve::recall;
use hadal::topic::{ExampleOrigin, Sample, TopicError, TopicFile, TopicFolder, TopicModel, TrainingData};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Train a topic again: after its file was edited, from a labelled folder, or from labels of the directory
///
/// Without --from the examples that its file lists are fetched again. A labelled folder has relevant/*.html,
/// pages whose most searchable form is of the topic, and other/*.html, where it is not. With --from-labels the
/// pages of labelled forms (`hadal serve`) and the topic's own examples are fetched again; a built-in topic
/// becomes one of your own.
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
    recall(name, folder).map(|wanted| wanted.topic.words.join(" ")).unwrap_or_default()
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
    finish(&file, &model, gathered.skipped, session)
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
    finish(&file, &model, skipped, session)
}

fn from_labels(mut file: TopicFile, session: &Session) -> anyhow::Result<Exit> {
    let Some(marked) = marked(&file.name, session)? else { return Ok(Exit::Interrupted) };
    let Some(own) = gather(&pointers(&file.examples)?, session)? else { return Ok(Exit::Interrupted) };
    let relevant = [own.samples, marked.relevant].concat();
    if relevant.is_empty() {
        let why = "no form that is marked right could be fetched, and at least one is needed";
        return Err(Usage(format!("'{}': {why}", file.name)).into());
    }
    warn_if_few(relevant.len());
    let (count, others) = (relevant.len() as u32, marked.other.len() as u32);
    file.made = TrainingData { from: ExampleOrigin::Labels, relevant: count, other: others };
    let model = learn(&relevant, &marked.other, &file.words);
    finish(&file, &model, marked.skipped + own.skipped, session)
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
            "weak": file.made.relevant == 0, "words": words,
        });
        writeln!(out, "{}", for_json(event.to_string()))?;
        return Ok(Exit::Done);
    }
    writeln!(out, "{}: learned from {}, stored in {}", file.name, file.made_from(), path.display())?;
    writeln!(out, "strongest: {}", for_terminal(&words.join(", ")))?;
    Ok(Exit::Done)
}
