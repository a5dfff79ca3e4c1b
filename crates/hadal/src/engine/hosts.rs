//! Which hosts may be asked now: one connection and a pause for each host and each address.

use hadal_core::address::{Host, Site};
use hadal_core::time::Time;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::IpAddr;

/// A host's number in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostIx(pub u32);

/// Every host met, and when each may be asked next.
#[derive(Default)]
pub struct Hosts {
    slots: Vec<Slot>,
    by_name: FxHashMap<Host, HostIx>,
    by_site: FxHashMap<Site, Vec<HostIx>>,
    addresses: FxHashMap<IpAddr, Address>,
    wake: BinaryHeap<Reverse<(Time, HostIx)>>,
}

struct Slot {
    name: Host,
    ip: Option<IpAddr>,
    busy: bool,
    next_at: Time,
}

#[derive(Default)]
struct Address {
    busy: bool,
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
    pub fn intern(&mut self, name: &Host, site: impl FnOnce() -> Site) -> HostIx {
        if let Some(known) = self.by_name.get(name) {
            return *known;
        }
        let ix =
            HostIx(u32::try_from(self.slots.len()).expect("fewer than four billion hosts fit in memory"));
        self.slots.push(Slot { name: name.clone(), ip: None, busy: false, next_at: Time(0) });
        self.by_name.insert(name.clone(), ix);
        self.by_site.entry(site()).or_default().push(ix);
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
        let slot = self.slot(host);
        if slot.busy {
            return Readiness::Busy;
        }
        if slot.next_at > now {
            self.wake.push(Reverse((slot.next_at, host)));
            return Readiness::Resting;
        }
        let Some(address) = slot.ip.and_then(|ip| self.addresses.get_mut(&ip)) else {
            return Readiness::Ready;
        };
        if address.busy {
            address.parked.push(host);
            return Readiness::Busy;
        }
        if address.next_at > now {
            self.wake.push(Reverse((address.next_at, host)));
            return Readiness::Resting;
        }
        Readiness::Ready
    }

    /// Whether the host itself is free; its address is looked at when it is asked.
    pub fn is_idle(&self, host: HostIx, now: Time) -> bool {
        let slot = self.slot(host);
        !slot.busy && slot.next_at <= now
    }

    /// A request goes to the host.
    pub fn occupy(&mut self, host: HostIx) {
        self.slot_mut(host).busy = true;
        if let Some(address) = self.slot(host).ip.and_then(|ip| self.addresses.get_mut(&ip)) {
            address.busy = true;
        }
    }

    /// The request is over; answers the hosts to look at again now.
    pub fn release(&mut self, host: HostIx, next_at: Time, address_next_at: Time) -> Vec<HostIx> {
        let slot = self.slot_mut(host);
        slot.busy = false;
        slot.next_at = next_at;
        let mut again = vec![host];
        if let Some(address) = slot.ip.and_then(|ip| self.addresses.get_mut(&ip)) {
            address.busy = false;
            address.next_at = address.next_at.max(address_next_at);
            again.append(&mut address.parked);
        }
        again
    }

    /// The host answers at this address, which it may share with others.
    pub fn learn_address(&mut self, host: HostIx, ip: IpAddr) {
        if self.slot(host).ip != Some(ip) {
            self.slot_mut(host).ip = Some(ip);
            let busy = self.slot(host).busy;
            self.addresses.entry(ip).or_default().busy |= busy;
        }
    }

    /// No request to any host of the address before this moment.
    pub fn rest_address(&mut self, ip: IpAddr, until: Time) {
        self.addresses.entry(ip).or_default().next_at = until;
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
        let ixs = names.iter().map(|n| hosts.intern(&Host(n.to_string()), || Site(n.to_string()))).collect();
        (hosts, ixs)
    }

    #[test]
    fn a_host_serves_one_request_and_then_rests() {
        let (mut hosts, ix) = hosts(&["a"]);
        assert_eq!(hosts.readiness(ix[0], Time(0)), Readiness::Ready);
        hosts.occupy(ix[0]);
        assert_eq!(hosts.readiness(ix[0], Time(0)), Readiness::Busy);
        hosts.release(ix[0], Time(1000), Time(1000));
        assert_eq!(hosts.readiness(ix[0], Time(999)), Readiness::Resting);
        assert_eq!(hosts.next_wake(), Some(Time(1000)));
        assert_eq!(hosts.woken(Time(1000)), vec![ix[0]]);
        assert_eq!(hosts.readiness(ix[0], Time(1000)), Readiness::Ready);
    }

    #[test]
    fn hosts_that_share_an_address_take_turns() {
        let (mut hosts, ix) = hosts(&["a", "b"]);
        let ip: IpAddr = "192.0.2.1".parse().unwrap();
        hosts.learn_address(ix[0], ip);
        hosts.learn_address(ix[1], ip);
        hosts.occupy(ix[0]);
        assert_eq!(hosts.readiness(ix[1], Time(0)), Readiness::Busy);
        assert_eq!(hosts.release(ix[0], Time(9000), Time(500)), vec![ix[0], ix[1]]);
        assert_eq!(hosts.readiness(ix[1], Time(0)), Readiness::Resting);
        assert_eq!(hosts.readiness(ix[1], Time(500)), Readiness::Ready);
    }
}
