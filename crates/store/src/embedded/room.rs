//! Room on the device, looked at before every write.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustix::fs::{stat, statvfs};

use super::failure::input_output;
use crate::StoreError;

/// How long what the tables of a keyspace take is remembered.
const REMEMBERED: Duration = Duration::from_millis(100);

/// The most that one compaction is expected to write before it gives back what it has read.
const LARGEST_COMPACTION: u64 = 1 << 30;

/// What a compaction may need: as much as the keyspace with the largest tables has, up to a bound.
#[derive(Default)]
pub(super) struct Compactions {
    bytes: AtomicU64,
    looked: Mutex<Option<Instant>>,
}

impl Compactions {
    /// The bytes, given a look at what the tables of each keyspace take, which is not taken every time.
    pub(super) fn bytes(&self, tables: impl FnOnce() -> u64) -> u64 {
        if let Some(mut looked) = self.looked.try_lock()
            && looked.is_none_or(|looked| looked.elapsed() > REMEMBERED)
        {
            self.bytes.store(tables().min(LARGEST_COMPACTION), Ordering::Relaxed);
            *looked = Some(Instant::now());
        }
        self.bytes.load(Ordering::Relaxed)
    }
}

/// Makes sure that a write leaves `reserve` bytes free on the device of `directory`.
///
/// The engine cannot take a write back that the device had no room for: its log ends in the middle of a batch then, and
/// it has to be opened again. So a write is refused before it begins. The reserve is for what the engine writes on its
/// own, when it moves data from the log into tables and merges those: should that find no room, it ends for good.
///
/// # Errors
/// [`StoreError::DiskFull`]; nothing was written.
pub(crate) fn check(directory: &Path, bytes: usize, reserve: u64) -> Result<(), StoreError> {
    let device = statvfs(directory).map_err(|error| input_output(directory, error.into()))?;
    let free = device.f_bavail.saturating_mul(device.f_frsize);
    if free < reserve.saturating_add(bytes as u64) {
        return Err(StoreError::DiskFull { path: directory.to_owned() });
    }
    Ok(())
}

/// Whether two directories share the room of a device.
pub(crate) fn on_one_device(a: &Path, b: &Path) -> Result<bool, StoreError> {
    let device = |path: &Path| stat(path).map_err(|error| input_output(path, error.into()));
    Ok(device(a)?.st_dev == device(b)?.st_dev)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_must_leave_the_reserve_free() {
        let directory = tempfile::tempdir().unwrap();
        assert!(check(directory.path(), 1, 0).is_ok());
        let full = check(directory.path(), 1, u64::MAX).unwrap_err();
        assert!(matches!(full, StoreError::DiskFull { .. }) && full.to_string().contains("free some space"));
    }
}
