//! Work in parallel, results in order.

use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, sync_channel};

/// Results that a worker may be ahead of the consumer.
const AHEAD: usize = 1;

/// The number of workers to use where nothing was asked for: one per core.
pub(super) fn default_threads() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Does `work` on every task, in parallel, and hands the results to `consume` in the order of the tasks.
///
/// ```text
/// tasks    0  1  2  3  4  5 …
/// worker A 0     2     4      ──▶ channel A ─┐
/// worker B    1     3     5   ──▶ channel B ─┴─▶ consume 0, 1, 2, 3, 4, 5 …   (the calling thread)
/// ```
///
/// Worker `w` of `n` has the tasks `w, w + n, w + 2n …`, so the consumer knows which channel has the next result: no
/// buffer for reordering is needed, and no more than `AHEAD + 1` results per worker exist at a time. The outcome does
/// not depend on the number of threads, as long as `work` leaves nothing but room in what each worker keeps for itself.
///
/// # Errors
/// The first error of `consume`; workers stop at their next result.
pub(super) fn in_order<T: Sync, W: Default, R: Send, E>(
    tasks: &[T],
    threads: NonZeroUsize,
    work: impl Fn(&mut W, &T) -> R + Sync,
    mut consume: impl FnMut(&T, R) -> Result<(), E>,
) -> Result<(), E> {
    let threads = threads.get().min(tasks.len());
    if threads <= 1 {
        let mut own = W::default();
        return tasks.iter().try_for_each(|task| consume(task, work(&mut own, task)));
    }
    std::thread::scope(|scope| {
        let channels: Vec<Receiver<R>> = (0..threads)
            .map(|worker| {
                let (sender, receiver) = sync_channel(AHEAD);
                let work = &work;
                scope.spawn(move || {
                    let mut own = W::default();
                    for task in tasks.iter().skip(worker).step_by(threads) {
                        // The consumer is gone when it met an error; nobody waits for the rest.
                        if sender.send(work(&mut own, task)).is_err() {
                            break;
                        }
                    }
                });
                receiver
            })
            .collect();
        for (number, task) in tasks.iter().enumerate() {
            // No result means that the worker panicked, and then the scope panics in its turn.
            let Ok(result) = channels[number % threads].recv() else { break };
            consume(task, result)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn threads(n: usize) -> NonZeroUsize {
        NonZeroUsize::new(n).unwrap()
    }

    #[test]
    fn results_come_in_the_order_of_the_tasks() {
        let tasks: Vec<u64> = (0..100).collect();
        for n in [1, 2, 3, 7, 200] {
            let mut seen = Vec::new();
            let slow = |(): &mut (), task: &u64| {
                std::thread::sleep(std::time::Duration::from_micros(task * 7919 % 300));
                task * 10
            };
            let done: Result<(), ()> = in_order(&tasks, threads(n), slow, |task, result| {
                seen.push((*task, result));
                Ok(())
            });
            assert_eq!(done, Ok(()));
            assert_eq!(seen, tasks.iter().map(|t| (*t, t * 10)).collect::<Vec<_>>(), "{n} threads");
        }
    }

    #[test]
    fn an_error_stops_the_workers() {
        let tasks: Vec<usize> = (0..10_000).collect();
        let worked = AtomicUsize::new(0);
        let result = in_order(
            &tasks,
            threads(2),
            |(): &mut (), task| {
                worked.fetch_add(1, Ordering::Relaxed);
                *task
            },
            |_, task| if task == 10 { Err(task) } else { Ok(()) },
        );
        assert_eq!(result, Err(10));
        assert!(worked.into_inner() < 30);
    }
}
