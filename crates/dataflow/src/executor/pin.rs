//! Binding threads to cores.

use core_affinity::CoreId;

/// The cores that the process may use.
pub(crate) struct Cores {
    all: Vec<CoreId>,
    /// Those that a thread may use which is bound to none.
    #[cfg(target_os = "linux")]
    any: Option<rustix::thread::CpuSet>,
    pin: bool,
}

impl Cores {
    /// The cores that the calling thread may use; threads are bound to them if `pin` says so.
    pub(crate) fn new(pin: bool) -> Self {
        Self {
            all: if pin { core_affinity::get_core_ids().unwrap_or_default() } else { Vec::new() },
            #[cfg(target_os = "linux")]
            any: rustix::thread::sched_getaffinity(None).ok(),
            pin,
        }
    }

    /// Binds the calling thread to core `index`; best effort, since it is only for locality.
    pub(crate) fn bind(&self, index: usize) {
        if let Some(core) = self.all.get(index % self.all.len().max(1)) {
            core_affinity::set_for_current(*core);
        }
    }

    /// Lets the calling thread run on any core again.
    pub(crate) fn unbind(&self) {
        #[cfg(target_os = "linux")]
        if let (true, Some(any)) = (self.pin, &self.any) {
            // It then stays where it is, as good a core as any.
            let _ = rustix::thread::sched_setaffinity(None, any);
        }
    }
}

/// The core that the calling thread runs on, where the system says so: a hint, it may be moved at any time.
pub(crate) fn current_core() -> Option<usize> {
    #[cfg(target_os = "linux")]
    return Some(rustix::thread::sched_getcpu());
    #[cfg(not(target_os = "linux"))]
    None
}
