//! Request budget shared by several harvests.

use std::sync::atomic::{AtomicU64, Ordering};

/// Requests and bytes that a group of harvests may spend together. Shared by threads, so the counters are atomic.
#[derive(Debug, Default)]
pub struct RequestBudget {
    max_requests: Option<u64>,
    max_bytes: Option<u64>,
    requests: AtomicU64,
    bytes: AtomicU64,
}

impl RequestBudget {
    /// Budget with limits on requests and bytes, `None` being no limit. `spent` counts the requests and bytes of
    /// earlier sessions.
    pub fn new(max_requests: Option<u64>, max_bytes: Option<u64>, spent: (u64, u64)) -> RequestBudget {
        let (requests, bytes) = (AtomicU64::new(spent.0), AtomicU64::new(spent.1));
        RequestBudget { max_requests, max_bytes, requests, bytes }
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
        let one_more = |spent| (has_bytes && spent < max).then_some(spent + 1);
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

#[cfg(test)]
mod tests {
    use super::*;

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
