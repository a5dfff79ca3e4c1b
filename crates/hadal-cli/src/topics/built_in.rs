//! `hadal topics built-in`: trains the shipped classifiers again from labelled data.

use crate::exit::{Exit, Usage};
use crate::session::Session;
use anyhow::Context;
use clap::Args;
use hadal_core::critic::classifiers::{FILE_NAME, encode};
use hadal_eval::training::built_in::{LabelledData, train, words};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Train the built-in topics and classifiers again from labelled data
///
/// The same data gives the same files, byte for byte. They become part of the program when it is built; the
/// shipped ones are in crates/hadal-core/models. HADAL_MODELS_FOLDER=DIR makes every command use the classifiers of
/// a folder instead. With --without they have not seen the listed sites, so that they can be measured there.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal topics built-in --data data --output crates/hadal-core/models
  hadal topics built-in --data data --without unseen.txt --output models")]
pub struct BuiltInArgs {
    /// Folder with the labelled data
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Folder for the models and words-en.txt
    #[arg(long, value_name = "DIR")]
    output: PathBuf,
    /// File with one site per line; their forms and pages are not used
    #[arg(long, value_name = "FILE")]
    without: Option<PathBuf>,
}

pub fn run(args: &BuiltInArgs, session: &Session) -> anyhow::Result<Exit> {
    let mut data = LabelledData::read(&args.data)?;
    if let Some(path) = &args.without {
        leave_out(&mut data, path)?;
    }
    let files = [(FILE_NAME, encode(&train(&data))), ("words-en.txt", words(&args.data)?.into_bytes())];
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

/// Removes the sites listed in a file. A site without data is an error, because it is a misspelt name.
fn leave_out(data: &mut LabelledData, path: &Path) -> anyhow::Result<()> {
    let listed = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let sites: BTreeSet<&str> = listed.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let known = data.sites();
    if let Some(unknown) = sites.iter().find(|site| !known.contains(**site)) {
        return Err(Usage(format!("{}: no site '{unknown}' in the data", path.display())).into());
    }
    data.leave_out(|site| sites.contains(site));
    Ok(())
}
