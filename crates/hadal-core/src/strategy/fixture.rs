//! Fixtures for the tests of strategies.

use super::{QueueHead, QueueHeads};
use crate::link::QueueId;

/// Queues with one ready link each, all with the same score.
pub struct ReadyQueues(pub Vec<QueueId>);

impl QueueHeads for ReadyQueues {
    fn heads(&self) -> Vec<QueueHead> {
        self.0.iter().map(|queue| QueueHead { queue: *queue, score: 0.0 }).collect()
    }

    fn head(&self, queue: QueueId) -> Option<QueueHead> {
        self.0.contains(&queue).then_some(QueueHead { queue, score: 0.0 })
    }

    fn link_count(&self, queue: QueueId) -> u64 {
        u64::from(self.0.contains(&queue))
    }
}
