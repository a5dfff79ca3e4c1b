//! Output of `hadal` without a command.

use super::exit::Exit;
use std::io::Write;

const GUIDE: &str = "\
hadal finds the databases behind web search forms and downloads what is in them.

  hadal demo                                 find and harvest on a simulated web; needs no network
  hadal find book --seeds http://...         find search forms for books, starting at a URL
  hadal forms --topic book                   list the forms found; --format csv exports them
  hadal harvest --topic book --top 5         download the records behind the five best forms
  hadal serve                                show forms, crawls and records in the browser

`hadal --help` lists all commands by subject, `hadal COMMAND --help` explains one.
";

pub fn run() -> anyhow::Result<Exit> {
    std::io::stdout().write_all(GUIDE.as_bytes())?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_has_five_commands_that_parse() {
        let lines = GUIDE.lines().filter_map(|line| line.strip_prefix("  "));
        let examples: Vec<&str> = lines.filter_map(|line| line.split("   ").next()).collect();
        assert_eq!(examples.len(), 5);
        for example in examples {
            assert!(crate::parsed(example.split_whitespace()).is_ok(), "{example}");
        }
    }
}
