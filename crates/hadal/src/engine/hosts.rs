//! Which hosts may be asked now: one connection and a pause for each host and each place they share.

use hadal_core::address::{Host, Site};
use hadal_core::time::Time;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::IpAddr;
use std::sync::Arc;

/// A host's number in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostIx(pub u32);

/// Every host met, and when each may be asked next.
#[derive(Default)]
pub struct Hosts {
    slots: Vec<Slot>,
    by_name: FxHashMap<Host, HostIx>,
    by_site: FxHashMap<Site, Vec<HostIx>>,
    places: FxHashMap<Place, Turn>,
    wake: BinaryHeap<Reverse<(Time, HostIx)>>,
}

struct Slot {
    name: Host,
    place: Place,
    occupied: Option<Place>,
    next_at: Time,
}

/// What hosts share: an address, or, before that is known, what their names tell.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Place {
    Address(IpAddr),
    Estate(Arc<str>),
}

/// Whose turn it is at a place.
#[derive(Default)]
struct Turn {
    requests: u32,
    next_at: Time,
    parked: Vec<HostIx>,
}

/// Whether a host may be asked now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// Yes.
    Ready,
    /// A request to it, or to its address, is under way.
    Busy,
    /// Not before its pause is over; it wakes by itself.
    Resting,
}

impl Hosts {
    /// The number of a host, a new one if need be.
    pub fn intern(&mut self, name: &Host) -> HostIx {
        if let Some(known) = self.by_name.get(name) {
            return *known;
        }
        let ix =
            HostIx(u32::try_from(self.slots.len()).expect("fewer than four billion hosts fit in memory"));
        let place = Place::Estate(name.politeness_group().into());
        self.slots.push(Slot { name: name.clone(), place, occupied: None, next_at: Time(0) });
        self.by_name.insert(name.clone(), ix);
        self.by_site.entry(name.site()).or_default().push(ix);
        ix
    }

    /// The number of a known host.
    pub fn find(&self, name: &Host) -> Option<HostIx> {
        self.by_name.get(name).copied()
    }

    /// A host's name.
    pub fn name(&self, host: HostIx) -> &Host {
        &self.slot(host).name
    }

    /// The hosts of a site.
    pub fn of_site(&self, site: &Site) -> Vec<HostIx> {
        self.by_site.get(site).cloned().unwrap_or_default()
    }

    fn slot(&self, host: HostIx) -> &Slot {
        &self.slots[host.0 as usize]
    }

    fn slot_mut(&mut self, host: HostIx) -> &mut Slot {
        &mut self.slots[host.0 as usize]
    }

    /// Whether a host may be asked; one that may not will be among those that [`Hosts::woken`] or
    /// [`Hosts::release`] names later.
    pub fn readiness(&mut self, host: HostIx, now: Time) -> Readiness {
        self.readiness_of(host, host, now)
    }

    /// Whether `host` may be asked. When it may not, `waiter` is the one to look at again later.
    pub fn readiness_of(&mut self, host: HostIx, waiter: HostIx, now: Time) -> Readiness {
        let slot = &self.slots[host.0 as usize];
        let turn = self.places.entry(slot.occupied.as_ref().unwrap_or(&slot.place).clone()).or_default();
        if turn.requests > 0 {
            turn.parked.push(waiter);
            return Readiness::Busy;
        }
        let next_at = slot.next_at.max(turn.next_at);
        if next_at > now {
            self.wake.push(Reverse((next_at, waiter)));
            return Readiness::Resting;
        }
        Readiness::Ready
    }

    /// Whether the host itself is free; its place is looked at when it is asked.
    pub fn is_idle(&self, host: HostIx, now: Time) -> bool {
        let slot = self.slot(host);
        slot.occupied.is_none() && slot.next_at <= now
    }

    /// A request goes to the host.
    pub fn occupy(&mut self, host: HostIx) {
        let place = self.slot(host).place.clone();
        self.places.entry(place.clone()).or_default().requests += 1;
        self.slot_mut(host).occupied = Some(place);
    }

    /// The request is over; answers the hosts to look at again now.
    pub fn release(&mut self, host: HostIx, next_at: Time, place_next_at: Time) -> Vec<HostIx> {
        let mut again = vec![host];
        let slot = self.slot_mut(host);
        slot.next_at = slot.next_at.max(next_at);
        let (place, occupied) = (slot.place.clone(), slot.occupied.take());
        if let Some(turn) = occupied.and_then(|place| self.places.get_mut(&place)) {
            turn.requests = turn.requests.saturating_sub(1);
            again.append(&mut turn.parked);
        }
        let turn = self.places.entry(place).or_default();
        turn.next_at = turn.next_at.max(place_next_at);
        again
    }

    /// The host answers at this address, which it may share with others.
    pub fn learn_address(&mut self, host: HostIx, ip: IpAddr) {
        self.slot_mut(host).place = Place::Address(ip);
    }

    /// No request to any host of this host's place before this moment.
    pub fn rest_place(&mut self, host: HostIx, until: Time) {
        let turn = self.places.entry(self.slot(host).place.clone()).or_default();
        turn.next_at = turn.next_at.max(until);
    }

    /// No request before this moment.
    pub fn rest_until(&mut self, host: HostIx, until: Time) {
        let slot = self.slot_mut(host);
        slot.next_at = slot.next_at.max(until);
    }

    /// Hosts whose pause is over.
    pub fn woken(&mut self, now: Time) -> Vec<HostIx> {
        let mut woken = Vec::new();
        while let Some(Reverse((at, host))) = self.wake.peek().copied() {
            if at > now {
                break;
            }
            self.wake.pop();
            woken.push(host);
        }
        woken
    }

    /// When the next pause is over.
    pub fn next_wake(&self) -> Option<Time> {
        self.wake.peek().map(|Reverse((at, _))| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(names: &[&str]) -> (Hosts, Vec<HostIx>) {
        let mut hosts = Hosts::default();
        let ixs = names.iter().map(|name| hosts.intern(&Host(format!("http://{name}")))).collect();
        (hosts, ixs)
    }

    #[test]
    fn a_host_serves_one_request_and_then_rests() {
        let (mut hosts, ix) = hosts(&["a.org"]);
        assert_eq!(hosts.readiness(ix[0], Time(0)), Readiness::Ready);
        hosts.occupy(ix[0]);
        assert_eq!(hosts.readiness(ix[0], Time(0)), Readiness::Busy);
        hosts.release(ix[0], Time(1000), Time(0));
        assert_eq!(hosts.readiness(ix[0], Time(999)), Readiness::Resting);
        assert_eq!(hosts.next_wake(), Some(Time(1000)));
        assert_eq!(hosts.woken(Time(1000)), vec![ix[0]]);
        assert_eq!(hosts.readiness(ix[0], Time(1000)), Readiness::Ready);
    }

    #[test]
    fn hosts_that_share_an_address_take_turns() {
        let (mut hosts, ix) = hosts(&["a.org", "b.org"]);
        let ip: IpAddr = "192.0.2.1".parse().unwrap();
        hosts.learn_address(ix[0], ip);
        hosts.learn_address(ix[1], ip);
        hosts.occupy(ix[0]);
        assert_eq!(hosts.readiness(ix[1], Time(0)), Readiness::Busy);
        assert_eq!(hosts.release(ix[0], Time(9000), Time(500)), vec![ix[0], ix[1]]);
        assert_eq!(hosts.readiness(ix[1], Time(0)), Readiness::Resting);
        assert_eq!(hosts.readiness(ix[1], Time(500)), Readiness::Ready);
    }

    #[test]
    fn before_addresses_are_known_names_of_one_hoster_take_turns() {
        let (mut hosts, ix) = hosts(&["one.github.io", "two.github.io", "elsewhere.org"]);
        hosts.occupy(ix[0]);
        assert_eq!(hosts.readiness(ix[1], Time(0)), Readiness::Busy);
        assert_eq!(hosts.readiness(ix[2], Time(0)), Readiness::Ready);
    }

    #[test]
    fn a_host_that_moves_while_it_answers_leaves_its_old_place_free() {
        let (mut hosts, ix) = hosts(&["a.org", "b.org"]);
        let old: IpAddr = "192.0.2.1".parse().unwrap();
        hosts.learn_address(ix[0], old);
        hosts.learn_address(ix[1], old);
        hosts.occupy(ix[0]);
        assert_eq!(hosts.readiness(ix[1], Time(0)), Readiness::Busy);
        hosts.learn_address(ix[0], "192.0.2.2".parse().unwrap());
        assert!(hosts.release(ix[0], Time(0), Time(0)).contains(&ix[1]));
        assert_eq!(hosts.readiness(ix[1], Time(0)), Readiness::Ready);
    }
}
