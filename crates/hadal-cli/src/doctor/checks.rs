//! Checks of `hadal doctor`.

use super::{CheckLevel, CheckResult};
use hadal::config::Config;
use hadal::render::RenderMode;
use hadal::report::values::plural;
use hadal::store::{Access, StoreError};
use std::fs::{File, TryLockError};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Free space in bytes below which the store gets a warning. Guess.
const LITTLE_SPACE: u64 = 1 << 30;

fn check(subject: &'static str, verdict: CheckLevel, detail: impl Into<String>) -> CheckResult {
    CheckResult { subject, verdict, detail: detail.into() }
}

/// Checks that the configuration is valid.
pub fn configuration(file: Option<&Path>, checked: &anyhow::Result<Config>) -> CheckResult {
    match (checked, file) {
        (Err(error), _) => check("configuration", CheckLevel::Fail, format!("{error:#}")),
        (Ok(_), Some(path)) => check("configuration", CheckLevel::Ok, path.display().to_string()),
        (Ok(_), None) => {
            check("configuration", CheckLevel::Ok, "defaults; `hadal config > hadal.toml` to change them")
        }
    }
}

/// Checks that a contact address is set.
pub fn contact(config: &Config) -> CheckResult {
    match &config.politeness.contact {
        Some(contact) => check("contact", CheckLevel::Ok, contact.as_str()),
        None => {
            check("contact", CheckLevel::Warn, "none; set politeness.contact before crawling public hosts")
        }
    }
}

/// Checks that the store is readable and has free space.
pub fn store(url: &str) -> Vec<CheckResult> {
    let opened = match hadal::store::open(url, Access::Read) {
        Ok(_) => check("store", CheckLevel::Ok, format!("{} is readable", hadal::store::shown_url(url))),
        Err(StoreError::Missing(path)) => check(
            "store",
            CheckLevel::Ok,
            format!("no store in {} yet; the first crawl creates it", path.display()),
        ),
        Err(error) => check("store", CheckLevel::Fail, error.to_string()),
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

/// Checks if a crawl is writing to the store. `None` if there is no store.
fn lock(directory: &Path) -> Option<CheckResult> {
    let file = File::open(directory.join("crawl.lock")).ok()?;
    Some(match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => {
            check("crawl", CheckLevel::Ok, "a crawl is running; a second one needs another store")
        }
        Err(TryLockError::Error(error)) => {
            check("crawl", CheckLevel::Warn, format!("could not check the lock: {error}"))
        }
        Ok(()) => check("crawl", CheckLevel::Ok, "no crawl is running"),
    })
}

fn space(free: u64) -> CheckResult {
    let megabytes = free / 1_000_000;
    if free < LITTLE_SPACE {
        check(
            "disk",
            CheckLevel::Warn,
            format!("{megabytes} MB free on the disk of the store; free more before a long crawl"),
        )
    } else {
        check("disk", CheckLevel::Ok, format!("{megabytes} MB free on the disk of the store"))
    }
}

/// Free bytes of the file system of a directory, which need not exist.
fn free_space(directory: &Path) -> Option<u64> {
    let directory = std::path::absolute(directory).ok()?;
    let existing = directory.ancestors().find(|path| path.exists())?;
    let volume = rustix::fs::statvfs(existing).ok()?;
    Some(volume.f_bavail.saturating_mul(volume.f_frsize))
}

/// Checks that the system has a DNS configuration.
pub fn resolver() -> CheckResult {
    match hickory_resolver::system_conf::read_system_conf() {
        Ok((config, _)) if !config.name_servers().is_empty() => {
            let servers = config.name_servers().len() as u64;
            check("resolver", CheckLevel::Ok, plural(servers, "name server", "name servers"))
        }
        Ok(_) => check(
            "resolver",
            CheckLevel::Warn,
            "the system has no name server; public hosts cannot be resolved",
        ),
        Err(error) => {
            check("resolver", CheckLevel::Warn, format!("could not read the system's DNS settings: {error}"))
        }
    }
}

/// Lists the proxies of the environment without passwords.
pub fn proxy() -> CheckResult {
    const NAMES: [&str; 4] = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"];
    let set = |name: &&str| {
        let either = [name.to_string(), name.to_uppercase()];
        either.iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
    };
    let named: Vec<&str> = NAMES.into_iter().filter(|name| set(name)).collect();
    if named.is_empty() {
        check("proxy", CheckLevel::Ok, "none")
    } else {
        check("proxy", CheckLevel::Ok, format!("set by {}", named.join(", ")))
    }
}

/// Names the browser that renders pages, and starts it once.
pub fn browser(config: Option<&Config>) -> CheckResult {
    let Some(file) = hadal::render::find_browser() else {
        return check(
            "browser",
            CheckLevel::Ok,
            "none found; pages are not rendered (install chromium for that)",
        );
    };
    let file_name = file.display();
    if let Some(fault) = hadal::render::browser_fault(&file) {
        let advice = "pages are not rendered; on Debian, the package chromium-sandbox may be missing";
        return check("browser", CheckLevel::Warn, format!("{file_name} does not start: {fault}; {advice}"));
    }
    let (crawls, harvests) = config.map_or((RenderMode::Never, RenderMode::Auto), |config| {
        (config.render_crawls, config.render_harvests)
    });
    let (crawls, harvests) = (rendered_pages(crawls), rendered_pages(harvests));
    check(
        "browser",
        CheckLevel::Ok,
        format!("{file_name} renders {harvests} in harvests, {crawls} in crawls"),
    )
}

fn rendered_pages(mode: RenderMode) -> &'static str {
    match mode {
        RenderMode::Never => "no page",
        RenderMode::Auto => "pages that suggest a search by script",
        RenderMode::Always => "all pages",
    }
}

/// Checks that the public network is reachable. The only check that sends requests.
pub fn online() -> CheckResult {
    const PLACE: (&str, u16) = ("example.org", 80);
    let address = match PLACE.to_socket_addrs().map(|mut found| found.next()) {
        Ok(Some(address)) => address,
        Ok(None) => {
            return check("online", CheckLevel::Fail, "example.org has no address; check the DNS settings");
        }
        Err(error) => {
            return check("online", CheckLevel::Fail, format!("example.org does not resolve: {error}"));
        }
    };
    match TcpStream::connect_timeout(&address, Duration::from_secs(10)) {
        Ok(_) => check("online", CheckLevel::Ok, format!("example.org answers at {address}")),
        Err(error) => check("online", CheckLevel::Fail, format!("no connection to {address}: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_is_not_there_yet_is_no_failure() {
        let dir = tempfile::tempdir().unwrap();
        let findings = store(&format!("file:{}", dir.path().join("new").display()));
        assert_eq!(findings[0].verdict, CheckLevel::Ok);
        assert_eq!(findings[1].subject, "disk");
    }

    #[test]
    fn little_space_is_worth_a_warning() {
        assert_eq!(space(LITTLE_SPACE - 1).verdict, CheckLevel::Warn);
        assert_eq!(space(LITTLE_SPACE).verdict, CheckLevel::Ok);
    }
}
