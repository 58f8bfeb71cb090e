//! Little-endian integers at a place in a byte string that may be damaged.

/// The bytes of `number`.
pub(super) fn u64_le(number: u64) -> [u8; 8] {
    number.to_le_bytes()
}

/// Two bytes at `at`, if they are there.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(array_at(bytes, at)?))
}

/// Four bytes at `at`, if they are there.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(array_at(bytes, at)?))
}

/// Eight bytes at `at`, if they are there.
pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(array_at(bytes, at)?))
}

/// Sixteen bytes at `at`, if they are there.
pub(super) fn u128_at(bytes: &[u8], at: usize) -> Option<u128> {
    Some(u128::from_le_bytes(array_at(bytes, at)?))
}

fn array_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}
