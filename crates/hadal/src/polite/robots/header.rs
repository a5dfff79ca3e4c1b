//! Directives for robots in a page and in its `X-Robots-Tag` headers, which may address all agents or one.

use hadal_core::http::{Exchange, Headers};
use hadal_core::page::Page;

/// Directives of a page that address us.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageDirectives {
    /// The page must not be stored or shown.
    pub noindex: bool,
    /// The links of the page must not be followed.
    pub nofollow: bool,
}

/// Directives with a value after a colon. Other words before a colon are names of agents.
const DIRECTIVES_WITH_VALUE: [&str; 4] =
    ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

impl PageDirectives {
    /// Directives of a page and of the response with it, for the agent with this product token.
    pub fn of(page: &Page, exchange: &Exchange, agent: &str) -> PageDirectives {
        let response = exchange.result.as_ref();
        let header = response.map(|response| robots_header(&response.headers, agent)).unwrap_or_default();
        let meta = page.hints.robots_for(agent);
        PageDirectives { noindex: meta.noindex || header.noindex, nofollow: meta.nofollow || header.nofollow }
    }
}

/// Reads the `X-Robots-Tag` headers that address `agent` or everybody. A name such as `otherbot:` holds up to the end
/// of its header line.
fn robots_header(headers: &Headers, agent: &str) -> PageDirectives {
    let mut directives = PageDirectives::default();
    for line in headers.all("x-robots-tag") {
        let mut to_us = true;
        for part in line.split(',') {
            let directive = match agent_prefix(part) {
                Some((name, rest)) => {
                    to_us = name == "*" || name.eq_ignore_ascii_case(agent);
                    rest
                }
                None => part,
            };
            if to_us {
                directives.add(directive.trim());
            }
        }
    }
    directives
}

impl PageDirectives {
    fn add(&mut self, directive: &str) {
        let is = |name: &str| directive.eq_ignore_ascii_case(name);
        self.noindex |= is("noindex") || is("none");
        self.nofollow |= is("nofollow") || is("none");
    }
}

fn agent_prefix(part: &str) -> Option<(&str, &str)> {
    let (name, rest) = part.split_once(':')?;
    let name = name.trim();
    let is_directive = DIRECTIVES_WITH_VALUE.iter().any(|directive| name.eq_ignore_ascii_case(directive));
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    (is_name && !is_directive).then_some((name, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_for_other_agents_are_ignored() {
        for (lines, noindex, nofollow) in [
            (&["noindex"][..], true, false),
            (&["NoIndex, NOFOLLOW"], true, true),
            (&["none"], true, true),
            (&["all"], false, false),
            (&["otherbot: noindex, nofollow"], false, false),
            (&["hadal: nofollow"], false, true),
            (&["HADAL: noindex,nofollow"], true, true),
            (&["*: noindex"], true, false),
            (&["otherbot: noindex", "nofollow"], false, true),
            (&["otherbot: noindex, hadal: nofollow"], false, true),
            (&["max-snippet: 20, noindex"], true, false),
            (&["unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, nofollow"], false, true),
            (&["", ":", ",,"], false, false),
        ] {
            let mut headers = Headers::default();
            for line in lines {
                headers.push("X-Robots-Tag", *line);
            }
            assert_eq!(robots_header(&headers, "hadal"), PageDirectives { noindex, nofollow }, "{lines:?}");
        }
    }
}
