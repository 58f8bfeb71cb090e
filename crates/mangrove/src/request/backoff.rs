//! How long to wait before a request that lost against concurrent writes is tried again.

use std::time::Duration;

/// Longest wait.
const LONGEST: Duration = Duration::from_millis(20);

/// The wait before attempt number `attempt` (the first retry is 1): at most 100 µs, 200 µs, 400 µs … 20 ms, a random
/// part of it, so that rivals do not meet again. `random` is uniform.
pub(crate) fn backoff(attempt: u32, random: u64) -> Duration {
    let most = Duration::from_micros(50u64 << attempt.min(16)).min(LONGEST);
    most.mul_f64(random as f64 / u64::MAX as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_stay_bounded() {
        assert_eq!(backoff(1, u64::MAX), Duration::from_micros(100));
        assert_eq!(backoff(3, u64::MAX), Duration::from_micros(400));
        assert_eq!(backoff(1_000, u64::MAX), LONGEST);
        assert_eq!(backoff(5, 0), Duration::ZERO);
    }
}
