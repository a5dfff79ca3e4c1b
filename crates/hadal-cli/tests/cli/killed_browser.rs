//! The browser of a killed program ends, too.

use super::{pages, program::Place};
use std::collections::HashMap;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Longest wait for processes to start or to end. Guess: ten times what a busy machine takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Processes by number, each with the number of its parent. Those that ended and wait for their parent are left out.
fn processes() -> HashMap<u32, u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let parent = |number: u32| {
        let text = std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
        let mut fields = text.rsplit_once(')')?.1.split_whitespace();
        let state = fields.next()?;
        fields.next()?.parse().ok().filter(|_| state != "Z")
    };
    numbers.filter_map(|number| Some((number, parent(number)?))).collect()
}

/// Processes that a process started, directly or not.
fn descendants(of: u32) -> Vec<u32> {
    let all = processes();
    let mut found = vec![of];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        found.extend(all.iter().filter(|(_, known)| **known == parent).map(|(number, _)| *number));
        next += 1;
    }
    found.split_off(1)
}

fn wait_until(what: &str, mut is_true: impl FnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !is_true() {
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_killed_program_leaves_no_browser() {
    if hadal::render::find_browser().is_none() || !Path::new("/proc/self/stat").exists() {
        assert!(std::env::var("HADAL_BROWSER").as_deref() != Ok("required"), "chromium and /proc are needed");
        return;
    }
    let busy =
        "<input type=search><button>Search</button><script>setInterval(() => fetch('/more'), 50)</script>";
    let site = pages::serve(HashMap::from([("/".to_string(), busy.to_string())]));
    let place = Place::new();
    let address = format!("http://{site}/");
    let mut command = place.command(&["judge", "--render", &address, "--allow-private", "--delay", "0s"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the browser starts", || descendants(child.id()).len() >= 3);
    let browser = descendants(child.id());
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("the browser ends", || {
        let running = processes();
        browser.iter().all(|number| !running.contains_key(number))
    });
}
