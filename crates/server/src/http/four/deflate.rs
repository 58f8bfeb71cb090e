//! Compression of an answer while it is sent.
//!
//! To compress a hundred megabytes takes seconds. So what is compressed goes into it part by part, and between two parts there is a look
//! at the deadline, and others have the core. What has gone in cannot be taken out again, and what comes later refers to it; so when a
//! piece is late, nothing more can be compressed. But what was told before ends with a whole byte, since each piece is flushed, and
//! deflate has blocks that are stored as they are:
//!
//! ```text
//! header │ piece, flushed │ … │ piece that is late: untold │ stored: how the answer ends │ last block │ sum of what was told
//! ```

use std::{io::Write, time::Instant};

use adler2::Adler32;
use flate2::{Compression, write::DeflateEncoder};
use values::give_way;

use crate::aside::{Work, aside};

/// Bytes of a part, which takes a millisecond or two.
const PART: usize = 64 << 10;

/// How zlib's format begins: deflate with a window of 32 KiB, made in haste.
const HEADER: [u8; 2] = [0x78, 0x01];

/// Most bytes of a stored block.
const STORED: usize = u16::MAX as usize;

/// A stored block that is empty, and the last one.
const LAST: [u8; 5] = [1, 0, 0, 0xff, 0xff];

/// What HTTP calls `deflate`: zlib's format, of which each piece can be read before the next one is there.
pub(super) struct Deflate {
    /// Without header and sum, for nobody else knows the sum of what was told.
    encoder: DeflateEncoder<Vec<u8>>,
    /// Of what was told.
    sum: Adler32,
    /// Whether anything was.
    begun: bool,
}

impl Deflate {
    /// Nothing written yet. Fast rather than tight: who asks may well be on the same machine.
    pub(super) fn new() -> Self {
        let encoder = DeflateEncoder::new(HEADER.to_vec(), Compression::fast());
        Self { encoder, sum: Adler32::new(), begun: false }
    }

    /// The next piece, compressed; `None` if the deadline came first. Then nothing can be told any more but the [end](Self::end_instead).
    pub(super) fn piece(
        &mut self,
        bytes: &[u8],
        is_last: bool,
        deadline: Option<Instant>,
    ) -> Option<Vec<u8>> {
        let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        aside(Work::Results(bytes.len() as u64), deadline, || self.compressed(bytes, is_last, is_late))
    }

    /// What to tell instead of a piece that was late: some bytes as they are, which are the last.
    pub(super) fn end_instead(self, bytes: &[u8]) -> Vec<u8> {
        let (mut sum, mut end) = (self.sum, Vec::with_capacity(bytes.len() + 64));
        if !self.begun {
            end.extend(HEADER);
        }
        for block in bytes.chunks(STORED) {
            let len = block.len() as u16;
            end.push(0);
            end.extend(len.to_le_bytes());
            end.extend((!len).to_le_bytes());
            end.extend_from_slice(block);
        }
        end.extend(LAST);
        sum.write_slice(bytes);
        end.extend(sum.checksum().to_be_bytes());
        end
    }

    /// The next piece, unless it is late before the last part of it has gone in.
    fn compressed(
        &mut self,
        bytes: &[u8],
        is_last: bool,
        mut is_late: impl FnMut() -> bool,
    ) -> Option<Vec<u8>> {
        const TAKES: &str = "a vector takes what is written to it";
        let mut sum = self.sum;
        for part in bytes.chunks(PART) {
            if is_late() {
                return None;
            }
            sum.write_slice(part);
            self.encoder.write_all(part).expect(TAKES);
            give_way();
        }
        let ended = if is_last { self.encoder.try_finish() } else { self.encoder.flush() };
        ended.expect(TAKES);
        (self.sum, self.begun) = (sum, true);
        let mut piece = std::mem::take(self.encoder.get_mut());
        if is_last {
            piece.extend(sum.checksum().to_be_bytes());
        }
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    /// What a client reads of an answer. It looks at the sum, too.
    fn read(sent: &[u8]) -> Vec<u8> {
        let mut all = Vec::new();
        flate2::read::ZlibDecoder::new(sent).read_to_end(&mut all).unwrap();
        all
    }

    /// Bytes that cannot be compressed.
    fn noise(len: usize) -> Vec<u8> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u8
        };
        std::iter::repeat_with(next).take(len).collect()
    }

    #[test]
    fn each_piece_can_be_read_before_the_next_one_is_there() {
        let mut deflate = Deflate::new();
        let mut sent = deflate.piece(&[b'a'; 10_000], false, None).unwrap();
        assert!(sent.len() < 1_000);
        let mut some = vec![0; 10_000];
        flate2::read::ZlibDecoder::new(&sent[..]).read_exact(&mut some).unwrap();
        assert_eq!(some, [b'a'; 10_000]);
        sent.extend(deflate.piece(b"bc", true, None).unwrap());
        let all = read(&sent);
        assert_eq!((all.len(), &all[10_000..]), (10_002, &b"bc"[..]));
    }

    #[test]
    fn the_deadline_is_looked_at_before_each_part() {
        let mut looks = 0;
        let piece = noise(10 * PART + 1);
        let is_late = || {
            looks += 1;
            false
        };
        let sent = Deflate::new().compressed(&piece, true, is_late).unwrap();
        assert_eq!(read(&sent), piece);
        assert_eq!(looks, 11);
    }

    #[test]
    fn what_is_late_in_the_middle_of_a_piece_ends_with_what_is_told_instead() {
        let (first, second) = (noise(3 * PART / 2), vec![b'b'; 10 * PART]);
        // Late in the first piece, and in the one after it.
        for told in [&first[..0], &first[..]] {
            for end in [&b"too late"[..], &[], &noise(3 * STORED + 5)[..]] {
                let mut deflate = Deflate::new();
                let mut sent = match told {
                    [] => Vec::new(),
                    told => deflate.piece(told, false, None).unwrap(),
                };
                let mut looks = 0;
                let late = deflate.compressed(&second, true, || {
                    looks += 1;
                    looks == 4
                });
                assert!(late.is_none() && looks == 4);
                sent.extend(deflate.end_instead(end));
                assert!(read(&sent) == [told, end].concat(), "{} and {}", told.len(), end.len());
            }
        }
    }

    #[test]
    fn a_piece_whose_deadline_is_over_is_late_before_it_begins() {
        let mut deflate = Deflate::new();
        assert!(deflate.piece(b"all of it", true, Some(Instant::now())).is_none());
        assert_eq!(read(&deflate.end_instead(b"late")), b"late");
    }
}
