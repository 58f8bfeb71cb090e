//! Compression of an answer while it is sent.

use std::io::Write;

use flate2::{Compression, write::ZlibEncoder};

use crate::aside::{Work, aside};

/// What HTTP calls `deflate`: zlib's format, of which each piece can be read before the next one is there.
pub(super) struct Deflate(ZlibEncoder<Vec<u8>>);

impl Deflate {
    /// Nothing written yet. Fast rather than tight: who asks may well be on the same machine.
    pub(super) fn new() -> Self {
        Self(ZlibEncoder::new(Vec::new(), Compression::fast()))
    }

    /// The next piece, compressed.
    pub(super) fn piece(&mut self, bytes: Vec<u8>, is_last: bool) -> Vec<u8> {
        aside(Work::Results(bytes.len() as u64), None, || {
            let written = self.0.write_all(&bytes);
            let written = written.and_then(|()| if is_last { self.0.try_finish() } else { self.0.flush() });
            written.expect("a vector takes what is written to it");
            std::mem::take(self.0.get_mut())
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn each_piece_can_be_read_before_the_next_one_is_there() {
        let mut deflate = Deflate::new();
        let mut sent = deflate.piece(vec![b'a'; 10_000], false);
        assert!(sent.len() < 1_000);
        let mut read = vec![0; 10_000];
        flate2::read::ZlibDecoder::new(&sent[..]).read_exact(&mut read).unwrap();
        assert_eq!(read, [b'a'; 10_000]);
        sent.extend(deflate.piece(b"bc".to_vec(), true));
        let mut all = Vec::new();
        flate2::read::ZlibDecoder::new(&sent[..]).read_to_end(&mut all).unwrap();
        assert_eq!((all.len(), &all[10_000..]), (10_002, &b"bc"[..]));
    }
}
