//! Bytes that are compressed where it pays: texts, and values that have no array of their own.
//!
//! ```text
//! squeezed   length │ 0 │ bytes                              length: LEB128
//!            length │ 1 │ u32, LZ4 block                     `length` bytes when decompressed
//! ```
//!
//! LZ4 because it decompresses several times faster than the disk delivers, needs no C compiler, and is in the program
//! already for the store's own blocks.

use std::borrow::Cow;

use crate::bytes::{Input, Malformed, Output};

const PLAIN: u8 = 0;
const LZ4: u8 = 1;

/// Shorter ones are left alone.
const SHORTEST: usize = 64;

/// A byte of LZ4 stands for at most this many.
const LZ4_FACTOR: usize = 255;

impl Output {
    /// Bytes, compressed if that saves an eighth of them.
    pub(crate) fn squeezed(&mut self, bytes: &[u8]) {
        self.varint(bytes.len() as u64);
        if bytes.len() >= SHORTEST {
            let compressed = lz4_flex::block::compress(bytes);
            if compressed.len() <= bytes.len() - bytes.len() / 8 {
                self.u8(LZ4);
                return self.block(&compressed);
            }
        }
        self.u8(PLAIN);
        self.bytes.extend_from_slice(bytes);
    }
}

impl<'a> Input<'a> {
    /// Bytes that [`Output::squeezed`] wrote.
    pub(crate) fn squeezed(&mut self) -> Result<Cow<'a, [u8]>, Malformed> {
        let len = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
        match self.u8()? {
            PLAIN => self.take(len).map(Cow::Borrowed),
            LZ4 => {
                let compressed = self.block()?;
                let fits = len <= compressed.len() * LZ4_FACTOR;
                Malformed::unless(fits, "a length is larger than what was compressed")?;
                let mut bytes = vec![0; len];
                match lz4_flex::block::decompress_into(compressed, &mut bytes) {
                    Ok(written) if written == len => Ok(Cow::Owned(bytes)),
                    _ => Err(Malformed::new("compressed bytes do not decompress")),
                }
            }
            how => Err(Malformed::new(format!("no bytes are compressed in way {how}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn squeezed(bytes: &[u8]) -> Vec<u8> {
        let mut output = Output::default();
        output.squeezed(bytes);
        output.bytes
    }

    #[test]
    fn what_repeats_shrinks_and_what_does_not_stays() {
        let text = "about a tree that stands in the sea, ".repeat(50);
        assert!(squeezed(text.as_bytes()).len() < text.len() / 10);
        let noise: Vec<u8> =
            (0..1000u64).map(|n| (xxhash_rust::xxh3::xxh3_64(&n.to_le_bytes())) as u8).collect();
        assert_eq!(squeezed(&noise).len(), noise.len() + 3);
    }

    #[test]
    fn a_length_that_cannot_be_reserves_nothing() {
        let mut output = Output::default();
        output.varint(u64::MAX >> 1);
        output.u8(LZ4);
        output.block(&[0; 16]);
        assert!(Input::new(&output.bytes).squeezed().is_err());
    }

    proptest! {
        #[test]
        fn bytes_come_back_as_they_were(bytes: Vec<u8>, times in 1usize..40) {
            let bytes = bytes.repeat(times);
            let squeezed = squeezed(&bytes);
            let mut input = Input::new(&squeezed);
            prop_assert_eq!(&*input.squeezed().unwrap(), &bytes[..]);
            input.end().unwrap();
        }

        #[test]
        fn damaged_bytes_are_an_error_or_other_bytes(place: prop::sample::Index, flip in 1u8..) {
            let mut bytes = squeezed("mangrove ".repeat(40).as_bytes());
            let place = place.index(bytes.len());
            bytes[place] ^= flip;
            let _ = Input::new(&bytes).squeezed();
        }
    }
}
