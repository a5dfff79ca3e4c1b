//! Help texts: the guide of `hadal` without a command, commands by subject, and defaults from the table of settings.

use super::exit::Exit;
use clap::{Arg, Command};
use hadal::config::settings::{SETTINGS, Setting, split};
use std::io::Write;

/// Commands by subject, in the order of `hadal --help`.
const SUBJECTS: &[(&str, &[&str])] = &[
    ("First steps", &["demo", "find", "forms", "harvest", "serve"]),
    ("Results", &["status", "refresh", "records", "sites", "ask", "quality", "wacz"]),
    ("History", &["runs", "harvests", "queries", "submissions", "log", "lessons"]),
    ("Topics and pages", &["topics", "judge"]),
    ("Setup", &["config", "doctor", "store", "completions", "man", "mcp"]),
    ("Evaluation", &["world", "eval"]),
];

/// Options that are named differently from their setting.
const RENAMED: &[(&str, &str)] = &[
    ("store", "store.url"),
    ("topics-dir", "topics.folder"),
    ("probe", "probe.when"),
    ("connect-to", "fetch.connect_to"),
];

/// Adds subjects and defaults to the description of the command line.
pub fn complete(command: Command) -> Command {
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}Common options:\n{{options}}{{after-help}}",
        by_subject(&command)
    );
    with_defaults(command.help_template(template), "")
}

fn by_subject(command: &Command) -> String {
    let line = |name: &&str| {
        let about = command.find_subcommand(name).and_then(Command::get_about);
        format!("  {name:<12} {}\n", about.map(ToString::to_string).unwrap_or_default())
    };
    let subject = |(subject, names): &(&str, &[&str])| {
        format!("{subject}:\n{}\n", names.iter().map(line).collect::<String>())
    };
    SUBJECTS.iter().map(subject).collect()
}

/// Adds the default of the setting behind each option. `name` is the command's.
fn with_defaults(command: Command, name: &str) -> Command {
    let own = name.to_string();
    let below: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_string()).collect();
    let command = command.mut_args(move |arg| with_default(arg, &own));
    below.into_iter().fold(command, |command, sub| {
        let inner = sub.clone();
        command.mut_subcommand(sub, move |found| with_defaults(found, &inner))
    })
}

fn with_default(arg: Arg, command: &str) -> Arg {
    let default = arg.get_long().and_then(|long| setting_of(long, command)).and_then(shown_default);
    let (Some(default), Some(help)) = (default, arg.get_help().map(ToString::to_string)) else { return arg };
    let is_stated = help.contains("[default") || !arg.get_default_values().is_empty();
    if is_stated { arg } else { arg.help(format!("{help} [default: {default}]")) }
}

/// Setting behind an option of a command: that of the command's own group, or a shared one.
fn setting_of(long: &str, command: &str) -> Option<&'static Setting> {
    let groups: &[&str] = match command {
        "find" => &["crawl", "politeness", "fetch", "probe"],
        "harvest" => &["harvest", "politeness", "fetch"],
        "quality" | "refresh" | "ask" | "serve" | "topics" | "judge" | "mcp" => &["politeness", "fetch"],
        "" => &["output"],
        _ => &[],
    };
    let renamed = RENAMED.iter().find(|(option, _)| *option == long).map(|(_, key)| *key);
    let name = long.replace('-', "_");
    let is_named = |setting: &&Setting| {
        let (group, own) = split(setting.key);
        groups.contains(&group) && own == name
    };
    SETTINGS.iter().find(|setting| renamed == Some(setting.key)).or_else(|| SETTINGS.iter().find(is_named))
}

/// Default as a user would type it. `None` for switches, and if the default is to have none.
fn shown_default(setting: &Setting) -> Option<&'static str> {
    let plain = setting.default.trim_matches('"');
    Some(plain).filter(|plain| !["", "[]", "false"].contains(plain))
}

const GUIDE: &str = "\
hadal finds the databases behind web search forms and downloads what is in them.

  hadal demo                                 find and harvest on a simulated web; needs no network
  hadal find book --seeds http://...         find search forms for books, starting at a URL
  hadal forms --topic book                   list the forms found; --format csv exports them
  hadal harvest --topic book --top 5         download the records behind the five best forms
  hadal serve                                show forms, crawls and records in the browser

`hadal --help` lists all commands by subject, `hadal COMMAND --help` explains one.
";

/// Prints the guide of `hadal` without a command.
pub fn print_guide() -> anyhow::Result<Exit> {
    std::io::stdout().write_all(GUIDE.as_bytes())?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_one_subject() {
        let description = crate::description();
        for command in description.get_subcommands().map(Command::get_name) {
            let places = SUBJECTS.iter().filter(|(_, names)| names.contains(&command)).count();
            assert_eq!(places, 1, "{command}");
        }
        let named: usize = SUBJECTS.iter().map(|(_, names)| names.len()).sum();
        assert_eq!(named, description.get_subcommands().count());
    }

    #[test]
    fn options_show_the_default_of_their_setting() {
        let mut description = crate::description();
        let mut help = |name: &str| {
            let command = description.find_subcommand_mut(name).unwrap();
            command.render_help().to_string().split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let find = help("find");
        for shown in ["limit [default: 10000]", "as 1s [default: 1s]", "[default: uncertain]"] {
            assert!(find.contains(shown), "{shown}: {find}");
        }
        assert!(help("harvest").contains("limit [default: 5000]"), "{}", help("harvest"));
    }

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
