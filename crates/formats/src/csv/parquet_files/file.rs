//! A Parquet file, of which the footer has been read and looked at.
//!
//! ```text
//! PAR1 | row group: column chunk (pages …), column chunk … | row group … | footer | its length | PAR1
//! ```

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader};

use super::codec::Codec;
use super::guarded;
use super::schema::Field;
use super::thrift::{Compact, Wrong};
use crate::error::{ImportError, quoted};
use crate::foreign::is_parquet;

const MAGIC: [u8; 4] = *b"PAR1";
const ENCRYPTED: [u8; 4] = *b"PARE";
/// What is behind the footer: its length, and the magic bytes once more.
const TAIL: u64 = 8;
/// Most bytes of a footer.
const LONGEST_FOOTER: u64 = 64 << 20;
/// Most columns, leaves and inner ones together: each takes some memory.
const MOST_COLUMNS: usize = 1 << 14;
/// Most columns inside of one another.
const DEEPEST: usize = 64;

/// See the module.
pub(super) struct ParquetFile {
    pub(super) path: PathBuf,
    file: File,
    length: u64,
    /// Where the footer begins.
    data_end: u64,
    pub(super) metadata: ParquetMetaData,
    /// Bytes that were read.
    read: AtomicU64,
}

impl ParquetFile {
    /// Opens a file.
    pub(super) fn open(path: &Path) -> Result<Self, ImportError> {
        if !is_parquet(path)? {
            return Err(ImportError::layout(path, "a Parquet file expected, which begins with `PAR1`"));
        }
        let failed = |e| ImportError::io(path, e);
        let wrong = |problem: String| ImportError::layout(path, problem);
        let mut file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let footer = footer_of(&mut file, length).map_err(failed)?.map_err(wrong)?;
        look_at(&footer).map_err(|problem| wrong(format!("its footer is damaged: {problem}")))?;
        let data_end = length - TAIL - footer.len() as u64;
        let metadata = guarded(|| ParquetMetaDataReader::decode_metadata(&footer))
            .map_err(|problem| wrong(format!("its footer is damaged: {problem}")))?;
        let read = AtomicU64::new(length - data_end);
        Ok(Self { path: path.to_owned(), file, length, data_end, metadata, read })
    }

    /// Its columns.
    pub(super) fn fields(&self) -> Vec<Field> {
        Field::all_of(self.metadata.file_metadata().schema_descr())
    }

    /// Bytes that were read so far, each part once.
    pub(super) fn bytes(&self) -> u64 {
        self.read.load(Ordering::Relaxed).min(self.length)
    }

    /// Where the pages of a column chunk lie, and how they are packed.
    pub(super) fn chunk(&self, chunk: &ColumnChunkMetaData) -> Result<(Range<u64>, Codec), String> {
        if let Some(other) = chunk.file_path().filter(|path| !path.is_empty()) {
            return Err(format!("it is in another file, {}, which is not supported", quoted(other)));
        }
        let codec = Codec::of(chunk.compression()).map_err(|codec| {
            format!("it is packed with {codec}; packed with snappy, gzip or zstd, or not packed, expected")
        })?;
        // Some writers say that there is a dictionary at 0, where none can be.
        let dictionary = chunk.dictionary_page_offset().filter(|at| *at > 0);
        let start = dictionary.map_or(chunk.data_page_offset(), |at| at.min(chunk.data_page_offset()));
        let start = u64::try_from(start).ok().filter(|start| *start >= MAGIC.len() as u64);
        let length = u64::try_from(chunk.compressed_size()).ok();
        let end = start.zip(length).and_then(|(start, length)| start.checked_add(length));
        match start.zip(end.filter(|end| *end <= self.data_end)) {
            Some((start, end)) => Ok((start..end, codec)),
            None => Err("it lies where nothing can be in a file of this length".into()),
        }
    }

    /// Bytes of the file, or as many of them as there are up to the end of the range.
    pub(super) fn read(&self, range: Range<u64>) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut file = &self.file;
        file.seek(SeekFrom::Start(range.start))?;
        file.take(range.end.saturating_sub(range.start)).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Notes that so many more bytes are done with.
    pub(super) fn advance(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// The footer, or what is wrong with where it is.
fn footer_of(file: &mut File, length: u64) -> std::io::Result<Result<Vec<u8>, String>> {
    let cut = || {
        Ok(Err("it begins as Parquet and does not end so (`PAR1`), so it has been cut off or is not \
                written to its end yet; Parquet says at the end of a file what is in it"
            .into()))
    };
    if length < MAGIC.len() as u64 + TAIL {
        return cut();
    }
    let mut tail = [0; TAIL as usize];
    file.seek(SeekFrom::Start(length - TAIL))?;
    file.read_exact(&mut tail)?;
    let [a, b, c, d, magic @ ..] = tail;
    if magic == ENCRYPTED {
        return Ok(Err("it is encrypted, which is not supported; write it without encryption".into()));
    }
    if magic != MAGIC {
        return cut();
    }
    let footer = u64::from(u32::from_le_bytes([a, b, c, d]));
    if footer > LONGEST_FOOTER || footer > length - TAIL - MAGIC.len() as u64 {
        return Ok(Err(format!(
            "its footer is said to have {footer} bytes, which a file of {length} cannot hold"
        )));
    }
    let mut bytes = vec![0; footer as usize];
    file.seek(SeekFrom::Start(length - TAIL - footer))?;
    file.read_exact(&mut bytes)?;
    Ok(Ok(bytes))
}

/// Looks at a footer before somebody makes room for what it declares.
fn look_at(footer: &[u8]) -> Result<(), &'static str> {
    let mut open = Vec::new();
    let mut wrong = None;
    let looked = Compact::new(footer).fields(|compact, id, kind| {
        if id != 2 {
            return Ok(false);
        }
        let count = compact.list(kind)?;
        if count > MOST_COLUMNS {
            wrong = Some("it has too many columns");
        }
        for _ in 0..count.min(MOST_COLUMNS) {
            let mut children = 0;
            compact.fields(|compact, id, _| {
                if id == 5 {
                    children = compact.number()?;
                }
                Ok(id == 5)
            })?;
            if let Some(left) = open.last_mut() {
                *left -= 1;
            }
            open.push(children);
            while open.last() == Some(&0) {
                open.pop();
            }
            if children < 0 || children > MOST_COLUMNS as i64 || open.len() > DEEPEST {
                wrong = Some("its columns lie in one another as they cannot");
            }
        }
        Ok(true)
    });
    match (looked, wrong) {
        (Err(Wrong::Ends), _) => Err("it ends in its midst"),
        (Err(Wrong::Other(problem)), _) | (Ok(()), Some(problem)) => Err(problem),
        (Ok(()), None) if !open.is_empty() => Err("it has fewer columns than it declares"),
        (Ok(()), None) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A footer with a schema whose elements have so many children.
    fn footer(children: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x29, 0xfc, children.len() as u8 | 0x80, (children.len() >> 7) as u8];
        children.iter().for_each(|&count| bytes.extend([0x55, 2 * count, 0]));
        bytes.push(0);
        bytes
    }

    #[test]
    fn columns_lie_in_one_another_as_far_as_is_declared() {
        assert_eq!(look_at(&footer(&[2, 0, 1, 0])), Ok(()));
        assert_eq!(look_at(&footer(&[1, 1, 1, 0])), Ok(()));
        assert!(look_at(&footer(&[2, 0])).is_err_and(|problem| problem.contains("fewer columns")));
        assert!(look_at(&footer(&[1; 1_000])).is_err_and(|problem| problem.contains("in one another")));
        assert!(look_at(&[0x29, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x7f]).is_err());
    }
}
