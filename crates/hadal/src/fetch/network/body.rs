//! Reading a body, up to a limit and a deadline.

use hadal_core::http::{BodyCompleteness, FetchError};
use http_body_util::BodyExt;
use hyper::body::{Bytes, Incoming};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Body as received over the network, before decoding.
pub(super) struct ReceivedBody {
    pub(super) bytes: Vec<u8>,
    pub(super) completeness: BodyCompleteness,
}

/// Receives a body piece by piece. When the limit is reached, the connection is dropped and not drained.
pub(super) async fn receive(
    mut body: Incoming,
    limit: u64,
    stall: Duration,
    deadline: Instant,
) -> Result<ReceivedBody, FetchError> {
    let mut bytes = Vec::new();
    let completeness = loop {
        let until = deadline.min(Instant::now() + stall);
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
                let room = usize::try_from(limit - bytes.len() as u64).unwrap_or(usize::MAX);
                bytes.extend_from_slice(&data[..data.len().min(room)]);
                if data.len() > room {
                    break BodyCompleteness::Cut;
                }
            }
        }
    };
    Ok(ReceivedBody { bytes, completeness })
}
