//! The guide under `docs/`: every `sh` block is executed, in the order of its pages and in one folder, as by a reader.

use std::path::{Path, PathBuf};
use std::process::Command;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// Pages of the guide in their order.
fn pages() -> Vec<String> {
    let summary = std::fs::read_to_string(docs().join("SUMMARY.md")).unwrap();
    let links = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    links.map(str::to_string).collect()
}

/// Fenced blocks of a page with this language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let (mut blocks, mut open): (Vec<String>, Option<String>) = (Vec::new(), None);
    for line in text.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => open = Some(if info == language { String::new() } else { "-".into() }),
            (Some(_), Some(_)) => blocks.extend(open.take().filter(|block| block != "-")),
            (Some(block), None) if block != "-" => *block += &format!("{line}\n"),
            _ => {}
        }
    }
    blocks
}

#[test]
fn every_page_of_the_guide_exists_and_every_page_is_in_it() {
    let pages = pages();
    for page in &pages {
        assert!(docs().join(page).exists(), "SUMMARY.md names {page}, which is gone");
    }
    for entry in std::fs::read_dir(docs()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let is_page = name.ends_with(".md") && name != "SUMMARY.md";
        assert!(!is_page || pages.contains(&name), "SUMMARY.md does not name {name}");
    }
}

#[test]
fn every_command_of_the_guide_runs() {
    let folder = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_hadal")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let mut count = 0;
    for page in pages() {
        let text = std::fs::read_to_string(docs().join(&page)).unwrap();
        for block in blocks(&text, "sh") {
            let ran = Command::new("bash")
                .args(["-euc", &block])
                .current_dir(folder.path())
                .env("PATH", &path)
                .env("NO_COLOR", "1")
                .env_remove("HADAL_BROWSER")
                .env_remove("HADAL_POSTGRES")
                .output()
                .unwrap();
            let errors = String::from_utf8_lossy(&ran.stderr);
            assert!(ran.status.success(), "{page}:\n{block}\n{errors}");
            count += 1;
        }
    }
    assert!(count >= 12, "{count} blocks");
}
