//! Every setting: its key, its default and one line of why.
//!
//! The commented default file is printed from this table, unknown keys are found with it, and
//! [`super::Config`] has one field for each line.

/// A setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Group and name: `crawl.strategy`.
    pub key: &'static str,
    /// Default, as written in TOML.
    pub default: &'static str,
    /// Why it is there.
    pub why: &'static str,
}

const fn setting(key: &'static str, default: &'static str, why: &'static str) -> Setting {
    Setting { key, default, why }
}

const USER_AGENT: &str = concat!("\"hadal/", env!("CARGO_PKG_VERSION"), "\"");

/// Every setting, by group. A new one is a line here and a field in [`super::Config`].
#[rustfmt::skip]
pub const SETTINGS: &[Setting] = &[
    setting("crawl.strategy", "\"hadal\"", "Which links are followed first; `hadal find --help` lists the names."),
    setting("crawl.max_requests", "10000", "Requests of the whole run, so that a first try ends by itself; \"none\" lifts it."),
    setting("crawl.max_bytes", "\"none\"", "Bytes of all bodies together, as \"500MB\" or \"4GiB\"; for metered connections."),
    setting("crawl.max_time", "\"none\"", "Time spent running, as \"2h\"; nothing new is begun after it."),
    setting("crawl.concurrency", "16", "Requests under way at once, over all hosts; each host still gets one at a time."),
    setting("crawl.max_depth", "\"none\"", "Clicks from a seed at most; a fence for small crawls."),
    setting("crawl.max_pages_per_site", "10000", "Pages of one site at most, so that a trap cannot eat the run; \"none\" lifts it."),
    setting("crawl.include", "[]", "Only addresses that match one of these patterns, as \"*://*.example.org/*\"."),
    setting("crawl.exclude", "[]", "No address that matches one of these patterns."),
    setting("crawl.block_hosts", "\"\"", "File with one host per line that is never visited, nor its subdomains."),
    setting("crawl.backlinks", "\"own\"", "Who is asked which pages link to a site: own, common-crawl:DIR, searxng:URL, several with commas between; or none."),
    setting("crawl.prior", "\"auto\"", "Whose knowledge a new run begins with: a run's number, auto for the latest of its kind, or none."),
    setting("politeness.delay", "\"1s\"", "Pause between two requests to a host, at least."),
    setting("politeness.latency_factor", "2.0", "Pause in multiples of the last answer's time: a slow host is a busy host."),
    setting("politeness.max_delay", "\"30s\"", "The longest pause that a slow answer can cause."),
    setting("politeness.user_agent", USER_AGENT, "Who we say we are; robots.txt rules for the word before the slash apply to us."),
    setting("politeness.contact", "\"\"", "Address or page where a site's owner reaches you; sent with every request."),
    setting("fetch.dns_timeout", "\"5s\"", "Resolving a name; what takes longer seldom comes."),
    setting("fetch.connect_timeout", "\"10s\"", "Connecting, TLS handshake included."),
    setting("fetch.answer_timeout", "\"20s\"", "From the connection to the head of the answer; searches may think for a while."),
    setting("fetch.stall_timeout", "\"10s\"", "Between two pieces of a body; silence means it broke."),
    setting("fetch.total_timeout", "\"60s\"", "The whole exchange; ends bodies that drip."),
    setting("fetch.body_limit", "\"4MiB\"", "Bodies are cut here, on the wire and unpacked; search pages are far smaller."),
    setting("fetch.allow_private", "false", "Whether private addresses may be visited; off, so that no page can send us into your network."),
    setting("fetch.connect_to", "[]", "\"PATTERN=HOST:PORT\": where to connect for hosts that match; address and Host header stay."),
    setting("fetch.headers", "[]", "Extra header lines, as \"Accept-Language: de\"."),
    setting("fetch.cookies", "\"\"", "Cookie file (cookies.txt) to start with, for sites that want a session."),
    setting("probe.when", "\"uncertain\"", "never or uncertain: whether a form whose fields do not tell is asked if it searches, with a word and with nonsense."),
    setting("probe.share", "0.05", "Of all requests, the share that may be spent on asking forms; the rest is for finding them."),
    setting("probe.from", "0.2", "P(searchable) from which a form is asked: below it hardly any searches."),
    setting("probe.to", "0.8", "P(searchable) up to which a form is asked: above it nearly every one searches."),
    setting("probe.per_site", "5", "Forms of one site that are asked at most, so that no site is bothered much."),
    setting("harvest.policy", "\"hadal\"", "Which query is asked next; `hadal harvest --help` lists the names."),
    setting("harvest.target_coverage", "0.95", "Share of the records behind a form at which it is enough, from 0 to 1."),
    setting("harvest.details", "\"auto\"", "never, auto or always: whether the own pages of records are fetched; auto while lists tell too little."),
    setting("harvest.max_requests", "5000", "Requests of all forms of one command together, over all sessions; \"none\" lifts it."),
    setting("harvest.max_bytes", "\"none\"", "Bytes of all bodies together, as \"500MB\"."),
    setting("harvest.max_time", "\"none\"", "Time that one session runs, as \"2h\"."),
    setting("harvest.max_records", "\"none\"", "Records of one form at which it is enough."),
    setting("harvest.concurrency", "8", "Forms at once; each host still gets one request at a time."),
    setting("store.url", "\"file:./hadal-data\"", "Where crawls are kept: file:DIR, or memory: to keep nothing."),
    setting("store.group_commit", "\"100ms\"", "Steps are made durable together this often; a power cut loses no more than this."),
    setting("topics.folder", "\"./hadal-topics\"", "Where your own topics are: NAME.toml, which you may edit, and NAME.model beside it."),
    setting("output.color", "\"auto\"", "auto, always or never; auto means on a terminal and without NO_COLOR."),
];

/// The commented file that `hadal config` prints.
pub fn default_file() -> String {
    let mut text = String::from(
        "# hadal.toml: every setting with its default. Keep the lines you change, delete the rest.\n\
         # Flags win over HADAL_* variables (HADAL_CRAWL_STRATEGY), those over this file.\n",
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

/// Group and name of a key.
pub fn split(key: &str) -> (&str, &str) {
    key.split_once('.').unwrap_or(("", key))
}

/// The environment variable of a key: `crawl.max_depth` is `HADAL_CRAWL_MAX_DEPTH`.
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
