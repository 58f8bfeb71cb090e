//! Work in parallel, results in order.

use std::sync::mpsc::sync_channel;

/// Does `work` on every task by `threads` threads, each with at most `ahead` results that wait, and calls `consume` with the results
/// in the order of the tasks.
pub(crate) fn in_turns<T: Sync, P: Send, R>(
    tasks: &[T],
    (threads, ahead): (usize, usize),
    work: impl Fn(&T) -> P + Sync,
    consume: impl FnOnce(&mut dyn Iterator<Item = P>) -> R,
) -> R {
    std::thread::scope(|scope| {
        // Each worker has a channel of its own, so taking turns restores the order.
        let mut results = Vec::with_capacity(threads);
        for worker in 0..threads {
            let (send, receive) = sync_channel(ahead);
            results.push(receive);
            let work = &work;
            scope.spawn(move || {
                for task in tasks.iter().skip(worker).step_by(threads) {
                    // A consumer that went away has failed and says why itself.
                    if send.send(work(task)).is_err() {
                        return;
                    }
                }
            });
        }
        let mut turn = 0;
        let mut in_order = std::iter::from_fn(|| {
            let next = results[turn % threads].recv().ok();
            turn += 1;
            next
        });
        let result = consume(&mut in_order);
        drop(results);
        result
    })
}
