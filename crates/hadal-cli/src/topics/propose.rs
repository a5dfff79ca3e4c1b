//! `hadal topics propose`: groups search forms into possible topics.

use crate::exit::{Exit, Usage};
use crate::session::Session;
use clap::Args;
use hadal::output::escape::{for_json, for_terminal};
use hadal::store::{FormQuery, RunQuery, Store, all_forms};
use hadal::topic::labelled::{page, pages_in};
use hadal::topic::learn::learn;
use hadal::topic::propose::{MAX_FORMS, Proposal, propose};
use hadal::topic::{ExampleOrigin, Sample, TopicFile, TrainingData};
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::html::parse;
use hadal_core::identity::FormId;
use serde_json::json;
use std::collections::HashSet;
use std::io::Write;
use std::path::Path;

/// Group similar search forms without labels, to propose topics
///
/// The forms come from the HTML files of a folder, or from the store. The number of groups is the one with the
/// best separation.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal topics propose --from pages
  hadal topics propose --from store --k 8 --write")]
pub struct ProposeArgs {
    /// A folder of HTML files, or the word store for the forms in --store
    #[arg(long, value_name = "DIR|store")]
    from: String,
    /// Number of groups
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=200))]
    k: Option<u32>,
    /// Create a topic from every group of at least three forms
    #[arg(long)]
    write: bool,
}

/// Members shown per group. Guess.
const SHOWN: usize = 4;
/// Maximum number of typical members of a group that a topic is learned from. Guess.
const LEARNED_FROM: usize = 40;
/// Least size of a group that becomes a topic. Guess.
const MIN_GROUP: usize = 3;

pub fn run(args: &ProposeArgs, session: &Session) -> anyhow::Result<Exit> {
    let samples = match args.from.as_str() {
        "store" => from_store(session.reader()?.as_ref())?,
        folder => from_folder(Path::new(folder))?,
    };
    if samples.len() < 2 {
        return Err(Usage(format!("{} has fewer than two search forms; nothing to group", args.from)).into());
    }
    if samples.len() == MAX_FORMS {
        writeln!(std::io::stderr(), "only the first {MAX_FORMS} search forms are grouped").ok();
    }
    let found = propose(&samples, args.k.map(|k| k as usize), session.seed);
    let mut out = std::io::stdout();
    if !session.json {
        let (forms, groups) = (samples.len(), found.groups.len());
        writeln!(out, "{forms} search forms in {groups} groups, silhouette {:.2}", found.silhouette)?;
    }
    for (number, group) in found.groups.iter().enumerate() {
        let made = match args.write && group.members.len() >= MIN_GROUP {
            true => Some(write(group, &samples, session)?),
            false => None,
        };
        out.write_all(proposal_text(number + 1, group, made.as_deref(), &samples, session.json).as_bytes())?;
    }
    Ok(Exit::Done)
}

fn proposal_text(
    number: usize,
    group: &Proposal,
    made: Option<&str>,
    samples: &[Sample],
    json: bool,
) -> String {
    let pages: Vec<&str> =
        group.members.iter().take(SHOWN).map(|member| samples[*member].source.as_str()).collect();
    if json {
        let event = json!({
            "group": number, "size": group.members.len(), "words": group.words, "pages": pages, "topic": made,
        });
        return for_json(event.to_string()) + "\n";
    }
    let made = made.map_or(String::new(), |name| format!(", written as topic {name}"));
    let mut text = format!("\ngroup {number}: {} forms{made}\n", group.members.len());
    text.push_str(&format!("  words     {}\n", for_terminal(&group.words.join(", "))));
    pages.iter().for_each(|page| text.push_str(&format!("  example   {}\n", for_terminal(page))));
    text
}

/// Creates a topic from a group under a free name.
fn write(group: &Proposal, samples: &[Sample], session: &Session) -> anyhow::Result<String> {
    let folder = &session.config.topics;
    let members: Vec<Sample> =
        group.members.iter().take(LEARNED_FROM).map(|member| samples[*member].clone()).collect();
    let file = TopicFile {
        name: group.name(&|name| folder.has(name)),
        words: String::new(),
        examples: members.iter().map(|sample| format!("{}#{}", sample.source, sample.form.index)).collect(),
        seeds: Vec::new(),
        made: TrainingData { from: ExampleOrigin::Cluster, relevant: members.len() as u32, other: 0 },
    };
    folder.save(&file, &learn(&members, &[], ""))?;
    Ok(file.name)
}

fn from_folder(folder: &Path) -> anyhow::Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for path in pages_in(folder)? {
        let source = std::path::absolute(&path)?.display().to_string();
        let sample = Sample::of(&source, page(&path)?, None).ok();
        samples.extend(sample.filter(|sample| sample.p_searchable >= MIN_ACCEPTED_P));
        if samples.len() == MAX_FORMS {
            break;
        }
    }
    Ok(samples)
}

/// Distinct searchable forms of all runs. The store has forms without their pages.
fn from_store(store: &dyn Store) -> anyhow::Result<Vec<Sample>> {
    let mut seen: HashSet<FormId> = HashSet::new();
    let mut samples = Vec::new();
    for run in store.runs(&RunQuery::default())? {
        let query = FormQuery {
            run: Some(run.id),
            min_searchable: MIN_ACCEPTED_P,
            with_snapshot: true,
            ..FormQuery::default()
        };
        for entry in all_forms(store, query) {
            let row = entry?.row;
            if !seen.insert(row.form_id) {
                continue;
            }
            if samples.len() == MAX_FORMS {
                return Ok(samples);
            }
            let Some(form) = row.form_snapshot.map(|form| *form) else { continue };
            let mut page = parse(b"", None, &row.page_url);
            page.language = row.language.clone();
            let source = row.page_url.to_string();
            samples.push(Sample { source, page, form, p_searchable: row.p_searchable });
        }
    }
    Ok(samples)
}
