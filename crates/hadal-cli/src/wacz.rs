//! `hadal wacz`: packs WARC files for archive viewers.

use super::exit::{Exit, Usage};
use anyhow::Context;
use clap::Args;
use hadal::atomic_file::AtomicFile;
use hadal::fetch::wacz::pack;
use hadal::report::values::plural;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Pack the WARC files of --warc into one WACZ file, with an index and a list of pages
///
/// Viewers such as ReplayWeb.page open the file; py-wacz validates it. At most 4 GiB.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal wacz archive --output archive.wacz")]
pub struct WaczArgs {
    /// WARC files (.warc.gz), or folders of them
    #[arg(required = true, value_name = "FILE|DIR")]
    inputs: Vec<PathBuf>,
    /// File to write, which appears when it is complete
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
}

pub fn run(args: &WaczArgs) -> anyhow::Result<Exit> {
    let mut warcs = Vec::new();
    for input in &args.inputs {
        warcs.extend(warc_files(input)?);
    }
    if warcs.is_empty() {
        return Err(Usage("no WARC file (.warc.gz) there; `hadal find --warc DIR` writes one".into()).into());
    }
    let context = || format!("could not write {}", args.output.display());
    let (file, out) = AtomicFile::create(&args.output).with_context(context)?;
    let packed = pack(&warcs, out).with_context(context)?;
    file.complete().with_context(context)?;
    let [files, responses, pages] = [packed.warc_files, packed.responses, packed.pages].map(|n| n as u64);
    writeln!(
        std::io::stderr(),
        "{}: {}, {}, {}",
        args.output.display(),
        plural(files, "WARC file", "WARC files"),
        plural(responses, "response", "responses"),
        plural(pages, "page", "pages")
    )
    .ok();
    Ok(Exit::Done)
}

/// The file itself, or the WARC files of a folder by name.
pub fn warc_files(input: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let context = || format!("could not read {}", input.display());
    if !std::fs::metadata(input).with_context(context)?.is_dir() {
        return Ok(vec![input.to_path_buf()]);
    }
    let entries = std::fs::read_dir(input).with_context(context)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut files = paths.collect::<Result<Vec<PathBuf>, _>>().with_context(context)?;
    files.retain(|path| path.to_string_lossy().ends_with(".warc.gz"));
    files.sort();
    Ok(files)
}
