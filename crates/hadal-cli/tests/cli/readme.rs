//! The tour of README.md: its commands are executed in their order, and their output has the lines that README shows.
//!
//! Numbers and names of hosts may differ, since every improvement changes them. `HADAL_README=write cargo test -p hadal-cli
//! --test cli readme` puts the output of this version into README.md.

use super::program::{Place, Ran};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

/// Commands that the test does not run by themselves: a server, and one that needs a browser.
const NOT_RUN: [&str; 2] = ["world serve", "--render"];

/// The simulated web that README serves in another terminal.
struct ServedWorld(Child);

impl ServedWorld {
    /// Starts it on a free port. Returns its address, too.
    fn start(place: &Place) -> (ServedWorld, String) {
        let mut command = place.command(&["world", "serve", "--scale", "tiny", "--listen", "127.0.0.1:0"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let mut lines = BufReader::new(out.chain(err)).lines().map_while(Result::ok);
        let address =
            lines.find_map(|line| Some(line.split_once("http://")?.1.split('/').next()?.to_string()));
        std::thread::spawn(move || lines.for_each(drop));
        (ServedWorld(child), address.unwrap())
    }
}

impl Drop for ServedWorld {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Word of a command without the quotes of a shell.
fn unquoted(word: &str) -> &str {
    word.trim_matches('\'')
}

/// Requests of the demo if only the shape of its output counts.
const FEW_REQUESTS: &str = "1500";

fn readme() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")
}

/// Parts of a line that are compared: words as they are, numbers and hosts by their kind.
fn shape(line: &str) -> Vec<String> {
    let kind = |word: &str| match word {
        _ if word.contains(|c: char| c.is_ascii_digit()) => "#".to_string(),
        _ if word.trim_end_matches('.').contains('.') => "@".to_string(),
        _ => word.to_string(),
    };
    let mut shape: Vec<String> = line.split_whitespace().map(kind).collect();
    // A duration has as many parts as it needs.
    shape.dedup_by(|one, other| one == other && one == "#");
    // The rest of a table row depends on its first cell.
    if is_row(line) {
        shape.truncate(1);
    }
    shape
}

/// True for a row of a table: it starts with an id, a host, a right-aligned number, or a word and a gap.
fn is_row(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_id = first.len() == 16 && first.bytes().all(|byte| byte.is_ascii_hexdigit());
    let has_gap = line.trim_start_matches(|c: char| c.is_ascii_lowercase()).starts_with("  ");
    is_id
        || has_gap
        || line.starts_with("   ")
        || first.contains('.') && !first.ends_with('.') && line.contains("  ")
}

/// A command of the tour with the lines that README shows, and their position.
struct TourCommand {
    words: Vec<String>,
    lines: Vec<(usize, String)>,
}

/// Commands of the tour that are run.
fn commands(text: &str) -> Vec<TourCommand> {
    let (mut found, mut is_block, mut is_tour): (Vec<TourCommand>, _, _) = (Vec::new(), false, false);
    // A block without a command shows what to type, not what is printed.
    let mut has_command = false;
    for (at, line) in text.lines().enumerate() {
        match line.strip_prefix("$ hadal ") {
            _ if line.starts_with("## ") => is_tour = line == "## A tour",
            _ if line.starts_with("```") => (is_block, has_command) = (!is_block, false),
            Some(words) if is_tour && is_block => {
                has_command = true;
                let words = words.split(' ').map(str::to_string).collect();
                found.push(TourCommand { words, lines: Vec::new() });
            }
            None if is_tour && has_command => {
                found.last_mut().into_iter().for_each(|command| command.lines.push((at, line.to_string())));
            }
            _ => {}
        }
    }
    found.retain(|command| !NOT_RUN.iter().any(|option| command.words.join(" ").contains(option)));
    found
}

/// Lines of README with the output that has their shape. Those of each stream are in order.
fn matched(command: &TourCommand, ran: &Ran) -> Vec<(usize, String)> {
    let mut streams = [ran.out.lines().collect::<VecDeque<_>>(), ran.err.lines().collect()];
    let shown = command.lines.iter().filter(|(_, line)| line != "..." && !line.trim().is_empty());
    let find = |(at, line): &(usize, String)| {
        let next = |stream: &mut VecDeque<&str>| {
            let place = stream.iter().position(|other| shape(other) == shape(line))?;
            stream.drain(..=place).next_back().map(|same| same.trim_end().to_string())
        };
        let words = command.words.join(" ");
        let missing = || -> String {
            panic!("README.md:{}: `hadal {words}` no longer prints\n{line}\nbut {ran:?}", at + 1)
        };
        (*at, streams.iter_mut().find_map(next).unwrap_or_else(missing))
    };
    shown.map(find).collect()
}

#[test]
fn the_commands_of_the_tour_print_what_readme_shows() {
    let text = std::fs::read_to_string(readme()).unwrap();
    let (place, commands) = (Place::new(), commands(&text));
    assert!(commands.len() >= 5, "{}", commands.len());
    let is_written = std::env::var("HADAL_README").as_deref() == Ok("write");
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for command in &commands {
        let mut words: Vec<&str> = command.words.iter().map(|word| unquoted(word)).collect();
        if words == ["demo"] && !is_written {
            words.extend(["--max-requests", FEW_REQUESTS]);
        }
        let served = words.contains(&"--connect-to").then(|| ServedWorld::start(&place));
        let route = served.as_ref().map(|(_, address)| format!("*={address}"));
        if let (Some(route), Some(at)) = (&route, words.iter().position(|word| *word == "--connect-to")) {
            words[at + 1] = route;
            words.extend(["--store", "file:./served"]);
        }
        let ran = place.run(&words);
        for (at, line) in matched(command, &ran) {
            lines[at] = line;
        }
    }
    if is_written {
        std::fs::write(readme(), lines.join("\n") + "\n").unwrap();
    }
}
