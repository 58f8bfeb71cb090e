//! Numbers as differences (`DELTA_BINARY_PACKED`): a look at what they declare, before somebody makes room for it.
//!
//! ```text
//! block size | miniblocks of a block | numbers | first number
//! block: least difference | width of each miniblock | miniblocks …
//! ```

/// Goes over the numbers that are here, of which there may be no more than `most`; calls `each` for each, if there is one; where
/// they end.
pub(super) fn walk(
    bytes: &[u8],
    most: u64,
    mut each: Option<&mut dyn FnMut(i64)>,
) -> Result<usize, &'static str> {
    let mut at = 0;
    let (block, miniblocks) = (varint(bytes, &mut at)?, varint(bytes, &mut at)?);
    let (count, first) = (varint(bytes, &mut at)?, zigzag(varint(bytes, &mut at)?));
    if count > most {
        return Err("it declares more numbers than it has values");
    }
    if miniblocks == 0 || block > MOST_IN_BLOCK || !block.is_multiple_of(miniblocks.saturating_mul(8)) {
        return Err("its blocks of numbers have no size there is");
    }
    let (miniblocks, in_mini) = (miniblocks as usize, (block / miniblocks) as usize);
    let mut number = first;
    let mut left = count;
    if left > 0 {
        left -= 1;
        if let Some(each) = &mut each {
            each(number);
        }
    }
    while left > 0 {
        if in_mini == 0 {
            return Err("its blocks of numbers have no size there is");
        }
        let least = zigzag(varint(bytes, &mut at)?);
        let widths = at..at.checked_add(miniblocks).filter(|end| *end <= bytes.len()).ok_or(ENDS)?;
        at = widths.end;
        for &width in &bytes[widths] {
            if left == 0 {
                break;
            }
            let end = at + usize::from(width) * in_mini / 8;
            // The last one may be cut off behind its last number.
            let packed = bytes.get(at..).ok_or(ENDS)?;
            for place in 0..left.min(in_mini as u64) as usize {
                if let Some(each) = &mut each {
                    number = number.wrapping_add(least).wrapping_add(unpacked(packed, place, width)?);
                    each(number);
                }
            }
            left = left.saturating_sub(in_mini as u64);
            at = end;
        }
    }
    Ok(at.min(bytes.len()))
}

const ENDS: &str = "its numbers end too early";
/// Most numbers of a block: writers have 128 or 256.
const MOST_IN_BLOCK: u64 = 1 << 20;

/// The number at a place of a miniblock.
fn unpacked(packed: &[u8], place: usize, width: u8) -> Result<i64, &'static str> {
    if width > 64 {
        return Err("its numbers have more than 64 bits");
    }
    let mut bits = 0;
    for bit in 0..usize::from(width) {
        let at = place * usize::from(width) + bit;
        let byte = packed.get(at / 8).ok_or(ENDS)?;
        bits |= u64::from(byte >> (at % 8) & 1) << bit;
    }
    Ok(bits as i64)
}

fn zigzag(bits: u64) -> i64 {
    (bits >> 1) as i64 ^ -((bits & 1) as i64)
}

fn varint(bytes: &[u8], at: &mut usize) -> Result<u64, &'static str> {
    let mut bits = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at).ok_or(ENDS)?;
        *at += 1;
        bits |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(bits);
        }
    }
    Err("its numbers have more than 64 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(bytes: &[u8], most: u64) -> Result<(Vec<i64>, usize), &'static str> {
        let mut found = Vec::new();
        let end = walk(bytes, most, Some(&mut |number| found.push(number)))?;
        Ok((found, end))
    }

    #[test]
    fn numbers_are_those_of_the_specifications_examples() {
        // 1 to 5: the differences are all 1, and so have no bits. Behind them is something else.
        assert_eq!(numbers(b"\x80\x01\x04\x05\x02\x02\0\0\0\0xyz", 5), Ok((vec![1, 2, 3, 4, 5], 10)));
        // 7, 5, 3, 1, 2, 3, 4, 5: the least difference is -2, and the others are 0, 0, 0, 3, 3, 3, 3 in two bits.
        let bytes = b"\x80\x01\x04\x08\x0e\x03\x02\0\0\0\xc0\x3f\0\0\0\0\0\0";
        assert_eq!(numbers(bytes, 8), Ok((vec![7, 5, 3, 1, 2, 3, 4, 5], 18)));
        assert_eq!(walk(bytes, 8, None), Ok(18));
        assert_eq!(numbers(b"\x80\x01\x04\0\0", 0), Ok((vec![], 5)));
    }

    #[test]
    fn what_is_declared_and_not_there_is_an_error() {
        assert!(numbers(b"\x80\x01\x04\x08\x0e\x03\x02\0\0\0\xc0", 8).is_err(), "cut off");
        assert!(walk(b"\x80\x01\x04\xff\xff\xff\xff\x0f\x02\x02\0\0\0\0", 5, None).is_err(), "many numbers");
        for bytes in
            [&b"\x80\x01\0\x05\x02"[..], b"\0\x04\x05\x02\x02\0\0\0\0", b"\xff\xff\xff\xff\x0f\x04\x05\x02"]
        {
            assert!(walk(bytes, 5, None).is_err(), "{bytes:?}");
        }
    }
}
