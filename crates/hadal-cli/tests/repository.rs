//! The papers of the repository tell the truth about it.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn paper(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What stands between back ticks and looks like a file of ours.
fn named_files(text: &str) -> Vec<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter(|name| name.starts_with("crates/") || name.starts_with(".ci/")).collect()
}

#[test]
fn every_file_named_in_the_papers_exists() {
    for name in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = paper(name);
        let files = named_files(&text);
        assert!(files.len() >= 5, "{name} names files: {files:?}");
        for file in files {
            assert!(root().join(file).exists(), "{name} names {file}, which is gone");
        }
    }
}

#[test]
fn every_link_between_the_papers_leads_somewhere() {
    let readme = paper("README.md");
    let targets = readme.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    for target in targets.filter(|target| !target.contains("://")) {
        assert!(root().join(target).exists(), "README.md links to {target}, which is gone");
    }
}

#[test]
fn the_readme_and_the_checks_run_the_same_tests() {
    let readme = paper("README.md");
    assert!(readme.contains("\ncargo run --release -- demo\n"));
    assert!(readme.contains("\ncargo test --workspace\n"));
    let checks = paper(".ci/run");
    let commands: Vec<&str> = checks.lines().filter(|line| line.starts_with("cargo ")).collect();
    assert_eq!(
        commands,
        [
            "cargo fmt --all --check",
            "cargo clippy --workspace --all-targets --locked -- -D warnings",
            "cargo test --workspace --locked",
        ]
    );
}

#[test]
fn the_minimum_rust_version_is_the_one_the_readme_names() {
    let manifest: toml::Table = paper("Cargo.toml").parse().unwrap();
    let version = manifest["workspace"]["package"]["rust-version"].as_str().unwrap();
    assert!(paper("README.md").contains(&format!("(https://rustup.rs) {version} or later")));
}

#[test]
fn both_licences_are_here_in_full() {
    assert!(paper("LICENSE-MIT").contains("Permission is hereby granted, free of charge"));
    let apache = paper("LICENSE-APACHE");
    assert!(apache.contains("Version 2.0, January 2004") && apache.lines().count() > 195);
}
