//! Scope of a crawl: URLs that it may visit.

use globset::{Glob, GlobSet, GlobSetBuilder};
use hadal_core::link::FrontierLink;
use rustc_hash::FxHashSet;
use url::Url;

/// Rules on the URLs that a crawl may visit.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    include: Option<GlobSet>,
    exclude: GlobSet,
    blocked: FxHashSet<String>,
    /// Maximum number of clicks from a seed.
    pub max_depth: Option<u16>,
    /// Maximum number of pages visited per site.
    pub max_pages_per_site: Option<u32>,
}

/// A URL pattern that cannot be parsed.
#[derive(Debug, thiserror::Error)]
#[error("invalid URL pattern '{pattern}': {detail} (example: '*://*.example.org/books/*')")]
pub struct BadPattern {
    pattern: String,
    detail: String,
}

impl Scope {
    /// Scope from URL patterns, in which `*` matches anything, and blocked host names. A blocked host blocks its
    /// subdomains.
    pub fn new(include: &[String], exclude: &[String], blocked: &[String]) -> Result<Scope, BadPattern> {
        Ok(Scope {
            include: (!include.is_empty()).then(|| patterns(include)).transpose()?,
            exclude: patterns(exclude)?,
            blocked: blocked.iter().map(|host| host.trim().trim_start_matches("*.").to_lowercase()).collect(),
            ..Scope::default()
        })
    }

    /// True when only URLs that match a pattern may be visited.
    pub fn has_patterns(&self) -> bool {
        self.include.is_some()
    }

    /// True when a link may enter the frontier.
    pub fn admits(&self, link: &FrontierLink) -> bool {
        self.max_depth.is_none_or(|limit| link.depth <= limit) && self.allows(&link.url)
    }

    /// True when a URL may be visited.
    pub fn allows(&self, url: &Url) -> bool {
        self.include.as_ref().is_none_or(|set| set.is_match(url.as_str())) && !self.excludes(url)
    }

    /// True when no request may be sent to a URL, not even for a script of a page.
    pub fn excludes(&self, url: &Url) -> bool {
        self.exclude.is_match(url.as_str()) || url.host_str().is_some_and(|host| self.is_blocked(host))
    }

    fn is_blocked(&self, host: &str) -> bool {
        if self.blocked.is_empty() {
            return false;
        }
        let parents = host.match_indices('.').map(|(at, _)| &host[at + 1..]);
        std::iter::once(host).chain(parents).any(|name| self.blocked.contains(name))
    }
}

fn patterns(list: &[String]) -> Result<GlobSet, BadPattern> {
    let bad = |pattern: &str, error: globset::Error| BadPattern {
        pattern: pattern.to_string(),
        detail: error.kind().to_string(),
    };
    let mut set = GlobSetBuilder::new();
    for pattern in list {
        set.add(Glob::new(pattern).map_err(|error| bad(pattern, error))?);
    }
    set.build().map_err(|error| bad(&list.join(" "), error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(include: &[&str], exclude: &[&str], blocked: &[&str]) -> Scope {
        let own = |list: &[&str]| list.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        Scope::new(&own(include), &own(exclude), &own(blocked)).unwrap()
    }

    fn allows(scope: &Scope, url: &str) -> bool {
        scope.allows(&Url::parse(url).unwrap())
    }

    #[test]
    fn includes_and_excludes_are_url_patterns() {
        let scope = scope(&["*://*.example.org/*"], &["*/private/*"], &[]);
        assert!(allows(&scope, "http://www.example.org/books/1"));
        assert!(!allows(&scope, "http://www.example.org/private/1"));
        assert!(!allows(&scope, "http://elsewhere.org/"));
    }

    #[test]
    fn a_blocked_host_blocks_its_subdomains_only() {
        let scope = scope(&[], &[], &["ads.example"]);
        assert!(!allows(&scope, "http://ads.example/"));
        assert!(!allows(&scope, "http://x.ads.example/"));
        assert!(allows(&scope, "http://bads.example/"));
    }

    #[test]
    fn an_invalid_pattern_is_named_in_the_error() {
        let error = Scope::new(&["http://[".to_string()], &[], &[]).unwrap_err();
        assert!(error.to_string().contains("http://["));
    }
}
