//! What a process takes, as the kernel counts it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// Megabytes at which the process is killed, so that it does not take the machine with it.
const TOO_MUCH_MB: u64 = 3_000;
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(4);
/// The kernel counts processor time in hundredths of a second (`USER_HZ`).
const TICK: Duration = Duration::from_millis(10);

/// Looks at a process until it ends or this is dropped.
#[derive(Debug)]
pub(crate) struct Watch {
    process: u32,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    now_kb: AtomicU64,
    peak_kb: AtomicU64,
    killed: AtomicBool,
    stop: AtomicBool,
}

/// Megabytes of a process in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// Now.
    pub now_mb: f64,
    /// The most so far.
    pub peak_mb: f64,
    /// Whether it was killed, since it had [`TOO_MUCH_MB`].
    pub killed: bool,
}

impl Watch {
    /// Begins to look at a process.
    pub fn of(process: u32) -> Self {
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            while !shared.stop.load(Ordering::Relaxed) {
                let Some(kb) = resident_kb(process) else { return };
                shared.now_kb.store(kb, Ordering::Relaxed);
                shared.peak_kb.fetch_max(kb, Ordering::Relaxed);
                if kb > TOO_MUCH_MB << 10 {
                    shared.killed.store(true, Ordering::Relaxed);
                    kill(process);
                    return;
                }
                thread::sleep(PAUSE);
            }
        });
        Self { process, state }
    }

    /// What it takes.
    pub fn reading(&self) -> Reading {
        let mb = |kb: &AtomicU64| kb.load(Ordering::Relaxed) as f64 / 1024.0;
        Reading {
            now_mb: mb(&self.state.now_kb),
            peak_mb: mb(&self.state.peak_kb),
            killed: self.state.killed.load(Ordering::Relaxed),
        }
    }

    /// The processor time that it has taken.
    pub fn busy(&self) -> Duration {
        busy(self.process)
    }
}

/// The processor time that a process has taken.
pub(crate) fn busy(process: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // What follows the name in parentheses; the 12th and 13th are the time in the program and in the kernel.
    let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
    let ticks: u32 =
        after.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u32>().ok()).sum();
    TICK * ticks
}

/// The processor time that all processes of the machine have taken together.
pub(crate) fn machine_busy() -> Duration {
    let stat = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let fields = stat.lines().next().unwrap_or_default().split_whitespace().skip(1);
    let fields: Vec<u64> = fields.filter_map(|field| field.parse().ok()).collect();
    // All but what is idle, waits for the disk, or is counted twice: user, nice, system, interrupts of both kinds.
    let ticks: u64 = [0, 1, 2, 5, 6].iter().filter_map(|place| fields.get(*place)).sum();
    TICK * u32::try_from(ticks).unwrap_or(u32::MAX)
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.state.stop.store(true, Ordering::Relaxed);
    }
}

fn resident_kb(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches(" kB").trim().parse().ok()
}

/// Ends a process without a warning.
fn kill(process: u32) {
    // `std` kills only through the handle, which somebody else waits on.
    let _ = std::process::Command::new("kill").args(["-9", &process.to_string()]).status();
}
