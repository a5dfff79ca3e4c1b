//! Runs the program in its own folder with its own environment.
#![allow(dead_code, reason = "every test binary uses a part of it")]

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A folder to run in, without the caller's configuration.
pub struct Place {
    pub dir: tempfile::TempDir,
}

/// Result of a program run.
#[derive(Debug)]
pub struct Ran {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Place {
    pub fn new() -> Place {
        Place { dir: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).unwrap();
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hadal"));
        command.args(args).current_dir(self.path()).stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            if name.starts_with("HADAL_") || name == "NO_COLOR" || name.to_lowercase().ends_with("_proxy") {
                command.env_remove(name.as_ref());
            }
        }
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        Ran::from(self.command(args).output().unwrap())
    }

    pub fn run_with(&self, variables: &[(&str, &str)], args: &[&str]) -> Ran {
        Ran::from(self.command(args).envs(variables.iter().copied()).output().unwrap())
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        Ran {
            status: output.status.code().expect("ended by itself"),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Ran {
    /// Asserts a usage error with these words.
    pub fn refused(&self, words: &[&str]) {
        assert_eq!(self.status, 2, "{self:?}");
        assert!(self.out.is_empty(), "{self:?}");
        for word in words {
            assert!(self.err.contains(word), "{word}: {self:?}");
        }
    }

    /// Asserts success and returns the output.
    pub fn done(self) -> String {
        assert_eq!(self.status, 0, "{self:?}");
        self.out
    }
}
