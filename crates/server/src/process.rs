//! What the process takes of the machine, as Prometheus' clients tell it: `process_…`. Where there is no `/proc`, nothing is told.

use std::fs;

use rustix::{
    param::{clock_ticks_per_second, page_size},
    process::{Resource, getrlimit},
};

/// A number of the process: its name, what it is, and whether it only grows.
pub(crate) struct Number {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    pub(crate) grows: bool,
    pub(crate) value: f64,
}

/// All numbers that can be told.
pub(crate) fn numbers() -> Vec<Number> {
    let gauge = |name, help, value: Option<f64>| Some(Number { name, help, grows: false, value: value? });
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let memory = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = |at: usize| {
        let pages: f64 = memory.split_whitespace().nth(at)?.parse().ok()?;
        Some(pages * page_size() as f64)
    };
    let descriptors = fs::read_dir("/proc/self/fd").ok().map(|all| all.count() as f64);
    let most = getrlimit(Resource::Nofile).current.map(|most| most as f64);
    let cpu = cpu_seconds(&stat).map(|value| Number {
        name: "process_cpu_seconds",
        help: "Seconds of processor time",
        grows: true,
        value,
    });
    [
        cpu,
        gauge("process_resident_memory_bytes", "Bytes of memory in use", pages(1)),
        gauge("process_virtual_memory_bytes", "Bytes of address space", pages(0)),
        gauge("process_open_fds", "Open file descriptors", descriptors),
        gauge("process_max_fds", "File descriptors that may be open", most),
        gauge("process_start_time_seconds", "When it started, in seconds since 1970", start_seconds(&stat)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A field of `/proc/self/stat`, by its number in proc(5). The second one, the name, may have blanks in it.
fn field(stat: &str, number: usize) -> Option<f64> {
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(number - 3)?.parse().ok()
}

fn cpu_seconds(stat: &str) -> Option<f64> {
    Some((field(stat, 14)? + field(stat, 15)?) / clock_ticks_per_second() as f64)
}

fn start_seconds(stat: &str) -> Option<f64> {
    let boot = fs::read_to_string("/proc/stat").ok()?;
    let boot: f64 = boot.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
    Some(boot + field(stat, 22)? / clock_ticks_per_second() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_counted_behind_the_name_whatever_is_in_it() {
        let stat = "7 (a b) c) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0 1 0 4711 0";
        assert_eq!(
            (field(stat, 4), field(stat, 14), field(stat, 22)),
            (Some(1.0), Some(150.0), Some(4711.0))
        );
        assert_eq!(cpu_seconds(stat), Some(200.0 / clock_ticks_per_second() as f64));
    }

    #[test]
    fn this_process_has_all_of_them() {
        let all = numbers();
        assert_eq!(all.len(), 6);
        assert!(all.iter().all(|number| number.value > 0.0 || number.grows));
    }
}
