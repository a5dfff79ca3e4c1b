//! Network options of all commands that send requests: flags, settings, the archive, and the warning about a missing
//! contact address.

use super::exit::Usage;
use anyhow::Context;
use clap::Args;
use hadal::config::Config;
use hadal::config::Override;
use hadal::fetch::Fetch;
use hadal::fetch::archive::Archiving;
use hadal::fetch::network::{self, ConnectTo, CookieJar, NetworkOptions, Proxies};
use hadal::polite::{ClientOptions, Clock};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use url::{Host, Url};

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

/// Politeness and network options.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Network")]
pub struct NetworkArgs {
    /// Minimum delay between two requests to a host, as 1s
    #[arg(long, value_name = "TIME")]
    delay: Option<String>,
    /// User-Agent header
    #[arg(long, value_name = "NAME")]
    user_agent: Option<String>,
    /// Contact address for site owners, sent with every request
    #[arg(long, value_name = "ADDRESS")]
    contact: Option<String>,
    /// Extra header line, as 'Accept-Language: de' (repeatable)
    #[arg(long, value_name = "LINE")]
    header: Vec<String>,
    /// Cookie file to load
    #[arg(long, value_name = "FILE")]
    cookies: Option<String>,
    /// Allow loopback and private addresses
    #[arg(long)]
    allow_private: bool,
    /// Connect to this address for matching hosts, as '*.example=127.0.0.1:8080' (repeatable)
    #[arg(long, value_name = "PATTERN=HOST:PORT")]
    connect_to: Vec<String>,
}

impl NetworkArgs {
    pub fn overrides(&self) -> Vec<Override> {
        let private = if self.allow_private { vec!["true".to_string()] } else { vec![] };
        given([
            ("politeness.delay", "--delay", once(&self.delay)),
            ("politeness.user_agent", "--user-agent", once(&self.user_agent)),
            ("politeness.contact", "--contact", once(&self.contact)),
            ("fetch.headers", "--header", self.header.clone()),
            ("fetch.cookies", "--cookies", once(&self.cookies)),
            ("fetch.allow_private", "--allow-private", private),
            ("fetch.connect_to", "--connect-to", self.connect_to.clone()),
        ])
    }
}

/// Value of a flag that is given at most once.
pub fn once(value: &Option<String>) -> Vec<String> {
    value.iter().cloned().collect()
}

/// Flags of a command that were given, as settings.
pub fn given<const N: usize>(flags: [(&'static str, &'static str, Vec<String>); N]) -> Vec<Override> {
    let given = flags.into_iter().filter(|(_, _, given)| !given.is_empty());
    given.map(|(key, flag, given)| Override { key, flag, given }).collect()
}

/// Wraps the fetcher in an archiving one if a folder is given.
pub fn archived(fetch: Arc<dyn Fetch>, folder: Option<&Path>) -> anyhow::Result<Arc<dyn Fetch>> {
    let Some(folder) = folder else { return Ok(fetch) };
    let archiving = Archiving::new(fetch, folder)
        .with_context(|| format!("could not write a WARC file in {}", folder.display()))?;
    writeln!(std::io::stderr(), "archiving to {}", archiving.path().display()).ok();
    Ok(Arc::new(archiving))
}

/// Warning to print, if the crawl visits public hosts and no contact is set.
pub fn contact_warning(seeds: &[Url], network: &NetworkOptions) -> Option<&'static str> {
    let public = seeds.iter().any(|seed| is_public(seed, &network.connect_to));
    (public && network.contact.is_none()).then_some(
        "warning: no contact is set, so owners of the sites you visit cannot reach you; \
         add --contact you@example.org or set politeness.contact",
    )
}

/// True if a seed is on a public host, judged by its name.
fn is_public(seed: &Url, connect_to: &[ConnectTo]) -> bool {
    let port = seed.port_or_known_default().unwrap_or_default();
    let rerouted = |host: &str| connect_to.iter().any(|rule| rule.matches(host, port));
    match seed.host() {
        None => false,
        Some(Host::Ipv4(ip)) => network::is_public(ip.into()),
        Some(Host::Ipv6(ip)) => network::is_public(ip.into()),
        Some(Host::Domain(name)) => !is_reserved(name) && !rerouted(name),
    }
}

/// True for names that are reserved for local use or documentation.
fn is_reserved(name: &str) -> bool {
    let last = name.trim_end_matches('.').rsplit('.').next().unwrap_or(name);
    ["localhost", "test", "example", "invalid", "local", "internal"].contains(&last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_are_public_or_local() {
        let rules: Vec<ConnectTo> = vec!["*.sim.net=127.0.0.1:8080".parse().unwrap()];
        for (address, public) in [
            ("http://www.bookshop.com/", true),
            ("http://93.184.216.34/", true),
            ("http://[2606:2800:220:1::1]/", true),
            ("http://localhost:8080/", false),
            ("http://127.1/", false),
            ("http://10.0.0.7/", false),
            ("http://[::1]/", false),
            ("http://shop.example/", false),
            ("http://a.sim.net/", false),
        ] {
            let seed = Url::parse(address).unwrap();
            assert_eq!(is_public(&seed, &rules), public, "{address}");
        }
    }
}
