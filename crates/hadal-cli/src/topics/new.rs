//! `hadal topics new`: creates a topic from example pages, or from words.

use super::gather::gather;
use super::pointer::pointers;
use super::train::{finish, warn_if_few};
use crate::exit::{Exit, Usage};
use crate::network::NetworkArgs;
use crate::seeds;
use crate::session::Session;
use clap::Args;
use hadal::topic::file::checked_name;
use hadal::topic::learn::{estimate, learn};
use hadal::topic::{ExampleOrigin, TopicError, TopicFile, TrainingData};
use hadal_core::topic::Topic;

/// Create a topic from example pages with a search form of it
///
/// Five pages are a good start. They are fetched as by find, with robots.txt and delays. The topic is learned
/// against a bundled background of other forms. On each page the most likely search form is taken; URL#N
/// selects another one, counted from 0. A topic made of words only is weaker.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal topics new recipes --examples http://a.example/search http://b.example/find#1
  hadal topics new recipes --examples pages.txt --words \"recipe ingredient\" --seeds seeds.txt
  hadal topics new recipes --words \"recipe ingredient cuisine\"")]
pub struct NewArgs {
    /// Name of letters, digits, '-' and '_'
    name: String,
    /// Pages with a search form of the topic: URLs, HTML files, or files that list them
    #[arg(long, num_args = 1.., value_name = "FILE|URL", required_unless_present = "words")]
    examples: Vec<String>,
    /// Words that describe the topic
    #[arg(long, value_name = "WORDS")]
    words: Option<String>,
    /// Default seeds of the topic: URLs, or files with one URL per line
    #[arg(long, num_args = 1.., value_name = "FILE|URL")]
    seeds: Vec<String>,
    /// Replace an existing topic of this name
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    pub network: NetworkArgs,
}

pub fn run(args: &NewArgs, session: &Session) -> anyhow::Result<Exit> {
    let name = checked_name(&args.name)?;
    if session.config.topics.has(name) && !args.force {
        return Err(TopicError::Exists(name.to_string()).into());
    }
    let words = args.words.clone().unwrap_or_default();
    if args.examples.is_empty() && Topic::from_words(&words).is_none() {
        return Err(TopicError::NoWords(words).into());
    }
    let seeds = match args.seeds.is_empty() {
        true => Vec::new(),
        false => seeds::read(&args.seeds)?.iter().map(|seed| seed.to_string()).collect(),
    };
    let pointers = pointers(&args.examples)?;
    let Some(gathered) = gather(&pointers, session)? else { return Ok(Exit::Interrupted) };
    let samples = gathered.samples;
    if samples.is_empty() && words.is_empty() {
        return Err(Usage(
            "no example has a usable form; give other pages, or describe the topic with --words".into(),
        )
        .into());
    }
    warn_if_few(samples.len());
    let file = TopicFile {
        name: name.to_string(),
        examples: pointers.into_iter().map(|pointer| pointer.source).collect(),
        seeds,
        made: TrainingData {
            from: if samples.is_empty() { ExampleOrigin::Words } else { ExampleOrigin::Examples },
            relevant: samples.len() as u32,
            other: 0,
        },
        words,
    };
    let model = learn(&samples, &[], &file.words);
    let estimate = estimate(&samples, &[], &file.words);
    finish(&file, &model, Some(estimate), gathered.skipped, session)
}
