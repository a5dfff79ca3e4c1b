//! `hadal eval`: evaluation commands.

mod calibrate;
mod find;
mod forms;
mod harvest;
mod layouts;
mod order;
mod refresh;
mod world;

use super::exit::Exit;
use super::session::Session;
use anyhow::Context;
use clap::{Args, Subcommand};
use hadal::output::sections::{self, Section};
use hadal_eval::find::figures::json;
use serde::Serialize;
use std::io::Write;
use std::path::Path;

/// Evaluate strategies, policies, classifiers and the simulated web
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal eval world")]
pub struct EvalArgs {
    #[command(subcommand)]
    command: EvalCommand,
}

#[derive(Debug, Subcommand)]
enum EvalCommand {
    Find(find::EvalFindArgs),
    Harvest(harvest::EvalHarvestArgs),
    Layouts(layouts::EvalLayoutsArgs),
    Refresh(refresh::EvalRefreshArgs),
    Order(order::EvalOrderArgs),
    Calibrate(calibrate::EvalCalibrateArgs),
    World(world::EvalWorldArgs),
    Forms(forms::EvalFormsArgs),
}

pub fn run(args: &EvalArgs, session: &Session) -> anyhow::Result<Exit> {
    match &args.command {
        EvalCommand::Find(args) => find::run(args, session),
        EvalCommand::Harvest(args) => harvest::run(args, session),
        EvalCommand::Layouts(args) => layouts::run(args, session),
        EvalCommand::Refresh(args) => refresh::run(args, session),
        EvalCommand::Order(args) => order::run(args, session),
        EvalCommand::Calibrate(args) => calibrate::run(args, session),
        EvalCommand::World(args) => world::run(args, session),
        EvalCommand::Forms(args) => forms::run(args, session),
    }
}

/// Prints figures as tables, or with their trials as JSON.
fn print<T: Serialize>(trials: &[T], sections: &[Section], session: &Session) -> anyhow::Result<Exit> {
    let text = match session.json {
        true => json(trials, sections)? + "\n",
        false => sections::text(sections, session.stdout()),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Exit::Done)
}

/// Writes tables and charts to an HTML file, if one is wanted.
fn write_page(path: Option<&Path>, title: &str, sections: &[Section]) -> anyhow::Result<()> {
    let Some(path) = path else { return Ok(()) };
    std::fs::write(path, sections::html(title, sections))
        .with_context(|| format!("could not write {}", path.display()))
}
