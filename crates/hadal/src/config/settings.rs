//! Table of settings: key, default and explanation.
//!
//! `hadal config` prints this table, and unknown keys are found with it. [`super::Config`] has one field per
//! line.

/// One setting, with its default and explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Group and name, such as `crawl.strategy`.
    pub key: &'static str,
    /// Default in TOML.
    pub default: &'static str,
    /// Explanation for `hadal config` and the documentation.
    pub why: &'static str,
}

const fn setting(key: &'static str, default: &'static str, why: &'static str) -> Setting {
    Setting { key, default, why }
}

const USER_AGENT: &str = concat!("\"hadal/", env!("CARGO_PKG_VERSION"), "\"");

/// All settings by group. A new setting is one line here, one field in [`super::Config`] and its check in
/// `read.rs`.
#[rustfmt::skip]
pub const SETTINGS: &[Setting] = &[
    setting("crawl.strategy", "\"hadal\"", "Crawling strategy; `hadal find --help` lists the names."),
    setting("crawl.max_requests", "10000", "Request budget of a run; \"none\" removes the limit."),
    setting("crawl.max_bytes", "\"none\"", "Byte budget of a run over all bodies, as \"500MB\" or \"4GiB\"."),
    setting("crawl.max_time", "\"none\"", "Time budget of a run, as \"2h\"; no request starts after it."),
    setting("crawl.concurrency", "400", "Maximum number of requests in flight over all hosts; a crawl starts with 8 and gains one per 32 requests. Each politeness group gets one at a time."),
    setting("crawl.max_depth", "\"none\"", "Maximum number of clicks from a seed."),
    setting("crawl.max_pages_per_site", "10000", "Maximum number of pages per site, against crawler traps; \"none\" removes the limit."),
    setting("crawl.include", "[]", "Visit only URLs that match one of these patterns, as \"*://*.example.org/*\"."),
    setting("crawl.exclude", "[]", "Never visit URLs that match one of these patterns."),
    setting("crawl.block_hosts", "\"\"", "File with one host per line; these hosts and their subdomains are never visited."),
    setting("crawl.backlinks", "\"own\"", "Sources of backlinks: own, common-crawl:DIR, searxng:URL, several separated by commas; or none."),
    setting("crawl.prior", "\"auto\"", "Run whose model a new run starts with: a run number, auto for the latest with the same topic and strategy, or none."),
    setting("politeness.delay", "\"1s\"", "Least delay between two requests to a politeness group."),
    setting("politeness.latency_factor", "2.0", "Delay as a multiple of the response time (the last or the average one, whichever is longer), so that slow hosts get longer delays."),
    setting("politeness.max_delay", "\"30s\"", "Longest delay that a slow response can cause."),
    setting("politeness.user_agent", USER_AGENT, "User-Agent header; robots.txt rules for the word before the slash apply."),
    setting("politeness.contact", "\"\"", "Contact address or page for site owners, sent with every request."),
    setting("fetch.dns_timeout", "\"5s\"", "Timeout of a DNS look-up."),
    setting("fetch.connect_timeout", "\"10s\"", "Timeout of connecting, with the TLS handshake."),
    setting("fetch.answer_timeout", "\"20s\"", "Timeout from the connection to the response headers."),
    setting("fetch.stall_timeout", "\"10s\"", "Timeout between two parts of a body."),
    setting("fetch.total_timeout", "\"60s\"", "Timeout of a whole request, against bodies that arrive very slowly."),
    setting("fetch.body_limit", "\"4MiB\"", "Maximum size of a body, as received and decompressed; longer bodies are cut."),
    setting("fetch.allow_private", "false", "Allow private and loopback addresses; off, so that no page can direct requests into your network."),
    setting("fetch.connect_to", "[]", "\"PATTERN=HOST:PORT\": address to connect to for matching hosts; URL and Host header stay."),
    setting("fetch.headers", "[]", "Extra header lines, as \"Accept-Language: de\"."),
    setting("fetch.ca_file", "\"\"", "PEM file with certificate authorities to trust in addition to the built-in ones."),
    setting("fetch.cookies", "\"\"", "Cookie file (cookies.txt) to load, for sites that need a session."),
    setting("probe.when", "\"uncertain\"", "never or uncertain: submit test queries to forms that may or may not be searches."),
    setting("probe.share", "0.05", "Maximum share of all requests that probes may use."),
    setting("probe.from", "0.2", "Least p_searchable of a probed form; below it hardly any form searches."),
    setting("probe.to", "0.8", "Maximum p_searchable of a probed form; above it nearly every form searches."),
    setting("probe.per_site", "5", "Maximum number of probed forms per site."),
    setting("harvest.policy", "\"hadal\"", "Query policy; `hadal harvest --help` lists the names."),
    setting("harvest.target_coverage", "0.95", "Coverage at which a harvest stops, from 0 to 1."),
    setting("harvest.details", "\"auto\"", "never, auto or always: fetch detail pages of records; auto fetches a sample where result lists show little."),
    setting("harvest.max_requests", "5000", "Request budget of all forms of one command, over all sessions; \"none\" removes the limit."),
    setting("harvest.max_bytes", "\"none\"", "Byte budget over all bodies, as \"500MB\"."),
    setting("harvest.max_time", "\"none\"", "Time budget of one session, as \"2h\"."),
    setting("harvest.max_records", "\"none\"", "Number of records per form at which a harvest stops."),
    setting("harvest.concurrency", "8", "Forms harvested at the same time; each politeness group gets one request at a time."),
    setting("store.url", "\"file:./hadal-data\"", "Store: file:DIR, postgres://USER@HOST/DATABASE, or memory: to keep nothing."),
    setting("store.group_commit", "\"100ms\"", "Time between checkpoints of a crawl, 100ms at most. In longer sessions and after slow checkpoints they are up to a second apart. A kill loses the steps since the last one; power loss may lose the last seconds."),
    setting("topics.folder", "\"./hadal-topics\"", "Folder of your own topics: NAME.toml, which you may edit, and NAME.model."),
    setting("models.folder", "\"\"", "Folder with a classifiers.bin that replaces the built-in classifiers; `hadal topics built-in` writes one."),
    setting("render.crawls", "\"never\"", "never, auto or always: pages that a crawl opens in a browser; auto opens those that suggest a search by script, if a browser is installed."),
    setting("render.harvests", "\"auto\"", "never, auto or always: the same for pages of forms that are harvested."),
    setting("render.thumbnails", "\"\"", "Folder for a small picture of each rendered page, which the directory shows; empty means none."),
    setting("output.color", "\"auto\"", "auto, always or never; auto means on a terminal without NO_COLOR."),
];

/// Commented file that `hadal config` prints.
pub fn default_file() -> String {
    let mut text = String::from(
        "# hadal.toml: every setting with its default. Keep the lines you change and delete the rest.\n\
         # Flags override HADAL_* variables (HADAL_CRAWL_STRATEGY), which override this file.\n",
    );
    let mut group = "";
    for setting in SETTINGS {
        let (own, name) = split(setting.key);
        if own != group {
            group = own;
            text.push_str(&format!("\n[{group}]\n"));
        }
        text.push_str(&format!("# {}\n{name} = {}\n", setting.why, setting.default));
    }
    text
}

/// Splits a key into group and name.
pub fn split(key: &str) -> (&str, &str) {
    key.split_once('.').unwrap_or(("", key))
}

/// Environment variable of a key: `crawl.max_depth` becomes `HADAL_CRAWL_MAX_DEPTH`.
pub fn variable(key: &str) -> String {
    format!("HADAL_{}", key.replace('.', "_").to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_default_file_can_be_read_back() {
        let file: toml::Table = default_file().parse().unwrap();
        for setting in SETTINGS {
            let (group, name) = split(setting.key);
            assert!(file[group].get(name).is_some(), "{}", setting.key);
            assert!(setting.why.ends_with('.'), "{}", setting.why);
        }
    }
}
