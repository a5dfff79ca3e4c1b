//! Hosts that measure visits, advertise, or serve widgets that no search needs.
//!
//! The list names the services that most pages with third-party scripts load, by public statistics of the web. A
//! service that is missing costs a request for its script. Its reports are refused anyway, because only scripts and
//! searches go to other sites.

use url::Url;

/// Registrable domains of services. Their subdomains count.
const SERVICES: [&str; 46] = [
    "addthis.com",
    "addtoany.com",
    "adnxs.com",
    "adobedtm.com",
    "amazon-adsystem.com",
    "amplitude.com",
    "bat.bing.com",
    "bugsnag.com",
    "chartbeat.com",
    "clarity.ms",
    "clicky.com",
    "cookiebot.com",
    "cookielaw.org",
    "criteo.com",
    "criteo.net",
    "crisp.chat",
    "datadoghq-browser-agent.com",
    "demdex.net",
    "disqus.com",
    "doubleclick.net",
    "facebook.com",
    "facebook.net",
    "fullstory.com",
    "google-analytics.com",
    "googleadservices.com",
    "googlesyndication.com",
    "googletagmanager.com",
    "googletagservices.com",
    "hotjar.com",
    "hs-scripts.com",
    "intercom.io",
    "intercomcdn.com",
    "licdn.com",
    "matomo.cloud",
    "mixpanel.com",
    "newrelic.com",
    "nr-data.net",
    "omtrdc.net",
    "onesignal.com",
    "outbrain.com",
    "quantserve.com",
    "scorecardresearch.com",
    "segment.com",
    "sentry-cdn.com",
    "taboola.com",
    "zdassets.com",
];
/// Parts of host names that name the purpose of the host.
const PURPOSES: [&str; 10] =
    ["ads", "adserver", "analytics", "beacon", "matomo", "metrics", "pixel", "piwik", "stats", "telemetry"];
/// Names of files of the same services on other hosts.
const FILES: [&str; 7] =
    ["analytics.js", "beacon.js", "fbevents.js", "gtag.js", "gtm.js", "matomo.js", "piwik.js"];

/// True if a host or file measures visits, advertises, or serves widgets.
pub fn is_tracker(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    let is_service = |domain: &&str| {
        host.strip_suffix(*domain).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    let has_purpose = || host.split(['.', '-']).any(is_purpose);
    let file = || url.path().rsplit('/').next().unwrap_or_default();
    SERVICES.iter().any(is_service) || has_purpose() || FILES.contains(&file())
}

/// True for a part such as `stats` and `tracking2`.
fn is_purpose(part: &str) -> bool {
    let part = part.trim_end_matches(|c: char| c.is_ascii_digit());
    PURPOSES.contains(&part) || part.starts_with("track")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_known_by_domain_purpose_or_file() {
        let is = |url: &str| is_tracker(&Url::parse(url).unwrap());
        for url in [
            "https://www.google-analytics.com/x.js",
            "https://tracker.shop.example/a.js",
            "https://stats2.example.org/a.js",
            "https://cdn.example.org/js/matomo.js",
        ] {
            assert!(is(url), "{url}");
        }
        for url in [
            "https://cdn.jsdelivr.net/npm/vue@3",
            "https://downloads.example.org/app.js",
            "https://notfacebook.net.example/app.js",
            "https://service-dsn.algolia.net/1/indexes/x",
            "https://static.trade.example/app.js",
        ] {
            assert!(!is(url), "{url}");
        }
    }
}
