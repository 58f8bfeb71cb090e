//! Files that are packed: gzip and zstd, told by how they begin.

use std::fs::File;
use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

/// Bytes that are read at once.
const BUFFER: usize = 256 << 10;

const GZIP: &[u8] = b"\x1f\x8b";
const ZSTD: [u8; 4] = *b"\x28\xb5\x2f\xfd";

/// Whether a file that begins so is a packed one.
pub(super) fn is_packed(start: &[u8]) -> bool {
    start.starts_with(GZIP) || is_zstd(start)
}

fn is_zstd(start: &[u8]) -> bool {
    start.first_chunk().is_some_and(|magic| *magic == ZSTD || is_skippable(magic))
}

/// Whether a frame that begins so holds nothing for us (RFC 8878, section 3.1.2): `pzstd` puts one in front of each other frame.
fn is_skippable(magic: &[u8; 4]) -> bool {
    (0x184D_2A50..=0x184D_2A5F).contains(&u32::from_le_bytes(*magic))
}

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
    if is_zstd(start) {
        let packed = Source { file, magic: ZSTD, left: 0 };
        return Ok(Box::new(Frames { inside: None, packed: Some(packed) }));
    }
    Ok(Box::new(file))
}

/// A file of frames, of the next of which the first bytes have been looked at.
struct Source<R> {
    file: BufReader<R>,
    magic: [u8; 4],
    /// How many of these are still to be read.
    left: usize,
}

impl<R: Read> Source<R> {
    /// Goes to the next frame that holds something; whether there is one.
    fn next_frame(&mut self) -> Result<bool> {
        loop {
            if self.file.fill_buf()?.is_empty() {
                return Ok(false);
            }
            self.file.read_exact(&mut self.magic)?;
            if !is_skippable(&self.magic) {
                self.left = self.magic.len();
                return Ok(true);
            }
            let mut length = [0; 4];
            self.file.read_exact(&mut length)?;
            let length = u64::from(u32::from_le_bytes(length));
            if std::io::copy(&mut self.file.by_ref().take(length), &mut std::io::sink())? < length {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        if self.left == 0 {
            return self.file.read(into);
        }
        let count = self.left.min(into.len());
        let at = self.magic.len() - self.left;
        into[..count].copy_from_slice(&self.magic[at..at + count]);
        self.left -= count;
        Ok(count)
    }
}

/// The frames of a zstd file, one after the other: `zstd` and `pzstd` write as many as they like.
struct Frames<R: Read> {
    inside: Option<StreamingDecoder<Source<R>, FrameDecoder>>,
    packed: Option<Source<R>>,
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
                let Some((packed, decoder)) = self.inside.take().map(StreamingDecoder::into_parts) else {
                    return Ok(0);
                };
                check_sum(&decoder)?;
                self.packed = Some(packed);
            }
            let Some(mut packed) = self.packed.take() else { return Ok(0) };
            if !packed.next_frame()? {
                return Ok(0);
            }
            let begun = StreamingDecoder::new(packed);
            self.inside = Some(begun.map_err(|error| Error::other(format!("zstd: {error}")))?);
        }
    }
}

/// Refuses what a frame held if it is not what was packed, as far as the frame says (RFC 8878, section 3.1.1). The decoder leaves
/// that to whoever has read all of it.
fn check_sum(decoder: &FrameDecoder) -> Result<()> {
    let (Some(packed), Some(read)) = (decoder.get_checksum_from_data(), decoder.get_calculated_checksum())
    else {
        return Ok(());
    };
    if packed == read {
        return Ok(());
    }
    let problem = format!(
        "zstd: the file is damaged: what it holds has the checksum {read:08x}, and {packed:08x} was packed; get it again from where it \
         comes from"
    );
    Err(Error::new(ErrorKind::InvalidData, problem))
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
        let skipped = [&b"\x50\x2a\x4d\x18\x03\0\0\0abc"[..], b"\x5f\x2a\x4d\x18\0\0\0\0"];
        let [first, second] = skipped.map(<[u8]>::to_vec);
        let framed = [first.clone(), zstd("one, "), second, first, zstd("two")];
        assert_eq!(read(framed.concat()).unwrap(), "one, two", "as pzstd writes it");
    }

    #[test]
    fn what_was_packed_in_zstd_is_compared_with_its_checksum() {
        let whole = zstd("id:ID,name\n1,marko\n");
        // Short texts lie there as they are.
        let letter = whole.windows(5).position(|bytes| bytes == b"marko").unwrap();
        for place in [letter, whole.len() - 1] {
            let mut damaged = whole.clone();
            damaged[place] ^= 1;
            for packed in
                [damaged.clone(), [damaged.clone(), zstd("more")].concat(), [zstd(""), damaged].concat()]
            {
                let error = read(packed).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::InvalidData);
                assert!(error.to_string().contains("zstd: the file is damaged"), "{error}");
            }
        }
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
