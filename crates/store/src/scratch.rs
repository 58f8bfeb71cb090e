//! Room on disk for what need not outlive the process.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::embedded::{check_room, input_output};

/// How much is appended between two looks at the room that is left, in bytes.
const BYTES_PER_LOOK_FOR_ROOM: usize = 8 << 20;
/// What file systems give out room in, on most devices.
#[cfg(target_os = "linux")]
const PAGE_BYTES: u64 = 4 << 10;

/// A file without a name beside a store's data: nobody else sees it, and the operating system frees it when it is dropped
/// or the process ends, however it ends. Appended to by one thread, read at any place by any; what is taken from it gives
/// back its room at once.
#[derive(Debug)]
pub struct Scratch {
    file: File,
    directory: PathBuf,
    /// Bytes of the device to leave free.
    reserve: u64,
    length: u64,
    unchecked: usize,
}

impl Scratch {
    /// An empty one on the device of `directory`, of which it leaves `reserve` bytes free.
    pub(crate) fn create(directory: &Path, reserve: u64) -> Result<Self, StoreError> {
        let file = tempfile::tempfile_in(directory).map_err(|error| input_output(directory, error))?;
        let directory = directory.to_owned();
        Ok(Self { file, directory, reserve, length: 0, unchecked: BYTES_PER_LOOK_FOR_ROOM })
    }

    /// Appends `bytes`.
    ///
    /// # Errors
    /// [`StoreError::DiskFull`] if the device has no room for them; [`StoreError::Io`].
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.unchecked += bytes.len();
        if self.unchecked >= BYTES_PER_LOOK_FOR_ROOM {
            check_room(&self.directory, bytes.len(), self.reserve)?;
            self.unchecked = 0;
        }
        self.file.write_all(bytes).map_err(|error| input_output(&self.directory, error))?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// The `count` bytes from `start` on, which were appended before.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if they were not; [`StoreError::Io`].
    pub fn read(&self, start: u64, count: usize) -> Result<Vec<u8>, StoreError> {
        let mut bytes = vec![0; count];
        self.file.read_exact_at(&mut bytes, start).map_err(|error| input_output(&self.directory, error))?;
        Ok(bytes)
    }

    /// As [`Self::read`], for the last time: the bytes are gone then, and their room is free again, on the device and in
    /// memory. What the operating system has not written to the device yet never is.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn take(&self, start: u64, count: usize) -> Result<Vec<u8>, StoreError> {
        let bytes = self.read(start, count)?;
        self.free(start, count as u64);
        Ok(bytes)
    }

    /// Punches a hole. Only whole pages have room to give back.
    #[cfg(target_os = "linux")]
    fn free(&self, start: u64, count: u64) {
        use rustix::fs::{FallocateFlags, fallocate};
        let (first, end) = (start.next_multiple_of(PAGE_BYTES), (start + count) / PAGE_BYTES * PAGE_BYTES);
        if first < end {
            // A file system that cannot do it keeps the room until the file is dropped.
            let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
            let _ = fallocate(&self.file, hole, first, end - first);
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn free(&self, _start: u64, _count: u64) {}

    /// Bytes appended so far, taken ones included.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Whether nothing was appended yet.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_appended_is_read_at_any_place_and_no_file_is_seen() {
        let directory = tempfile::tempdir().unwrap();
        let mut scratch = Scratch::create(directory.path(), 0).unwrap();
        assert!(scratch.is_empty());
        scratch.append(b"mangrove").unwrap();
        scratch.append(b" and mud").unwrap();
        assert_eq!(scratch.read(3, 9).unwrap(), b"grove and");
        assert_eq!(scratch.len(), 16);
        assert!(matches!(scratch.read(10, 7), Err(StoreError::Corrupt { .. })));
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_taken_gives_back_its_room_and_leaves_its_neighbours() {
        use std::os::unix::fs::MetadataExt;
        let directory = tempfile::tempdir().unwrap();
        let mut scratch = Scratch::create(directory.path(), 0).unwrap();
        let bytes: Vec<u8> = (0..1 << 20).map(|i: u32| (i % 251) as u8).collect();
        scratch.append(&bytes).unwrap();
        let blocks = |scratch: &Scratch| scratch.file.metadata().unwrap().blocks();
        let before = blocks(&scratch);
        let (start, count) = (4_095, 1_000_001);
        assert_eq!(scratch.take(start as u64, count).unwrap(), bytes[start..start + count]);
        assert!(blocks(&scratch) * 10 < before, "{} of {before} blocks are left", blocks(&scratch));
        assert_eq!(scratch.read(0, start).unwrap(), bytes[..start]);
        let end = start + count;
        assert_eq!(scratch.read(end as u64, bytes.len() - end).unwrap(), bytes[end..]);
        assert_eq!(scratch.len(), bytes.len() as u64);
    }

    #[test]
    fn a_device_without_room_is_a_full_disk() {
        let directory = tempfile::tempdir().unwrap();
        let mut scratch = Scratch::create(directory.path(), u64::MAX).unwrap();
        assert!(matches!(scratch.append(b"mud"), Err(StoreError::DiskFull { .. })));
    }
}
