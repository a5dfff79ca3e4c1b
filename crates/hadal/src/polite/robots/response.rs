//! Meaning of the response to a robots.txt request, and how long it holds.

use super::RobotsState;
use super::rules::{BLANK, lines};
use crate::polite::retry::{redirect_target, retry_after};
use hadal_core::http::{BodyCompleteness, Exchange, Headers, Response};
use hadal_core::time::Time;
use std::time::Duration;
use url::Url;

/// Meaning of the response to a robots.txt request.
#[derive(Clone, Debug, PartialEq)]
pub enum RobotsAnswer {
    /// The rules of the host, and the time at which they are fetched again.
    Known(RobotsState, Time),
    /// robots.txt is at this URL. After [`MAX_ROBOTS_HOPS`] redirects everything is allowed.
    Redirect(Url),
}

/// Maximum number of redirects followed to a robots.txt (RFC 9309, section 2.3.1.2, asks for at least five).
pub const MAX_ROBOTS_HOPS: u8 = 5;
/// Shortest lifetime of a robots.txt, whatever `max-age` says. Guess.
const MIN_LIFETIME: Duration = Duration::from_secs(3600);
/// Longest lifetime of a robots.txt (RFC 9309, section 2.4).
pub(in crate::polite) const MAX_LIFETIME: Duration = Duration::from_secs(24 * 3600);
/// Time for which everything is disallowed after the first failure to fetch robots.txt. Guess.
const FIRST_DISALLOW_PERIOD: Duration = Duration::from_secs(30);
/// Maximum number of bytes of robots.txt that are read (RFC 9309, section 2.5, asks for at least 500 KiB).
const MAX_BYTES: usize = 512 * 1024;

/// Interprets the response to a request for robots.txt at `url`. The host failed `failures` times in a row before.
///
/// A robots.txt that arrives is obeyed, a missing one (4xx) allows everything, and one that cannot be fetched (5xx,
/// 429, no response) disallows everything for a while (RFC 9309, section 2.3.1).
pub fn interpret_robots(url: &Url, exchange: &Exchange, failures: u32, now: Time) -> RobotsAnswer {
    let Ok(response) = &exchange.result else { return disallow_for_now(failures, None, now) };
    match response.status {
        200..=299 if has_arrived(response) => {
            RobotsAnswer::Known(rules_of(&response.body), now.after(lifetime(&response.headers)))
        }
        300..=399 => match redirect_target(url, &response.headers) {
            Some(target) => RobotsAnswer::Redirect(target),
            None => RobotsAnswer::Known(RobotsState::AllowAll, now.after(MAX_LIFETIME)),
        },
        429 => disallow_for_now(failures, retry_after(&response.headers, now), now),
        400..=499 => RobotsAnswer::Known(RobotsState::AllowAll, now.after(MAX_LIFETIME)),
        _ => disallow_for_now(failures, retry_after(&response.headers, now), now),
    }
}

fn has_arrived(response: &Response) -> bool {
    match response.completeness {
        BodyCompleteness::Whole | BodyCompleteness::Cut => true,
        BodyCompleteness::Broken => !response.body.is_empty(),
        BodyCompleteness::Unwanted => false,
    }
}

/// Disallows everything for 30 s, four times longer with every failure before, a day at most.
fn disallow_for_now(failures: u32, retry_after: Option<Duration>, now: Time) -> RobotsAnswer {
    let grown = FIRST_DISALLOW_PERIOD.saturating_mul(4u32.saturating_pow(failures)).min(MAX_LIFETIME);
    RobotsAnswer::Known(RobotsState::DisallowAll, now.after(grown.max(retry_after.unwrap_or_default())))
}

/// `max-age` of the response, between an hour and a day; a day without `max-age`.
fn lifetime(headers: &Headers) -> Duration {
    let directives = headers.all("cache-control").flat_map(|line| line.split(','));
    let ages = directives.filter_map(|directive| {
        let (name, value) = directive.split_once('=')?;
        let seconds = value.trim().trim_matches('"').parse().ok()?;
        name.trim().eq_ignore_ascii_case("max-age").then_some(Duration::from_secs(seconds))
    });
    ages.min().map_or(MAX_LIFETIME, |age| age.clamp(MIN_LIFETIME, MAX_LIFETIME))
}

/// Keeps the lines that have a meaning. Many servers send an error page in place of robots.txt.
fn rules_of(body: &[u8]) -> RobotsState {
    let text = String::from_utf8_lossy(whole_lines(body));
    let (mut kept, mut is_after_blank) = (String::new(), false);
    for (key, value) in lines(&text) {
        if matches!(key.as_str(), "user-agent" | "allow" | "disallow" | "crawl-delay" | "sitemap") {
            let blank = if is_after_blank && !kept.is_empty() { "\n" } else { "" };
            kept.push_str(&format!("{blank}{key}: {value}\n"));
        }
        is_after_blank = key == BLANK;
    }
    if kept.is_empty() { RobotsState::AllowAll } else { RobotsState::Text(kept) }
}

/// First 512 KiB of a body, without a line that was cut: half a path would match too much.
fn whole_lines(body: &[u8]) -> &[u8] {
    if body.len() <= MAX_BYTES {
        return body;
    }
    let end = body[..MAX_BYTES].iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(0);
    &body[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal_core::http::FetchError;

    const NOW: Time = Time(7_000);

    fn read(status: u16, headers: &[(&str, &str)], body: &str) -> RobotsAnswer {
        let mut response = Response { status, body: body.as_bytes().to_vec(), ..Response::default() };
        for (name, value) in headers {
            response.headers.push(name, *value);
        }
        read_result(Ok(response), 0)
    }

    fn read_result(result: Result<Response, FetchError>, failures: u32) -> RobotsAnswer {
        let url = Url::parse("http://shop.example/robots.txt").unwrap();
        interpret_robots(&url, &Exchange { result, took: Duration::ZERO, peer: None }, failures, NOW)
    }

    fn known(robots: RobotsState, seconds: u64) -> RobotsAnswer {
        RobotsAnswer::Known(robots, NOW.after(Duration::from_secs(seconds)))
    }

    fn text(of: &str) -> RobotsState {
        RobotsState::Text(of.to_string())
    }

    #[test]
    fn rules_hold_for_a_day_or_for_max_age() {
        let body = "User-agent: *\nDisallow: /x # not this\nnoise\n";
        let kept = || text("user-agent: *\ndisallow: /x\n");
        assert_eq!(read(200, &[], body), known(kept(), 86_400));
        assert_eq!(read(200, &[("Cache-Control", "public, max-age=7200")], body), known(kept(), 7_200));
        assert_eq!(read(200, &[("Cache-Control", "max-age=0")], body), known(kept(), 3_600));
        assert_eq!(read(200, &[("Cache-Control", "max-age=99999999")], body), known(kept(), 86_400));
    }

    #[test]
    fn an_error_page_in_place_of_robots_txt_allows_everything() {
        let page = "<html><body><p style=\"color: red\">Not here</p></body></html>";
        assert_eq!(read(200, &[], page), known(RobotsState::AllowAll, 86_400));
    }

    #[test]
    fn missing_rules_allow_everything() {
        for status in [400, 401, 403, 404, 410] {
            assert_eq!(read(status, &[], "User-agent: *\nDisallow: /"), known(RobotsState::AllowAll, 86_400));
        }
    }

    #[test]
    fn unavailable_rules_disallow_everything_for_a_growing_time() {
        for status in [429, 500, 503] {
            assert_eq!(read(status, &[], ""), known(RobotsState::DisallowAll, 30));
        }
        assert_eq!(read(503, &[("Retry-After", "600")], ""), known(RobotsState::DisallowAll, 600));
        for (failures, seconds) in [(0, 30), (1, 120), (3, 1_920), (9, 86_400), (u32::MAX, 86_400)] {
            let reading = read_result(Err(FetchError::Connect), failures);
            assert_eq!(reading, known(RobotsState::DisallowAll, seconds));
        }
    }

    #[test]
    fn a_redirect_is_returned_to_the_caller() {
        let target = Url::parse("https://www.shop.example/robots.txt").unwrap();
        let reading = read(301, &[("Location", "https://www.shop.example/robots.txt")], "");
        assert_eq!(reading, RobotsAnswer::Redirect(target));
        assert_eq!(read(302, &[], ""), known(RobotsState::AllowAll, 86_400));
    }

    #[test]
    fn a_huge_file_is_cut_at_a_line_end() {
        let line = "Disallow: /private\n";
        let body = line.repeat(MAX_BYTES / line.len() + 100);
        let RobotsAnswer::Known(RobotsState::Text(kept), _) = read(200, &[], &body) else { panic!() };
        assert!(kept.len() <= MAX_BYTES);
        assert!(kept.lines().all(|line| line == "disallow: /private"));
    }

    #[test]
    fn a_missing_body_disallows_and_half_a_body_counts() {
        let with = |completeness, body: &str| {
            let body = body.as_bytes().to_vec();
            read_result(Ok(Response { status: 200, completeness, body, ..Response::default() }), 0)
        };
        assert_eq!(with(BodyCompleteness::Broken, ""), known(RobotsState::DisallowAll, 30));
        assert_eq!(with(BodyCompleteness::Broken, "User-agent: *\n"), known(text("user-agent: *\n"), 86_400));
    }
}
