//! Reads every byte of a store's files, and says which are not those that were written.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3Default;

use super::audit::{audit_log, read_manifest, trees};
use super::directory_lock::DirectoryLock;
use super::durable_mark::DurableMark;
use super::failure::{corrupt, input_output};
use super::table_audit::tables_of;
use crate::StoreError;

/// Bytes that are read at a time.
const CHUNK: usize = 1 << 20;

/// See [`FjallStore::check_files`](crate::FjallStore::check_files).
///
/// ```text
///   MANGROVE                  a checksum of its own
///   *.jnl                     a checksum and a number for every group, without gaps
///   keyspaces/N/current       names the manifest v… and its checksum
///   keyspaces/N/v…            names the tables and their checksums
///   keyspaces/N/tables/M      a whole file under one checksum
/// ```
pub(super) fn check_files(
    directory: &Path,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Vec<StoreError>, StoreError> {
    fs::metadata(directory).map_err(|error| input_output(directory, error))?;
    let _lock = DirectoryLock::acquire(directory)?;
    let mut found = Vec::new();
    match DurableMark::read(directory) {
        Ok(Some(mark)) => found.extend(audit_log(directory, mark, false).err()),
        Ok(None) => {
            found.push(corrupt(directory, "it has no file MANGROVE, so no store was made there".into()))
        }
        Err(error) => found.push(error),
    }
    let mut tables = Vec::new();
    for tree in trees(directory)? {
        match named_tables(directory, &tree) {
            Ok(named) => tables.extend(named),
            Err(error) => found.push(error),
        }
    }
    let bytes = |table: &Table| fs::metadata(&table.file).map_or(0, |file| file.len());
    let total = tables.iter().map(bytes).sum();
    let mut done = 0;
    for table in &tables {
        match checksum(&table.file, |bytes| {
            done += bytes as u64;
            progress(done, total);
        }) {
            Ok(checksum) if checksum == table.checksum => {}
            Ok(_) => {
                let detail = format!("the table {} is not the one written", table.file.display());
                found.push(corrupt(directory, detail));
            }
            Err(error) => found.push(input_output(&table.file, error)),
        }
    }
    Ok(found)
}

/// A table and the checksum that its file must have.
struct Table {
    file: PathBuf,
    checksum: u128,
}

fn named_tables(directory: &Path, tree: &Path) -> Result<Vec<Table>, StoreError> {
    let Some(manifest) = read_manifest(directory, tree)? else { return Ok(Vec::new()) };
    let named = tables_of(&manifest);
    let named = named
        .ok_or_else(|| corrupt(directory, format!("the manifest of {} does not read", tree.display())))?;
    let table = |(number, checksum)| Table { file: tree.join("tables").join(format!("{number}")), checksum };
    Ok(named.into_iter().map(table).collect())
}

/// The checksum of a whole file; `read` is told of every portion.
fn checksum(file: &Path, mut read: impl FnMut(usize)) -> std::io::Result<u128> {
    let (mut file, mut hasher) = (File::open(file)?, Xxh3Default::new());
    let mut chunk = vec![0; CHUNK];
    loop {
        match file.read(&mut chunk)? {
            0 => return Ok(hasher.digest128()),
            bytes => {
                hasher.update(&chunk[..bytes]);
                read(bytes);
            }
        }
    }
}
