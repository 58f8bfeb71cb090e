//! Pages as they are packed: unpacked into no more bytes than they declare.

use std::io::Read;

use flate2::bufread::MultiGzDecoder;
use parquet::basic::Compression;

/// How the pages of a column are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Codec {
    Plain,
    Snappy,
    Gzip,
    Zstd,
}

impl Codec {
    /// The codec that a file names; else what it is called.
    pub(super) fn of(compression: Compression) -> Result<Self, String> {
        match compression {
            Compression::UNCOMPRESSED => Ok(Self::Plain),
            Compression::SNAPPY => Ok(Self::Snappy),
            Compression::GZIP(_) => Ok(Self::Gzip),
            Compression::ZSTD(_) => Ok(Self::Zstd),
            // Behind the name some say how much.
            other => Err(other.to_string().split('(').next().unwrap_or_default().to_owned()),
        }
    }

    /// Unpacks bytes, of which there have to be so many then.
    pub(super) fn unpack(self, packed: Vec<u8>, length: usize) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        match self {
            Self::Plain => bytes = packed,
            Self::Snappy => {
                // Each element of snappy is three bytes, and stands for 64 at the most.
                if length / 64 > packed.len() {
                    return Err("it declares more bytes than it can hold".into());
                }
                bytes.resize(length, 0);
                let count = snap::raw::Decoder::new().decompress(&packed, &mut bytes);
                bytes.truncate(count.map_err(|error| error.to_string())?);
            }
            Self::Gzip => {
                let most = length as u64 + 1;
                let read = MultiGzDecoder::new(&packed[..]).take(most).read_to_end(&mut bytes);
                read.map_err(|error| error.to_string())?;
            }
            Self::Zstd => {
                let frames = zstd::stream::read::Decoder::with_buffer(&packed[..]);
                let read = frames.and_then(|frames| frames.take(length as u64 + 1).read_to_end(&mut bytes));
                read.map_err(|error| error.to_string())?;
            }
        }
        if bytes.len() == length {
            return Ok(bytes);
        }
        Err(format!(
            "{length} bytes expected in it, found {}",
            if bytes.len() > length { "more" } else { "fewer" }
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn what_is_packed_has_the_bytes_that_it_declares_and_no_more() {
        let text = b"a text, ".repeat(10_000);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&text).unwrap();
        for (codec, packed) in [
            (Codec::Plain, text.clone()),
            (Codec::Snappy, snap::raw::Encoder::new().compress_vec(&text).unwrap()),
            (Codec::Gzip, gzip.finish().unwrap()),
            (Codec::Zstd, zstd::bulk::compress(&text, 1).unwrap()),
        ] {
            assert!(codec.unpack(packed.clone(), text.len()).is_ok_and(|found| found == text), "{codec:?}");
            for length in [0, 1, text.len() - 1, text.len() + 1, 1 << 30] {
                assert!(codec.unpack(packed.clone(), length).is_err(), "{codec:?}: {length}");
            }
        }
    }
}
