//! Parallel map that returns results in order.
//!
//! Each of `n` threads takes every `n`th item and passes its results through a bounded queue. The caller reads
//! the queues in turn. Memory is bounded by the queues.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Capacity of each queue. Guess.
const QUEUE_CAPACITY: usize = 16;

/// Maps all items and passes the results to `take` in order, until it returns an error.
pub fn in_order<T: Sync, R: Send, E>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let threads = threads.clamp(1, items.len().max(1));
    let work = &work;
    std::thread::scope(|scope| {
        let (mut queues, mut feeds): (Vec<Receiver<R>>, Vec<SyncSender<R>>) = (Vec::new(), Vec::new());
        for _ in 0..threads {
            let (feed, queue) = sync_channel(QUEUE_CAPACITY);
            queues.push(queue);
            feeds.push(feed);
        }
        for (first, feed) in feeds.into_iter().enumerate() {
            scope.spawn(move || {
                // A closed queue means that the caller has stopped.
                let mut own = items.iter().skip(first).step_by(threads);
                own.try_for_each(|item| feed.send(work(item)).ok())
            });
        }
        // A queue ends early only if its thread panicked, which also ends the scope.
        let mut results = (0..items.len()).map_while(|at| queues[at % threads].recv().ok());
        results.try_for_each(&mut take)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn doubled(items: &[usize], threads: usize) -> Vec<usize> {
        let mut taken = Vec::new();
        let all = in_order(
            items,
            threads,
            |item| item * 2,
            |result| {
                taken.push(result);
                Ok::<_, ()>(())
            },
        );
        assert_eq!(all, Ok(()));
        taken
    }

    #[test]
    fn results_come_in_order_whatever_the_number_of_threads() {
        for count in [0, 1, 2, 7, 1000] {
            let items: Vec<usize> = (0..count).collect();
            let expected: Vec<usize> = items.iter().map(|item| item * 2).collect();
            for threads in [1, 2, 3, 16] {
                assert_eq!(doubled(&items, threads), expected, "{threads} threads");
            }
        }
    }

    #[test]
    fn a_taker_that_has_enough_ends_the_work() {
        let items: Vec<usize> = (0..100_000).collect();
        let done = AtomicUsize::new(0);
        let work = |item: &usize| {
            done.fetch_add(1, Ordering::Relaxed);
            *item
        };
        assert_eq!(in_order(&items, 4, work, |item| if item < 10 { Ok(()) } else { Err(item) }), Err(10));
        assert!(done.into_inner() < 200, "queues are short");
    }
}
