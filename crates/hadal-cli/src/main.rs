//! The `hadal` program; see the library `hadal_cli`.

use hadal_cli::{Extensions, run_program};
use std::process::ExitCode;

/// A crawl allocates many small objects on all cores.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    run_program(Extensions::built_in())
}
