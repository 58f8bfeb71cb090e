//! Arrays of numbers in few bits: of every 128 the least, and by how much each of them exceeds it.
//!
//! ```text
//! array   count │ how u8 │ first, if how = 1 │ block │ block │ …
//! block   least │ width u8 │ what each is above the least, in `width` bits, the lowest bit first; whole bytes
//!
//! how     0: the numbers themselves        1: from the second on, each less the one before it
//!         count: LEB128                    first, least: zigzag LEB128
//! ```
//!
//! References that were given out one after another, offsets and sorted entries are close to the one before them;
//! times, codes and small counts are close to each other. Whichever takes fewer bytes is written. All arithmetic
//! wraps, so every bit pattern of 64 bits can be packed and no damaged byte can overflow.

use values::VertexRef;

use crate::bytes::{Input, Malformed, Output};

/// Numbers of a block.
const BLOCK: usize = 128;

const VALUES: u8 = 0;
const STEPS: u8 = 1;

/// A number that can be packed.
pub(crate) trait Number: Copy {
    /// The number, widened.
    fn widen(self) -> i64;
    /// The number that was widened to this; none if there is none.
    fn narrow(wide: i64) -> Option<Self>;
}

macro_rules! numbers {
    ($($number:ty),*) => { $(
        impl Number for $number {
            #[inline]
            fn widen(self) -> i64 {
                i64::from(self)
            }
            #[inline]
            fn narrow(wide: i64) -> Option<Self> {
                wide.try_into().ok()
            }
        }
    )* };
}
numbers!(u8, u16, u32, i32, i64);

impl Number for u64 {
    #[inline]
    fn widen(self) -> i64 {
        self as i64
    }
    #[inline]
    fn narrow(wide: i64) -> Option<Self> {
        Some(wide as u64)
    }
}

impl Number for VertexRef {
    #[inline]
    fn widen(self) -> i64 {
        self.0.widen()
    }
    #[inline]
    fn narrow(wide: i64) -> Option<Self> {
        u32::narrow(wide).map(Self)
    }
}

impl Output {
    /// An array of numbers, packed.
    pub(crate) fn numbers<T: Number>(&mut self, numbers: impl Iterator<Item = T>) {
        let values: Vec<i64> = numbers.map(T::widen).collect();
        self.varint(values.len() as u64);
        let Some(&first) = values.first() else { return };
        let steps: Vec<i64> = values.windows(2).map(|pair| pair[1].wrapping_sub(pair[0])).collect();
        if varint_bytes(zigzag(first)) + packed_bytes(&steps) < packed_bytes(&values) {
            self.u8(STEPS);
            self.varint(zigzag(first));
            steps.chunks(BLOCK).for_each(|block| self.packed_block(block));
        } else {
            self.u8(VALUES);
            values.chunks(BLOCK).for_each(|block| self.packed_block(block));
        }
    }

    fn packed_block(&mut self, block: &[i64]) {
        let (least, width) = frame(block);
        self.varint(zigzag(least));
        self.u8(width as u8);
        let (mut held, mut bits) = (0u128, 0);
        for value in block {
            held |= u128::from(value.wrapping_sub(least) as u64) << bits;
            bits += width;
            if bits >= 64 {
                self.u64(held as u64);
                held >>= 64;
                bits -= 64;
            }
        }
        let rest = (held as u64).to_le_bytes();
        self.bytes.extend_from_slice(&rest[..bits.div_ceil(8) as usize]);
    }
}

/// The least of some numbers, and how many bits the largest difference to it takes.
fn frame(block: &[i64]) -> (i64, u32) {
    let (least, most) = block.iter().fold((i64::MAX, i64::MIN), |(l, m), &v| (l.min(v), m.max(v)));
    (least, u64::BITS - (most.wrapping_sub(least) as u64).leading_zeros())
}

/// Bytes that numbers take in blocks.
fn packed_bytes(numbers: &[i64]) -> usize {
    let block = |block: &[i64]| {
        let (least, width) = frame(block);
        varint_bytes(zigzag(least)) + 1 + (block.len() * width as usize).div_ceil(8)
    };
    numbers.chunks(BLOCK).map(block).sum()
}

fn varint_bytes(v: u64) -> usize {
    (u64::BITS - v.leading_zeros()).div_ceil(7).max(1) as usize
}

/// Small numbers of either sign as small numbers.
fn zigzag(v: i64) -> u64 {
    (v << 1 ^ v >> 63) as u64
}

fn unzigzag(v: u64) -> i64 {
    (v >> 1) as i64 ^ -((v & 1) as i64)
}

impl Input<'_> {
    /// An array of numbers, unpacked.
    pub(crate) fn numbers<T: Number>(&mut self) -> Result<Box<[T]>, Malformed> {
        let count = self.packed_count()?;
        let mut numbers = Vec::with_capacity(count);
        if count == 0 {
            return Ok(numbers.into());
        }
        let mut out_of_range = false;
        let mut push = |wide| match T::narrow(wide) {
            Some(number) => numbers.push(number),
            None => out_of_range = true,
        };
        match self.u8()? {
            VALUES => self.packed_blocks(count, &mut push)?,
            STEPS => {
                let mut last = unzigzag(self.varint()?);
                push(last);
                self.packed_blocks(count - 1, |step| {
                    last = last.wrapping_add(step);
                    push(last);
                })?;
            }
            how => return Err(Malformed::new(format!("no array is packed in way {how}"))),
        }
        Malformed::unless(!out_of_range, "a number is too large for its array")?;
        Ok(numbers.into())
    }

    /// A count of packed numbers. Each block takes two bytes at least, so that a damaged count cannot reserve more than
    /// some hundred times what follows.
    fn packed_count(&mut self) -> Result<usize, Malformed> {
        let count = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
        let fits = count.div_ceil(BLOCK).saturating_mul(2) <= self.remaining() + 2;
        Malformed::unless(fits, "a count is larger than what follows")?;
        Ok(count)
    }

    fn packed_blocks(&mut self, count: usize, mut push: impl FnMut(i64)) -> Result<(), Malformed> {
        // Room to read eight or sixteen bytes at any number of a block.
        let mut room = [0; BLOCK * 8 + 16];
        for start in (0..count).step_by(BLOCK) {
            let len = (count - start).min(BLOCK);
            let least = unzigzag(self.varint()?);
            let width = usize::from(self.u8()?);
            let packed = self.take((len * width).div_ceil(8))?;
            match width {
                0 => (0..len).for_each(|_| push(least)),
                // Up to seven bits of the first byte may belong to the number before.
                1..=57 => {
                    room[..packed.len()].copy_from_slice(packed);
                    let mask = (1 << width) - 1;
                    for bit in (0..len).map(|place| place * width) {
                        let (bytes, _) = room[bit / 8..].as_chunks::<8>();
                        let above = u64::from_le_bytes(bytes[0]) >> (bit % 8) & mask;
                        push(least.wrapping_add(above as i64));
                    }
                }
                58..=64 => {
                    room[..packed.len()].copy_from_slice(packed);
                    let mask = u64::MAX >> (64 - width);
                    for bit in (0..len).map(|place| place * width) {
                        let (bytes, _) = room[bit / 8..].as_chunks::<16>();
                        let above = (u128::from_le_bytes(bytes[0]) >> (bit % 8)) as u64 & mask;
                        push(least.wrapping_add(above as i64));
                    }
                }
                _ => return Err(Malformed::new(format!("no number takes {width} bits"))),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn packed<T: Number>(numbers: &[T]) -> Vec<u8> {
        let mut output = Output::default();
        output.numbers(numbers.iter().copied());
        output.bytes
    }

    fn unpacked<T: Number>(bytes: &[u8]) -> Result<Box<[T]>, Malformed> {
        let mut input = Input::new(bytes);
        let numbers = input.numbers()?;
        input.end()?;
        Ok(numbers)
    }

    #[test]
    fn numbers_of_every_width_come_back_as_they_were() {
        for width in 0..=64 {
            for len in [1, 2, 127, 128, 129, 300] {
                let mask = u64::MAX.checked_shr(64 - width).unwrap_or(0);
                let numbers: Vec<u64> =
                    (0..len).map(|n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) & mask).collect();
                assert_eq!(*unpacked::<u64>(&packed(&numbers)).unwrap(), numbers[..], "{width} bits");
            }
        }
        assert_eq!(unpacked::<u32>(&packed::<u32>(&[])).unwrap().len(), 0);
    }

    #[test]
    fn what_is_close_together_takes_few_bits() {
        let consecutive: Vec<u32> = (1_000_000..1_001_024).collect();
        assert!(packed(&consecutive).len() < 40, "nothing but the steps");
        let times: Vec<i64> = (0..1024).map(|n| 1_300_000_000_000 + n * 7919 % 1000).collect();
        assert!(packed(&times).len() < 1024 * 10 / 8 + 100, "ten bits each");
    }

    #[test]
    fn a_number_that_does_not_fit_its_type_is_an_error() {
        let bytes = packed(&[1u64 << 32]);
        assert!(unpacked::<u32>(&bytes).is_err() && unpacked::<VertexRef>(&bytes).is_err());
        assert!(unpacked::<u64>(&bytes).is_ok());
    }

    #[test]
    fn a_count_beyond_what_follows_reserves_nothing() {
        let mut output = Output::default();
        output.varint(u64::MAX >> 2);
        output.u8(VALUES);
        assert!(unpacked::<u64>(&output.bytes).is_err());
    }

    proptest! {
        #[test]
        fn any_numbers_come_back(numbers: Vec<i64>, small in prop::collection::vec(0u32..9, 0..500)) {
            prop_assert_eq!(&*unpacked::<i64>(&packed(&numbers)).unwrap(), &numbers[..]);
            prop_assert_eq!(&*unpacked::<u32>(&packed(&small)).unwrap(), &small[..]);
        }

        #[test]
        fn any_bytes_are_numbers_or_an_error(bytes: Vec<u8>) {
            let _ = (unpacked::<u32>(&bytes), unpacked::<i64>(&bytes));
        }
    }
}
