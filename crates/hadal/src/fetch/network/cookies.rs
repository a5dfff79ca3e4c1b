//! Cookies per site, bounded in number and size.
//!
//! Many searches need a session that they started themselves. A host may set cookies for itself or for its site, never
//! for a public suffix. When a bound is reached, the oldest cookies are dropped.

use hadal_core::address::Site;
use hadal_core::time::Time;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;
use url::Url;

/// Maximum number of cookies per site (RFC 6265, section 6.1, asks for at least 50 per domain).
const MAX_PER_SITE: usize = 50;
/// Maximum number of bytes of a `Set-Cookie` header (RFC 6265, section 6.1).
const MAX_COOKIE_BYTES: usize = 4096;
/// Maximum number of bytes of a `Cookie` header. Guess.
const MAX_HEADER_BYTES: usize = 8192;
/// Maximum number of bytes of all cookies. Guess.
const MAX_JAR_BYTES: usize = 16 * 1024 * 1024;

/// All cookies of a session.
#[derive(Clone, Debug, Default)]
pub struct CookieJar {
    sites: HashMap<Site, VecDeque<StoredCookie>>,
    /// Sites in the order they first set a cookie.
    order: VecDeque<Site>,
    bytes: usize,
}

/// A cookie with its scope and expiry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StoredCookie {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) domain: String,
    /// True: the cookie is sent to this host only, not to its subdomains.
    pub(super) host_only: bool,
    pub(super) path: String,
    pub(super) secure: bool,
    pub(super) expires: Option<Time>,
}

impl CookieJar {
    /// Stores the cookie of a `Set-Cookie` header from `url`. Invalid cookies are ignored.
    pub fn set(&mut self, url: &Url, line: &str, now: Time) {
        if let Some(cookie) = read(url, line, now) {
            self.put(Site::of(url), cookie, now);
        }
    }

    /// `Cookie` header for a request, longer paths first; `None` when no cookie applies.
    pub fn line_for(&self, url: &Url, now: Time) -> Option<String> {
        let mut fitting: Vec<&StoredCookie> =
            self.sites.get(&Site::of(url))?.iter().filter(|cookie| cookie.is_for(url, now)).collect();
        fitting.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        let mut line = String::new();
        for cookie in fitting {
            let pair = format!("{}={}", cookie.name, cookie.value);
            if line.len() + pair.len() + 2 > MAX_HEADER_BYTES {
                break;
            }
            let separator = if line.is_empty() { "" } else { "; " };
            line = line + separator + &pair;
        }
        (!line.is_empty()).then_some(line)
    }

    /// Stores a cookie. It replaces an earlier one with the same name, domain and path.
    pub(super) fn put(&mut self, site: Site, cookie: StoredCookie, now: Time) {
        if !self.sites.contains_key(&site) {
            self.order.push_back(site.clone());
        }
        let cookies = self.sites.entry(site).or_default();
        let before: usize = cookies.iter().map(StoredCookie::size).sum();
        cookies.retain(|old| !old.is_same(&cookie) && !old.has_expired(now));
        if !cookie.has_expired(now) {
            cookies.push_back(cookie);
        }
        if cookies.len() > MAX_PER_SITE {
            cookies.pop_front();
        }
        self.bytes = self.bytes + cookies.iter().map(StoredCookie::size).sum::<usize>() - before;
        self.make_room();
    }

    fn make_room(&mut self) {
        while self.bytes > MAX_JAR_BYTES {
            let Some(site) = self.order.pop_front() else { return };
            let dropped = self.sites.remove(&site).unwrap_or_default();
            self.bytes -= dropped.iter().map(StoredCookie::size).sum::<usize>();
        }
    }
}

impl StoredCookie {
    fn is_for(&self, url: &Url, now: Time) -> bool {
        let host = url.host_str().unwrap_or_default();
        let of_host = if self.host_only { host == self.domain } else { is_within(host, &self.domain) };
        let path = url.path();
        let below = path
            .strip_prefix(self.path.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || self.path.ends_with('/'));
        of_host && below && (!self.secure || url.scheme() == "https") && !self.has_expired(now)
    }

    fn is_same(&self, other: &StoredCookie) -> bool {
        (&self.name, &self.domain, &self.path) == (&other.name, &other.domain, &other.path)
    }

    fn has_expired(&self, now: Time) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    fn size(&self) -> usize {
        size_of::<StoredCookie>() + self.name.len() + self.value.len() + self.domain.len() + self.path.len()
    }
}

/// Parses a `Set-Cookie` header (RFC 6265, section 5.3, without the parts that a crawler does not need).
fn read(url: &Url, line: &str, now: Time) -> Option<StoredCookie> {
    let cookie = cookie::Cookie::parse(line).ok()?;
    let host = url.host_str()?;
    let secure = cookie.secure().unwrap_or(false);
    let (name, value) = (cookie.name().to_string(), cookie.value().to_string());
    let sendable = !name.is_empty() && !line.contains(|c: char| c.is_ascii_control());
    if !sendable || line.len() > MAX_COOKIE_BYTES || (secure && url.scheme() != "https") {
        return None;
    }
    let asked = cookie.domain().map(|domain| domain.trim_start_matches('.').to_ascii_lowercase());
    let (domain, host_only) = match asked.filter(|domain| !domain.is_empty()) {
        Some(domain) if is_public_suffix(url, &domain) => (domain == host).then_some((domain, true))?,
        Some(domain) => is_within(host, &domain).then_some((domain, false))?,
        None => (host.to_string(), true),
    };
    let path = cookie.path().filter(|path| path.starts_with('/')).map_or_else(|| folder(url), String::from);
    Some(StoredCookie { name, value, domain, host_only, path, secure, expires: expiry(&cookie, now) })
}

fn expiry(cookie: &cookie::Cookie, now: Time) -> Option<Time> {
    if let Some(age) = cookie.max_age() {
        return Some(now.after(Duration::from_secs(u64::try_from(age.whole_seconds()).unwrap_or(0))));
    }
    let seconds = cookie.expires_datetime()?.unix_timestamp();
    Some(Time(u64::try_from(seconds).unwrap_or(0).saturating_mul(1000)))
}

fn is_within(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn is_public_suffix(url: &Url, domain: &str) -> bool {
    url.domain().is_none() || psl::domain_str(domain).is_none()
}

/// Default path of a cookie: the folder of the page that set it.
fn folder(url: &Url) -> String {
    match url.path().rfind('/') {
        Some(at) if at > 0 => url.path()[..at].to_string(),
        _ => "/".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time(1_700_000_000_000);

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn jar(set: &[(&str, &str)]) -> CookieJar {
        let mut jar = CookieJar::default();
        for (from, line) in set {
            jar.set(&url(from), line, NOW);
        }
        jar
    }

    fn sent(jar: &CookieJar, to: &str) -> String {
        jar.line_for(&url(to), NOW).unwrap_or_default()
    }

    #[test]
    fn a_cookie_goes_back_to_its_host_and_folder() {
        let jar = jar(&[("http://shop.example.org/a/b", "id=1")]);
        assert_eq!(sent(&jar, "http://shop.example.org/a/c"), "id=1");
        assert_eq!(sent(&jar, "http://shop.example.org/a"), "id=1");
        for other in ["http://shop.example.org/", "http://shop.example.org/ab", "http://www.example.org/a/b"]
        {
            assert_eq!(sent(&jar, other), "", "{other}");
        }
    }

    #[test]
    fn a_site_wide_cookie_goes_to_every_host_of_the_site() {
        let jar = jar(&[("http://a.example.org/", "s=1; Domain=.Example.org; Path=/")]);
        assert_eq!(sent(&jar, "http://b.example.org/x"), "s=1");
        assert_eq!(sent(&jar, "http://notexample.org/"), "");
    }

    #[test]
    fn cookies_for_public_suffixes_and_other_sites_are_ignored() {
        for (from, domain) in [
            ("http://shop.co.uk/", "co.uk"),
            ("http://me.github.io/", "github.io"),
            ("http://shop.example.org/", "org"),
            ("http://shop.example.org/", "other.org"),
            ("http://shop.example.org/", "www.example.org"),
            ("http://93.184.216.34/", "34"),
        ] {
            let jar = jar(&[(from, &format!("s=1; Domain={domain}; Path=/"))]);
            assert_eq!(sent(&jar, from), "", "{from} for {domain}");
        }
        let own = jar(&[("http://localhost/", "s=1; Domain=localhost")]);
        assert_eq!(sent(&own, "http://localhost/"), "s=1");
    }

    #[test]
    fn secure_cookies_are_sent_over_https_only() {
        let jar = jar(&[("https://a.example/", "s=1; Secure"), ("http://a.example/", "t=1; Secure")]);
        assert_eq!(sent(&jar, "https://a.example/"), "s=1");
        assert_eq!(sent(&jar, "http://a.example/"), "");
    }

    #[test]
    fn cookies_expire_and_are_replaced() {
        let mut jar =
            jar(&[("http://a.example/", "s=1; Max-Age=60"), ("http://a.example/", "s=2; Max-Age=60")]);
        assert_eq!(sent(&jar, "http://a.example/"), "s=2");
        assert_eq!(jar.line_for(&url("http://a.example/"), NOW.after(Duration::from_secs(60))), None);
        jar.set(&url("http://a.example/"), "s=; Max-Age=0", NOW);
        assert_eq!(sent(&jar, "http://a.example/"), "");
        jar.set(&url("http://a.example/"), "old=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT", NOW);
        assert_eq!(sent(&jar, "http://a.example/"), "");
    }

    #[test]
    fn longer_paths_come_first() {
        let jar = jar(&[("http://a.example/", "a=1; Path=/"), ("http://a.example/", "b=2; Path=/x")]);
        assert_eq!(sent(&jar, "http://a.example/x/y"), "b=2; a=1");
    }

    #[test]
    fn invalid_cookies_are_ignored() {
        let huge = format!("s={}", "x".repeat(5000));
        for line in ["", "=", ";;;", "no value", "a=b\u{1}c", huge.as_str()] {
            assert_eq!(sent(&jar(&[("http://a.example/", line)]), "http://a.example/"), "", "{line:?}");
        }
    }

    #[test]
    fn a_site_and_the_jar_are_bounded() {
        let mut jar = CookieJar::default();
        for n in 0..200 {
            jar.set(&url("http://a.example/"), &format!("c{n}=1"), NOW);
        }
        assert_eq!(sent(&jar, "http://a.example/").split("; ").count(), MAX_PER_SITE);
        let big = "x".repeat(4000);
        for n in 0..6000 {
            jar.set(&url(&format!("http://site{n}.example/")), &format!("s={big}"), NOW);
        }
        assert!(jar.bytes <= MAX_JAR_BYTES && jar.order.len() == jar.sites.len());
        assert_eq!(sent(&jar, "http://a.example/"), "");
        assert_ne!(sent(&jar, "http://site5999.example/"), "");
    }
}
