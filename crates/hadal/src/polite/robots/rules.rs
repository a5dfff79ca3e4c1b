//! Parser and matcher of robots.txt, for one agent.

use crate::fetch::wildcard;
use std::time::Duration;
use url::Url;

/// Rules of a robots.txt for one agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RobotsRules {
    paths: Vec<PathRule>,
    crawl_delay: Option<Duration>,
    sitemaps: Vec<Url>,
}

#[derive(Clone, Debug, PartialEq)]
struct PathRule {
    allow: bool,
    pattern: Vec<u8>,
}

impl RobotsRules {
    /// Parses a robots.txt for the agent with this product token. All groups that name the agent are merged. Without
    /// such a group, those for `*` apply; without these, everything is allowed.
    pub fn parse(text: &str, agent: &str) -> RobotsRules {
        let (mut own_rules, mut general_rules) = (RuleGroup::default(), RuleGroup::default());
        let mut sitemaps = Vec::new();
        let mut scope = GroupScope::default();
        for (key, value) in lines(text) {
            match key.as_str() {
                "user-agent" => scope.name(value, agent),
                "sitemap" => sitemaps.extend(Url::parse(value)),
                BLANK => scope.closed |= scope.has_delay,
                _ => {
                    let groups = [(scope.names_us, &mut own_rules), (scope.names_all, &mut general_rules)];
                    for (_, group) in groups.into_iter().filter(|(named, _)| *named) {
                        group.add(&key, value);
                    }
                    scope.closed |= is_path_rule(&key);
                    scope.has_delay |= key == DELAY;
                }
            }
            own_rules.named |= scope.names_us;
        }
        let RuleGroup { paths, crawl_delay, .. } = if own_rules.named { own_rules } else { general_rules };
        RobotsRules { paths, crawl_delay, sitemaps }
    }

    /// True when the agent may request this URL. The longest matching rule decides; `Allow` wins a tie. robots.txt
    /// itself is always allowed.
    pub fn allows(&self, url: &Url) -> bool {
        if url.path() == "/robots.txt" {
            return true;
        }
        let mut target = url.path().to_string();
        if let Some(query) = url.query() {
            target.push('?');
            target.push_str(query);
        }
        let target = escape_specials(&normalised(target.as_bytes()));
        let matching = self.paths.iter().filter(|rule| rule.matches(&target));
        matching.max_by_key(|rule| (rule.pattern.len(), rule.allow)).is_none_or(|rule| rule.allow)
    }

    /// Pause that `Crawl-delay` asks for between two requests.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// Sitemaps, which hold for every agent.
    pub fn sitemaps(&self) -> &[Url] {
        &self.sitemaps
    }
}

/// Agents that the current group of lines addresses.
#[derive(Default)]
struct GroupScope {
    names_us: bool,
    names_all: bool,
    /// The group has path rules, so the next `User-agent` line opens another group. RFC 9309 does not know
    /// `Crawl-delay`, and groups that consist of it alone are common: a blank line after it closes the group
    /// too.
    closed: bool,
    has_delay: bool,
}

impl GroupScope {
    fn name(&mut self, value: &str, agent: &str) {
        if self.closed {
            *self = GroupScope::default();
        }
        // Names with digits or dots are no product tokens, but are used as such.
        let whole = value.split(['/', ' ', '\t']).next().unwrap_or_default();
        self.names_us |= [product_token(value), whole].iter().any(|name| name.eq_ignore_ascii_case(agent));
        self.names_all |= value.starts_with('*');
    }
}

#[derive(Default)]
struct RuleGroup {
    named: bool,
    paths: Vec<PathRule>,
    crawl_delay: Option<Duration>,
}

impl RuleGroup {
    fn add(&mut self, key: &str, value: &str) {
        if is_path_rule(key) && !value.is_empty() {
            self.paths.push(PathRule { allow: key == "allow", pattern: pattern(value) });
        }
        if key == DELAY {
            let seconds = value.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            self.crawl_delay = self.crawl_delay.max(seconds);
        }
    }
}

impl PathRule {
    /// A rule matches every target that begins with its pattern; with a final `$`, only the whole target.
    fn matches(&self, target: &[u8]) -> bool {
        match self.pattern.strip_suffix(b"$") {
            Some(whole) => wildcard::matches(whole, target),
            None => wildcard::matches(&[&self.pattern, &b"*"[..]].concat(), target),
        }
    }
}

fn is_path_rule(key: &str) -> bool {
    matches!(key, "allow" | "disallow")
}

/// Product token at the start of a `User-agent` value: `hadal` in `hadal/1.0 (+about)`.
fn product_token(value: &str) -> &str {
    let ends = |c: char| !(c.is_ascii_alphabetic() || c == '-' || c == '_');
    value.split(ends).next().unwrap_or_default()
}

/// Key of a blank line.
pub(super) const BLANK: &str = "";
/// Key of the pause between two requests.
const DELAY: &str = "crawl-delay";

/// Key and value of every line that has a colon, and of blank lines. Keys are in lower case; comments and outer white
/// space are removed.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (String, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'));
    lines.filter_map(|line| {
        if line.trim().is_empty() {
            return Some((BLANK.to_string(), ""));
        }
        let line = line.split('#').next().unwrap_or_default();
        let (key, value) = line.split_once(':')?;
        Some((key.trim().to_ascii_lowercase(), value.trim()))
    })
}

/// Normalised pattern of a rule. A missing first slash is added, and a `$` that is not last is escaped.
fn pattern(value: &str) -> Vec<u8> {
    let mut pattern = normalised(value.as_bytes());
    if !matches!(pattern.first(), Some(b'/' | b'*')) {
        pattern.insert(0, b'/');
    }
    let anchored = pattern.pop_if(|last| *last == b'$').is_some();
    let mut pattern = replace(&pattern, b'$', b"%24");
    if anchored {
        pattern.push(b'$');
    }
    pattern
}

/// Escapes `*` and `$` in a URL, where they are plain characters.
fn escape_specials(target: &[u8]) -> Vec<u8> {
    replace(&replace(target, b'*', b"%2A"), b'$', b"%24")
}

fn replace(text: &[u8], from: u8, to: &[u8]) -> Vec<u8> {
    text.iter()
        .flat_map(|byte| if *byte == from { to } else { std::slice::from_ref(byte) })
        .copied()
        .collect()
}

/// Characters that mean the same in a path with and without percent-encoding: the unreserved ones of RFC 3986, and
/// reserved ones without a meaning of their own. RFC 9309 leaves the latter encoded, but servers decode them, so a rule
/// for `/a(1)` means `/a%281%29` too.
const DECODED: &[u8] = b"-._~!'(),;:@+";

/// Normalises percent-encoding (RFC 9309, section 2.2.2): letters, digits and [`DECODED`] characters are decoded, other
/// escapes get capital hex digits, and octets outside printable ASCII are escaped.
fn normalised(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let escaped = (text[at] == b'%').then(|| hex_pair(text.get(at + 1..at + 3)?)).flatten();
        let byte = escaped.unwrap_or(text[at]);
        let is_decoded = byte.is_ascii_alphanumeric() || DECODED.contains(&byte);
        if is_decoded || (escaped.is_none() && byte.is_ascii_graphic()) {
            out.push(byte);
        } else {
            out.extend(format!("%{byte:02X}").bytes());
        }
        at += if escaped.is_some() { 3 } else { 1 };
    }
    out
}

fn hex_pair(digits: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(digits[0])? * 16 + digit(digits[1])?).ok()
}
