//! How much memory there is for this process.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Taken where the system does not say.
const UNKNOWN: u64 = 2 << 30;

/// Bytes of memory that this process may use: the machine's, or what its control group (a container's limit) allows,
/// whichever is less.
pub(crate) fn machine_memory() -> u64 {
    let machine =
        fs::read_to_string("/proc/meminfo").ok().and_then(|text| total_of(&text)).unwrap_or(UNKNOWN);
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let allowed = limit_files(&groups)
        .into_iter()
        .filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok());
    allowed.fold(machine, u64::min)
}

/// The files that may hold a limit: of the control groups that `/proc/self/cgroup` names, and of all that those are in. In a
/// container the group is the root of what can be seen.
fn limit_files(groups: &str) -> Vec<PathBuf> {
    let mut files =
        vec!["/sys/fs/cgroup/memory.max".into(), "/sys/fs/cgroup/memory/memory.limit_in_bytes".into()];
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let inside = Path::new(path.trim_start_matches('/'));
        let named = inside.ancestors().filter(|group| !group.as_os_str().is_empty());
        files.extend(named.map(|group| Path::new(root).join(group).join(file)));
    }
    files
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
    fn the_limits_of_all_control_groups_around_the_process_are_looked_at() {
        let files =
            limit_files("0::/system.slice/mangrove.service\n5:cpu,memory:/a\n3:cpuset:/b\nnonsense\n");
        let named: Vec<_> = files[2..].iter().map(|file| file.to_str().unwrap()).collect();
        assert_eq!(
            named,
            [
                "/sys/fs/cgroup/system.slice/mangrove.service/memory.max",
                "/sys/fs/cgroup/system.slice/memory.max",
                "/sys/fs/cgroup/memory/a/memory.limit_in_bytes",
            ]
        );
    }

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
