//! Looks at a directory before the engine opens it: damage that the engine would pass over must be an error.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_128;

use super::bytes_at::{u64_at, u128_at};
use super::durable_mark::DurableMark;
use super::failure::{corrupt, input_output};
use super::log_group::LogGroup;
use super::seal::Seal;
use super::table_audit::audit_tables;
use crate::StoreError;

/// Reads the log and the tree manifests in `directory`, and returns the number of the last group in the log (0 when
/// it holds none). The torn end that a crash leaves is cut off.
///
/// # Errors
/// [`StoreError::Corrupt`] when writes that had been synced, or that no crash tore, do not read, or a manifest is not the one
/// that was written.
pub(super) fn audit(directory: &Path, mark: DurableMark) -> Result<u64, StoreError> {
    for tree in trees(directory)? {
        if let Some(manifest) = read_manifest(directory, &tree)? {
            audit_tables(directory, &tree, &manifest)?;
        }
    }
    audit_log(directory, mark, true)
}

/// Reads the log in `directory`, and returns the number of the last group in it. A torn end is cut off if `repairs`
/// says so, and what is there is synced.
pub(super) fn audit_log(directory: &Path, mark: DurableMark, repairs: bool) -> Result<u64, StoreError> {
    let DurableMark { nonce, floor } = mark;
    let mut log = LogAudit { directory, nonce, floor, repairs, next: None, sequence: None };
    let files = log_files(directory)?;
    for (position, file) in files.iter().enumerate() {
        log.check(file, position + 1 == files.len())?;
    }
    Ok(log.next.map_or(0, |next| next - 1))
}

struct LogAudit<'a> {
    directory: &'a Path,
    nonce: u64,
    /// All groups up to this one were durable when the store was closed.
    floor: u64,
    repairs: bool,
    /// The number that the next group must have; none before the first.
    next: Option<u64>,
    /// The engine's sequence number of the last group; none before the first.
    sequence: Option<u64>,
}

impl LogAudit<'_> {
    fn check(&mut self, file: &Path, newest: bool) -> Result<(), StoreError> {
        let log = fs::read(file).map_err(|error| input_output(self.directory, error))?;
        let mut at = 0;
        while let Some(group) = LogGroup::read(&log, at, self.nonce) {
            if !self.follows(&group) {
                break;
            }
            self.next = Some(group.seal.number + 1);
            self.sequence = Some(group.sequence);
            at = group.end;
        }
        let rest = without_reserve(&log[at..]);
        if rest.is_empty() {
            return self.sync(file);
        }
        if !newest || self.was_synced(rest) || LogGroup::were_written_whole(&log, at) {
            let detail = format!("the log file {} does not read from byte {at} on", file.display());
            return Err(corrupt(self.directory, detail));
        }
        self.cut(file, at as u64)
    }

    /// What the last process wrote and had no time to sync is shown from now on, so it must be durable from now on: a
    /// log file that is not written any more is never synced again.
    fn sync(&self, file: &Path) -> Result<(), StoreError> {
        if !self.repairs {
            return Ok(());
        }
        let synced = File::open(file).and_then(|file| file.sync_all());
        synced.map_err(|error| input_output(self.directory, error))
    }

    fn follows(&self, group: &LogGroup) -> bool {
        Some(group.sequence) > self.sequence && self.next.is_none_or(|next| group.seal.number == next)
    }

    /// Whether the group which does not read had been synced: a later one says so, or the store was closed after it.
    fn was_synced(&self, rest: &[u8]) -> bool {
        let mut missing = self.next;
        let number = missing.or_else(|| Some(Seal::find_all(rest, self.nonce).next()?.number));
        if number.is_some_and(|number| number <= self.floor) {
            return true;
        }
        Seal::find_all(rest, self.nonce).any(|seal| seal.synced >= *missing.get_or_insert(seal.number))
    }

    /// Cuts off a torn end: groups that nobody was told of.
    fn cut(&self, file: &Path, at: u64) -> Result<(), StoreError> {
        if !self.repairs {
            return Ok(());
        }
        let cut = || {
            let file = OpenOptions::new().write(true).open(file)?;
            file.set_len(at)?;
            file.sync_all()
        };
        cut().map_err(|error| input_output(self.directory, error))
    }
}

/// What was written, without the zeros of the space that is reserved after it (all but the last page of them).
fn without_reserve(mut rest: &[u8]) -> &[u8] {
    const PAGE: usize = 4_096;
    const ZEROS: [u8; PAGE] = [0; PAGE];
    while let Some((before, page)) = rest.split_at_checked(rest.len().saturating_sub(PAGE))
        && !page.is_empty()
        && *page == ZEROS[..page.len()]
    {
        rest = before;
    }
    rest
}

/// The files of the log, oldest first.
fn log_files(directory: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let mut files: Vec<(u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(directory).map_err(|error| input_output(directory, error))? {
        let path = entry.map_err(|error| input_output(directory, error))?.path();
        if path.extension().is_some_and(|extension| extension == "jnl") {
            let number = path.file_stem().and_then(|stem| stem.to_str()?.parse().ok());
            let number =
                number.ok_or_else(|| corrupt(directory, format!("a log file {}", path.display())))?;
            files.push((number, path));
        }
    }
    files.sort_unstable();
    Ok(files.into_iter().map(|(_, path)| path).collect())
}

/// The kind of checksum that the engine uses.
const XXH3: u8 = 0;

/// The directories of the trees.
pub(super) fn trees(directory: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let failed = |error| input_output(directory, error);
    let trees = directory.join("keyspaces");
    if !trees.try_exists().map_err(failed)? {
        return Ok(Vec::new());
    }
    let trees = fs::read_dir(trees).map_err(failed)?.map(|tree| Ok(tree.map_err(failed)?.path()));
    let mut trees = trees.collect::<Result<Vec<_>, _>>()?;
    trees.sort_unstable();
    Ok(trees)
}

/// The manifest of a tree, if it was ever finished, once it has been compared with the checksum that the tree keeps of
/// it, which the engine does not.
///
/// ```text
///   keyspaces/3/current   version 8 │ checksum of the file v<version> 16 │ kind 1
/// ```
pub(super) fn read_manifest(directory: &Path, tree: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    let failed = |error| input_output(directory, error);
    let current = tree.join("current");
    // A tree without one was never finished; the engine removes it.
    if !current.try_exists().map_err(failed)? {
        return Ok(None);
    }
    let current = fs::read(current).map_err(failed)?;
    let fields = u64_at(&current, 0).zip(u128_at(&current, 8)).filter(|_| current[24..] == [XXH3]);
    let Some((version, checksum)) = fields else {
        return Err(corrupt(directory, format!("{} names no manifest", tree.display())));
    };
    let manifest = fs::read(tree.join(format!("v{version}"))).map_err(failed)?;
    if xxh3_128(&manifest) != checksum {
        return Err(corrupt(directory, format!("the manifest of {} is not the one written", tree.display())));
    }
    Ok(Some(manifest))
}
