//! What the kernel is told of threads: which of them have little to do and must do it soon.
//!
//! | thread | kind |
//! |---|---|
//! | reads requests, sends results; watchdog | [`be_prompt`] |
//! | the same while it plans what is long, or writes what is large; executor | [`be_prompt_in_turns`] |
//! | committer, who frees memory or gives it back to the system | [`be_in_the_background`] |
//!
//! A turn of an executor takes half a millisecond, a request of the server's threads some microseconds; a committer may compute
//! for milliseconds. To the kernel they are alike: who is woken waits until a time slice ends, which is at the next tick, 4 ms
//! away on many machines, and does so at each of the four wake-ups of a request. Linux lets a thread ask for short slices
//! (since 6.12): when it wakes, it goes before one that has asked for longer ones. Who reads a request so goes before an executor
//! in the middle of a turn. Its share of the processor stays the same. Executors, and who plans for long, give way to each other by
//! themselves (`values::give_way`), at the end of such a slice, so that none of it is lost. And Linux knows threads that take the
//! core from nobody when they wake (`SCHED_BATCH`). Where the system knows neither, or refuses it (a container may), nothing changes.

#[cfg(target_os = "linux")]
pub use linux::{be_in_the_background, be_prompt, be_prompt_in_turns};

/// See the other one: this system has no such thing.
#[cfg(not(target_os = "linux"))]
pub fn be_prompt() {}

#[cfg(not(target_os = "linux"))]
pub fn be_in_the_background() {}

#[cfg(not(target_os = "linux"))]
pub fn be_prompt_in_turns() {}

#[cfg(target_os = "linux")]
mod linux {
    use std::io;

    use libc::{c_uint, sched_attr};

    /// The shortest slice that Linux gives, in nanoseconds.
    pub(super) const SHORT: u64 = 100_000;

    /// That of who computes for longer: about a turn.
    pub(super) const TURN: u64 = values::SPELL.as_nanos() as u64;

    /// The calling thread has little to do at a time, and goes before others when it wakes.
    pub fn be_prompt() {
        take_slices(SHORT);
    }

    /// The calling thread computes for long, gives way again and again, and goes before others when it wakes, but for those that
    /// have little to do.
    pub fn be_prompt_in_turns() {
        take_slices(TURN);
    }

    /// Asks for slices of that length.
    fn take_slices(sched_runtime: u64) {
        let asked = attributes().and_then(|now| set_attributes(&sched_attr { sched_runtime, ..now }));
        if let Err(error) = asked {
            tracing::debug!(%error, "no slices of that length");
        }
    }

    /// The calling thread does not take the core from another when it wakes.
    pub fn be_in_the_background() {
        // SAFETY: it consists of integers, of which musl has more than the priority.
        let normal: libc::sched_param = unsafe { std::mem::zeroed() };
        // SAFETY: the handle is the calling thread's own, which lives; `normal` is initialised, outlives the call, and is only read.
        let refused =
            unsafe { libc::pthread_setschedparam(libc::pthread_self(), libc::SCHED_BATCH, &normal) };
        if refused != 0 {
            tracing::debug!(error = %io::Error::from_raw_os_error(refused), "no thread in the background");
        }
    }

    /// The size of what is exchanged with the kernel, which is told it.
    const SIZE: c_uint = size_of::<sched_attr>() as c_uint;

    /// How the calling thread is scheduled: policy, niceness, length of slices.
    pub(super) fn attributes() -> io::Result<sched_attr> {
        let mut now = sched_attr {
            size: SIZE,
            sched_policy: 0,
            sched_flags: 0,
            sched_nice: 0,
            sched_priority: 0,
            sched_runtime: 0,
            sched_deadline: 0,
            sched_period: 0,
        };
        // SAFETY: 0 is the calling thread. The kernel writes at most SIZE bytes to `now`, which has as many and outlives the call;
        // any bytes are a value of its type, which has numbers only.
        let outcome = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut now, SIZE, 0) };
        if outcome == 0 { Ok(now) } else { Err(io::Error::last_os_error()) }
    }

    fn set_attributes(to: &sched_attr) -> io::Result<()> {
        // SAFETY: 0 is the calling thread. The kernel reads as many bytes of `to` as its first field says: that of a value which
        // `attributes` has made, at most the size of the type. It is initialised and outlives the call.
        let outcome = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, std::ptr::from_ref(to), 0) };
        if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn on_a_thread_of_its_own<T: Send + 'static>(look: impl FnOnce() -> T + Send + 'static) -> T {
        std::thread::spawn(look).join().unwrap()
    }

    fn kind() -> (u32, i32, u64) {
        let now = linux::attributes().unwrap();
        (now.sched_policy, now.sched_nice, now.sched_runtime)
    }

    #[test]
    fn a_thread_in_the_background_is_the_only_one_that_gives_way() {
        let (before, after, others) = on_a_thread_of_its_own(|| {
            (kind(), (be_in_the_background(), kind()).1, on_a_thread_of_its_own(kind))
        });
        assert_eq!((before.0 as i32, after.0 as i32), (libc::SCHED_OTHER, libc::SCHED_BATCH));
        assert_eq!((before.1, others.0), (after.1, after.0), "whom it starts is like it");
        assert_eq!(kind().0 as i32, libc::SCHED_OTHER);
    }

    #[test]
    fn who_is_prompt_has_short_slices_where_there_are_any_and_nothing_else_changes() {
        let [before, prompt] = on_a_thread_of_its_own(|| [kind(), (be_prompt(), kind()).1]);
        // Before 6.12 all slices are alike, and said to be 0.
        if before.2 != 0 {
            assert_eq!(prompt.2, linux::SHORT);
        }
        assert_eq!((prompt.0, prompt.1), (before.0, before.1));
    }

    #[test]
    fn who_has_less_to_do_goes_before_who_has_more() {
        let slices = on_a_thread_of_its_own(|| {
            [be_prompt, be_prompt_in_turns, be_prompt].map(|be| (be(), kind()).1.2)
        });
        let [prompt, turns, again] = slices;
        assert!(prompt == 0 || prompt < turns && prompt == again, "{slices:?}");
    }
}
