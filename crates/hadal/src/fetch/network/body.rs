//! Selection of bodies by content type, and reading a body up to a limit and a deadline.

use crate::fetch::body_memory::{BODIES, SMALL_BODY};
use crate::fetch::wildcard;
use hadal_core::http::{BodyCompleteness, FetchError};
use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Incoming};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Body as received over the network, before decoding.
pub(super) struct ReceivedBody {
    pub(super) bytes: Vec<u8>,
    pub(super) completeness: BodyCompleteness,
}

/// Time before the transfer rate of a body is checked. Guess.
const RATE_GRACE: Duration = Duration::from_secs(5);
/// Least mean transfer rate of a body in bytes per second. Guess: a tenth of a modem of 1998.
const MIN_RATE: u64 = 512;

/// Receives a body piece by piece. When the limit is reached, or when the body comes too slowly, the connection is
/// dropped and not drained.
pub(super) async fn receive(
    mut body: Incoming,
    limit: u64,
    stall: Duration,
    mut deadline: Instant,
) -> Result<ReceivedBody, FetchError> {
    let stated = body.size_hint().exact().and_then(|bytes| usize::try_from(bytes).ok());
    let (mut bytes, mut room) = (Vec::with_capacity(stated.unwrap_or(0).min(SMALL_BODY)), None);
    let mut began = Instant::now();
    let completeness = loop {
        let until = deadline.min(Instant::now() + stall).min(began + longest_time(bytes.len()));
        let Ok(frame) = timeout_at(until, body.frame()).await else {
            // A part of a body may still be a usable page.
            match bytes.is_empty() {
                true => return Err(FetchError::BodyTimeout),
                false => break BodyCompleteness::Broken,
            }
        };
        match frame {
            None => break BodyCompleteness::Whole,
            Some(Err(_)) => break BodyCompleteness::Broken,
            Some(Ok(frame)) => {
                let data = frame.into_data().unwrap_or_else(|_| Bytes::new());
                let left = usize::try_from(limit - bytes.len() as u64).unwrap_or(usize::MAX);
                bytes.extend_from_slice(&data[..data.len().min(left)]);
                if data.len() > left {
                    break BodyCompleteness::Cut;
                }
                if room.is_none() && bytes.len() > SMALL_BODY {
                    let asked = Instant::now();
                    room = Some(BODIES.reserve(limit).await);
                    (began, deadline) = (began + asked.elapsed(), deadline + asked.elapsed());
                }
            }
        }
    };
    Ok(ReceivedBody { bytes, completeness })
}

/// Longest time in which this many bytes may arrive.
fn longest_time(bytes: usize) -> Duration {
    RATE_GRACE + Duration::from_millis(bytes as u64 * 1000 / MIN_RATE)
}

/// True when a content type matches an accepted pattern. A missing or malformed one counts as accepted.
pub(super) fn is_wanted(content_type: Option<&str>, accepted: &[String]) -> bool {
    let essence = content_type.unwrap_or_default().split([';', ',']).next().unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    let is_wanted = |pattern: &String| wildcard::matches(pattern.as_bytes(), essence.as_bytes());
    !essence.contains('/') || accepted.iter().any(is_wanted)
}

#[cfg(test)]
mod tests {
    use super::is_wanted;
    use crate::fetch::network::NetworkOptions;

    #[test]
    fn documents_are_downloaded_and_media_are_not() {
        let accepted = NetworkOptions::default().accepted;
        for wanted in [
            None,
            Some(""),
            Some("html"),
            Some("text/html"),
            Some("Text/HTML; charset=utf-8"),
            Some("application/xhtml+xml"),
            Some("application/rss+xml"),
            Some("application/ld+json"),
            Some("text/plain,text/html"),
        ] {
            assert!(is_wanted(wanted, &accepted), "{wanted:?}");
        }
        for unwanted in
            ["image/png", "image/svg+xml", "application/pdf", "video/mp4", "text/css", "font/woff2"]
        {
            assert!(!is_wanted(Some(unwanted), &accepted), "{unwanted}");
        }
    }
}
