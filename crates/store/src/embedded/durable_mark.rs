//! What a directory is, and how much of its log must be there.

use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{ErrorKind, Write};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::bytes_at::{u64_at, u64_le};
use super::failure::{corrupt, input_output};
use crate::StoreError;

/// The first file of a store's directory, replaced as a whole whenever the store is closed, and when it is opened after a crash.
///
/// ```text
///   "mangrove" 8 │ format 8 │ nonce 8 │ floor 8 │ checksum 8
/// ```
///
/// After a crash, the last group of the log may be torn, and nobody can say whether it was there. But a store that was
/// closed has all its groups, as one that was recovered has those found, and here is the number of the last one: without it,
/// a log that ends too early would look like a crash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DurableMark {
    /// The directory's own random number, which marks its seals.
    pub(super) nonce: u64,
    /// All groups up to this number are durable.
    pub(super) floor: u64,
}

const FILE: &str = "MANGROVE";
const MAGIC: &[u8; 8] = b"mangrove";
const FORMAT: u64 = 1;
const BYTES: usize = 40;
/// What a directory may hold in which nothing is stored yet: what is left of the first moment of a store, and what a file system
/// has at the root of a volume.
const HARMLESS: [&str; 3] = ["LOCK", "MANGROVE.new", "lost+found"];
/// The engine's own marker; a directory that has it was in use before.
const ENGINE_FILE: &str = "version";

impl DurableMark {
    /// The mark of a directory; a new one when nothing is stored there yet.
    pub(super) fn open(directory: &Path) -> Result<Self, StoreError> {
        match fs::read(directory.join(FILE)) {
            Ok(bytes) => Self::decode(directory, &bytes),
            Err(error) if error.kind() == ErrorKind::NotFound => Self::create(directory),
            Err(error) => Err(input_output(directory, error)),
        }
    }

    /// Refuses a directory in which nothing is stored, but other things lie.
    pub(super) fn refuse_other_files(directory: &Path) -> Result<(), StoreError> {
        let failed = |error| input_output(directory, error);
        if !directory.is_dir() || [FILE, ENGINE_FILE].iter().any(|file| directory.join(file).exists()) {
            return Ok(());
        }
        for entry in fs::read_dir(directory).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let name = name.to_string_lossy();
            if !HARMLESS.contains(&&*name) {
                return Err(StoreError::Occupied { path: directory.to_owned(), entry: name.into_owned() });
            }
        }
        Ok(())
    }

    /// Whether a store is kept in the directory.
    pub(super) fn is_in(directory: &Path) -> bool {
        directory.join(FILE).is_file()
    }

    /// The mark of a directory that is in use; none when nothing is stored there.
    pub(super) fn read(directory: &Path) -> Result<Option<Self>, StoreError> {
        match fs::read(directory.join(FILE)) {
            Ok(bytes) => Self::decode(directory, &bytes).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(input_output(directory, error)),
        }
    }

    fn create(directory: &Path) -> Result<Self, StoreError> {
        if directory.join(ENGINE_FILE).try_exists().map_err(|error| input_output(directory, error))? {
            let detail = format!("it holds data, but no file {FILE}");
            return Err(StoreError::Format { path: directory.to_owned(), detail });
        }
        let mark = Self { nonce: RandomState::new().hash_one(std::process::id()), floor: 0 };
        mark.save(directory)?;
        Ok(mark)
    }

    /// Replaces the directory's mark; durable when it returns.
    pub(super) fn save(self, directory: &Path) -> Result<(), StoreError> {
        let replace = || {
            let fresh = directory.join(format!("{FILE}.new"));
            let mut file = File::create(&fresh)?;
            file.write_all(&self.encode())?;
            file.sync_all()?;
            fs::rename(fresh, directory.join(FILE))?;
            File::open(directory)?.sync_all()
        };
        replace().map_err(|error| input_output(directory, error))
    }

    fn encode(self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..8].copy_from_slice(MAGIC);
        for (slot, number) in bytes[8..].chunks_exact_mut(8).zip([FORMAT, self.nonce, self.floor]) {
            slot.copy_from_slice(&u64_le(number));
        }
        let checksum = xxh3_64(&bytes[..32]);
        bytes[32..].copy_from_slice(&u64_le(checksum));
        bytes
    }

    fn decode(directory: &Path, bytes: &[u8]) -> Result<Self, StoreError> {
        let sound = bytes.len() == BYTES && u64_at(bytes, 32) == Some(xxh3_64(&bytes[..32]));
        let fields = (u64_at(bytes, 8), u64_at(bytes, 16), u64_at(bytes, 24));
        match fields {
            (Some(FORMAT), Some(nonce), Some(floor)) if sound && bytes.starts_with(MAGIC) => {
                Ok(Self { nonce, floor })
            }
            (Some(format), ..) if sound && bytes.starts_with(MAGIC) => {
                let detail = format!("format {format}, this is format {FORMAT}");
                Err(StoreError::Format { path: directory.to_owned(), detail })
            }
            _ => Err(corrupt(directory, format!("the file {FILE} is not one that a store wrote"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_kept_and_damage_to_it_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let created = DurableMark::open(directory.path()).unwrap();
        let moved = DurableMark { floor: 17, ..created };
        moved.save(directory.path()).unwrap();
        assert_eq!(DurableMark::open(directory.path()).unwrap(), moved);
        let file = directory.path().join(FILE);
        let bytes = fs::read(&file).unwrap();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            fs::write(&file, damaged).unwrap();
            assert!(
                matches!(DurableMark::open(directory.path()), Err(StoreError::Corrupt { .. })),
                "byte {at}"
            );
        }
    }

    #[test]
    fn a_directory_of_another_program_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join(ENGINE_FILE), "FJL").unwrap();
        assert!(matches!(DurableMark::open(directory.path()), Err(StoreError::Format { .. })));
    }
}
