//! Slots: the number of requests that may wait for the network at the same time.
//!
//! A request counts against the concurrency of a crawl for its first [`SLOW_AFTER`]. Afterwards it counts as slow and
//! frees its slot, so that hosts which answer late or never do not delay requests to other hosts. Slow requests have as
//! many slots of their own.
//!
//! While a crawl has few slots because its strategy still learns, a result that waits for its commit keeps its slot: so
//! the next choice is made after a commit, and does not depend on the time at which responses arrive.

use hadal_core::time::Time;
use std::collections::VecDeque;
use std::time::Duration;

/// Age at which a request counts as slow. Guess: ten times the response time of a usual host.
pub const SLOW_AFTER: Duration = Duration::from_secs(2);
/// Slots of a crawl before its first request. Many requests in flight delay learning, so a crawl starts with few.
/// Relevant forms after 250 / 500 requests by `hadal eval order --window N` on two webs of real pages, 24 crawls: 381 /
/// 486 with 4 requests in flight, 383 / 493 with 8, 361 / 469 with 16, 359 / 464 with 24.
const FIRST_SLOTS: usize = 8;
/// Committed requests per additional slot. Guess: 23 slots after 500 requests, 320 after 10,000.
const REQUESTS_PER_SLOT: u64 = 32;

/// Counts requests in flight by age and decides whether one more may be sent.
pub struct Slots {
    /// Maximum number of requests that are not slow.
    concurrency: usize,
    /// Requests by sequence number and time of sending, oldest first. Finished ones stay in the list until
    /// [`SLOW_AFTER`] has passed.
    recent: VecDeque<(u64, Time, bool)>,
    /// Entries of `recent` that have not ended.
    quick: usize,
    slow: usize,
    committed: u64,
    /// Share of the run that this crawl works on.
    share: f64,
}

impl Slots {
    /// Slots of a crawl with this concurrency that has committed this many requests in earlier sessions.
    pub fn new(concurrency: usize, committed: u64) -> Slots {
        Slots {
            concurrency: concurrency.max(1),
            recent: VecDeque::new(),
            quick: 0,
            slow: 0,
            committed,
            share: 1.0,
        }
    }

    /// True when one more request may be sent, while this many results wait for their commit.
    pub fn has_room(&mut self, now: Time, uncommitted: usize) -> bool {
        self.age(now);
        let grown = FIRST_SLOTS as f64 + (self.committed / REQUESTS_PER_SLOT) as f64;
        let grown = (grown * self.share).ceil() as usize;
        self.quick + uncommitted < grown && self.quick < self.concurrency && self.slow <= self.concurrency
    }

    /// Makes these the slots of a worker with a share of a run that has committed this many requests.
    pub fn set_share(&mut self, share: f64, committed: u64) {
        (self.share, self.committed) = (share, self.committed.max(committed));
    }

    /// Counts requests that became slow.
    fn age(&mut self, now: Time) {
        while let Some((_, sent, is_running)) = self.recent.front().copied() {
            if sent.after(SLOW_AFTER) > now {
                break;
            }
            self.recent.pop_front();
            self.quick -= usize::from(is_running);
            self.slow += usize::from(is_running);
        }
    }

    /// Counts a request that is sent. Numbers ascend.
    pub fn start(&mut self, seq: u64, now: Time) {
        self.recent.push_back((seq, now, true));
        self.quick += 1;
    }

    /// Counts a request with a committed result.
    pub fn commit(&mut self) {
        self.committed += 1;
    }

    /// Counts the end of a request.
    pub fn finish(&mut self, seq: u64) {
        match self.recent.binary_search_by_key(&seq, |(seq, ..)| *seq) {
            Ok(index) => {
                self.recent[index].2 = false;
                self.quick -= 1;
            }
            Err(_) => self.slow = self.slow.saturating_sub(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::polite::{HeldTurn, HostIx, Hosts, Readiness};
    use hadal_core::address::Host;
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    #[test]
    fn requests_without_an_answer_free_their_slots() {
        let mut slots = Slots::new(2, 1000);
        slots.start(1, Time(0));
        slots.start(2, Time(0));
        assert!(!slots.has_room(Time(1999), 0));
        assert!(slots.has_room(Time(2000), 0));
        slots.start(3, Time(2000));
        slots.start(4, Time(2000));
        slots.finish(1);
        slots.finish(3);
        assert!(slots.has_room(Time(2001), 0));
    }

    #[test]
    fn slow_requests_are_limited_too() {
        let mut slots = Slots::new(2, 1000);
        (0..3).for_each(|seq| slots.start(seq, Time(seq * 2000)));
        assert!(!slots.has_room(Time(6000), 0));
        slots.finish(0);
        assert!(slots.has_room(Time(6000), 0));
    }

    #[test]
    fn workers_share_the_slots_of_their_run() {
        let mut slots = Slots::new(1000, 0);
        slots.set_share(0.25, 320);
        (0..5).for_each(|seq| slots.start(seq, Time(0)));
        assert!(!slots.has_room(Time(0), 0), "a quarter of 18 slots");
        slots.set_share(1.0, 320);
        assert!(slots.has_room(Time(0), 0), "the other workers left");
        slots.set_share(0.0, 320);
        assert!(!slots.has_room(Time(0), 0));
    }

    #[test]
    fn slots_grow_with_the_requests_that_were_answered() {
        let mut slots = Slots::new(1000, 0);
        (0..8).for_each(|seq| slots.start(seq, Time(0)));
        assert!(!slots.has_room(Time(0), 0));
        (0..8).for_each(|seq| slots.finish(seq));
        assert!(!slots.has_room(Time(0), 8), "results that wait for their commit keep their slots");
        (0..32).for_each(|_| slots.commit());
        (8..17).for_each(|seq| slots.start(seq, Time(2)));
        assert!(!slots.has_room(Time(2), 0));
        assert!(Slots::new(1000, 4000).has_room(Time(0), 0));
    }

    /// Hosts that answer in 0.2 s and rest for 1 s, every tenth of which never answers. A request to a silent host is
    /// given up after 20 s and repeated after back-offs of 2, 4, 8, ... s.
    struct SimulatedHosts {
        scheduler: Hosts,
        failures: Vec<u32>,
        /// Requests in flight by the time of their end.
        ends: BinaryHeap<Reverse<(Time, u64, HeldTurn)>>,
    }

    impl SimulatedHosts {
        fn is_silent(host: HostIx) -> bool {
            host.0.is_multiple_of(10)
        }

        fn send(&mut self, host: HostIx, seq: u64, now: Time) {
            let turn = self.scheduler.occupy(host);
            let took = if SimulatedHosts::is_silent(host) { 20_000 } else { 200 };
            self.ends.push(Reverse((Time(now.0 + took), seq, turn)));
        }

        /// Ends the requests that are over. Returns the number of answers.
        fn end_requests(&mut self, slots: &mut Slots, now: Time) -> u64 {
            let mut answers = 0;
            while let Some(Reverse((end, seq, turn))) = self.ends.peek().copied()
                && end <= now
            {
                self.ends.pop();
                slots.finish(seq);
                slots.commit();
                let host = turn.host;
                let failures = &mut self.failures[host.0 as usize];
                let rest = if SimulatedHosts::is_silent(host) { 2000 << (*failures).min(7) } else { 1000 };
                *failures += 1;
                answers += u64::from(!SimulatedHosts::is_silent(host));
                self.scheduler.release(turn, Time(end.0 + rest), Time(0));
                self.scheduler.readiness_or_wait(host, (host, 0), now);
            }
            answers
        }
    }

    /// Requests that `count` hosts answer within this time.
    fn answered(count: u32, seconds: u64, concurrency: usize) -> u64 {
        let mut hosts = SimulatedHosts {
            scheduler: Hosts::default(),
            failures: vec![0; count as usize],
            ends: BinaryHeap::new(),
        };
        let names = (0..count).map(|n| Host(format!("http://h{n}.org")));
        let mut ready: VecDeque<HostIx> = names.map(|name| hosts.scheduler.intern(&name)).collect();
        let (mut slots, mut seq, mut answers) = (Slots::new(concurrency, 0), 0, 0);
        for now in (0..seconds * 1000).step_by(10).map(Time) {
            answers += hosts.end_requests(&mut slots, now);
            ready.extend(hosts.scheduler.take_ready(now));
            while slots.has_room(now, 0)
                && let Some(host) = ready.pop_front()
            {
                if hosts.scheduler.readiness_or_wait(host, (host, 0), now) == Readiness::Ready {
                    hosts.send(host, seq, now);
                    slots.start(seq, now);
                    seq += 1;
                }
            }
        }
        answers
    }

    #[test]
    fn silent_hosts_cost_others_less_than_a_tenth_of_their_requests() {
        let answers = answered(2000, 600, 400);
        let possible = 1800 * 600 * 1000 / 1200;
        assert!(answers * 10 >= possible * 9, "{answers} of {possible}");
    }
}
