//! Addresses to which this worker of a shared run may send requests.
//!
//! Hosts of different partitions, and so of different workers, may have one address. A worker sends a request to a host
//! only while it has all addresses of the host. It claims those that it needs, and gives up those that others want
//! after a turn of a second.

use super::hosts::HostIx;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// Time between two claims of new addresses. Guess: below the time of a request.
const CLAIM_INTERVAL: Duration = Duration::from_millis(20);
/// Time between two claims of addresses that another worker has. Guess: it gives them up once per second.
const REPEAT_INTERVAL: Duration = Duration::from_millis(200);
/// Time for which a worker uses an address before others get it. Guess: the default delay, so about one request.
const TURN: Duration = Duration::from_secs(1);
/// Time after which an address that others want is given up without a request. Guess: some default delays.
const MAX_UNUSED: Duration = Duration::from_secs(5);

/// Claims of a worker.
pub struct AddressClaims {
    held: BTreeMap<IpAddr, HeldAddress>,
    /// Addresses among these that other workers wait for.
    wanted: BTreeSet<IpAddr>,
    /// Addresses that are needed, with the hosts that wait for them.
    needed: BTreeMap<IpAddr, BTreeSet<HostIx>>,
    /// Needed addresses that another worker has.
    refused: BTreeSet<IpAddr>,
    claimed: Instant,
}

/// An address that this worker has.
struct HeldAddress {
    since: Instant,
    /// True if a request was sent to it since.
    is_used: bool,
}

impl HeldAddress {
    /// True if the turn of this worker is over.
    fn is_over(&self, now: Instant) -> bool {
        now - self.since >= if self.is_used { TURN } else { MAX_UNUSED }
    }
}

impl AddressClaims {
    pub fn new(now: Instant) -> AddressClaims {
        AddressClaims {
            held: BTreeMap::new(),
            wanted: BTreeSet::new(),
            needed: BTreeMap::new(),
            refused: BTreeSet::new(),
            claimed: now,
        }
    }

    /// True if a request may be sent to a host with these addresses now. Otherwise the host waits for
    /// [`AddressClaims::receive`].
    pub fn permits(&mut self, host: HostIx, addresses: &[IpAddr], now: Instant) -> bool {
        let is_kept =
            |address: &IpAddr, held: &HeldAddress| !held.is_over(now) || !self.wanted.contains(address);
        let may_use = |address: &&IpAddr| self.held.get(address).is_some_and(|held| is_kept(address, held));
        let missing = addresses.iter().filter(|address| !may_use(address));
        let missing: Vec<IpAddr> = missing.copied().collect();
        for address in &missing {
            self.needed.entry(*address).or_default().insert(host);
        }
        missing.is_empty()
    }

    /// Records a request to a host with these addresses.
    pub fn use_all(&mut self, addresses: &[IpAddr]) {
        for address in addresses {
            self.held.entry(*address).and_modify(|held| held.is_used = true);
        }
    }

    /// True if another worker waits for an address.
    pub fn is_wanted(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// True if a host waits for an address.
    pub fn is_waiting(&self) -> bool {
        !self.needed.is_empty()
    }

    /// Addresses to claim now.
    pub fn due(&mut self, now: Instant) -> Vec<IpAddr> {
        let is_new = |address: &&IpAddr| !self.refused.contains(address) && !self.held.contains_key(address);
        let new: Vec<IpAddr> = self.needed.keys().filter(is_new).copied().collect();
        let since = now - self.claimed;
        let repeated = (since >= REPEAT_INTERVAL).then(|| self.refused.iter().copied());
        if new.is_empty() && repeated.is_none() || since < CLAIM_INTERVAL {
            return Vec::new();
        }
        let due: Vec<IpAddr> = new.into_iter().chain(repeated.into_iter().flatten()).collect();
        if !due.is_empty() {
            self.claimed = now;
        }
        due
    }

    /// Takes over the result of a claim. Returns the hosts that need not wait any longer.
    pub fn receive(&mut self, claimed: &[IpAddr], granted: &[IpAddr], now: Instant) -> Vec<HostIx> {
        self.refused.extend(claimed);
        let mut freed = BTreeSet::new();
        for address in granted {
            self.refused.remove(address);
            self.held.insert(*address, HeldAddress { since: now, is_used: false });
            freed.extend(self.needed.remove(address).unwrap_or_default());
        }
        freed.into_iter().collect()
    }

    /// Records the addresses that other workers want.
    pub fn want(&mut self, addresses: &[IpAddr]) {
        self.wanted.extend(addresses.iter().filter(|address| self.held.contains_key(address)));
    }

    /// Gives up the addresses that other workers want and whose turn is over, unless a request to them is in flight.
    pub fn release(&mut self, is_busy: impl Fn(IpAddr) -> bool, now: Instant) -> Vec<IpAddr> {
        let is_over = |address: &IpAddr| self.held.get(address).is_some_and(|held| held.is_over(now));
        let released = self.wanted.iter().filter(|address| is_over(address) && !is_busy(**address));
        let released: Vec<IpAddr> = released.copied().collect();
        for address in &released {
            self.held.remove(address);
            self.wanted.remove(address);
        }
        released
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: HostIx = HostIx(1);

    fn ip(last: u8) -> IpAddr {
        [192, 0, 2, last].into()
    }

    /// Claims of a worker that has one address.
    fn holding(last: u8, now: Instant) -> AddressClaims {
        let mut claims = AddressClaims::new(now - REPEAT_INTERVAL);
        assert!(!claims.permits(HOST, &[ip(last)], now));
        assert_eq!(claims.due(now), [ip(last)]);
        assert_eq!(claims.receive(&[ip(last)], &[ip(last)], now), [HOST]);
        claims
    }

    #[test]
    fn a_host_waits_until_the_worker_has_all_its_addresses() {
        let now = Instant::now();
        let mut claims = holding(1, now);
        assert!(claims.permits(HOST, &[ip(1)], now) && !claims.is_waiting());
        assert!(!claims.permits(HOST, &[ip(1), ip(2)], now) && claims.is_waiting());
        assert!(claims.due(now).is_empty(), "claims are collected");
        let later = now + CLAIM_INTERVAL;
        assert_eq!(claims.due(later), [ip(2)]);
        assert_eq!(claims.receive(&[ip(2)], &[], later), [], "another worker has it");
        assert!(claims.due(later + CLAIM_INTERVAL).is_empty());
        assert_eq!(claims.due(later + REPEAT_INTERVAL), [ip(2)]);
        assert_eq!(claims.receive(&[ip(2)], &[ip(2)], later), [HOST]);
        assert!(claims.permits(HOST, &[ip(1), ip(2)], now) && !claims.is_waiting());
    }

    #[test]
    fn an_address_that_others_want_is_given_up_after_a_turn() {
        let now = Instant::now();
        let mut claims = holding(1, now);
        claims.want(&[ip(1), ip(9)]);
        let later = now + TURN;
        assert!(claims.release(|_| false, later).is_empty(), "it was not used yet");
        assert!(claims.permits(HOST, &[ip(1)], later));
        claims.use_all(&[ip(1)]);
        assert!(claims.release(|_| false, now).is_empty(), "the turn is not over");
        assert!(!claims.permits(HOST, &[ip(1)], later), "no further request");
        assert!(claims.release(|address| address == ip(1), later).is_empty(), "a request is in flight");
        assert_eq!(claims.release(|_| false, later), [ip(1)]);
        assert_eq!(claims.due(later), [ip(1)], "the host still needs it");
        let mut unused = holding(1, now);
        unused.want(&[ip(1)]);
        assert_eq!(unused.release(|_| false, now + MAX_UNUSED), [ip(1)]);
    }
}
