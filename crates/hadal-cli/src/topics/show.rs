//! `hadal topics show`: shows what a topic learned.

use crate::exit::Exit;
use crate::session::Session;
use clap::Args;
use hadal::output::escape::{for_json, for_terminal};
use hadal::output::table::Table;
use hadal::topic::resolve::nearest_topic;
use hadal::topic::{StrongestWords, TopicError, TopicFile};
use hadal_core::critic::classifiers::Classifiers;
use hadal_core::critic::domain::DOMAINS;
use hadal_core::critic::trained::CriticTarget;
use serde_json::json;
use std::io::Write;

/// Show what a topic learned: its strongest words, examples and seeds
///
/// The number is the contribution of the word to the log-odds of the topic. Names in brackets are concepts,
/// which are known in many languages.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal topics show book\n  hadal topics show recipes --words 30")]
pub struct ShowArgs {
    /// Name of the topic
    name: String,
    /// Number of words to show
    #[arg(long, value_name = "N", default_value_t = 15)]
    words: usize,
}

pub fn run(args: &ShowArgs, session: &Session) -> anyhow::Result<Exit> {
    let name = args.name.trim().to_lowercase();
    let folder = &session.config.topics;
    let (file, strongest_words) = if folder.has(&name) {
        let (file, model) = folder.load(&name)?;
        (Some(file), model.strongest_words)
    } else if let Some(CriticTarget::Domain(domain)) = CriticTarget::built_in(&name) {
        (None, built_in(domain))
    } else {
        let hint = nearest_topic(&name, folder).map(|meant| format!("; did you mean '{meant}'?"));
        return Err(TopicError::Unknown { name, hint: hint.unwrap_or_default() }.into());
    };
    let text = match session.json {
        true => event(&name, file.as_ref(), &strongest_words, args.words),
        false => card(&name, file.as_ref(), &strongest_words, args.words, session),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Exit::Done)
}

/// Strongest words of a built-in domain, in forms and on pages.
fn built_in(domain: usize) -> StrongestWords {
    let words = Classifiers::current().top_words.get(domain.min(DOMAINS.len()));
    StrongestWords { forms: words.cloned().unwrap_or_default(), pages: Vec::new() }
}

fn event(name: &str, file: Option<&TopicFile>, strongest_words: &StrongestWords, most: usize) -> String {
    let words = |words: &[(String, f32)]| -> Vec<serde_json::Value> {
        words.iter().take(most).map(|(word, adds)| json!({ "word": word, "adds": rounded(*adds) })).collect()
    };
    let event = json!({
        "topic": name,
        "built_in": file.is_none(),
        "made_from": made_from(file),
        "words": file.map_or("", |file| &file.words),
        "forms": words(&strongest_words.forms),
        "pages": words(&strongest_words.pages),
        "examples": file.map_or(&[][..], |file| &file.examples),
        "seeds": file.map_or(&[][..], |file| &file.seeds),
    });
    for_json(event.to_string()) + "\n"
}

fn rounded(adds: f32) -> f64 {
    (f64::from(adds) * 100.0).round() / 100.0
}

fn made_from(file: Option<&TopicFile>) -> String {
    file.map_or("built in".to_string(), TopicFile::made_from)
}

fn card(
    name: &str,
    file: Option<&TopicFile>,
    strongest_words: &StrongestWords,
    most: usize,
    session: &Session,
) -> String {
    let mut text = format!("{name}: {}\n", made_from(file));
    let described = file.map_or("", |file| file.words.as_str());
    if !described.is_empty() {
        text.push_str(&format!("described as: {}\n", for_terminal(described)));
    }
    text.push_str(&format!("\n{}", table(strongest_words, most, session)));
    let lists = file.map(|file| [("examples", &file.examples), ("seeds", &file.seeds)]);
    for (title, lines) in lists.into_iter().flatten().filter(|(_, lines)| !lines.is_empty()) {
        text.push_str(&format!("\n{title}\n"));
        lines.iter().for_each(|line| text.push_str(&format!("  {}\n", for_terminal(line))));
    }
    text
}

/// Words of forms, beside words of pages if they are known.
fn table(strongest_words: &StrongestWords, most: usize, session: &Session) -> String {
    let headings = ["in and around a form", "adds", "on a page", "adds"];
    let shown = if strongest_words.pages.is_empty() { 2 } else { 4 };
    let mut table = Table::new(&headings[..shown], session.stdout());
    [1, 3].into_iter().filter(|column| *column < shown).for_each(|column| table.right(column));
    let cell = |words: &[(String, f32)], at: usize| match words.get(at) {
        Some((word, adds)) => [word.clone(), format!("{adds:.2}")],
        None => [String::new(), String::new()],
    };
    for at in 0..most.min(strongest_words.forms.len().max(strongest_words.pages.len())) {
        let cells = [cell(&strongest_words.forms, at), cell(&strongest_words.pages, at)].concat();
        table.row(&cells[..shown]);
    }
    table.to_string()
}
