//! The lock that keeps a second process out of a store's directory.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
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
        create(directory).map_err(failed)?;
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

/// Creates a directory, and those above it that are missing, so that a power cut does not take the name of what is in it.
fn create(directory: &Path) -> io::Result<()> {
    if directory.is_dir() {
        return Ok(());
    }
    let above = directory.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    create(above)?;
    match fs::create_dir(directory) {
        // Somebody else was faster, and may not have synced it.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && directory.is_dir() => {}
        outcome => outcome?,
    }
    File::open(above)?.sync_all()
}

fn sign(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    writeln!(file, "{}", std::process::id())
}

fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.take(16).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_created_with_all_above_it_and_a_file_in_its_place_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        let deep = root.path().join("a/b/c");
        drop(DirectoryLock::acquire(&deep).unwrap());
        assert!(deep.join(LOCK_FILE).is_file());
        fs::write(root.path().join("file"), "").unwrap();
        for taken in ["file", "file/below"] {
            let refused = DirectoryLock::acquire(&root.path().join(taken)).err().unwrap();
            assert!(matches!(refused, StoreError::Io { .. }), "{refused}");
        }
    }
}
