//! Files that are packed: gzip and zstd, told by how they begin.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Result};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

/// Bytes that are read at once.
const BUFFER: usize = 256 << 10;

const GZIP: &[u8] = b"\x1f\x8b";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

/// What is inside of a file that may be packed.
///
/// # Errors
/// If it cannot be read, or begins as a packed one and is none.
pub fn unpacked(file: impl Read + Send + 'static) -> Result<Box<dyn Read + Send>> {
    let mut file = BufReader::with_capacity(BUFFER, file);
    let start = file.fill_buf()?;
    if start.starts_with(GZIP) {
        return Ok(Box::new(MultiGzDecoder::new(file)));
    }
    if start.starts_with(ZSTD) {
        return Ok(Box::new(Frames { inside: None, packed: Some(file) }));
    }
    Ok(Box::new(file))
}

/// The frames of a zstd file, one after the other: `zstd` and `pzstd` write as many as they like.
struct Frames<R: Read> {
    inside: Option<StreamingDecoder<BufReader<R>, ruzstd::decoding::FrameDecoder>>,
    packed: Option<BufReader<R>>,
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            if let Some(inside) = &mut self.inside {
                let count = inside.read(into)?;
                if count > 0 {
                    return Ok(count);
                }
                self.packed = self.inside.take().map(StreamingDecoder::into_inner);
            }
            let Some(mut packed) = self.packed.take() else { return Ok(0) };
            if packed.fill_buf()?.is_empty() {
                return Ok(0);
            }
            let begun = StreamingDecoder::new(packed);
            self.inside = Some(begun.map_err(|error| std::io::Error::other(format!("zstd: {error}")))?);
        }
    }
}

/// A file of which somebody asks meanwhile how much has been read.
pub(super) struct Counted {
    file: File,
    bytes: Arc<AtomicU64>,
}

impl Counted {
    /// Opens a file; how many of its bytes have been read, as they lie there.
    pub(super) fn open(path: &Path) -> Result<(Self, Arc<AtomicU64>)> {
        let bytes = Arc::<AtomicU64>::default();
        Ok((Self { file: File::open(path)?, bytes: bytes.clone() }, bytes))
    }
}

impl Read for Counted {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        let count = self.file.read(into)?;
        self.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(packed: Vec<u8>) -> Result<String> {
        let mut text = String::new();
        unpacked(std::io::Cursor::new(packed))?.read_to_string(&mut text)?;
        Ok(text)
    }

    fn gzip(text: &str) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(text.as_bytes()).unwrap();
        packed.finish().unwrap()
    }

    fn zstd(text: &str) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest)
    }

    #[test]
    fn what_is_packed_is_told_by_how_it_begins() {
        let long = "a long text, ".repeat(100_000);
        for text in ["", "x", &long] {
            assert_eq!(read(text.into()).unwrap(), text);
            assert_eq!(read(gzip(text)).unwrap(), text);
            assert_eq!(read(zstd(text)).unwrap(), text);
        }
    }

    #[test]
    fn several_parts_behind_one_another_are_one_text() {
        assert_eq!(read([gzip("one, "), gzip("two")].concat()).unwrap(), "one, two");
        assert_eq!(read([zstd("one, "), zstd("two")].concat()).unwrap(), "one, two");
    }

    #[test]
    fn what_is_cut_off_or_damaged_is_an_error() {
        for whole in [gzip("a text"), zstd("a text")] {
            for end in 4..whole.len() {
                assert!(read(whole[..end].to_vec()).is_err(), "{end} of {}", whole.len());
            }
            assert!(read([&whole[..], b"x"].concat()).is_err(), "something behind it");
        }
    }
}
