//! All files of a backup together: what they hold.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_128;

use super::file::{BackupReader, Entry, Place};
use super::{failed, file_at, number_of};
use crate::error::Result;

/// The newest version of every pair.
#[derive(Default)]
pub(super) struct Chain {
    /// The number of the last file; 0 if there is none.
    pub(super) last: u32,
    /// By number, from 0 on: what the next file must name as the one before.
    pub(super) seals: Vec<u64>,
    /// The names of the keyspaces, by number.
    pub(super) names: Vec<String>,
    /// By keyspace and key.
    pub(super) held: BTreeMap<(u8, Vec<u8>), Held>,
}

/// Where a pair is.
pub(super) struct Held {
    pub(super) file: u32,
    pub(super) place: Place,
    /// XXH3-128 of its value.
    pub(super) digest: u128,
}

impl Chain {
    /// Reads the files in `directory`, up to the one numbered `until` if that is given. None may be missing in between: who
    /// took what is there for all would restore an old state, or write over the numbers of newer ones.
    pub(super) fn read(directory: &Path, until: Option<u32>) -> Result<Self> {
        let mut chain = Self { seals: vec![0], ..Self::default() };
        let last = until.unwrap_or(last_number(directory)?);
        while chain.last < last {
            let next = file_at(directory, chain.last + 1);
            if !next.try_exists().map_err(|error| failed(&next, error))? {
                return Err(failed(&next, format!("it is not there, and backup {last} goes on from it")));
            }
            chain.read_next(directory)?;
        }
        Ok(chain)
    }

    fn read_next(&mut self, directory: &Path) -> Result<()> {
        let number = self.last + 1;
        let path = file_at(directory, number);
        let mut reader = BackupReader::open(&path, number, self.seals[self.last as usize])?;
        while let Some(entry) = reader.next()? {
            match entry {
                Entry::Keyspace(name) => self.names.push(name),
                Entry::Pair { keyspace, key, value, place } => {
                    if usize::from(keyspace) >= self.names.len() {
                        return Err(failed(&path, "an entry is of a keyspace that has no name"));
                    }
                    let held = Held { file: number, place, digest: xxh3_128(&value) };
                    self.held.insert((keyspace, key), held);
                }
                Entry::Removed { keyspace, key } => {
                    self.held.remove(&(keyspace, key));
                }
            }
        }
        self.last = number;
        self.seals.push(reader.seal());
        Ok(())
    }
}

/// The number of the newest file in `directory`; 0 if there is none.
fn last_number(directory: &Path) -> Result<u32> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(0),
        entries => entries.map_err(|error| failed(directory, error))?,
    };
    let mut last = 0;
    for entry in entries {
        let name = entry.map_err(|error| failed(directory, error))?.file_name();
        last = last.max(name.to_str().and_then(number_of).unwrap_or(0));
    }
    Ok(last)
}
