//! Work that takes a thread for long, while the other connections of that thread go on.
//!
//! To read a request of hundreds of kilobytes, to plan one of thousands of steps, or to write a result of megabytes, takes tens of
//! milliseconds, and all connections share a few threads: while each of these was busy with such a thing, no request was read and
//! no answer sent. So the thread leaves its other connections to another one first. Only some do this at a time, so that the cores
//! are not divided among as many as there are such requests: they have [seats](crate::seats), in turns. Such work inside other such
//! work is a part of it.

use std::cell::{Cell, RefCell};
use std::sync::{LazyLock, OnceLock};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::block_in_place;
use values::also_give_way;

use crate::seats::{Seat, Seats};

/// What is to be done, and on how many bytes.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// Reading a request.
    Request(usize),
    /// Starting a query whose input takes so much memory: what is bound to a short script may be long.
    Start(usize),
    /// Planning a traversal whose shape has so many bytes (`gremlin::Shape`): a step has some ten, and a name those it is written with.
    Plan(usize),
    /// Writing results.
    Results(u64),
}

impl Work {
    /// Whether it takes a fraction of a millisecond: for less, it is not worth while to change threads.
    fn is_small(self) -> bool {
        match self {
            Self::Request(bytes) => bytes <= 16 << 10,
            Self::Start(bytes) => bytes <= 256 << 10,
            Self::Plan(bytes) => bytes <= 512,
            Self::Results(bytes) => bytes <= 256 << 10,
        }
    }
}

/// One for each second core. They are the process's, as the cores are.
static SEATS: LazyLock<Seats> = LazyLock::new(|| {
    let cores = available_parallelism().map_or(1, usize::from);
    Seats::new(cores.div_ceil(2), Duration::from_secs(10))
});

/// What is done before long work, and when it has ended.
static AROUND: OnceLock<[fn(); 2]> = OnceLock::new();

/// Has a thread do something before long work, and when it has ended: the program knows how to tell the system that nobody need wait
/// for it meanwhile. The first to say so is heard.
pub fn around_long_work(before: fn(), after: fn()) {
    let _ = AROUND.set([before, after]);
}

thread_local! {
    /// Whether this thread is at long work.
    static AT_WORK: Cell<bool> = const { Cell::new(false) };
    /// The seat that it has.
    static SEAT: RefCell<Option<Seat<'static>>> = const { RefCell::new(None) };
    /// When the time for that work is over.
    static DEADLINE: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// While there is one, the calling thread is at long work.
struct Around {
    gave_way: Option<fn()>,
}

impl Around {
    /// Whether it has no seat, since none was free in time.
    fn is_late(deadline: Option<Instant>) -> bool {
        SEAT.with_borrow(Option::is_none) && deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Waits for a seat until the deadline.
    fn begin(deadline: Option<Instant>) -> Self {
        let around = Self { gave_way: also_give_way(Some(pass_seat)) };
        DEADLINE.set(deadline);
        SEAT.set(SEATS.take(deadline));
        AT_WORK.set(true);
        AROUND.get().inspect(|around| around[0]());
        around
    }
}

impl Drop for Around {
    fn drop(&mut self) {
        also_give_way(self.gave_way);
        AROUND.get().inspect(|around| around[1]());
        AT_WORK.set(false);
        SEAT.take();
    }
}

/// Lets those who wait for a seat have that of the calling thread in turn.
fn pass_seat() {
    let passed = match SEAT.take() {
        Some(seat) => seat.pass(),
        None => SEATS.take_again(DEADLINE.get()),
    };
    SEAT.set(passed);
}

/// Waits for something on a thread that connections share, which the others leave meanwhile. It takes no seat: it takes no core.
pub fn waiting_aside<R>(wait: impl FnOnce() -> R) -> R {
    if shares_thread() { block_in_place(wait) } else { wait() }
}

/// Whether others may need the calling thread, and can be given another one.
fn shares_thread() -> bool {
    Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread)
}

/// Does some work on a thread that connections share, aside if it is long; elsewhere it just does it. Nobody waits for a seat after
/// `deadline`: the work begins, or goes on, without one then, and whoever gives a deadline has the work look at it at its beginning, or
/// begins with [`aside_in_time`]. Without a deadline nobody waits for long either: what has none takes milliseconds, and its thread is
/// needed.
pub fn aside<R>(what: Work, deadline: Option<Instant>, work: impl FnOnce() -> R) -> R {
    if what.is_small() || AT_WORK.get() || !shares_thread() {
        return work();
    }
    block_in_place(|| {
        let _around = Around::begin(deadline);
        work()
    })
}

/// The same of work that is not begun any more when no seat was free by its deadline: `None` then. All who had waited for one would
/// begin at once.
pub(crate) fn aside_in_time<R>(what: Work, deadline: Option<Instant>, work: impl FnOnce() -> R) -> Option<R> {
    if what.is_small() || AT_WORK.get() || !shares_thread() {
        return Some(work());
    }
    block_in_place(|| {
        let _around = Around::begin(deadline);
        (!Around::is_late(deadline)).then(work)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use std::sync::{Arc, mpsc::channel};

    use tokio::runtime::Builder;

    use super::*;

    const LONG: Work = Work::Request(1 << 20);

    thread_local! {
        static IS_LONG: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
    }

    #[test]
    fn it_is_told_what_is_long_until_it_has_ended() {
        around_long_work(|| IS_LONG.set(true), || IS_LONG.set(false));
        let runtime = Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let told = runtime.spawn(async {
            let long = aside(LONG, None, || IS_LONG.get());
            let small = aside(Work::Request(1), None, || IS_LONG.get());
            let unwound =
                std::panic::catch_unwind(|| aside(LONG, None, || std::panic::resume_unwind(Box::new(()))));
            (long, small, unwound.map_err(|_| IS_LONG.get()))
        });
        assert_eq!(runtime.block_on(told).unwrap(), (true, false, Err::<(), _>(false)));
    }

    #[test]
    fn others_have_a_seat_in_turn_while_long_work_goes_on() {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().unwrap();
        let all = SEATS.count();
        let until = Arc::new(AtomicBool::new(false));
        let long = |until: Arc<AtomicBool>| async move {
            aside(LONG, Some(Instant::now() + Duration::from_secs(60)), || {
                while !until.load(Relaxed) {
                    values::give_way();
                }
            });
        };
        let long: Vec<_> = (0..all + 1).map(|_| runtime.spawn(long(until.clone()))).collect();
        let later = (0..10).map(|_| runtime.spawn(async { aside(LONG, None, Instant::now) }));
        for later in later.collect::<Vec<_>>() {
            runtime.block_on(later).unwrap();
        }
        assert!(!long.iter().any(|long| long.is_finished()));
        until.store(true, Relaxed);
        long.into_iter().for_each(|long| runtime.block_on(long).unwrap());
    }

    #[test]
    fn what_had_no_seat_in_time_is_not_begun() {
        let runtime = Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let in_time = |deadline| aside_in_time(LONG, deadline, || "done");
        let soon = Instant::now() + Duration::from_secs(60);
        let begun = runtime.spawn(async move { (in_time(Some(soon)), in_time(None)) });
        assert_eq!(runtime.block_on(begun).unwrap(), (Some("done"), Some("done")));
        let seats: Vec<_> = (0..SEATS.count()).map(|_| SEATS.take(Some(soon)).unwrap()).collect();
        let late = runtime.spawn(async move {
            let deadline = Some(Instant::now() + Duration::from_millis(10));
            (in_time(deadline), aside_in_time(Work::Request(1), deadline, || "small"))
        });
        assert_eq!(runtime.block_on(late).unwrap(), (None, Some("small")));
        drop(seats);
    }

    #[test]
    fn what_is_inside_other_long_work_waits_for_no_seat() {
        let runtime = Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let inside = || aside(LONG, None, || aside(LONG, None, || "done"));
        assert_eq!(runtime.block_on(runtime.spawn(async move { inside() })).unwrap(), "done");
        assert!(!AT_WORK.get());
    }

    #[test]
    fn others_of_the_thread_go_on_meanwhile() {
        let runtime = Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let (send, receive) = channel();
        let other = async move { send.send("done").unwrap() };
        let long = async move {
            tokio::spawn(other);
            aside(LONG, None, || receive.recv_timeout(Duration::from_secs(30)))
        };
        assert_eq!(runtime.block_on(runtime.spawn(long)).unwrap(), Ok("done"));
    }

    #[test]
    fn others_of_the_thread_go_on_while_it_waits_however_many_do() {
        let runtime = Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let (sends, receives): (Vec<_>, Vec<_>) = (0..20).map(|_| channel()).unzip();
        let waiting = receives.into_iter().map(|receive| {
            runtime.spawn(async move { waiting_aside(|| receive.recv_timeout(Duration::from_secs(30))) })
        });
        let waiting: Vec<_> = waiting.collect();
        let last = runtime.spawn(async move { sends.iter().for_each(|send| send.send("done").unwrap()) });
        runtime.block_on(last).unwrap();
        waiting.into_iter().for_each(|one| assert_eq!(runtime.block_on(one).unwrap(), Ok("done")));
    }

    #[test]
    fn small_work_and_work_on_a_runtime_of_one_thread_is_done_at_once() {
        let here = || std::thread::current().id();
        assert_eq!(aside(LONG, None, here), here());
        let runtime = Builder::new_current_thread().build().unwrap();
        assert_eq!(runtime.block_on(async { aside(LONG, None, here) }), here());
        let runtime = Builder::new_multi_thread().worker_threads(1).build().unwrap();
        runtime
            .block_on(
                runtime.spawn(async move { assert_eq!(aside(Work::Request(1 << 10), None, here), here()) }),
            )
            .unwrap();
    }
}
