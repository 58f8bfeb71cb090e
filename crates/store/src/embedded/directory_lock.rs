//! The lock that keeps a second process out of a store's directory.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::failure::input_output;
use crate::StoreError;

/// The file that is locked; it holds the number of the process that has the store open.
const LOCK_FILE: &str = "LOCK";

/// Holds the lock of a directory until it is dropped, or until the process ends in whatever way: the lock belongs to
/// the open file, so the operating system releases it even after a crash. The file itself stays.
pub(super) struct DirectoryLock(File);

impl DirectoryLock {
    /// Locks `directory`, creating it first when it does not exist.
    pub(super) fn acquire(directory: &Path) -> Result<Self, StoreError> {
        let failed = |error| input_output(directory, error);
        fs::create_dir_all(directory).map_err(failed)?;
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(directory.join(LOCK_FILE))
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Locked {
                    path: directory.to_owned(),
                    pid: holder(&mut file),
                    hint: "stop that process, or talk to it through its server instead",
                });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        sign(&mut file).map_err(failed)?;
        Ok(Self(file))
    }
}

impl Drop for DirectoryLock {
    fn drop(&mut self) {
        // Closing the file would unlock it as well; nobody is left to hear of a failure.
        let _ = self.0.unlock();
    }
}

fn sign(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    writeln!(file, "{}", std::process::id())
}

fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.take(16).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}
