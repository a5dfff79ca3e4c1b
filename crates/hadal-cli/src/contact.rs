//! Warning for crawls of public hosts without a contact address.

use hadal::fetch::network::{self, ConnectTo, NetworkOptions};
use url::{Host, Url};

/// Warning to print, if the crawl visits public hosts and no contact is set.
pub fn warning(seeds: &[Url], network: &NetworkOptions) -> Option<&'static str> {
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
    fn other_peoples_hosts_are_public_and_our_own_are_not() {
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
