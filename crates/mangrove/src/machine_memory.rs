//! How much memory there is for this process.

use std::fs;

/// Taken where the system does not say.
const UNKNOWN: u64 = 2 << 30;

/// Bytes of memory that this process may use: the machine's, or what its control group (a container's limit) allows,
/// whichever is less.
pub(crate) fn machine_memory() -> u64 {
    let machine =
        fs::read_to_string("/proc/meminfo").ok().and_then(|text| total_of(&text)).unwrap_or(UNKNOWN);
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let allowed = limits.iter().filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok());
    allowed.fold(machine, u64::min)
}

/// The total of `/proc/meminfo`.
fn total_of(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_read_in_bytes_and_nonsense_is_not_read() {
        assert_eq!(
            total_of("MemFree: 5 kB\nMemTotal:       24603016 kB\nBuffers: 1 kB\n"),
            Some(24_603_016 << 10)
        );
        for nonsense in ["", "MemTotal: many kB", "MemTotal: 5 MB", "MemTotal: 99999999999999999999 kB"] {
            assert_eq!(total_of(nonsense), None, "{nonsense}");
        }
        assert!(machine_memory() > 1 << 20);
    }
}
