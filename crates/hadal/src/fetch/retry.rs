//! What becomes of a lead after an exchange: taken, followed, tried again, or given up.
//!
//! Pure: the engine counts attempts and failures and keeps the moments returned here.

use crate::store::SubmissionResult;
use hadal_core::http::{Completeness, Exchange, FetchError, Headers, Response};
use hadal_core::time::Time;
use std::time::{Duration, SystemTime};
use url::Url;

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// The answer stands: read it (a 304 has no body, and what is stored still holds).
    Accept,
    /// The answer is somewhere else.
    Redirect(Url),
    /// The same request again, later.
    Retry {
        /// Not before this moment.
        at: Time,
        /// When the trouble is the host's: no request of any kind to it before this moment.
        host_until: Option<Time>,
        /// The kind of trouble, for the tally.
        kind: String,
    },
    /// Never again; the word names the kind ("http_404", "connect", "unwanted", ...).
    GiveUp(String),
}

/// How often one request is sent before it is given up.
pub const MOST_ATTEMPTS: u8 = 3;
const FIRST_WAIT: Duration = Duration::from_secs(2);
const LONGEST_WAIT: Duration = Duration::from_secs(300);
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(3600);

/// Decides after an exchange with `url`, which failed `attempts` times before, on a host that
/// failed `host_failures` times in a row before.
pub fn after(url: &Url, exchange: &Exchange, attempts: u8, host_failures: u32, now: Time) -> Next {
    let verdict = match &exchange.result {
        Ok(response) => of_response(url, response),
        Err(error) => of_error(*error),
    };
    let (kind, whose) = match verdict {
        Verdict::Settled(next) => return next,
        Verdict::Trouble(kind, _) if attempts.saturating_add(1) >= MOST_ATTEMPTS => {
            return Next::GiveUp(kind);
        }
        Verdict::Trouble(kind, whose) => (kind, whose),
    };
    let asked = exchange.result.as_ref().ok().and_then(|response| retry_after(&response.headers, now));
    let wait = |failures| now.after(asked.unwrap_or_else(|| back_off(failures)));
    let host_until = (whose == Whose::Host).then(|| wait(host_failures));
    Next::Retry { at: wait(u32::from(attempts)), host_until, kind }
}

/// A wait that doubles with every failure, up to five minutes.
pub fn back_off(failures: u32) -> Duration {
    FIRST_WAIT.saturating_mul(2u32.saturating_pow(failures)).min(LONGEST_WAIT)
}

/// How long a server asks to be left alone, in seconds or until a date; at most an hour.
///
/// A date that has passed asks for nothing. It is read against the answer's own `Date` where it has one, so that neither a wrong clock
/// over there nor a simulated one over here matters.
pub fn retry_after(headers: &Headers, now: Time) -> Option<Duration> {
    let value = headers.get("retry-after")?.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds).min(LONGEST_RETRY_AFTER));
    }
    let until = httpdate::parse_http_date(value).ok()?;
    let sent = headers.get("date").and_then(|date| httpdate::parse_http_date(date.trim()).ok());
    let sent = sent.unwrap_or(SystemTime::UNIX_EPOCH + Duration::from_millis(now.0));
    Some(until.duration_since(sent).ok()?.min(LONGEST_RETRY_AFTER))
}

/// The word under which a failure is counted.
pub fn kind_of(error: FetchError) -> &'static str {
    match error {
        FetchError::NoSuchHost => "no_such_host",
        FetchError::Dns => "dns",
        FetchError::PrivateAddress => "private_address",
        FetchError::BadPort => "bad_port",
        FetchError::Connect => "connect",
        FetchError::Tls => "tls",
        FetchError::ConnectTimeout => "connect_timeout",
        FetchError::AnswerTimeout => "answer_timeout",
        FetchError::BodyTimeout => "body_timeout",
        FetchError::Closed => "closed",
        FetchError::Protocol => "protocol",
        FetchError::BadUrl => "bad_url",
    }
}

/// What came of a request, for the audit log.
pub fn answered(exchange: &Exchange) -> SubmissionResult {
    match &exchange.result {
        Ok(response) => SubmissionResult::Status(response.status),
        Err(error) => SubmissionResult::Failure(kind_of(*error).to_string()),
    }
}

/// The absolute web address that a `Location` names, if it names one.
pub fn location(url: &Url, headers: &Headers) -> Option<Url> {
    let target = url.join(headers.get("location")?.trim()).ok()?;
    matches!(target.scheme(), "http" | "https").then_some(target)
}

enum Verdict {
    Settled(Next),
    Trouble(String, Whose),
}

/// Whose trouble it is: this request's alone, or the whole host's.
#[derive(PartialEq, Eq)]
enum Whose {
    Request,
    Host,
}

fn of_response(url: &Url, response: &Response) -> Verdict {
    let kind = format!("http_{}", response.status);
    match response.status {
        200..=299 => of_success(response),
        304 => Verdict::Settled(Next::Accept),
        300..=303 | 307 | 308 => match location(url, &response.headers) {
            Some(target) => Verdict::Settled(Next::Redirect(target)),
            None if response.headers.get("location").is_some() => give_up("bad_redirect"),
            None => give_up(kind),
        },
        429 | 503 => Verdict::Trouble(kind, Whose::Host),
        408 | 425 | 500 | 502 | 504 | 520..=529 => Verdict::Trouble(kind, Whose::Request),
        _ => give_up(kind),
    }
}

fn of_success(response: &Response) -> Verdict {
    match response.completeness {
        Completeness::Unwanted => give_up("unwanted"),
        Completeness::Broken if response.body.is_empty() => {
            Verdict::Trouble("broken".to_string(), Whose::Request)
        }
        _ => Verdict::Settled(Next::Accept),
    }
}

/// A host that cannot be reached cannot be reached for its other pages either.
fn of_error(error: FetchError) -> Verdict {
    let kind = kind_of(error);
    match error {
        FetchError::Dns | FetchError::Connect | FetchError::ConnectTimeout => {
            Verdict::Trouble(kind.to_string(), Whose::Host)
        }
        _ if error.is_transient() => Verdict::Trouble(kind.to_string(), Whose::Request),
        _ => give_up(kind),
    }
}

fn give_up(kind: impl Into<String>) -> Verdict {
    Verdict::Settled(Next::GiveUp(kind.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time(1_000_000);

    fn answered(status: u16, headers: &[(&str, &str)]) -> Exchange {
        let mut response = Response { status, ..Response::default() };
        for (name, value) in headers {
            response.headers.push(name, *value);
        }
        Exchange { result: Ok(response), took: Duration::ZERO, peer: None }
    }

    fn failed(error: FetchError) -> Exchange {
        Exchange { result: Err(error), took: Duration::ZERO, peer: None }
    }

    fn decide(exchange: &Exchange, attempts: u8, host_failures: u32) -> Next {
        let url = Url::parse("http://shop.example/a/b?c=1").unwrap();
        after(&url, exchange, attempts, host_failures, NOW)
    }

    fn again(kind: &str, wait_s: u64, host_wait_s: Option<u64>) -> Next {
        let in_seconds = |seconds| NOW.after(Duration::from_secs(seconds));
        Next::Retry {
            at: in_seconds(wait_s),
            host_until: host_wait_s.map(in_seconds),
            kind: kind.to_string(),
        }
    }

    fn given_up(kind: &str) -> Next {
        Next::GiveUp(kind.to_string())
    }

    #[test]
    fn answers_with_a_page_are_accepted() {
        for status in [200, 203, 206, 304] {
            assert_eq!(decide(&answered(status, &[]), 0, 0), Next::Accept);
        }
    }

    #[test]
    fn final_answers_are_given_up_at_once() {
        for status in [101, 305, 400, 401, 403, 404, 410, 451, 501, 505, 999] {
            assert_eq!(decide(&answered(status, &[]), 0, 0), given_up(&format!("http_{status}")));
        }
    }

    #[test]
    fn locations_are_resolved_against_the_address_asked() {
        for (location, target) in [
            ("/x", "http://shop.example/x"),
            ("d", "http://shop.example/a/d"),
            ("?c=2", "http://shop.example/a/b?c=2"),
            ("//other.example/", "http://other.example/"),
            (" https://shop.example/ ", "https://shop.example/"),
            ("/caf\u{e9}", "http://shop.example/caf%C3%A9"),
        ] {
            for status in [300, 301, 302, 303, 307, 308] {
                let next = decide(&answered(status, &[("Location", location)]), 2, 9);
                assert_eq!(next, Next::Redirect(Url::parse(target).unwrap()), "{location}");
            }
        }
    }

    #[test]
    fn a_redirect_to_nowhere_is_given_up() {
        assert_eq!(decide(&answered(302, &[]), 0, 0), given_up("http_302"));
        for location in ["mailto:a@b.example", "http://", "javascript:void(0)"] {
            assert_eq!(decide(&answered(302, &[("location", location)]), 0, 0), given_up("bad_redirect"));
        }
    }

    #[test]
    fn waits_double_with_every_attempt_and_the_third_failure_is_the_last() {
        let closed = failed(FetchError::Closed);
        assert_eq!(decide(&closed, 0, 0), again("closed", 2, None));
        assert_eq!(decide(&closed, 1, 0), again("closed", 4, None));
        assert_eq!(decide(&closed, 2, 0), given_up("closed"));
        assert_eq!(decide(&closed, u8::MAX, 0), given_up("closed"));
    }

    #[test]
    fn the_whole_host_waits_when_it_says_so_or_cannot_be_reached() {
        for trouble in [answered(503, &[]), answered(429, &[]), failed(FetchError::Connect)] {
            let Next::Retry { at, host_until, .. } = decide(&trouble, 0, 3) else { panic!("{trouble:?}") };
            assert_eq!((at, host_until), (Time(1_002_000), Some(Time(1_016_000))));
        }
        let Next::Retry { host_until, .. } = decide(&answered(503, &[]), 0, u32::MAX) else { panic!() };
        assert_eq!(host_until, Some(Time(1_300_000)));
    }

    #[test]
    fn retry_after_in_seconds_or_as_a_date_is_followed_up_to_an_hour() {
        let seconds = answered(429, &[("Retry-After", "120")]);
        assert_eq!(decide(&seconds, 0, 0), again("http_429", 120, Some(120)));
        let days = answered(503, &[("Retry-After", "864000")]);
        assert_eq!(decide(&days, 0, 0), again("http_503", 3600, Some(3600)));
        let date = answered(
            503,
            &[("Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT"), ("Date", "Fri, 31 Dec 1999 23:59:29 GMT")],
        );
        assert_eq!(decide(&date, 0, 0), again("http_503", 30, Some(30)));
        let on_our_clock = answered(503, &[("Retry-After", "Thu, 01 Jan 1970 00:17:00 GMT")]);
        assert_eq!(decide(&on_our_clock, 0, 0), again("http_503", 20, Some(20)));
        let past = answered(503, &[("Retry-After", "Wed, 31 Dec 1969 00:00:00 GMT")]);
        assert_eq!(decide(&past, 0, 0), again("http_503", 2, Some(2)));
        let nonsense = answered(503, &[("Retry-After", "soon")]);
        assert_eq!(decide(&nonsense, 0, 0), again("http_503", 2, Some(2)));
    }

    #[test]
    fn errors_that_time_cannot_heal_are_given_up_at_once() {
        assert_eq!(decide(&failed(FetchError::NoSuchHost), 0, 0), given_up("no_such_host"));
        assert_eq!(decide(&failed(FetchError::PrivateAddress), 0, 0), given_up("private_address"));
        assert_eq!(decide(&failed(FetchError::Tls), 0, 0), given_up("tls"));
    }

    #[test]
    fn an_unwanted_type_is_given_up_and_an_empty_broken_body_tried_again() {
        let with = |completeness, body: &[u8]| {
            let response = Response { status: 200, completeness, body: body.to_vec(), ..Response::default() };
            Exchange { result: Ok(response), took: Duration::ZERO, peer: None }
        };
        assert_eq!(decide(&with(Completeness::Unwanted, b""), 0, 0), given_up("unwanted"));
        assert_eq!(decide(&with(Completeness::Broken, b""), 0, 0), again("broken", 2, None));
        assert_eq!(decide(&with(Completeness::Broken, b"<p>half"), 0, 0), Next::Accept);
        assert_eq!(decide(&with(Completeness::Cut, b"<p>much"), 0, 0), Next::Accept);
    }
}
