//! Room on the device, looked at before every write.

use std::path::Path;

use rustix::fs::statvfs;

use super::failure::input_output;
use crate::StoreError;

/// Makes sure that a write leaves `reserve` bytes free on the device of `directory`.
///
/// The engine cannot take a write back that the device had no room for: its log ends in the middle of a batch then, and
/// it has to be opened again. So a write is refused before it begins. The reserve is for what the engine writes on its
/// own, when it moves data from the log into tables and merges those.
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
