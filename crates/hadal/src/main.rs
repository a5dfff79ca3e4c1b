//! The `hadal` program; everything is in [`hadal::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    hadal::cli::main()
}
