//! What `hadal` alone prints: where to begin.

use super::exit::Exit;
use std::io::Write;

const GUIDE: &str = "\
hadal finds the databases behind web search forms.

  hadal demo                                see it work on a simulated web, no network needed
  hadal find book --seeds http://...        look for book search forms on the web
  hadal forms                               what was found; --format jsonl, csv or parquet to export
  hadal quality --topic book                how good are they? asks a sample of them
  hadal topics new NAME --examples URL ...  a topic of your own, from a few example pages
  hadal status                              where the crawl stands
  hadal config > hadal.toml                 every setting with its default
  hadal doctor                              is everything ready?

`hadal --help` lists all commands, `hadal COMMAND --help` explains one.
";

/// Prints the guide.
pub fn run() -> anyhow::Result<Exit> {
    std::io::stdout().write_all(GUIDE.as_bytes())?;
    Ok(Exit::Done)
}
