//! `hadal eval forms`: measures the classifiers on labelled data.

use super::write_page;
use crate::exit::Exit;
use crate::session::Session;
use clap::Args;
use hadal::output::sections;
use hadal_eval::forms::{evaluate, summary};
use hadal_eval::training::built_in::LabelledData;
use std::io::Write;
use std::path::PathBuf;

/// Measure the classifiers on labelled forms and pages
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal eval forms --data data --html forms.html")]
pub struct EvalFormsArgs {
    /// Folder with the labelled data
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Predictions of the formasaurus package for comparison, written by eval/formasaurus_folds.py
    #[arg(long, value_name = "FILE")]
    formasaurus: Option<PathBuf>,
    /// Also train on one half of the sites and judge the other, for N random divisions of the sites
    #[arg(long, value_name = "N", default_value_t = 0)]
    halves: usize,
    /// Also write tables and curves to an HTML file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

pub fn run(args: &EvalFormsArgs, session: &Session) -> anyhow::Result<Exit> {
    let data = LabelledData::read(&args.data)?;
    let on_stage = |what: &str| tracing::info!("measuring: {what}");
    let figures = evaluate(&data, args.formasaurus.as_deref(), args.halves, &on_stage)?;
    let sections = summary::sections(&figures);
    write_page(args.html.as_deref(), "How well hadal judges forms and pages", &sections)?;
    let text = match session.json {
        true => serde_json::to_string(&figures)? + "\n",
        false => sections::text(&sections, session.stdout()),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Exit::Done)
}
