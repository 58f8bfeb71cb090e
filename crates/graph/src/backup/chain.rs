//! All files of a backup together: what they hold.

use std::collections::BTreeMap;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_128;

use super::file::{BackupReader, Entry, Place};
use super::{failed, file_at};
use crate::Result;

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
    /// Reads the files in `directory`, up to the one numbered `until` if that is given.
    pub(super) fn read(directory: &Path, until: Option<u32>) -> Result<Self> {
        let mut chain = Self { seals: vec![0], ..Self::default() };
        let there = |number| file_at(directory, number).exists();
        while until.is_none_or(|until| chain.last < until) && there(chain.last + 1) {
            chain.read_next(directory)?;
        }
        if until.is_some_and(|until| chain.last < until) {
            return Err(failed(&file_at(directory, chain.last + 1), "it is not there"));
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
