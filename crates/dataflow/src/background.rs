//! Threads that work beside others who have little to do and must do it soon.
//!
//! Committers and who frees memory have work for milliseconds; threads that read requests from sockets and executors that answer
//! them have a few microseconds of it at a time. To the kernel they are alike, and a committer that is woken when its commit is
//! durable takes the core from a thread in the midst of a request. Linux knows threads that never do so (`SCHED_BATCH`): their
//! share of the processor and their niceness stay the same, but when they wake they wait for the end of a time slice.

/// The calling thread does not take the core from another when it wakes. Where the system has no such thing, or refuses it
/// (a container may), nothing changes.
#[cfg(target_os = "linux")]
pub(crate) fn on_this_thread() {
    let normal = libc::sched_param { sched_priority: 0 };
    // SAFETY: the handle is the calling thread's own, which lives; `normal` is initialised, outlives the call, and is only read.
    let refused = unsafe { libc::pthread_setschedparam(libc::pthread_self(), libc::SCHED_BATCH, &normal) };
    if refused != 0 {
        tracing::debug!(
            error = %std::io::Error::from_raw_os_error(refused),
            "this thread takes the core from others when it wakes"
        );
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn on_this_thread() {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    /// The policy of the calling thread: field 41 of its `stat`, see proc(5). The name before it may hold anything but `)`.
    fn policy() -> libc::c_int {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        let fields = stat.rsplit_once(") ").unwrap().1;
        fields.split(' ').nth(41 - 3).unwrap().parse().unwrap()
    }

    #[test]
    fn a_thread_in_the_background_is_the_only_one_that_gives_way() {
        let of_other = std::thread::spawn(|| {
            super::on_this_thread();
            policy()
        });
        assert_eq!((of_other.join().unwrap(), policy()), (libc::SCHED_BATCH, libc::SCHED_OTHER));
    }
}
