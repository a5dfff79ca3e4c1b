//! Manners: whoever crawls other people's hosts should say where they can be reached.

use super::find::FindPlan;
use crate::config::ConnectTo;
use url::{Host, Url};

/// What to say to a crawl of public hosts that names no contact.
pub fn warning(plan: &FindPlan) -> Option<&'static str> {
    let public = plan.seeds.iter().any(|seed| is_public(seed, &plan.network.connect_to));
    (public && plan.politeness.contact.is_none()).then_some(
        "warning: no contact is set, so owners of the sites you visit cannot reach you; \
         add --contact you@example.org or set politeness.contact",
    )
}

/// Whether an address belongs to somebody else, as far as its name tells.
fn is_public(seed: &Url, connect_to: &[ConnectTo]) -> bool {
    match seed.host() {
        None => false,
        Some(Host::Ipv4(ip)) => !(ip.is_loopback() || ip.is_private() || ip.is_link_local()),
        Some(Host::Ipv6(ip)) => !(ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local()),
        Some(Host::Domain(name)) => !is_reserved(name) && !connect_to.iter().any(|rule| covers(rule, name)),
    }
}

/// Names that never belong to anybody on the public net.
fn is_reserved(name: &str) -> bool {
    let last = name.trim_end_matches('.').rsplit('.').next().unwrap_or(name);
    ["localhost", "test", "example", "invalid", "local", "internal"].contains(&last)
}

fn covers(rule: &ConnectTo, name: &str) -> bool {
    globset::Glob::new(&rule.pattern).is_ok_and(|glob| glob.compile_matcher().is_match(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_peoples_hosts_are_public_and_our_own_are_not() {
        let rule = ConnectTo { pattern: "*.sim.net".into(), host: "127.0.0.1".into(), port: 8080 };
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
            assert_eq!(is_public(&seed, std::slice::from_ref(&rule)), public, "{address}");
        }
    }
}
