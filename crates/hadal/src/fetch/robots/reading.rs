//! What the answer to a request for robots.txt means, and for how long.

use super::rules::lines;
use crate::fetch::retry::{location, retry_after};
use crate::store::RobotsState;
use hadal_core::http::{Completeness, Exchange, Headers, Response};
use hadal_core::time::Time;
use std::time::Duration;
use url::Url;

/// What an answer to a request for robots.txt means.
#[derive(Clone, Debug, PartialEq)]
pub enum RobotsReading {
    /// The host's rules, until they are to be asked for again.
    Known(RobotsState, Time),
    /// They are over there. After five hops the engine takes it that there are none.
    Redirect(Url),
}

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);
/// Nobody is shut out for long by one hiccup; a host that stays away is left alone ever longer.
const FIRST_REFUSAL: Duration = Duration::from_secs(30);
const LARGEST: usize = 512 * 1024;

/// Reads the answer to a request for robots.txt at `url`, from a host that failed `failures` times
/// in a row before: found is followed, missing allows everything, unreachable forbids everything.
pub fn interpret(url: &Url, exchange: &Exchange, failures: u32, now: Time) -> RobotsReading {
    let Ok(response) = &exchange.result else { return refused(failures, None, now) };
    match response.status {
        200..=299 if arrived(response) => {
            RobotsReading::Known(rules_of(&response.body), now.after(lifetime(&response.headers)))
        }
        300..=399 => match location(url, &response.headers) {
            Some(target) => RobotsReading::Redirect(target),
            None => RobotsReading::Known(RobotsState::AllowAll, now.after(DAY)),
        },
        429 => refused(failures, retry_after(&response.headers, now), now),
        400..=499 => RobotsReading::Known(RobotsState::AllowAll, now.after(DAY)),
        _ => refused(failures, retry_after(&response.headers, now), now),
    }
}

fn arrived(response: &Response) -> bool {
    match response.completeness {
        Completeness::Whole | Completeness::Cut => true,
        Completeness::Broken => !response.body.is_empty(),
        Completeness::Unwanted => false,
    }
}

/// Half a minute at first, four times longer with every failure, a day at most.
fn refused(failures: u32, asked: Option<Duration>, now: Time) -> RobotsReading {
    let grown = FIRST_REFUSAL.saturating_mul(4u32.saturating_pow(failures)).min(DAY);
    RobotsReading::Known(RobotsState::DisallowAll, now.after(grown.max(asked.unwrap_or_default())))
}

/// The `max-age` of the answer within an hour and a day; a day when it names none.
fn lifetime(headers: &Headers) -> Duration {
    let directives = headers.all("cache-control").flat_map(|line| line.split(','));
    let ages = directives.filter_map(|directive| {
        let (name, value) = directive.split_once('=')?;
        let seconds = value.trim().trim_matches('"').parse().ok()?;
        name.trim().eq_ignore_ascii_case("max-age").then_some(Duration::from_secs(seconds))
    });
    ages.min().map_or(DAY, |age| age.clamp(HOUR, DAY))
}

/// Only the lines that mean something are kept with the host: many a robots.txt is an error page.
fn rules_of(body: &[u8]) -> RobotsState {
    let text = String::from_utf8_lossy(whole_lines(body));
    let mut kept = String::new();
    for (key, value) in lines(&text) {
        if matches!(key.as_str(), "user-agent" | "allow" | "disallow" | "crawl-delay" | "sitemap") {
            kept.push_str(&format!("{key}: {value}\n"));
        }
    }
    if kept.is_empty() { RobotsState::AllowAll } else { RobotsState::Text(kept) }
}

/// The first 512 KiB without the line that was cut in two, which might say more than was meant.
fn whole_lines(body: &[u8]) -> &[u8] {
    if body.len() <= LARGEST {
        return body;
    }
    let end = body[..LARGEST].iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(0);
    &body[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal_core::http::FetchError;

    const NOW: Time = Time(7_000);

    fn read(status: u16, headers: &[(&str, &str)], body: &str) -> RobotsReading {
        let mut response = Response { status, body: body.as_bytes().to_vec(), ..Response::default() };
        for (name, value) in headers {
            response.headers.push(name, *value);
        }
        read_result(Ok(response), 0)
    }

    fn read_result(result: Result<Response, FetchError>, failures: u32) -> RobotsReading {
        let url = Url::parse("http://shop.example/robots.txt").unwrap();
        interpret(&url, &Exchange { result, took: Duration::ZERO, peer: None }, failures, NOW)
    }

    fn known(robots: RobotsState, seconds: u64) -> RobotsReading {
        RobotsReading::Known(robots, NOW.after(Duration::from_secs(seconds)))
    }

    fn text(of: &str) -> RobotsState {
        RobotsState::Text(of.to_string())
    }

    #[test]
    fn found_rules_hold_for_a_day_or_as_long_as_the_host_says() {
        let body = "User-agent: *\nDisallow: /x # not this\nnoise\n";
        let kept = || text("user-agent: *\ndisallow: /x\n");
        assert_eq!(read(200, &[], body), known(kept(), 86_400));
        assert_eq!(read(200, &[("Cache-Control", "public, max-age=7200")], body), known(kept(), 7_200));
        assert_eq!(read(200, &[("Cache-Control", "max-age=0")], body), known(kept(), 3_600));
        assert_eq!(read(200, &[("Cache-Control", "max-age=99999999")], body), known(kept(), 86_400));
    }

    #[test]
    fn an_error_page_in_its_place_allows_everything() {
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
    fn unreachable_rules_forbid_everything_for_a_growing_time() {
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
    fn a_redirect_is_the_engines_to_follow() {
        let target = Url::parse("https://www.shop.example/robots.txt").unwrap();
        let reading = read(301, &[("Location", "https://www.shop.example/robots.txt")], "");
        assert_eq!(reading, RobotsReading::Redirect(target));
        assert_eq!(read(302, &[], ""), known(RobotsState::AllowAll, 86_400));
    }

    #[test]
    fn a_huge_file_is_cut_at_a_line_end() {
        let line = "Disallow: /private\n";
        let body = line.repeat(LARGEST / line.len() + 100);
        let RobotsReading::Known(RobotsState::Text(kept), _) = read(200, &[], &body) else { panic!() };
        assert!(kept.len() <= LARGEST);
        assert!(kept.lines().all(|line| line == "disallow: /private"));
    }

    #[test]
    fn a_body_that_never_came_forbids_and_half_a_body_counts() {
        let with = |completeness, body: &str| {
            let body = body.as_bytes().to_vec();
            read_result(Ok(Response { status: 200, completeness, body, ..Response::default() }), 0)
        };
        assert_eq!(with(Completeness::Broken, ""), known(RobotsState::DisallowAll, 30));
        assert_eq!(with(Completeness::Broken, "User-agent: *\n"), known(text("user-agent: *\n"), 86_400));
    }
}
