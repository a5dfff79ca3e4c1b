//! The `hadal` program; everything is in [`hadal::cli`].

use std::process::ExitCode;

/// A crawl allocates and frees small pieces all the time, on all cores.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    hadal::cli::main()
}
