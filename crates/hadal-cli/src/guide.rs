//! Output of `hadal` without a command.

use super::exit::Exit;
use std::io::Write;

const GUIDE: &str = "\
hadal finds the databases behind web search forms and downloads what is in them.

  hadal demo                                find and harvest on a simulated web; needs no network
  hadal find book --seeds http://...        find book search forms on the web
  hadal forms                               list the forms found; --format jsonl, csv or parquet exports them
  hadal harvest --topic book --top 5        download the records behind the best forms
  hadal quality --topic book                estimate how many of the forms found really search
  hadal topics new NAME --examples URL ...  create a topic from a few example pages
  hadal status                              show progress and totals
  hadal config > hadal.toml                 write every setting with its default
  hadal doctor                              check the installation

`hadal --help` lists all commands, `hadal COMMAND --help` explains one.
";

pub fn run() -> anyhow::Result<Exit> {
    std::io::stdout().write_all(GUIDE.as_bytes())?;
    Ok(Exit::Done)
}
