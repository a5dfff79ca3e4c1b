//! What a dashboard costs: how long answers take as a store grows, and what a watching browser takes from a crawl.
//!
//! `cargo bench --bench serving` (smaller: `-- --forms 2000 --records 20000 --pages 2000`; `--in DIR` keeps the
//! stores there, and fills only those that are missing). Three stores, one without rows, one of a hundredth and
//! one whole, are asked the same in turns, over HTTP; what an answer costs client and server together is counted
//! in CPU time, so that other work on the machine does not matter much. Then the simulated
//! web is crawled into the whole one, alone and watched in turns; each crawl, with its dashboard, is a process.
//! Its CPU time is counted; that of the browser, another process, is not. Linux only.

#[path = "serving/client.rs"]
mod client;
#[path = "common/crawling.rs"]
mod crawling;
#[path = "serving/crawls.rs"]
mod crawls;
#[path = "serving/harvests.rs"]
mod harvests;
#[path = "serving/lists.rs"]
mod lists;
#[path = "common/process.rs"]
mod process;
#[path = "serving/routes.rs"]
mod routes;
#[path = "serving/watching.rs"]
mod watching;

use hadal::store::{Access, open};
use process::{arguments, scratch};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Same allocator as the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Anyhow<T> = anyhow::Result<T>;

fn main() -> Anyhow<()> {
    let arguments = arguments();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--crawl", store, pages, seed, how] => {
            watching::crawl_once(store, pages.parse()?, seed.parse()?, *how == "watched")
        }
        ["--watch", address, run] => watching::watch(address, run),
        _ => measure(&Sizes::given(&words)?),
    }
}

/// Sizes of the benchmark.
struct Sizes {
    forms: u64,
    records: u64,
    /// Pages per crawl; zero for no crawl.
    pages: u64,
    /// Folder in which stores are kept.
    kept: Option<PathBuf>,
}

impl Sizes {
    fn given(words: &[&str]) -> Anyhow<Sizes> {
        let mut sizes = Sizes { forms: 100_000, records: 1_000_000, pages: 20_000, kept: None };
        for pair in words.chunks(2) {
            match pair {
                ["--forms", number] => sizes.forms = number.parse()?,
                ["--records", number] => sizes.records = number.parse()?,
                ["--pages", number] => sizes.pages = number.parse()?,
                ["--in", dir] => sizes.kept = Some(dir.into()),
                _ => anyhow::bail!("usage: serving [--forms N] [--records N] [--pages N] [--in DIR]"),
            }
        }
        Ok(sizes)
    }
}

fn measure(sizes: &Sizes) -> Anyhow<()> {
    if let Some(dir) = &sizes.kept {
        return measure_in(dir, sizes);
    }
    let dir = scratch("serving")?;
    let measured = measure_in(&dir, sizes);
    std::fs::remove_dir_all(dir)?;
    measured
}

fn measure_in(dir: &Path, sizes: &Sizes) -> Anyhow<()> {
    let stores = [
        filled(dir, "empty", 0, 0)?,
        filled(dir, "small", sizes.forms / 100, sizes.records / 100)?,
        filled(dir, "large", sizes.forms, sizes.records)?,
    ];
    lists::table(&stores)?;
    if sizes.pages > 0 { watching::table(&stores[2], sizes.pages) } else { Ok(()) }
}

/// A closed store of this size.
fn filled(dir: &Path, name: &str, forms: u64, records: u64) -> Anyhow<PathBuf> {
    let (folder, began) = (dir.join(name), Instant::now());
    if folder.exists() {
        // Migrates an older store before it is measured.
        drop(open(&folder.display().to_string(), Access::Crawl)?);
        println!("{name}: as it was, opened in {:.0} s", began.elapsed().as_secs_f64());
        return Ok(folder);
    }
    let store = open(&folder.display().to_string(), Access::Crawl)?;
    crawls::fill(store.as_ref(), forms)?;
    harvests::fill(store.as_ref(), records)?;
    drop(store);
    let mut bytes = 0;
    for entry in std::fs::read_dir(&folder)? {
        bytes += entry?.metadata()?.len();
    }
    let (mb, took) = (bytes as f64 / 1e6, began.elapsed().as_secs_f64());
    println!("{name}: {forms} forms, {records} records, {mb:.0} MB, filled in {took:.0} s");
    Ok(folder)
}
