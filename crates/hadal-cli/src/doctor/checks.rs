//! The single checks of `hadal doctor`.

use super::{Finding, Verdict};
use hadal::config::Config;
use hadal::store::{Access, StoreError};
use std::fs::{File, TryLockError};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Less free space than this will not last long.
const LITTLE_SPACE: u64 = 1 << 30;

fn finding(subject: &'static str, verdict: Verdict, detail: impl Into<String>) -> Finding {
    Finding { subject, verdict, detail: detail.into() }
}

/// Whether the configuration can be used.
pub fn configuration(file: Option<&Path>, checked: &anyhow::Result<Config>) -> Finding {
    match (checked, file) {
        (Err(error), _) => finding("configuration", Verdict::Fail, format!("{error:#}")),
        (Ok(_), Some(path)) => finding("configuration", Verdict::Ok, path.display().to_string()),
        (Ok(_), None) => {
            finding("configuration", Verdict::Ok, "defaults; `hadal config > hadal.toml` to change them")
        }
    }
}

/// Whether a crawl says where its operator can be reached.
pub fn contact(config: &Config) -> Finding {
    match &config.politeness.contact {
        Some(contact) => finding("contact", Verdict::Ok, contact.as_str()),
        None => {
            finding("contact", Verdict::Warn, "none; set politeness.contact before crawling public hosts")
        }
    }
}

/// Whether the store can be read, and has room to grow.
pub fn store(url: &str) -> Vec<Finding> {
    let opened = match hadal::store::open(url, Access::Read) {
        Ok(_) => finding("store", Verdict::Ok, format!("{url} can be read")),
        Err(StoreError::Missing(path)) => {
            finding("store", Verdict::Ok, format!("none yet in {}; the first crawl makes it", path.display()))
        }
        Err(error) => finding("store", Verdict::Fail, error.to_string()),
    };
    let Some(directory) = directory(url) else { return vec![opened] };
    let space = free_space(&directory).map(space);
    std::iter::once(opened).chain(lock(&directory)).chain(space).collect()
}

fn directory(url: &str) -> Option<PathBuf> {
    match url.split_once(':') {
        None => Some(PathBuf::from(url)),
        Some(("file", path)) => Some(PathBuf::from(path)),
        Some(_) => None,
    }
}

/// Whether a crawl is running into the store. Silent when there is no store yet.
fn lock(directory: &Path) -> Option<Finding> {
    let file = File::open(directory.join("crawl.lock")).ok()?;
    Some(match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => {
            finding("crawl", Verdict::Ok, "one is running; a second one needs another store")
        }
        Err(TryLockError::Error(error)) => {
            finding("crawl", Verdict::Warn, format!("the lock cannot be tried: {error}"))
        }
        Ok(()) => finding("crawl", Verdict::Ok, "none is running"),
    })
}

fn space(free: u64) -> Finding {
    let megabytes = free / 1_000_000;
    if free < LITTLE_SPACE {
        finding(
            "disk",
            Verdict::Warn,
            format!("{megabytes} MB free beside the store: free some before a long crawl"),
        )
    } else {
        finding("disk", Verdict::Ok, format!("{megabytes} MB free beside the store"))
    }
}

/// Bytes free where the directory is, or will be.
fn free_space(directory: &Path) -> Option<u64> {
    let directory = std::path::absolute(directory).ok()?;
    let existing = directory.ancestors().find(|path| path.exists())?;
    let volume = rustix::fs::statvfs(existing).ok()?;
    Some(volume.f_bavail.saturating_mul(volume.f_frsize))
}

/// Whether the system says who resolves names.
pub fn resolver() -> Finding {
    match hickory_resolver::system_conf::read_system_conf() {
        Ok((config, _)) if !config.name_servers().is_empty() => {
            finding("resolver", Verdict::Ok, format!("{} name servers", config.name_servers().len()))
        }
        Ok(_) => finding(
            "resolver",
            Verdict::Warn,
            "the system names no name server: public hosts cannot be found",
        ),
        Err(error) => {
            finding("resolver", Verdict::Warn, format!("the system's settings cannot be read: {error}"))
        }
    }
}

/// Which proxies the environment names; never their passwords.
pub fn proxy() -> Finding {
    const NAMES: [&str; 4] = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"];
    let set = |name: &&str| {
        let either = [name.to_string(), name.to_uppercase()];
        either.iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
    };
    let named: Vec<&str> = NAMES.into_iter().filter(|name| set(name)).collect();
    if named.is_empty() {
        finding("proxy", Verdict::Ok, "none")
    } else {
        finding("proxy", Verdict::Ok, format!("set by {}", named.join(", ")))
    }
}

/// Whether a browser is installed; nothing needs it as long as pages are not rendered.
pub fn browser() -> Finding {
    const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let candidates = std::env::split_paths(&path).flat_map(|folder| NAMES.map(|name| folder.join(name)));
    match candidates.into_iter().find(|file| file.is_file()) {
        Some(file) => finding("browser", Verdict::Ok, file.display().to_string()),
        None => finding("browser", Verdict::Ok, "none; not needed, pages are not rendered"),
    }
}

/// Whether the public net can be reached. The only check that sends anything.
pub fn online() -> Finding {
    const PLACE: (&str, u16) = ("example.org", 80);
    let address = match PLACE.to_socket_addrs().map(|mut found| found.next()) {
        Ok(Some(address)) => address,
        Ok(None) => {
            return finding("online", Verdict::Fail, "example.org has no address: check the resolver");
        }
        Err(error) => {
            return finding("online", Verdict::Fail, format!("example.org does not resolve: {error}"));
        }
    };
    match TcpStream::connect_timeout(&address, Duration::from_secs(10)) {
        Ok(_) => finding("online", Verdict::Ok, format!("example.org answers at {address}")),
        Err(error) => finding("online", Verdict::Fail, format!("no connection to {address}: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_is_not_there_yet_is_no_failure() {
        let dir = tempfile::tempdir().unwrap();
        let findings = store(&format!("file:{}", dir.path().join("new").display()));
        assert_eq!(findings[0].verdict, Verdict::Ok);
        assert_eq!(findings[1].subject, "disk");
    }

    #[test]
    fn little_space_is_worth_a_warning() {
        assert_eq!(space(LITTLE_SPACE - 1).verdict, Verdict::Warn);
        assert_eq!(space(LITTLE_SPACE).verdict, Verdict::Ok);
    }
}
