//! Scheduler of hosts: one request at a time per politeness group, and a pause after each.
//!
//! A host belongs to the group of every address it was reached at, or to the group of its registrable domain while no
//! address is known. A host may receive a request when none of its groups has one in flight and when the pauses of
//! the host and of all its groups are over. So a host with several addresses keeps every pause, and two hosts that
//! share one address take turns.

use hadal_core::address::{Host, Site};
use hadal_core::time::Time;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// Maximum number of addresses remembered per host; the oldest is forgotten first. Guess.
const MAX_ADDRESSES: usize = 8;

/// Maximum number of hosts of a group that the end of a turn reports, if it reports few. Guess: enough for the best
/// links of several queues.
const MAX_CHANGED: usize = 32;
/// Time after which further hosts of a group are reported if no request was sent to those before. Guess: the default
/// delay.
const REPORT_AGAIN: Duration = Duration::from_secs(1);

/// Number of a host within one [`Hosts`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostIx(pub u32);

/// All hosts of a session, with the time at which each may receive its next request.
#[derive(Default)]
pub struct Hosts {
    // Trees, because a hash table of a million hosts stops the crawl for half a second when it grows.
    slots: BTreeMap<HostIx, HostSlot>,
    /// Number of the next host. Numbers of removed hosts are not used again.
    next: u32,
    by_name: BTreeMap<Host, HostIx>,
    by_site: BTreeMap<Site, Vec<HostIx>>,
    groups: BTreeMap<GroupKey, Group>,
    wake: BinaryHeap<Reverse<(Time, HostIx)>>,
    /// Hosts with a readiness that may have changed because a turn ended.
    changed: BTreeSet<HostIx>,
    /// Groups with further hosts that wait, by the time at which they are reported.
    rest: BinaryHeap<Reverse<(Time, GroupKey)>>,
    /// The end of a turn reports few of the hosts that wait, so that its cost does not grow with the group.
    reports_few: bool,
    /// Number of turns taken so far.
    turns: u64,
}

struct HostSlot {
    name: Host,
    /// Groups the host belongs to.
    keys: Vec<GroupKey>,
    /// Turn of the request in flight, with its groups.
    held: Option<(u64, Vec<GroupKey>)>,
    next_at: Time,
}

/// Right to send one request to a host. It ends once; what ends it again has no effect on later turns of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HeldTurn {
    pub host: HostIx,
    /// Number of the turn; 0 for a turn that has ended.
    number: u64,
}

impl HeldTurn {
    /// A turn that has ended.
    pub fn ended(host: HostIx) -> HeldTurn {
        HeldTurn { host, number: 0 }
    }
}

/// Identity of a politeness group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum GroupKey {
    Address(IpAddr),
    Domain(Arc<str>),
}

/// State of a politeness group.
#[derive(Default)]
struct Group {
    in_flight: u32,
    next_at: Time,
    /// Hosts to look at again when the request in flight ends, by rank.
    waiting: BTreeSet<(i32, HostIx)>,
    /// Time at which further hosts are reported.
    report_at: Time,
}

impl Group {
    /// Removes the hosts that are reported next, best first.
    fn take_waiting(&mut self, reports_few: bool) -> Vec<HostIx> {
        let count = if reports_few { MAX_CHANGED } else { usize::MAX };
        std::iter::from_fn(|| self.waiting.pop_first()).take(count).map(|(_, host)| host).collect()
    }
}

/// Answer to the question whether a host may receive a request now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// The request may be sent.
    Ready,
    /// A request to one of the host's groups is in flight.
    Busy,
    /// A pause lasts until this time.
    Delayed(Time),
}

impl Hosts {
    /// Lets the end of a turn report only a few of the hosts that wait, those of the lowest ranks. The others are
    /// reported later.
    pub fn report_few(&mut self) {
        self.reports_few = true;
    }

    /// Number of a host. A new host is added.
    pub fn intern(&mut self, name: &Host) -> HostIx {
        if let Some(known) = self.by_name.get(name) {
            return *known;
        }
        let ix = HostIx(self.next);
        self.next = self.next.checked_add(1).expect("a session meets fewer than four billion hosts");
        let keys = vec![GroupKey::Domain(name.politeness_group().into())];
        self.slots.insert(ix, HostSlot { name: name.clone(), keys, held: None, next_at: Time(0) });
        self.by_name.insert(name.clone(), ix);
        self.by_site.entry(name.site()).or_default().push(ix);
        ix
    }

    /// Numbers of all hosts.
    pub fn all(&self) -> impl Iterator<Item = HostIx> + '_ {
        self.slots.keys().copied()
    }

    /// Number of hosts.
    pub fn count(&self) -> usize {
        self.slots.len()
    }

    /// True unless the host was removed.
    pub fn contains(&self, host: HostIx) -> bool {
        self.slots.contains_key(&host)
    }

    /// Removes a host and the groups that only it needs. It must be idle.
    pub fn remove(&mut self, host: HostIx, now: Time) {
        let Some(slot) = self.slots.remove(&host) else { return };
        self.by_name.remove(&slot.name);
        let site = slot.name.site();
        if let Some(hosts) = self.by_site.get_mut(&site) {
            hosts.retain(|other| *other != host);
            if hosts.is_empty() {
                self.by_site.remove(&site);
            }
        }
        for key in slot.keys {
            let is_over = |group: &Group| group.in_flight == 0 && group.next_at <= now;
            if self.groups.get(&key).is_some_and(|group| is_over(group) && group.waiting.is_empty()) {
                self.groups.remove(&key);
            }
        }
    }

    /// True for a host that was never requested: it has no address, no pause and no request in flight.
    pub fn is_untouched(&self, host: HostIx) -> bool {
        let slot = self.slot(host);
        slot.held.is_none() && slot.next_at == Time(0) && !self.has_address(host)
    }

    /// Number of a host that was added before.
    pub fn find(&self, name: &Host) -> Option<HostIx> {
        self.by_name.get(name).copied()
    }

    /// Name of a host.
    pub fn name(&self, host: HostIx) -> &Host {
        &self.slot(host).name
    }

    /// Hosts of a site, in the order they were added.
    pub fn of_site(&self, site: &Site) -> Vec<HostIx> {
        self.by_site.get(site).cloned().unwrap_or_default()
    }

    fn slot(&self, host: HostIx) -> &HostSlot {
        self.slots.get(&host).expect("only idle hosts without links are removed")
    }

    fn slot_mut(&mut self, host: HostIx) -> &mut HostSlot {
        self.slots.get_mut(&host).expect("only idle hosts without links are removed")
    }

    /// Readiness of a host for a request at `now`.
    pub fn readiness(&self, host: HostIx, now: Time) -> Readiness {
        if self.busy_group(host).is_some() {
            return Readiness::Busy;
        }
        let slot = self.slot(host);
        let groups = slot.keys.iter().filter_map(|key| self.groups.get(key));
        let next_at = groups.map(|group| group.next_at).fold(slot.next_at, Time::max);
        if next_at > now { Readiness::Delayed(next_at) } else { Readiness::Ready }
    }

    fn busy_group(&self, host: HostIx) -> Option<&GroupKey> {
        let slot = self.slot(host);
        let is_busy = |key: &&GroupKey| self.groups.get(*key).is_some_and(|group| group.in_flight > 0);
        slot.held.iter().flat_map(|(_, keys)| keys).chain(&slot.keys).find(is_busy)
    }

    /// Like [`Hosts::readiness`]. When the host is not ready, `waiter` is reported later by [`Hosts::take_ready`] or
    /// [`Hosts::take_changed`]. Of the hosts that wait for one group, those of the lowest `rank` are reported first.
    pub fn readiness_or_wait(&mut self, host: HostIx, (waiter, rank): (HostIx, i32), now: Time) -> Readiness {
        let readiness = self.readiness(host, now);
        match readiness {
            Readiness::Ready => {}
            Readiness::Busy => {
                let busy = self.busy_group(host).cloned();
                if let Some(group) = busy.and_then(|key| self.groups.get_mut(&key)) {
                    group.waiting.insert((rank, waiter));
                }
            }
            Readiness::Delayed(until) => self.wake.push(Reverse((until, waiter))),
        }
        readiness
    }

    /// Readiness of a host by its own request in flight and its own pause. Its groups are not looked at.
    pub fn own_readiness(&self, host: HostIx, now: Time) -> Readiness {
        let slot = self.slot(host);
        match slot.held {
            Some(_) => Readiness::Busy,
            None if slot.next_at > now => Readiness::Delayed(slot.next_at),
            None => Readiness::Ready,
        }
    }

    /// True when no request to the host itself is in flight and its own pause is over.
    pub fn is_idle(&self, host: HostIx, now: Time) -> bool {
        self.own_readiness(host, now) == Readiness::Ready
    }

    /// Takes the turn of a host, which must be ready.
    pub fn occupy(&mut self, host: HostIx) -> HeldTurn {
        let keys = self.slot(host).keys.clone();
        for key in &keys {
            self.groups.entry(key.clone()).or_default().in_flight += 1;
        }
        self.turns += 1;
        let number = self.turns;
        self.slot_mut(host).held = Some((number, keys));
        HeldTurn { host, number }
    }

    /// Ends a turn. The host is delayed until `next_at`, the other hosts of its groups until `group_next_at`. Hosts
    /// with a readiness that may have changed are reported by [`Hosts::take_changed`].
    pub fn release(&mut self, turn: HeldTurn, next_at: Time, group_next_at: Time) {
        let host = turn.host;
        self.delay_until(host, next_at);
        let held = self.slot_mut(host).held.take_if(|(number, _)| *number == turn.number);
        for key in held.into_iter().flat_map(|(_, keys)| keys) {
            if let Some(group) = self.groups.get_mut(&key) {
                group.in_flight = group.in_flight.saturating_sub(1);
                // The host may have changed groups during the request, because its address became known.
                group.next_at = group.next_at.max(group_next_at);
                self.changed.extend(group.take_waiting(self.reports_few));
                if !group.waiting.is_empty() {
                    group.report_at = group.next_at.after(REPORT_AGAIN);
                    self.rest.push(Reverse((group.report_at, key)));
                }
            }
        }
        self.changed.insert(host);
        self.delay_group(host, group_next_at);
    }

    /// True when an address of the host is known.
    pub fn has_address(&self, host: HostIx) -> bool {
        self.slot(host).keys.iter().any(|key| matches!(key, GroupKey::Address(_)))
    }

    /// Records that the host was reached at this address.
    pub fn learn_address(&mut self, host: HostIx, ip: IpAddr) {
        let keys = &mut self.slot_mut(host).keys;
        let key = GroupKey::Address(ip);
        keys.retain(|known| matches!(known, GroupKey::Address(_)) && *known != key);
        if keys.len() >= MAX_ADDRESSES {
            keys.remove(0);
        }
        keys.push(key);
    }

    /// Addresses of a host.
    pub fn addresses(&self, host: HostIx) -> Vec<IpAddr> {
        let address = |key: &GroupKey| match key {
            GroupKey::Address(ip) => Some(*ip),
            GroupKey::Domain(_) => None,
        };
        let keys = self.slots.get(&host).into_iter().flat_map(|slot| &slot.keys);
        keys.filter_map(address).collect()
    }

    /// True while a request to a host at this address is in flight.
    pub fn is_busy(&self, ip: IpAddr) -> bool {
        self.groups.get(&GroupKey::Address(ip)).is_some_and(|group| group.in_flight > 0)
    }

    /// End of the pause of an address.
    pub fn address_next_at(&self, ip: IpAddr) -> Time {
        self.groups.get(&GroupKey::Address(ip)).map_or(Time(0), |group| group.next_at)
    }

    /// Permits no request to any host at an address before `until`.
    pub fn rest_address(&mut self, ip: IpAddr, until: Time) {
        let group = self.groups.entry(GroupKey::Address(ip)).or_default();
        group.next_at = group.next_at.max(until);
    }

    /// Permits no request to any host of this host's groups before `until`.
    pub fn delay_group(&mut self, host: HostIx, until: Time) {
        for key in self.slot(host).keys.clone() {
            let group = self.groups.entry(key).or_default();
            group.next_at = group.next_at.max(until);
        }
    }

    /// Permits no request to this host before `until`.
    pub fn delay_until(&mut self, host: HostIx, until: Time) {
        let slot = self.slot_mut(host);
        slot.next_at = slot.next_at.max(until);
    }

    /// Hosts of turns that ended, and hosts that waited for these.
    pub fn take_changed(&mut self) -> Vec<HostIx> {
        let changed = std::mem::take(&mut self.changed).into_iter();
        changed.filter(|host| self.slots.contains_key(host)).collect()
    }

    /// Hosts that waited for the end of a pause which is over now.
    pub fn take_ready(&mut self, now: Time) -> Vec<HostIx> {
        let mut ready = Vec::new();
        while let Some(Reverse((at, host))) = self.wake.peek().copied() {
            if at > now {
                break;
            }
            self.wake.pop();
            ready.extend(self.slots.contains_key(&host).then_some(host));
        }
        ready.extend(self.take_rest(now));
        ready
    }

    /// Further hosts of groups to which no request was sent since some of their hosts were reported.
    fn take_rest(&mut self, now: Time) -> Vec<HostIx> {
        let mut rest = Vec::new();
        while let Some(Reverse((at, key))) = self.rest.peek().cloned()
            && at <= now
        {
            self.rest.pop();
            let group =
                self.groups.get_mut(&key).filter(|group| group.report_at == at && group.in_flight == 0);
            let Some(group) = group else { continue };
            rest.extend(group.take_waiting(self.reports_few));
            if !group.waiting.is_empty() {
                group.report_at = now.after(REPORT_AGAIN);
                self.rest.push(Reverse((group.report_at, key)));
            }
        }
        rest.retain(|host| self.slots.contains_key(host));
        rest
    }

    /// End of the pause that ends next, among those that a host waits for.
    pub fn next_ready_at(&self) -> Option<Time> {
        let of_rest = self.rest.peek().map(|Reverse((at, _))| *at);
        self.wake.peek().map(|Reverse((at, _))| *at).into_iter().chain(of_rest).min()
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

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_request_to_another_host_of_the_group_does_not_hide_the_own_pause() {
        let (mut hosts, ix) = hosts(&["a.org", "my.a.org"]);
        hosts.delay_until(ix[0], Time(900_000));
        hosts.occupy(ix[1]);
        assert_eq!(hosts.readiness(ix[0], Time(0)), Readiness::Busy);
        assert_eq!(hosts.own_readiness(ix[0], Time(0)), Readiness::Delayed(Time(900_000)));
        assert_eq!(hosts.own_readiness(ix[1], Time(0)), Readiness::Busy);
    }

    #[test]
    fn a_host_serves_one_request_and_then_rests() {
        let (mut hosts, ix) = hosts(&["a.org"]);
        assert_eq!(hosts.readiness(ix[0], Time(0)), Readiness::Ready);
        let turn = hosts.occupy(ix[0]);
        assert_eq!(hosts.readiness(ix[0], Time(0)), Readiness::Busy);
        hosts.release(turn, Time(1000), Time(0));
        assert_eq!(hosts.readiness_or_wait(ix[0], (ix[0], 0), Time(999)), Readiness::Delayed(Time(1000)));
        assert_eq!(hosts.next_ready_at(), Some(Time(1000)));
        assert_eq!(hosts.take_ready(Time(1000)), vec![ix[0]]);
        assert_eq!(hosts.readiness(ix[0], Time(1000)), Readiness::Ready);
    }

    #[test]
    fn a_turn_that_has_ended_ends_no_later_turn() {
        let (mut hosts, ix) = hosts(&["a.org"]);
        let earlier = hosts.occupy(ix[0]);
        hosts.release(earlier, Time(0), Time(0));
        let later = hosts.occupy(ix[0]);
        hosts.release(earlier, Time(700), Time(0));
        assert_eq!(hosts.readiness(ix[0], Time(0)), Readiness::Busy);
        hosts.release(later, Time(0), Time(0));
        assert_eq!(hosts.readiness(ix[0], Time(0)), Readiness::Delayed(Time(700)));
    }

    #[test]
    fn a_removed_host_is_neither_woken_nor_found() {
        let (mut hosts, ix) = hosts(&["a.org", "www.a.org"]);
        assert!(hosts.is_untouched(ix[0]));
        let turn = hosts.occupy(ix[0]);
        assert_eq!(hosts.readiness_or_wait(ix[1], (ix[1], 0), Time(0)), Readiness::Busy);
        hosts.remove(ix[1], Time(0));
        hosts.release(turn, Time(1000), Time(1000));
        assert_eq!(hosts.take_changed(), vec![ix[0]]);
        assert_eq!(hosts.readiness_or_wait(ix[0], (ix[0], 0), Time(0)), Readiness::Delayed(Time(1000)));
        assert!(!hosts.is_untouched(ix[0]));
        hosts.remove(ix[0], Time(1000));
        assert_eq!((hosts.take_ready(Time(1000)), hosts.count(), hosts.groups.len()), (vec![], 0, 0));
        assert_eq!(hosts.find(&Host("http://a.org".into())), None);
        assert_ne!(hosts.intern(&Host("http://a.org".into())), ix[0]);
    }

    #[test]
    fn hosts_that_share_an_address_take_turns() {
        let (mut hosts, ix) = hosts(&["a.org", "b.org"]);
        hosts.learn_address(ix[0], ip("192.0.2.1"));
        hosts.learn_address(ix[1], ip("192.0.2.1"));
        let turn = hosts.occupy(ix[0]);
        assert_eq!(hosts.readiness_or_wait(ix[1], (ix[1], 0), Time(0)), Readiness::Busy);
        hosts.release(turn, Time(9000), Time(500));
        assert_eq!(hosts.take_changed(), vec![ix[0], ix[1]]);
        assert_eq!(hosts.readiness(ix[1], Time(0)), Readiness::Delayed(Time(500)));
        assert_eq!(hosts.readiness(ix[1], Time(500)), Readiness::Ready);
    }

    #[test]
    fn a_turn_costs_the_same_whatever_the_number_of_hosts_at_its_address() {
        let names: Vec<String> = (0..500).map(|n| format!("n{n}.org")).collect();
        let (mut hosts, ix) = hosts(&names.iter().map(String::as_str).collect::<Vec<_>>());
        ix.iter().for_each(|host| hosts.learn_address(*host, ip("192.0.2.1")));
        hosts.report_few();
        let rank = |host: HostIx| (host, 1000 - host.0 as i32);
        let (mut ready, mut looks, mut requested, mut now) = (ix.clone(), 0, Vec::new(), Time(0));
        while requested.len() < ix.len() {
            ready.sort_by_key(|host| rank(*host).1);
            let mut turn = None;
            for host in std::mem::take(&mut ready) {
                looks += 1;
                if hosts.readiness_or_wait(host, rank(host), now) == Readiness::Ready {
                    turn = Some(hosts.occupy(host));
                    requested.push(host);
                }
            }
            if let Some(turn) = turn {
                hosts.release(turn, Time(0), now.after(Duration::from_secs(1)));
            }
            ready = hosts.take_changed();
            ready.retain(|host| !requested.contains(host));
            now = now.after(Duration::from_millis(100));
            ready.extend(hosts.take_ready(now).into_iter().filter(|host| !requested.contains(host)));
        }
        assert!(looks < 4 * MAX_CHANGED * ix.len(), "{looks} looks at {} hosts", ix.len());
        assert!(requested.iter().rev().eq(&ix), "the best waits no longer than the others");
    }

    #[test]
    fn before_addresses_are_known_hosts_of_one_hosting_service_take_turns() {
        let (mut hosts, ix) = hosts(&["one.github.io", "two.github.io", "elsewhere.org"]);
        hosts.occupy(ix[0]);
        assert_eq!(hosts.readiness(ix[1], Time(0)), Readiness::Busy);
        assert_eq!(hosts.readiness(ix[2], Time(0)), Readiness::Ready);
    }

    #[test]
    fn a_host_that_changes_its_address_in_flight_frees_its_old_group() {
        let (mut hosts, ix) = hosts(&["a.org", "b.org"]);
        hosts.learn_address(ix[0], ip("192.0.2.1"));
        hosts.learn_address(ix[1], ip("192.0.2.1"));
        let turn = hosts.occupy(ix[0]);
        assert_eq!(hosts.readiness_or_wait(ix[1], (ix[1], 0), Time(0)), Readiness::Busy);
        hosts.learn_address(ix[0], ip("192.0.2.2"));
        hosts.release(turn, Time(0), Time(0));
        assert!(hosts.take_changed().contains(&ix[1]));
        assert_eq!(hosts.readiness(ix[1], Time(0)), Readiness::Ready);
    }

    #[test]
    fn a_first_request_leaves_a_pause_for_hosts_of_its_domain() {
        let (mut hosts, ix) = hosts(&["a.org", "www.a.org"]);
        let turn = hosts.occupy(ix[0]);
        hosts.learn_address(ix[0], ip("192.0.2.1"));
        hosts.release(turn, Time(1000), Time(1000));
        assert_eq!(hosts.readiness(ix[1], Time(999)), Readiness::Delayed(Time(1000)));
    }

    #[test]
    fn a_host_with_two_addresses_keeps_the_pauses_of_both() {
        let (mut hosts, ix) = hosts(&["a.org", "b.org", "c.org"]);
        hosts.learn_address(ix[0], ip("192.0.2.1"));
        hosts.learn_address(ix[0], ip("192.0.2.2"));
        hosts.learn_address(ix[1], ip("192.0.2.1"));
        hosts.learn_address(ix[2], ip("192.0.2.2"));
        let turn = hosts.occupy(ix[1]);
        assert_eq!(hosts.readiness(ix[0], Time(0)), Readiness::Busy);
        hosts.release(turn, Time(700), Time(700));
        assert_eq!(hosts.readiness(ix[0], Time(0)), Readiness::Delayed(Time(700)));
        let turn = hosts.occupy(ix[0]);
        hosts.release(turn, Time(900), Time(900));
        for host in &ix {
            assert_eq!(hosts.readiness(*host, Time(800)), Readiness::Delayed(Time(900)));
        }
    }
}
