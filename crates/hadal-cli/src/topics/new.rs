//! `hadal topics new`: a topic from a few example pages, or from words alone.

use super::gather::gather;
use super::pointer::pointers;
use super::train::{finish, warn_if_few};
use crate::carry::CarryArgs;
use crate::exit::{Exit, Usage};
use crate::seeds;
use crate::session::Session;
use clap::Args;
use hadal::topic::file::checked_name;
use hadal::topic::learn::learn;
use hadal::topic::{Made, Origin, TopicError, TopicFile};
use hadal_core::topic::Topic;

/// Make a topic of your own from example pages with a search form of it
///
/// Five pages are a good start; no more is needed from you. They are fetched as find would, robots.txt and
/// pauses included, and what they have in common is learned against a bundled background of other forms.
/// On each page the form that is most likely a search is taken; #N behind a page picks another one,
/// counted from 0. From words alone a weaker topic is made.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal topics new recipes --examples http://a.example/search http://b.example/find#1
  hadal topics new recipes --examples pages.txt --words \"recipe ingredient\" --seeds seeds.txt
  hadal topics new recipes --words \"recipe ingredient cuisine\"")]
pub struct NewArgs {
    /// Its name: letters, digits, '-' and '_'
    name: String,
    /// Pages with a search form of the topic: addresses, HTML files, or files that list them
    #[arg(long, num_args = 1.., value_name = "FILE|URL", required_unless_present = "words")]
    examples: Vec<String>,
    /// Words that describe it
    #[arg(long, value_name = "WORDS")]
    words: Option<String>,
    /// Where find starts when it is not told: addresses, or files with one per line
    #[arg(long, num_args = 1.., value_name = "FILE|URL")]
    seeds: Vec<String>,
    /// Replace a topic of this name
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    pub carry: CarryArgs,
}

/// Makes it.
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
            "no example has a usable form: give other pages, or describe it with --words".into(),
        )
        .into());
    }
    warn_if_few(samples.len());
    let file = TopicFile {
        name: name.to_string(),
        examples: pointers.into_iter().map(|pointer| pointer.source).collect(),
        seeds,
        made: Made {
            from: if samples.is_empty() { Origin::Words } else { Origin::Examples },
            relevant: samples.len() as u32,
            other: 0,
        },
        words,
    };
    let model = learn(&samples, &[], &file.words);
    finish(&file, &model, gathered.skipped, session)
}
