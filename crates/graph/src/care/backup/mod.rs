//! Backups: what the store held at one moment, in files of their own, each after the first with what has changed.
//!
//! ```text
//! Graph::backup ── a snapshot of the store ─▶ compared with what the files before hold ─▶ backup-000003.mangrove
//! restore ─▶ the newest version of every pair in backup-000001 … 000003 ─▶ an empty store
//! ```
//!
//! A snapshot of the store is a state that a crash could have left: every commit that was acknowledged before, whole,
//! in sections or in the log. So commits and flushes go on while it is copied, and opening what was restored is
//! recovery like any other.

mod chain;
mod file;
mod restore;

pub use restore::restore;

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use store::{KeyRange, KeyspaceShape, ScanOrder, Store};
use xxhash_rust::xxh3::xxh3_128;

use self::chain::Chain;
use self::file::BackupWriter;
use crate::error::{GraphError, Result};

/// What a backup, or a restore, has done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BackupSummary {
    /// The number of the newest file: what to restore to come back to this moment.
    pub number: u32,
    /// Pairs of the store at that moment.
    pub pairs: u64,
    /// Of these, how many were written: all that are new or have changed.
    pub written: u64,
    /// Pairs that were there before and are no more.
    pub removed: u64,
    /// Bytes that were written.
    pub bytes: u64,
}

impl std::fmt::Display for BackupSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { number, pairs, written, removed, bytes } = self;
        let megabytes = *bytes as f64 / 1e6;
        write!(f, "backup {number}: {pairs} entries, {written} written, {removed} removed, {megabytes:.1} MB")
    }
}

/// How the values of a keyspace look.
fn shape_of(keyspace: &str) -> KeyspaceShape {
    if keyspace == "sections" { KeyspaceShape::Large } else { KeyspaceShape::Small }
}

/// Writes the graph in a store into a directory: see [`Graph::backup`](crate::Graph::backup).
pub(crate) fn backup(store: &Arc<dyn Store>, to: &Path) -> Result<BackupSummary> {
    fs::create_dir_all(to).map_err(|error| failed(to, error))?;
    let _lock = lock(to)?;
    let chain = Chain::read(to, None)?;
    let (number, mut names, mut before) = (chain.last + 1, chain.names, chain.held);
    let previous = chain.seals[chain.last as usize];
    let mut writer = BackupWriter::create(&file_at(to, number), number, previous, &**store)?;
    let snapshot = store.snapshot().map_err(Arc::new)?;
    let mut summary = BackupSummary { number, ..BackupSummary::default() };
    for name in store.keyspace_names() {
        let place = match names.iter().position(|known| *known == name) {
            Some(place) => place,
            None => {
                writer.keyspace(&name)?;
                names.push(name.clone());
                names.len() - 1
            }
        } as u8;
        let keyspace = store.keyspace(&name, shape_of(&name)).map_err(Arc::new)?;
        for pair in snapshot.scan(&keyspace, KeyRange::all(), ScanOrder::Ascending).map_err(Arc::new)? {
            let (key, value) = pair.map_err(Arc::new)?;
            summary.pairs += 1;
            let held = before.remove(&(place, key.to_vec()));
            if held.is_none_or(|held| held.digest != xxh3_128(&value)) {
                summary.written += 1;
                writer.pair(place, &key, &value)?;
            }
        }
    }
    for (place, key) in before.keys() {
        summary.removed += 1;
        writer.removed(*place, key)?;
    }
    if summary.written + summary.removed == 0 {
        summary.number = chain.last;
        return Ok(summary);
    }
    summary.bytes = writer.finish()?;
    Ok(summary)
}

/// The file of a backup.
fn file_at(directory: &Path, number: u32) -> PathBuf {
    directory.join(format!("backup-{number:06}.mangrove"))
}

/// The number of a backup whose file has this name.
fn number_of(name: &str) -> Option<u32> {
    name.strip_prefix("backup-")?.strip_suffix(".mangrove")?.parse().ok()
}

/// Keeps a second backup out of a directory until it is dropped, or until the process ends.
fn lock(directory: &Path) -> Result<File> {
    let path = directory.join("LOCK");
    let open = File::options().write(true).create(true).truncate(false).open(&path);
    let file = open.map_err(|error| failed(&path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(failed(directory, "another backup is being written into it")),
        Err(TryLockError::Error(error)) => Err(failed(&path, error)),
    }
}

fn failed(path: &Path, problem: impl std::fmt::Display) -> GraphError {
    GraphError::Backup { path: path.to_owned(), problem: problem.to_string() }
}
