//! `X-Robots-Tag`: the robots meta of an answer, for all agents or for some.

use hadal_core::http::Headers;

/// What an answer's `X-Robots-Tag` lines ask of us.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RobotsHeader {
    /// The page is not to be stored or shown.
    pub noindex: bool,
    /// Its links are not to be followed.
    pub nofollow: bool,
}

/// Directives that carry a value behind a colon, and so must not be taken for an agent's name.
const WITH_VALUE: [&str; 4] = ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

/// Reads every `X-Robots-Tag` line, as far as it speaks to the agent of this name or to all. `otherbot: noindex` speaks to another agent until its line ends.
pub fn robots_header(headers: &Headers, us: &str) -> RobotsHeader {
    let mut asked = RobotsHeader::default();
    for line in headers.all("x-robots-tag") {
        let mut to_us = true;
        for part in line.split(',') {
            let directive = match agent_prefix(part) {
                Some((agent, rest)) => {
                    to_us = agent == "*" || agent.eq_ignore_ascii_case(us);
                    rest
                }
                None => part,
            };
            if to_us {
                asked.note(directive.trim());
            }
        }
    }
    asked
}

impl RobotsHeader {
    fn note(&mut self, directive: &str) {
        let is = |name: &str| directive.eq_ignore_ascii_case(name);
        self.noindex |= is("noindex") || is("none");
        self.nofollow |= is("nofollow") || is("none");
    }
}

fn agent_prefix(part: &str) -> Option<(&str, &str)> {
    let (name, rest) = part.split_once(':')?;
    let name = name.trim();
    let is_directive = WITH_VALUE.iter().any(|directive| name.eq_ignore_ascii_case(directive));
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    (is_name && !is_directive).then_some((name, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_speak_to_all_agents_to_us_or_to_others() {
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
            assert_eq!(robots_header(&headers, "hadal"), RobotsHeader { noindex, nofollow }, "{lines:?}");
        }
    }
}
