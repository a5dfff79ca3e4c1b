//! Recomputes queue and score of waiting links after the strategy's model has changed.
//!
//! A model that changes starts a generation. Scores of earlier generations are outdated. In a large frontier
//! only the best links are rescored at once. The others follow in two ways, neither of which stops the crawl
//! for long: a link is rescored before it is visited, and a sweep rescores some links with every step.

use super::queues::QueueTable;
use crate::polite::HostIx;
use hadal_core::link::{QueueId, QueuedLink};

/// Links per queue and host that are rescored together. Guess.
const LOOK_AHEAD: usize = 8;
/// Pairs of queue and host that a sweep rescores per step. Guess.
const SWEPT_PAIRS: usize = 2;
/// Hosts that a sweep looks at per step. Guess: some have only links in queues of the engine.
const SWEEP_STRIDE: usize = 64;
/// One choice rescores at most `rescored_at_once / LINKS_PER_RESCORED_HOST` hosts. After that it takes the best link
/// with a current score, although an outdated one may be better. Guess.
const LINKS_PER_RESCORED_HOST: usize = 64;

/// Generation of the scores, and the choice of those to renew next.
pub struct ScoreAge {
    /// Generation of the strategy's model.
    pub generation: u32,
    /// Hosts with outdated links that were rescored since the last choice.
    rescored_hosts: usize,
    /// Maximum number of links that are rescored at once.
    rescored_at_once: usize,
    sweep: ScoreSweep,
}

/// Pass over all hosts that rescores outdated links, some with every step.
#[derive(Default)]
struct ScoreSweep {
    /// Host at which the sweep continues.
    next: HostIx,
    /// Hosts that are left.
    left: usize,
    /// Links per queue that are placed again.
    depth: usize,
}

/// Links that are rescored together: the outdated ones among the first `depth` of each queue and host.
pub struct RescoredLinks {
    pub pairs: Vec<(QueueId, HostIx)>,
    pub depth: usize,
}

impl ScoreAge {
    /// Scores of a generation. At most `rescored_at_once` links are rescored at once.
    pub fn new(generation: u32, rescored_at_once: usize) -> ScoreAge {
        ScoreAge { generation, rescored_hosts: 0, rescored_at_once, sweep: ScoreSweep::default() }
    }

    /// Starts a choice.
    pub fn start_choice(&mut self) {
        self.rescored_hosts = 0;
    }

    /// Starts a generation of the model.
    fn start_generation(&mut self, queues: &mut QueueTable) {
        self.generation += 1;
        queues.set_generation(self.generation);
    }

    /// True when the score of a link is older than the model.
    pub fn is_outdated(&self, queued: &QueuedLink) -> bool {
        // After too many tries in one choice, an outdated score is accepted.
        queued.generation != self.generation && self.rescored_hosts < 2 * self.max_rescored_hosts()
    }

    fn max_rescored_hosts(&self) -> usize {
        self.rescored_at_once / LINKS_PER_RESCORED_HOST
    }

    /// Ready host with the best link of a queue, by scores that may be outdated.
    pub fn best_host(&self, queue: QueueId, queues: &QueueTable) -> Option<HostIx> {
        let has_tried_enough = self.rescored_hosts >= self.max_rescored_hosts();
        let current = has_tried_enough.then(|| queues.best_current_host(queue)).flatten();
        current.or_else(|| queues.best_host(queue))
    }

    /// Starts a generation of the model. Returns the best link of each queue and host: for the best hosts now, and for
    /// the rest during the sweep.
    pub fn rescore_heads(&mut self, queues: &mut QueueTable) -> RescoredLinks {
        self.start_generation(queues);
        let (pairs, is_complete) = queues.best_pairs(self.rescored_at_once / 2);
        if !is_complete {
            self.start_sweep(1, queues.host_count());
        }
        RescoredLinks { pairs, depth: 1 }
    }

    /// Starts a generation of the model. Returns all waiting links, or the first [`LOOK_AHEAD`] links of the best
    /// hosts; then those of the other hosts follow during the sweep.
    pub fn rescore_all(&mut self, queues: &mut QueueTable) -> RescoredLinks {
        self.start_generation(queues);
        let links = queues.total_links() as usize;
        if links <= self.rescored_at_once {
            return RescoredLinks { pairs: queues.best_pairs(self.rescored_at_once).0, depth: links };
        }
        let (pairs, _) = queues.best_pairs(self.rescored_at_once / LOOK_AHEAD);
        self.start_sweep(LOOK_AHEAD, queues.host_count());
        RescoredLinks { pairs, depth: LOOK_AHEAD }
    }

    /// First links of a queue and host with an outdated head.
    pub fn rescore_outdated_head(&mut self, queue: QueueId, host: HostIx) -> RescoredLinks {
        self.rescored_hosts += 1;
        RescoredLinks { pairs: vec![(queue, host)], depth: LOOK_AHEAD }
    }

    fn start_sweep(&mut self, depth: usize, hosts: usize) {
        let depth = if self.sweep.left > 0 { depth.max(self.sweep.depth) } else { depth };
        self.sweep = ScoreSweep { next: self.sweep.next, left: hosts, depth };
    }

    /// Links of the next step of the sweep.
    pub fn sweep(&mut self, queues: &QueueTable) -> RescoredLinks {
        let (mut pairs, mut last) = (Vec::new(), None);
        for host in queues.hosts_from(self.sweep.next).take(SWEEP_STRIDE.min(self.sweep.left)) {
            last = Some(host);
            self.sweep.left -= 1;
            pairs.extend(queues.pairs_of(host));
            if pairs.len() >= SWEPT_PAIRS {
                break;
            }
        }
        // After the last host the sweep starts over.
        self.sweep.next = last.map_or(HostIx(0), |host| HostIx(host.0 + 1));
        RescoredLinks { pairs, depth: self.sweep.depth }
    }
}
