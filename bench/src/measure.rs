//! Timing.

use std::time::{Duration, Instant};

/// Latencies of repeated runs.
#[derive(Clone, Debug, Default)]
pub struct Latencies(Vec<Duration>);

impl Latencies {
    /// Adds one run.
    pub fn add(&mut self, latency: Duration) {
        self.0.push(latency);
    }

    /// Adds other runs.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The value below which a share `q` of the runs lies, `0.0..=1.0`; zero without runs.
    pub fn quantile(&self, q: f64) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let at = ((sorted.len() as f64 - 1.0).max(0.0) * q).round() as usize;
        sorted.get(at).copied().unwrap_or_default()
    }

    /// The median.
    pub fn median(&self) -> Duration {
        self.quantile(0.5)
    }

    /// The mean; zero without runs.
    pub fn mean(&self) -> Duration {
        self.0.iter().sum::<Duration>() / self.0.len().max(1) as u32
    }

    /// Number of runs.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

/// Runs `work` and says how long it took.
pub fn time<R>(work: impl FnOnce() -> R) -> (Duration, R) {
    let began = Instant::now();
    let result = work();
    (began.elapsed(), result)
}

/// Microseconds with fractions.
pub fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

/// Milliseconds with fractions.
pub fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// Waits until the process has nothing to do in the background, such as compacting what was written: at most a minute; whether
/// that was seen, which only Linux tells. There is nothing to be woken by: the store's engine does not say when it has done.
pub fn settle() -> bool {
    const LOOK: Duration = Duration::from_millis(300);
    for _ in 0..200 {
        let Some(before) = ticks() else { return false };
        std::thread::sleep(LOOK);
        // A tick is a hundredth of a second.
        if ticks().is_some_and(|after| after - before <= 1) {
            return true;
        }
    }
    false
}

/// CPU time of the process so far, in ticks.
fn ticks() -> Option<u64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name, which may have spaces: fields 14 and 15 are the time in the program and in the kernel.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
}
