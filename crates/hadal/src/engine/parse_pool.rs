//! Threads that parse and judge pages: one per core, shared by all crawls and harvests of the process.
//!
//! A request in flight costs little memory, a parse costs much. So the number of parses at a time depends on the
//! machine and not on the number of requests in flight.

use crate::fetch::body_memory::BODIES;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, mpsc};
use std::thread;
use tokio::sync::oneshot;

type ParseJob = Box<dyn FnOnce() + Send>;

static JOBS: LazyLock<mpsc::Sender<ParseJob>> = LazyLock::new(start_threads);

/// Number of parse threads when the number of cores is unknown. Guess.
const UNKNOWN_CORES: usize = 4;

fn start_threads() -> mpsc::Sender<ParseJob> {
    let (sender, receiver) = mpsc::channel();
    let receiver = Arc::new(Mutex::new(receiver));
    for _ in 0..thread::available_parallelism().map_or(UNKNOWN_CORES, usize::from) {
        let receiver = Arc::clone(&receiver);
        thread::spawn(move || {
            while let Some(job) = next_job(&receiver) {
                // A job that panics drops its answer, which its caller notices.
                let _ = catch_unwind(AssertUnwindSafe(job));
            }
        });
    }
    sender
}

fn next_job(receiver: &Mutex<mpsc::Receiver<ParseJob>>) -> Option<ParseJob> {
    receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

/// Runs `parse` on a parse thread. The body counts as held until then. `None` when `parse` panicked.
pub async fn on_parse_thread<T: Send + 'static>(
    body: Vec<u8>,
    parse: impl FnOnce(&[u8]) -> T + Send + 'static,
) -> Option<T> {
    let held = BODIES.hold(body.len());
    let (answer, result) = oneshot::channel();
    let job = move || {
        let parsed = parse(&body);
        drop((body, held));
        // Fails when the caller is gone.
        let _ = answer.send(parsed);
    };
    JOBS.send(Box::new(job)).ok()?;
    result.await.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_parse_that_panics_gives_no_page_and_ends_no_thread() {
        for _ in 0..100 {
            let panicked: Option<()> = on_parse_thread(Vec::new(), |_| panic!("a damaged page")).await;
            assert!(panicked.is_none());
        }
        assert_eq!(on_parse_thread(vec![1, 2], <[u8]>::len).await, Some(2));
    }
}
