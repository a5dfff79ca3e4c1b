//! Decision after a response: accept it, follow a redirect, retry, or give up.
//!
//! Pure: callers count attempts and failures, and keep the times returned here.

use super::FailureKind;
use hadal_core::address::{TrackingParams, normalise};
use hadal_core::http::{BodyCompleteness, Exchange, FetchError, Headers, Response};
use hadal_core::time::Time;
use std::time::{Duration, SystemTime};
use url::Url;

/// Action that follows from a response, or from its absence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextAction {
    /// Read the response. A 304 has no body and means that the stored copy still holds.
    Accept,
    /// Request this URL instead.
    Redirect(Url),
    /// Send the same request again later.
    Retry {
        /// Earliest time of the next request to the host: every retry pauses its host.
        at: Time,
        /// Kind of failure, for the counters.
        kind: FailureKind,
    },
    /// Do not request the URL again.
    GiveUp {
        /// Kind of failure, for the counters.
        kind: FailureKind,
        /// Earliest time of any request to the host, when the whole host is in trouble.
        host_until: Option<Time>,
    },
}

/// Maximum number of attempts per request, the first included. Guess.
pub const MAX_ATTEMPTS: u8 = 3;
/// Maximum number of redirects followed from one URL. Guess; the Fetch standard has 20.
pub const MAX_REDIRECTS: usize = 10;
/// Pause before the first retry. Guess.
const FIRST_BACK_OFF: Duration = Duration::from_secs(2);
/// Longest pause before a retry. Guess.
const MAX_BACK_OFF: Duration = Duration::from_secs(300);
/// Longest `Retry-After` that is honoured. Guess.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(3600);

/// Decides what follows from an exchange. The request failed `attempts` times before, and its host failed
/// `host_failures` times in a row before.
pub fn next_action(
    url: &Url,
    exchange: &Exchange,
    attempts: u8,
    host_failures: u32,
    now: Time,
) -> NextAction {
    let verdict = match &exchange.result {
        Ok(response) => verdict_on_response(url, response),
        Err(error) => verdict_on_error(*error),
    };
    let (kind, host_wide) = match verdict {
        ExchangeVerdict::Final(action) => return action,
        ExchangeVerdict::Temporary { kind, host_wide } => (kind, host_wide),
    };
    let named = exchange.result.as_ref().ok().and_then(|response| retry_after(&response.headers, now));
    let wait = |failures| now.after(named.unwrap_or_else(|| back_off(failures)));
    let host_until = host_wide.then(|| wait(host_failures));
    match attempts.saturating_add(1) < MAX_ATTEMPTS {
        true => {
            let at = wait(u32::from(attempts));
            NextAction::Retry { at: host_until.map_or(at, |until| at.max(until)), kind }
        }
        false => NextAction::GiveUp { kind, host_until },
    }
}

/// Back-off after `failures` failures: 2 s, doubled with every failure, 300 s at most.
pub fn back_off(failures: u32) -> Duration {
    FIRST_BACK_OFF.saturating_mul(2u32.saturating_pow(failures)).min(MAX_BACK_OFF)
}

/// Pause that a `Retry-After` header asks for, in seconds or up to a date; an hour at most.
///
/// A date in the past is ignored. A date is compared with the response's own `Date` header where there is one, so
/// that neither a wrong clock of the server nor a simulated clock here matters.
pub fn retry_after(headers: &Headers, now: Time) -> Option<Duration> {
    let value = headers.get("retry-after")?.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds).min(MAX_RETRY_AFTER));
    }
    let until = httpdate::parse_http_date(value).ok()?;
    let sent = headers.get("date").and_then(|date| httpdate::parse_http_date(date.trim()).ok());
    let sent = sent.unwrap_or(SystemTime::UNIX_EPOCH + Duration::from_millis(now.0));
    Some(until.duration_since(sent).ok()?.min(MAX_RETRY_AFTER))
}

/// End of the pause that a 429 or 503 response asks for; `now` if the response asks for none.
pub fn rest_requested(exchange: &Exchange, now: Time) -> Time {
    let busy = exchange.result.as_ref().ok().filter(|response| matches!(response.status, 429 | 503));
    busy.and_then(|response| retry_after(&response.headers, now)).map_or(now, |wait| now.after(wait))
}

/// True when an exchange counts as a failure of its host: no response, a server error, or 429.
pub fn is_host_failure(exchange: &Exchange) -> bool {
    exchange.result.as_ref().map_or(true, |response| response.status >= 500 || response.status == 429)
}

/// True for lasting errors that every request to the host would have.
pub fn is_permanent_for_host(error: FetchError) -> bool {
    matches!(
        error,
        FetchError::NoSuchHost | FetchError::PrivateAddress | FetchError::BadPort | FetchError::Tls
    )
}

/// Absolute http(s) URL that a `Location` header names.
pub fn redirect_target(url: &Url, headers: &Headers) -> Option<Url> {
    let target = url.join(headers.get("location")?.trim()).ok()?;
    matches!(target.scheme(), "http" | "https").then_some(target)
}

/// Checks a redirect from `from` to `target` and returns the normalised target. `earlier` holds the URLs that
/// redirected to `from`.
pub fn follow_redirect(
    from: &Url,
    earlier: &[Url],
    target: Url,
    tracking: TrackingParams,
) -> Result<Url, FailureKind> {
    let target = normalise(target, tracking).ok_or(FailureKind::BadRedirect)?;
    let is_circular = target == *from || earlier.contains(&target);
    if is_circular || earlier.len() >= MAX_REDIRECTS {
        return Err(FailureKind::RedirectLoop);
    }
    Ok(target)
}

enum ExchangeVerdict {
    /// A retry cannot change it.
    Final(NextAction),
    /// A retry may help. `host_wide` means that other requests to the host would fail in the same way.
    Temporary { kind: FailureKind, host_wide: bool },
}

fn verdict_on_response(url: &Url, response: &Response) -> ExchangeVerdict {
    let kind = FailureKind::Http(response.status);
    match response.status {
        200..=299 => verdict_on_success(response),
        304 => ExchangeVerdict::Final(NextAction::Accept),
        300..=303 | 307 | 308 => match redirect_target(url, &response.headers) {
            Some(target) => ExchangeVerdict::Final(NextAction::Redirect(target)),
            None if response.headers.get("location").is_some() => give_up(FailureKind::BadRedirect),
            None => give_up(kind),
        },
        429 | 503 => ExchangeVerdict::Temporary { kind, host_wide: true },
        408 | 425 | 500 | 502 | 504 | 520..=529 => ExchangeVerdict::Temporary { kind, host_wide: false },
        _ => give_up(kind),
    }
}

fn verdict_on_success(response: &Response) -> ExchangeVerdict {
    match response.completeness {
        BodyCompleteness::Unwanted => give_up(FailureKind::Unwanted),
        // The engine takes the body of a page before this decision; the bytes transferred stay known.
        BodyCompleteness::Broken if response.body.is_empty() && response.transferred == 0 => {
            ExchangeVerdict::Temporary { kind: FailureKind::Broken, host_wide: false }
        }
        _ => ExchangeVerdict::Final(NextAction::Accept),
    }
}

/// Failures to resolve or connect concern the whole host.
fn verdict_on_error(error: FetchError) -> ExchangeVerdict {
    let kind = FailureKind::Fetch(error);
    match error {
        FetchError::Dns | FetchError::Connect | FetchError::Proxy | FetchError::ConnectTimeout => {
            ExchangeVerdict::Temporary { kind, host_wide: true }
        }
        _ if error.is_transient() => ExchangeVerdict::Temporary { kind, host_wide: false },
        _ => give_up(kind),
    }
}

fn give_up(kind: FailureKind) -> ExchangeVerdict {
    ExchangeVerdict::Final(NextAction::GiveUp { kind, host_until: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time(1_000_000);

    fn responded(status: u16, headers: &[(&str, &str)]) -> Exchange {
        let mut response = Response { status, ..Response::default() };
        for (name, value) in headers {
            response.headers.push(name, *value);
        }
        Exchange { result: Ok(response), took: Duration::ZERO, peer: None }
    }

    fn failed(error: FetchError) -> Exchange {
        Exchange { result: Err(error), took: Duration::ZERO, peer: None }
    }

    fn decide(exchange: &Exchange, attempts: u8, host_failures: u32) -> NextAction {
        let url = Url::parse("http://shop.example/a/b?c=1").unwrap();
        next_action(&url, exchange, attempts, host_failures, NOW)
    }

    fn again(kind: FailureKind, wait_s: u64) -> NextAction {
        NextAction::Retry { at: NOW.after(Duration::from_secs(wait_s)), kind }
    }

    fn given_up(kind: FailureKind) -> NextAction {
        NextAction::GiveUp { kind, host_until: None }
    }

    #[test]
    fn responses_with_a_page_are_accepted() {
        for status in [200, 203, 206, 304] {
            assert_eq!(decide(&responded(status, &[]), 0, 0), NextAction::Accept);
        }
    }

    #[test]
    fn final_statuses_are_given_up_at_once() {
        for status in [101, 305, 400, 401, 403, 404, 410, 451, 501, 505, 999] {
            assert_eq!(decide(&responded(status, &[]), 0, 0), given_up(FailureKind::Http(status)));
        }
    }

    #[test]
    fn locations_are_resolved_against_the_requested_url() {
        for (location, target) in [
            ("/x", "http://shop.example/x"),
            ("d", "http://shop.example/a/d"),
            ("?c=2", "http://shop.example/a/b?c=2"),
            ("//other.example/", "http://other.example/"),
            (" https://shop.example/ ", "https://shop.example/"),
            ("/caf\u{e9}", "http://shop.example/caf%C3%A9"),
        ] {
            for status in [300, 301, 302, 303, 307, 308] {
                let next = decide(&responded(status, &[("Location", location)]), 2, 9);
                assert_eq!(next, NextAction::Redirect(Url::parse(target).unwrap()), "{location}");
            }
        }
    }

    #[test]
    fn a_redirect_without_a_web_target_is_given_up() {
        assert_eq!(decide(&responded(302, &[]), 0, 0), given_up(FailureKind::Http(302)));
        for location in ["mailto:a@b.example", "http://", "javascript:void(0)"] {
            assert_eq!(
                decide(&responded(302, &[("location", location)]), 0, 0),
                given_up(FailureKind::BadRedirect)
            );
        }
    }

    #[test]
    fn back_off_doubles_and_the_third_failure_is_the_last() {
        let closed = failed(FetchError::Closed);
        assert_eq!(decide(&closed, 0, 0), again(FailureKind::Fetch(FetchError::Closed), 2));
        assert_eq!(decide(&closed, 1, 0), again(FailureKind::Fetch(FetchError::Closed), 4));
        assert_eq!(decide(&closed, 2, 0), given_up(FailureKind::Fetch(FetchError::Closed)));
        let refused = decide(&failed(FetchError::Connect), 2, 2);
        let host_until = Some(NOW.after(Duration::from_secs(8)));
        let kind = FailureKind::Fetch(FetchError::Connect);
        assert_eq!(refused, NextAction::GiveUp { kind, host_until }, "the host rests all the same");
        assert_eq!(decide(&closed, u8::MAX, 0), given_up(FailureKind::Fetch(FetchError::Closed)));
    }

    #[test]
    fn the_whole_host_waits_after_429_503_and_connection_failures() {
        for trouble in [responded(503, &[]), responded(429, &[]), failed(FetchError::Connect)] {
            let NextAction::Retry { at, .. } = decide(&trouble, 0, 3) else { panic!("{trouble:?}") };
            assert_eq!(at, Time(1_016_000), "longer than the 2 s of a first retry");
        }
        let NextAction::Retry { at, .. } = decide(&responded(503, &[]), 0, u32::MAX) else { panic!() };
        assert_eq!(at, Time(1_300_000));
    }

    #[test]
    fn retry_after_is_honoured_up_to_an_hour() {
        let seconds = responded(429, &[("Retry-After", "120")]);
        assert_eq!(decide(&seconds, 0, 0), again(FailureKind::Http(429), 120));
        let days = responded(503, &[("Retry-After", "864000")]);
        assert_eq!(decide(&days, 0, 0), again(FailureKind::Http(503), 3600));
        let date = responded(
            503,
            &[("Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT"), ("Date", "Fri, 31 Dec 1999 23:59:29 GMT")],
        );
        assert_eq!(decide(&date, 0, 0), again(FailureKind::Http(503), 30));
        let on_our_clock = responded(503, &[("Retry-After", "Thu, 01 Jan 1970 00:17:00 GMT")]);
        assert_eq!(decide(&on_our_clock, 0, 0), again(FailureKind::Http(503), 20));
        let past = responded(503, &[("Retry-After", "Wed, 31 Dec 1969 00:00:00 GMT")]);
        assert_eq!(decide(&past, 0, 0), again(FailureKind::Http(503), 2));
        let nonsense = responded(503, &[("Retry-After", "soon")]);
        assert_eq!(decide(&nonsense, 0, 0), again(FailureKind::Http(503), 2));
    }

    #[test]
    fn permanent_errors_are_given_up_at_once() {
        assert_eq!(
            decide(&failed(FetchError::NoSuchHost), 0, 0),
            given_up(FailureKind::Fetch(FetchError::NoSuchHost))
        );
        assert_eq!(
            decide(&failed(FetchError::PrivateAddress), 0, 0),
            given_up(FailureKind::Fetch(FetchError::PrivateAddress))
        );
        assert_eq!(decide(&failed(FetchError::Tls), 0, 0), given_up(FailureKind::Fetch(FetchError::Tls)));
    }

    #[test]
    fn an_unwanted_type_is_given_up_and_an_empty_broken_body_retried() {
        let with = |completeness, body: &[u8]| {
            let response = Response { status: 200, completeness, body: body.to_vec(), ..Response::default() };
            Exchange { result: Ok(response), took: Duration::ZERO, peer: None }
        };
        assert_eq!(decide(&with(BodyCompleteness::Unwanted, b""), 0, 0), given_up(FailureKind::Unwanted));
        assert_eq!(decide(&with(BodyCompleteness::Broken, b""), 0, 0), again(FailureKind::Broken, 2));
        assert_eq!(decide(&with(BodyCompleteness::Broken, b"<p>half"), 0, 0), NextAction::Accept);
        assert_eq!(decide(&with(BodyCompleteness::Cut, b"<p>much"), 0, 0), NextAction::Accept);
    }

    #[test]
    fn redirects_end_in_a_circle_or_after_ten_hops() {
        let url = |path: &str| Url::parse("http://shop.example/").unwrap().join(path).unwrap();
        let follow = |earlier: &[Url], to: &str| {
            follow_redirect(&url("here"), earlier, url(to), TrackingParams::Strip)
        };
        assert_eq!(follow(&[], "there?utm_source=x"), Ok(url("there")));
        assert_eq!(follow(&[], "here#part"), Err(FailureKind::RedirectLoop));
        assert_eq!(follow(&[url("there")], "there"), Err(FailureKind::RedirectLoop));
        let hops: Vec<Url> = (0..MAX_REDIRECTS).map(|hop| url(&hop.to_string())).collect();
        assert_eq!(follow(&hops[1..], "there"), Ok(url("there")));
        assert_eq!(follow(&hops, "there"), Err(FailureKind::RedirectLoop));
        assert_eq!(follow(&[], "mailto:a@b.example"), Err(FailureKind::BadRedirect));
    }
}
