//! Facts about the repository: documents name existing files, layers hold, type names are unique.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn document(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Paths of this repository that a text names between backticks.
fn named_files(text: &str) -> Vec<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter(|name| name.starts_with("crates/") || name.starts_with(".ci/")).collect()
}

#[test]
fn every_file_named_in_the_documents_exists() {
    for name in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = document(name);
        let files = named_files(&text);
        assert!(files.len() >= 5, "{name} names files: {files:?}");
        for file in files {
            assert!(root().join(file).exists(), "{name} names {file}, which is gone");
        }
    }
}

#[test]
fn every_link_of_the_readme_exists() {
    let readme = document("README.md");
    let targets = readme.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    for target in targets.filter(|target| !target.contains("://")) {
        assert!(root().join(target).exists(), "README.md links to {target}, which is gone");
    }
}

#[test]
fn the_readme_and_the_checks_run_the_same_tests() {
    let readme = document("README.md");
    assert!(readme.contains("\ncargo run --release -- demo\n"));
    assert!(readme.contains("\ncargo test --workspace\n"));
    let checks = document(".ci/run");
    let commands: Vec<&str> = checks.lines().filter(|line| line.starts_with("cargo ")).collect();
    assert_eq!(
        commands,
        [
            "cargo fmt --all --check",
            "cargo clippy --workspace --all-targets --locked -- -D warnings",
            "cargo test --workspace --locked",
            "cargo doc --workspace --no-deps --locked",
            "cargo check --manifest-path fuzz/Cargo.toml --locked",
        ]
    );
}

#[test]
fn the_minimum_rust_version_is_the_one_the_readme_names() {
    let manifest: toml::Table = document("Cargo.toml").parse().unwrap();
    let version = manifest["workspace"]["package"]["rust-version"].as_str().unwrap();
    assert!(document("README.md").contains(&format!("(https://rustup.rs) {version} or later")));
}

#[test]
fn both_licences_are_here_in_full() {
    assert!(document("LICENSE-MIT").contains("Permission is hereby granted, free of charge"));
    let apache = document("LICENSE-APACHE");
    assert!(apache.contains("Version 2.0, January 2004") && apache.lines().count() > 195);
}

/// Modules of `hadal` from the lowest layer up. A module uses only modules before it.
const LAYERS: [&str; 16] = [
    "choice",
    "atomic_file",
    "fetch",
    "polite",
    "store",
    "backlinks",
    "topic",
    "render",
    "engine",
    "harvest",
    "ask",
    "report",
    "output",
    "serve",
    "config",
    "lib",
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// First-level modules that a source text uses by `crate::NAME`.
fn used_modules(text: &str) -> impl Iterator<Item = &str> {
    text.split("crate::").skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    })
}

#[test]
fn modules_use_only_lower_layers() {
    let source = root().join("crates/hadal/src");
    let layer = |name: &str| LAYERS.iter().position(|known| *known == name);
    let mut wrong = Vec::new();
    for file in sources(&source) {
        let relative = file.strip_prefix(&source).unwrap();
        let first = relative.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        let own = layer(first).unwrap_or_else(|| panic!("module {first} has no layer"));
        let text = std::fs::read_to_string(&file).unwrap();
        let used = used_modules(&text).filter(|name| layer(name).is_some_and(|used| used > own));
        wrong.extend(used.map(|name| format!("{} uses {name}", relative.display())));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Name of the struct, enum or trait that a line defines.
fn defined_type(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.trim_start(),
        None => line,
    };
    let name = ["struct ", "enum ", "trait "].iter().find_map(|keyword| line.strip_prefix(keyword))?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    Some(&name[..end])
}

#[test]
fn every_type_name_is_defined_once_per_crate() {
    let mut twice = Vec::new();
    for member in ["hadal-core", "hadal-world", "hadal", "hadal-store-contract", "hadal-eval", "hadal-cli"] {
        let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for file in sources(&root().join("crates").join(member).join("src")) {
            for line in std::fs::read_to_string(&file).unwrap().lines() {
                if let Some(name) = defined_type(line) {
                    places.entry(name.to_string()).or_default().push(file.display().to_string());
                }
            }
        }
        twice.extend(places.into_iter().filter(|(_, files)| files.len() > 1));
    }
    assert!(twice.is_empty(), "{twice:#?}");
}

#[test]
fn only_the_crates_that_touch_the_world_depend_on_a_runtime() {
    let manifest: toml::Table = document("crates/hadal-core/Cargo.toml").parse().unwrap();
    let dependencies = manifest["dependencies"].as_table().unwrap();
    for world in ["tokio", "hyper", "rusqlite", "axum", "clap"] {
        assert!(!dependencies.contains_key(world), "hadal-core depends on {world}");
    }
}
