//! Parses any bytes as robots.txt and as URLs: `cargo +nightly fuzz run robots_and_urls`.
//!
//! The input is split at the first empty line: robots.txt before it, one URL per line after it.
#![no_main]

use hadal::polite::robots::RobotsRules;
use hadal_core::address::{Host, LinkId, Site, TrackingParams, normalise};
use libfuzzer_sys::fuzz_target;
use url::Url;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (robots, urls) = text.split_once("\n\n").unwrap_or((&text, "http://example.org/a?b=c"));
    let rules = RobotsRules::parse(robots, "hadal");
    for url in urls.lines().filter_map(|line| Url::parse(line).ok()) {
        rules.allows(&url);
        let Some(normal) = normalise(url, TrackingParams::Strip) else { continue };
        assert_eq!(
            normalise(normal.clone(), TrackingParams::Strip).as_ref(),
            Some(&normal),
            "normalising twice changes nothing"
        );
        let _ = (Host::of(&normal), Site::of(&normal), LinkId::of(&normal));
    }
});
