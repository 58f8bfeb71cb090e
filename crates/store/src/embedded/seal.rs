//! The seal that closes every group in the log.

use xxhash_rust::xxh3::xxh3_64;

use super::bytes_at::{u64_at, u64_le};

/// The last write of every group: which group it is, and up to which group everything was known to be synced before.
///
/// The engine cuts its log at the first batch that does not read, which is right for the torn end that a crash leaves,
/// and wrong for damage in the middle: everything after would be forgotten in silence. Seals tell the two apart. Where
/// a later group says that the unreadable one had been synced, somebody's acknowledged writes are damaged.
///
/// ```text
///   ┌────────┬────────┬────────┬────────┬──────────┐
///   │ nonce 8│number 8│synced 8│ floor 8│ checksum 8│   bytes, little-endian
///   └────────┴────────┴────────┴────────┴──────────┘
/// ```
///
/// The nonce is the directory's own random number, so that bytes that a user stores cannot pass for a seal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Seal {
    /// Groups are numbered from 1, without gaps.
    pub(super) number: u64,
    /// All groups up to this number were synced before this one was written.
    pub(super) synced: u64,
    /// The engine's sequence number of the group is not below this one.
    pub(super) floor: u64,
}

/// The length of an encoded seal, in bytes.
pub(super) const SEAL_BYTES: usize = 40;

impl Seal {
    pub(super) fn encode(self, nonce: u64) -> [u8; SEAL_BYTES] {
        let mut bytes = [0; SEAL_BYTES];
        for (slot, number) in
            bytes.chunks_exact_mut(8).zip([nonce, self.number, self.synced, self.floor].map(u64_le))
        {
            slot.copy_from_slice(&number);
        }
        let checksum = xxh3_64(&bytes[..32]);
        bytes[32..].copy_from_slice(&u64_le(checksum));
        bytes
    }

    /// The seal in `bytes`, if that is what they are.
    pub(super) fn decode(bytes: &[u8], nonce: u64) -> Option<Self> {
        let sound = bytes.len() == SEAL_BYTES
            && u64_at(bytes, 0)? == nonce
            && u64_at(bytes, 32)? == xxh3_64(&bytes[..32]);
        let number = u64_at(bytes, 8)?;
        sound.then_some(Self { number, synced: u64_at(bytes, 16)?, floor: u64_at(bytes, 24)? })
    }

    /// The seals that lie anywhere in `bytes`, in order.
    pub(super) fn find_all(bytes: &[u8], nonce: u64) -> impl Iterator<Item = Self> {
        let first = u64_le(nonce);
        let starts = bytes.windows(8).enumerate().filter(move |(_, window)| *window == first);
        starts.filter_map(move |(at, _)| Self::decode(bytes.get(at..at + SEAL_BYTES)?, nonce))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEAL: Seal = Seal { number: 7, synced: 6, floor: 99 };

    #[test]
    fn a_seal_reads_back_and_any_flipped_bit_breaks_it() {
        let bytes = SEAL.encode(42);
        assert_eq!(Seal::decode(&bytes, 42), Some(SEAL));
        assert_eq!(Seal::decode(&bytes, 43), None);
        for bit in 0..SEAL_BYTES * 8 {
            let mut flipped = bytes;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Seal::decode(&flipped, 42), None, "bit {bit}");
        }
    }

    #[test]
    fn seals_are_found_among_other_bytes() {
        let later = Seal { number: 8, ..SEAL };
        let mut bytes = b"anything".to_vec();
        bytes.extend(SEAL.encode(42));
        bytes.extend(b"else");
        bytes.extend(later.encode(42));
        bytes.extend(&later.encode(42)[..30]);
        assert_eq!(Seal::find_all(&bytes, 42).collect::<Vec<_>>(), [SEAL, later]);
    }
}
