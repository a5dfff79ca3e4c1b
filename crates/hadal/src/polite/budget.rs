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

    /// Charges one request and returns true, or returns false when the budget is spent.
    ///
    /// `own` is the number of requests left in a budget of the caller's own. A caller that has one is limited by it
    /// and charges nothing here; the limit on bytes applies to every caller.
    pub fn charge_request(&self, own: Option<u64>) -> bool {
        let has_bytes = self.max_bytes.is_none_or(|max| self.bytes.load(Ordering::Relaxed) < max);
        if let Some(left) = own {
            return has_bytes && left > 0;
        }
        let max = self.max_requests.unwrap_or(u64::MAX);
        let takes_reserve = || self.reserve.as_ref().is_none_or(|reserve| reserve.take());
        if !has_bytes || self.requests.load(Ordering::Relaxed) >= max || !takes_reserve() {
            return false;
        }
        let one_more = |spent| (spent < max).then_some(spent + 1);
        self.requests.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok()
    }

    /// Requests and bytes charged so far.
    pub fn spent(&self) -> (u64, u64) {
        (self.requests.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed))
    }

    /// Charges the bytes of a response body.
    pub fn charge_bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// Requests that a crawl leaves to the scripts of rendered pages. The crawl and the pages it renders share it, so that
/// both together stay within the budget of the crawl.
#[derive(Debug, Default)]
pub struct RequestReserve(Mutex<ReserveState>);

#[derive(Debug, Default)]
struct ReserveState {
    /// Requests that a page may still take.
    left: u64,
    /// Requests of pages that the crawl has not counted yet.
    uncounted: u64,
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

    /// Sets the number of requests that scripts may take: `free` less those already taken and not yet counted by the
    /// crawl, less one for the crawl itself. Returns the number taken and not yet counted.
    pub fn leave(&self, free: u64) -> u64 {
        let mut state = self.state();
        state.left = free.saturating_sub(state.uncounted).saturating_sub(1);
        state.uncounted
    }

    /// Starts a session: nothing is left yet, and steps of an earlier session that lost its lease are not counted any more.
    pub fn start_session(&self) {
        *self.state() = ReserveState::default();
    }

    /// Lets scripts take requests until this term is over.
    pub fn set_term(&self, term: LeaseTerm) {
        self.state().term = Some(term);
    }

    /// Removes requests that the crawl has counted.
    pub fn count(&self, requests: u64) {
        let mut state = self.state();
        state.uncounted = state.uncounted.saturating_sub(requests);
    }

    fn take(&self) -> bool {
        let mut state = self.state();
        let is_left = state.left > 0 && state.term.is_none_or(|term| !term.is_over());
        if is_left {
            state.left -= 1;
            state.uncounted += 1;
        }
        is_left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_take_what_the_crawl_leaves() {
        let reserve = Arc::new(RequestReserve::default());
        let page = RequestBudget::of_page(&reserve);
        assert!(!page.charge_request(None), "the crawl has left nothing yet");
        assert_eq!(reserve.leave(3), 0);
        assert!(page.charge_request(None) && page.charge_request(None) && !page.charge_request(None));
        assert_eq!((reserve.leave(3), page.spent().0), (2, 2));
        assert!(!page.charge_request(None), "the last one is the crawl's");
        reserve.count(2);
        assert_eq!(reserve.leave(2), 0);
        assert!(page.charge_request(None));
    }

    #[test]
    fn pages_of_a_worker_take_nothing_after_its_term() {
        let reserve = Arc::new(RequestReserve::default());
        let page = RequestBudget::of_page(&reserve);
        reserve.leave(9);
        reserve.set_term(LeaseTerm::from_now(Duration::from_secs(3600)));
        assert!(page.charge_request(None));
        reserve.set_term(LeaseTerm::from_now(Duration::ZERO));
        assert!(!page.charge_request(None), "another worker may have taken over");
        reserve.start_session();
        assert_eq!(reserve.leave(9), 0, "a step that was lost is not in flight any more");
        assert!(page.charge_request(None));
    }

    #[test]
    fn requests_of_earlier_sessions_count() {
        let budget = RequestBudget::new(Some(3), None, (2, 0));
        assert!(budget.charge_request(None));
        assert!(!budget.charge_request(None));
    }

    #[test]
    fn a_caller_with_its_own_budget_charges_nothing_here() {
        let budget = RequestBudget::new(Some(1), None, (0, 0));
        assert!(budget.charge_request(Some(1)) && !budget.charge_request(Some(0)));
        assert!(budget.charge_request(None));
    }

    #[test]
    fn spent_bytes_end_the_budget_for_everybody() {
        let budget = RequestBudget::new(None, Some(100), (0, 0));
        budget.charge_bytes(100);
        assert!(!budget.charge_request(None) && !budget.charge_request(Some(9)));
    }
}
