//! Binding a thread to a core.

/// Binds the calling thread to core `index` of those the process may use; best effort, since it is only for locality.
pub(crate) fn pin_to_core(index: usize) {
    let Some(cores) = core_affinity::get_core_ids() else { return };
    if let Some(core) = cores.get(index % cores.len().max(1)) {
        core_affinity::set_for_current(*core);
    }
}

/// The core that the calling thread runs on, where the system says so: a hint, it may be moved at any time.
pub(crate) fn current_core() -> Option<usize> {
    #[cfg(target_os = "linux")]
    return Some(rustix::thread::sched_getcpu());
    #[cfg(not(target_os = "linux"))]
    None
}
