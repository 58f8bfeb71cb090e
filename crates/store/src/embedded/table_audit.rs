//! Looks at the end of every table file before the engine opens it: the engine makes room for as many entries as the
//! table of contents says it has before it looks whether that is what was written.
//!
//! ```text
//! sections … │ table of contents │ "SFA!" │ 1 │ 0 │ checksum 16 │ start 8 │ length 8 │
//!              ▲ start             ▲ the last 38 bytes
//! ```

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_128;

use super::bytes_at::{u16_at, u32_at, u64_at, u128_at};
use super::failure::{corrupt, input_output};
use crate::StoreError;

/// Bytes of the trailer.
const TRAILER: u64 = 38;
const MAGIC: &[u8] = b"SFA!";

/// Largest table of contents that is believed: an entry per section of a table, a dozen of them, takes some 30 bytes.
const MOST_CONTENTS: u64 = 64 * 1024;

/// Checks the tables of a tree that its manifest names. Others are left over from a crash, perhaps torn, and the engine
/// removes them.
///
/// # Errors
/// [`StoreError::Corrupt`] when a table of contents is not the one that was written.
pub(super) fn audit_tables(directory: &Path, tree: &Path, manifest: &[u8]) -> Result<(), StoreError> {
    let Some(named) = tables_of(manifest) else {
        return Err(corrupt(directory, format!("the manifest of {} does not read", tree.display())));
    };
    for (number, _) in named {
        let table = tree.join("tables").join(number.to_string());
        let whole = File::open(&table).and_then(|mut file| contents_are_whole(&mut file));
        if !whole.map_err(|error| input_output(directory, error))? {
            let detail = format!("the table of contents of {} is not the one written", table.display());
            return Err(corrupt(directory, detail));
        }
    }
    Ok(())
}

/// The numbers of the tables that a manifest names, and the checksums of their files. Manifest and tables are archives
/// of the same form.
///
/// ```text
/// section "tables"   levels 1 │ of each: runs 1 │ of each: tables 4 │ of each: number 8 │ 0 │ checksum 16 │ sequence 8
/// ```
pub(super) fn tables_of(manifest: &[u8]) -> Option<Vec<(u64, u128)>> {
    let mut rest = Fields(section(manifest, b"tables")?);
    let mut numbers = Vec::new();
    for _ in 0..rest.u8()? {
        for _ in 0..rest.u8()? {
            for _ in 0..rest.u32()? {
                let (number, _) = (rest.u64()?, rest.u8()?);
                numbers.push((number, u128_at(rest.take(16)?, 0)?));
                rest.take(8)?;
            }
        }
    }
    Some(numbers)
}

/// A section of an archive.
///
/// ```text
/// table of contents   "TOC!" │ entries 4 │ of each: start 8 │ length 8 │ length of the name 2 │ name
/// ```
fn section<'a>(archive: &'a [u8], wanted: &[u8]) -> Option<&'a [u8]> {
    let end = archive.len().checked_sub(TRAILER as usize)?;
    let start = u64_at(&archive[end..], 22)? as usize;
    let mut contents = Fields(archive.get(start..end)?);
    contents.take(4)?;
    for _ in 0..contents.u32()? {
        let (start, length, name) = (contents.u64()?, contents.u64()?, contents.u16()?);
        if contents.take(name.into())? == wanted {
            return archive.get(start as usize..start.checked_add(length)? as usize);
        }
    }
    None
}

/// Little-endian fields, one after another.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(taken)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn u16(&mut self) -> Option<u16> {
        u16_at(self.take(2)?, 0)
    }

    fn u32(&mut self) -> Option<u32> {
        u32_at(self.take(4)?, 0)
    }

    fn u64(&mut self) -> Option<u64> {
        u64_at(self.take(8)?, 0)
    }
}

/// Whether a table ends in the table of contents that its trailer speaks of.
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
    fn a_manifest_names_its_tables() {
        let mut tables = vec![2, 0, 1];
        tables.extend(2u32.to_le_bytes());
        for number in [7u64, 300] {
            tables.extend(number.to_le_bytes());
            tables.push(0);
            tables.extend(u128::from(number + 1).to_le_bytes());
            tables.extend([0; 8]);
        }
        let mut manifest = b"xx".to_vec();
        manifest.extend(&tables);
        let start = manifest.len() as u64;
        manifest.extend(b"TOC!\x02\0\0\0");
        for (name, at, length) in [("other", 0u64, 2u64), ("tables", 2, tables.len() as u64)] {
            manifest.extend(at.to_le_bytes());
            manifest.extend(length.to_le_bytes());
            manifest.extend((name.len() as u16).to_le_bytes());
            manifest.extend(name.as_bytes());
        }
        manifest.extend(b"SFA!\x01\0");
        manifest.extend([0; 16]);
        manifest.extend(start.to_le_bytes());
        manifest.extend([0; 8]);
        assert_eq!(tables_of(&manifest), Some(vec![(7, 8), (300, 301)]));
        assert_eq!(tables_of(&manifest[1..]), None);
        assert_eq!(tables_of(b""), None);
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
