//! `hadal topics built-in`: trains the shipped classifiers again from labelled data.

use crate::exit::Exit;
use crate::session::Session;
use anyhow::Context;
use clap::Args;
use hadal_core::critic::classifiers::encode;
use hadal_eval::training::built_in::{LabelledData, train, words};
use std::io::Write;
use std::path::PathBuf;

/// Train the built-in topics and classifiers again from labelled data
///
/// The same data gives the same files, byte for byte. They become part of the program when it is built; the
/// shipped ones are in crates/hadal-core/models.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal topics built-in --data data --output crates/hadal-core/models")]
pub struct BuiltInArgs {
    /// Folder with the labelled data
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Folder for the models and words-en.txt
    #[arg(long, value_name = "DIR")]
    output: PathBuf,
}

pub fn run(args: &BuiltInArgs, session: &Session) -> anyhow::Result<Exit> {
    let data = LabelledData::read(&args.data)?;
    let files =
        [("classifiers.bin", encode(&train(&data))), ("words-en.txt", words(&args.data)?.into_bytes())];
    std::fs::create_dir_all(&args.output).with_context(|| args.output.display().to_string())?;
    for (name, bytes) in files {
        let path = args.output.join(name);
        std::fs::write(&path, &bytes).with_context(|| path.display().to_string())?;
        let line = match session.json {
            true => serde_json::json!({"event": "written", "file": path, "bytes": bytes.len()}).to_string(),
            false => format!("{}: {} bytes", path.display(), bytes.len()),
        };
        writeln!(std::io::stdout(), "{line}")?;
    }
    Ok(Exit::Done)
}
