//! URL of a PostgreSQL database.

use super::super::StoreError;
use super::connection::DatabaseServer;
use super::fault::Fault;
use super::tls::{Encryption, Trust};
use std::path::PathBuf;
use std::time::Duration;
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;
use url::Url;

/// Default of `lease`. Guess: longer than a restart of PostgreSQL, so that workers survive one.
const LEASE: Duration = Duration::from_secs(15);
/// Shortest `lease`: a worker reports every second.
const MIN_LEASE: Duration = Duration::from_secs(3);

/// Settings of a connection.
pub struct Settings {
    config: Config,
    /// True if the certificate of the server is verified.
    is_verified: bool,
    /// File with the certificates of the authorities that are trusted.
    root_certificates: Option<PathBuf>,
    /// URL without its password, for messages.
    pub name: String,
    /// Time without a report or commit after which a worker of a shared run loses its partitions.
    pub lease: Duration,
}

impl Settings {
    pub fn server(&self) -> Result<DatabaseServer, Fault> {
        let trust = match self.is_verified {
            true => Trust::Verified(self.root_certificates.as_deref()),
            false => Trust::Any,
        };
        DatabaseServer::new(self.config.clone(), Encryption::new(&trust)?, self.name.clone())
    }
}

/// Reads a URL. `sslmode` has the meaning it has in every client of PostgreSQL; `verify-ca` also checks the name of the
/// server, as `verify-full` does. Without a user, the driver takes the name of the user of the process. A password may
/// also be in the variable `PGPASSWORD`.
pub fn parse(url: &str) -> Result<Settings, StoreError> {
    let bad = |detail: String| StoreError::BadDatabaseUrl { url: without_password(url), detail };
    let mut parsed = Url::parse(url).map_err(|error| bad(error.to_string()))?;
    let given: Vec<(String, String)> = parsed.query_pairs().into_owned().collect();
    let value = |name: &str| given.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let ssl_mode = match value("sslmode") {
        None | Some("prefer" | "allow") => SslMode::Prefer,
        Some("disable") => SslMode::Disable,
        Some("require" | "verify-ca" | "verify-full") => SslMode::Require,
        Some(other) => return Err(bad(format!("unknown sslmode '{other}'"))),
    };
    let is_verified = value("sslmode").is_some_and(|mode| mode.starts_with("verify"));
    let root_certificates = value("sslrootcert").map(PathBuf::from);
    let lease = value("lease").map_or(Ok(LEASE), |text| {
        let parsed = humantime::parse_duration(text).ok().filter(|lease| *lease >= MIN_LEASE);
        parsed.ok_or_else(|| bad(format!("lease '{text}' is not a time of at least 3s")))
    })?;
    let kept = given.iter().filter(|(key, _)| !["sslmode", "sslrootcert", "lease"].contains(&key.as_str()));
    let kept: Vec<(String, String)> = kept.cloned().collect();
    parsed.set_query(None);
    if !kept.is_empty() {
        parsed.query_pairs_mut().extend_pairs(kept);
    }
    // The driver decodes `%20`, not `+`.
    let text = parsed.as_str().replace('+', "%20");
    let mut config: Config = text.parse().map_err(|error: tokio_postgres::Error| bad(error.to_string()))?;
    config.ssl_mode(ssl_mode);
    if let (None, Ok(password)) = (config.get_password(), std::env::var("PGPASSWORD")) {
        config.password(password);
    }
    Ok(Settings { config, is_verified, root_certificates, name: without_password(url), lease })
}

/// The URL without its password.
pub fn without_password(url: &str) -> String {
    let Ok(mut parsed) = Url::parse(url) else { return "postgres:".to_string() };
    parsed.set_password(None).ok();
    let kept: Vec<(String, String)> =
        parsed.query_pairs().into_owned().filter(|(key, _)| key != "password").collect();
    parsed.set_query(None);
    if !kept.is_empty() {
        parsed.query_pairs_mut().extend_pairs(kept);
    }
    parsed.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        let settings = parse("postgres://ann:secret@db.org/web?password=hidden&sslmode=require").unwrap();
        assert_eq!(settings.name, "postgres://ann@db.org/web?sslmode=require");
        assert_eq!(settings.config.get_user(), Some("ann"));
        assert_eq!(settings.config.get_password(), Some(&b"hidden"[..]));
    }

    #[test]
    fn encryption_is_chosen_by_sslmode() {
        let settings = |mode: &str| parse(&format!("postgres://db.org/web?sslmode={mode}"));
        let mode = |mode: &str| settings(mode).unwrap().config.get_ssl_mode();
        assert_eq!([mode("prefer"), mode("disable")], [SslMode::Prefer, SslMode::Disable]);
        assert_eq!([mode("require"), mode("verify-full")], [SslMode::Require, SslMode::Require]);
        assert!(settings("verify-full").unwrap().is_verified && !settings("require").unwrap().is_verified);
        assert!(matches!(settings("perhaps"), Err(StoreError::BadDatabaseUrl { .. })));
    }

    #[test]
    fn the_lease_of_a_worker_is_a_time() {
        let lease =
            |text: &str| parse(&format!("postgres://db.org/web?lease={text}")).map(|parsed| parsed.lease);
        assert_eq!(lease("1m").unwrap(), Duration::from_secs(60));
        assert_eq!(parse("postgres://db.org/web").unwrap().lease, LEASE);
        assert!(lease("1s").is_err() && lease("soon").is_err());
    }
}
