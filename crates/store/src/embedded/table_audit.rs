//! Looks at the end of every table file before the engine opens it: the engine makes room for as many entries as the
//! table of contents says it has before it looks whether that is what was written.
//!
//! ```text
//! sections … │ table of contents │ "SFA!" │ 1 │ 0 │ checksum 16 │ start 8 │ length 8 │
//!              ▲ start             ▲ the last 38 bytes
//! ```

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_128;

use super::bytes_at::{u64_at, u128_at};
use super::failure::{corrupt, input_output};
use crate::StoreError;

/// Bytes of the trailer.
const TRAILER: u64 = 38;
const MAGIC: &[u8] = b"SFA!";

/// Largest table of contents that is believed: an entry per section of a table, a dozen of them, takes some 30 bytes.
const MOST_CONTENTS: u64 = 64 * 1024;

/// Checks the tables of a tree whose manifest is that one.
///
/// # Errors
/// [`StoreError::Corrupt`] when a table of contents is not the one that was written.
pub(super) fn audit_tables(directory: &Path, tree: &Path, manifest: &[u8]) -> Result<(), StoreError> {
    let failed = |error| input_output(directory, error);
    let tables = tree.join("tables");
    if !tables.try_exists().map_err(failed)? {
        return Ok(());
    }
    for table in fs::read_dir(tables).map_err(failed)? {
        let table = table.map_err(failed)?.path();
        // One that the manifest does not name is left over from a crash, perhaps torn; the engine removes it.
        if is_named(manifest, &table)
            && !File::open(&table).and_then(|mut file| contents_are_whole(&mut file)).map_err(failed)?
        {
            let detail = format!("the table of contents of {} is not the one written", table.display());
            return Err(corrupt(directory, detail));
        }
    }
    Ok(())
}

/// Whether a manifest names a table. It holds, for each, the number and then the kind of its checksum, which is 0; those
/// nine bytes might stand there by accident, but then for a table that a crash tore exactly here.
fn is_named(manifest: &[u8], table: &Path) -> bool {
    let number = table.file_name().and_then(|name| name.to_str()?.parse::<u64>().ok());
    number.is_some_and(|number| {
        let [a, b, c, d, e, f, g, h] = number.to_le_bytes();
        manifest.windows(9).any(|bytes| bytes == [a, b, c, d, e, f, g, h, 0])
    })
}

fn contents_are_whole(file: &mut File) -> std::io::Result<bool> {
    let length = file.metadata()?.len();
    let Some(end) = length.checked_sub(TRAILER) else { return Ok(false) };
    let mut trailer = [0; TRAILER as usize];
    file.seek(SeekFrom::Start(end))?;
    file.read_exact(&mut trailer)?;
    let fields = u128_at(&trailer, 6).zip(u64_at(&trailer, 22));
    let Some((checksum, start)) = fields.filter(|_| trailer.starts_with(MAGIC)) else { return Ok(false) };
    let Some(size) = end.checked_sub(start).filter(|size| *size <= MOST_CONTENTS) else { return Ok(false) };
    let mut contents = vec![0; size as usize];
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut contents)?;
    Ok(xxh3_128(&contents) == checksum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn check(bytes: &[u8]) -> bool {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        contents_are_whole(&mut file).unwrap()
    }

    #[test]
    fn every_flipped_bit_behind_the_sections_is_found() {
        let contents = b"TOC!\x01\0\0\0some sections";
        let mut table = b"sections".to_vec();
        table.extend(contents);
        table.extend(b"SFA!\x01\0");
        table.extend(xxh3_128(contents).to_le_bytes());
        table.extend(8u64.to_le_bytes());
        table.extend((contents.len() as u64).to_le_bytes());
        assert!(check(&table));
        // Version and kind of checksum are for the engine to look at; the length is looked at by nobody.
        let (version, unread) = (table.len() - 34..table.len() - 32, table.len() - 8..table.len());
        for at in (8..table.len()).filter(|at| !version.contains(at) && !unread.contains(at)) {
            for bit in 0..8 {
                table[at] ^= 1 << bit;
                assert!(!check(&table), "byte {at}, bit {bit}");
                table[at] ^= 1 << bit;
            }
        }
        assert!(!check(&table[..30]) && !check(b""));
    }
}
