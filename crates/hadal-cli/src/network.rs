//! Network options from the configuration.

use super::exit::Usage;
use hadal::config::Config;
use hadal::fetch::network::{CookieJar, NetworkOptions, Proxies};
use hadal::polite::{ClientOptions, Clock};
use std::path::Path;

/// Collects settings, the cookie file and the proxies of the environment.
pub fn options(config: &Config) -> anyhow::Result<NetworkOptions> {
    let fetch = &config.fetch;
    Ok(NetworkOptions {
        user_agent: config.politeness.user_agent.clone(),
        contact: config.politeness.contact.clone(),
        headers: fetch.headers.clone(),
        allow_private: fetch.allow_private,
        connect_to: fetch.connect_to.clone(),
        timeouts: fetch.timeouts,
        ca_file: fetch.ca_file.clone(),
        cookies: fetch.cookies.as_deref().map(cookies).transpose()?.unwrap_or_default(),
        proxies: Proxies::from_environment()?,
        ..NetworkOptions::default()
    })
}

/// Settings of a client that sends single requests.
pub fn client_options(config: &Config) -> ClientOptions {
    ClientOptions::new(config.politeness.delays, config.politeness.agent(), config.fetch.body_limit)
}

fn cookies(path: &Path) -> anyhow::Result<CookieJar> {
    let refuse = |detail: String| Usage(format!("cookie file {}: {detail}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
    Ok(CookieJar::from_netscape(&text, Clock::Real.now()).map_err(|error| refuse(error.to_string()))?)
}
