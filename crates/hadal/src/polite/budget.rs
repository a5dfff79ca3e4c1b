//! Request budgets: of several harvests together, and of the rendered pages of a crawl.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Requests and bytes that a group of harvests may spend together. Shared by threads, so the counters are atomic.
#[derive(Debug, Default)]
pub struct RequestBudget {
    max_requests: Option<u64>,
    max_bytes: Option<u64>,
    requests: AtomicU64,
    bytes: AtomicU64,
    /// Budget of a crawl that the requests are taken from as well.
    reserve: Option<Arc<RequestReserve>>,
}

impl RequestBudget {
    /// Budget of one rendered page, limited by what the budget of its crawl leaves.
    pub fn of_page(reserve: &Arc<RequestReserve>) -> RequestBudget {
        RequestBudget { reserve: Some(Arc::clone(reserve)), ..RequestBudget::default() }
    }

    /// Budget with limits on requests and bytes, `None` being no limit. `spent` counts the requests and bytes of
    /// earlier sessions.
    pub fn new(max_requests: Option<u64>, max_bytes: Option<u64>, spent: (u64, u64)) -> RequestBudget {
        let (requests, bytes) = (AtomicU64::new(spent.0), AtomicU64::new(spent.1));
        RequestBudget { max_requests, max_bytes, requests, bytes, reserve: None }
    }

    /// Charges one request. Returns the number of bytes that its response body may have, at most `body_limit`; `None`
    /// when the budget is spent.
    ///
    /// `own` is the number of requests left in a budget of the caller's own. A caller that has one is limited by it
    /// and charges nothing here; the limit on bytes applies to every caller.
    pub fn charge_request(&self, own: Option<u64>, body_limit: u64) -> Option<u64> {
        let has_bytes = self.max_bytes.is_none_or(|max| self.bytes.load(Ordering::Relaxed) < max);
        if let Some(left) = own {
            return (has_bytes && left > 0).then_some(body_limit);
        }
        let max = self.max_requests.unwrap_or(u64::MAX);
        if !has_bytes || self.requests.load(Ordering::Relaxed) >= max {
            return None;
        }
        let granted = match &self.reserve {
            Some(reserve) => reserve.take(body_limit)?,
            None => body_limit,
        };
        let one_more = |spent| (spent < max).then_some(spent + 1);
        let is_charged = self.requests.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok();
        is_charged.then_some(granted)
    }

    /// Requests and bytes charged so far.
    pub fn spent(&self) -> (u64, u64) {
        (self.requests.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed))
    }

    /// Charges the bytes of a response body that may have had `granted` bytes.
    pub fn charge_bytes(&self, bytes: u64, granted: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.reserve.iter().for_each(|reserve| reserve.give_back(granted.saturating_sub(bytes)));
    }
}

/// Requests and bytes that a crawl leaves to the further requests of its visits. Both share it, so that together they
/// stay within the budget of the crawl.
#[derive(Debug, Default)]
pub struct RequestReserve(Mutex<ReserveState>);

#[derive(Debug, Default)]
struct ReserveState {
    /// Requests and bytes that visits may still take.
    left: (u64, u64),
    /// Requests and bytes of visits that the crawl has not counted yet.
    uncounted: (u64, u64),
    /// Term of the worker, if the run is shared.
    term: Option<LeaseTerm>,
}

/// Time in which a worker of a shared run may send requests: a part of its lease, counted from the report that renewed
/// it. It ends by the monotonic clock, which stops while the machine is suspended, or by the system clock, which users
/// can set.
#[derive(Clone, Copy, Debug)]
pub struct LeaseTerm {
    since: (Instant, SystemTime),
    lasts: Duration,
}

impl LeaseTerm {
    /// Term that begins now.
    pub fn from_now(lasts: Duration) -> LeaseTerm {
        LeaseTerm { since: (Instant::now(), SystemTime::now()), lasts }
    }

    /// Time since the term began, on the monotonic clock.
    pub fn elapsed(&self) -> Duration {
        self.since.0.elapsed()
    }

    /// True if another worker may have taken over.
    pub fn is_over(&self) -> bool {
        let runs = self.elapsed() < self.lasts;
        !runs || self.since.1.elapsed().map_or(true, |elapsed| elapsed >= self.lasts)
    }
}

impl RequestReserve {
    fn state(&self) -> MutexGuard<'_, ReserveState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the requests and bytes that visits may take: `free` without those that visits took and the crawl has not
    /// counted, and without the next request of the crawl. The bytes for its body, at most `body_limit`, are set aside
    /// if there are so many. Returns the requests and bytes that visits took and the crawl has not counted.
    pub fn leave(&self, free: (u64, u64), body_limit: u64) -> (u64, u64) {
        let mut state = self.state();
        let (requests, bytes) = state.uncounted;
        let bytes = free.1.saturating_sub(bytes);
        let bytes = bytes.checked_sub(body_limit).unwrap_or(bytes);
        state.left = (free.0.saturating_sub(requests).saturating_sub(1), bytes);
        state.uncounted
    }

    /// Starts a session: nothing is left yet, and steps of an earlier session that lost its lease are not counted any
    /// more.
    pub fn start_session(&self) {
        *self.state() = ReserveState::default();
    }

    /// Lets visits take requests until this term is over.
    pub fn set_term(&self, term: LeaseTerm) {
        self.state().term = Some(term);
    }

    /// Removes requests and bytes that the crawl has counted.
    pub fn count(&self, requests: u64, bytes: u64) {
        let mut state = self.state();
        let taken = state.uncounted;
        state.uncounted = (taken.0.saturating_sub(requests), taken.1.saturating_sub(bytes));
    }

    /// Takes one request with a body of at most `body_limit` bytes. Returns the limit that the bytes left allow.
    fn take(&self, body_limit: u64) -> Option<u64> {
        let mut state = self.state();
        let granted = body_limit.min(state.left.1);
        let is_over = state.term.is_some_and(|term| term.is_over());
        if state.left.0 == 0 || granted == 0 || is_over {
            return None;
        }
        state.left = (state.left.0 - 1, state.left.1 - granted);
        state.uncounted = (state.uncounted.0 + 1, state.uncounted.1 + granted);
        Some(granted)
    }

    /// Returns bytes that a response did not have.
    fn give_back(&self, bytes: u64) {
        let mut state = self.state();
        state.left.1 = state.left.1.saturating_add(bytes);
        state.uncounted.1 = state.uncounted.1.saturating_sub(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_take_the_requests_that_the_crawl_leaves() {
        let reserve = Arc::new(RequestReserve::default());
        let visit = RequestBudget::of_page(&reserve);
        let is_charged = || visit.charge_request(None, 9).is_some();
        assert!(!is_charged(), "the crawl has left nothing yet");
        assert_eq!(reserve.leave((3, 100), 0), (0, 0));
        assert!(is_charged() && is_charged() && !is_charged());
        assert_eq!((reserve.leave((3, 100), 0).0, visit.spent().0), (2, 2));
        assert!(!is_charged(), "the last one is the crawl's");
        reserve.count(2, 18);
        assert_eq!(reserve.leave((2, 100), 0), (0, 0));
        assert!(is_charged());
    }

    #[test]
    fn visits_take_the_bytes_that_the_crawl_leaves() {
        let reserve = Arc::new(RequestReserve::default());
        let visit = RequestBudget::of_page(&reserve);
        reserve.leave((9, 130), 30);
        assert_eq!((visit.charge_request(None, 80), visit.charge_request(None, 80)), (Some(80), Some(20)));
        assert_eq!(visit.charge_request(None, 80), None);
        visit.charge_bytes(30, 80);
        assert_eq!(visit.charge_request(None, 80), Some(50));
        assert_eq!(reserve.leave((9, 130), 30), (3, 100));
    }

    #[test]
    fn pages_of_a_worker_take_nothing_after_its_term() {
        let reserve = Arc::new(RequestReserve::default());
        let page = RequestBudget::of_page(&reserve);
        let is_charged = || page.charge_request(None, 9).is_some();
        reserve.leave((9, 100), 0);
        reserve.set_term(LeaseTerm::from_now(Duration::from_secs(3600)));
        assert!(is_charged());
        reserve.set_term(LeaseTerm::from_now(Duration::ZERO));
        assert!(!is_charged(), "another worker may have taken over");
        reserve.start_session();
        assert_eq!(reserve.leave((9, 100), 0), (0, 0), "a step that was lost is not in flight any more");
        assert!(is_charged());
    }

    #[test]
    fn requests_of_earlier_sessions_count() {
        let budget = RequestBudget::new(Some(3), None, (2, 0));
        assert!(budget.charge_request(None, 9).is_some());
        assert!(budget.charge_request(None, 9).is_none());
    }

    #[test]
    fn a_caller_with_its_own_budget_charges_nothing_here() {
        let budget = RequestBudget::new(Some(1), None, (0, 0));
        assert!(budget.charge_request(Some(1), 9).is_some() && budget.charge_request(Some(0), 9).is_none());
        assert!(budget.charge_request(None, 9).is_some());
    }

    #[test]
    fn spent_bytes_end_the_budget_for_everybody() {
        let budget = RequestBudget::new(None, Some(100), (0, 0));
        budget.charge_bytes(100, 100);
        assert!(budget.charge_request(None, 9).is_none() && budget.charge_request(Some(9), 9).is_none());
    }
}
