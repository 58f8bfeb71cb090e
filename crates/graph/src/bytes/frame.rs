//! The envelope of everything that is stored: format and checksum.
//!
//! ```text
//! ┌──────────┬───────────────────────────┬─────────
//! │format u16│ XXH3-64 of the rest (u64) │ rest …
//! └──────────┴───────────────────────────┴─────────
//! ```

use xxhash_rust::xxh3::xxh3_64;

use super::input::{Input, Malformed};
use super::output::Output;

/// The format of log records, checkpoints and catalogs.
const RECORD: u16 = 1;
/// The format of sections that say which version of the schema they were written under.
pub(super) const VERSIONED_SECTION: u16 = 3;
/// The first format of sections. In those after it, arrays are packed and texts compressed.
pub(super) const PLAIN_SECTION: u16 = 1;
const HEADER: usize = 10;

/// Encodes a record with `body` and puts the envelope around.
pub(crate) fn seal_frame(body: impl FnOnce(&mut Output)) -> Vec<u8> {
    seal(RECORD, body)
}

/// As [`seal_frame`], behind what `bytes` has already.
pub(crate) fn append_frame(bytes: &mut Vec<u8>, body: impl FnOnce(&mut Output)) {
    append(bytes, RECORD, body);
}

/// Encodes a section of what changed up to the stamp `settled`, written under this version of the schema, and puts the envelope
/// around. Its head, before `body`, is what `Input::head` reads.
pub(crate) fn seal_section(settled: u64, schema: u64, body: impl FnOnce(&mut Output)) -> Vec<u8> {
    seal(VERSIONED_SECTION, |output| {
        output.u64(settled);
        output.varint(schema);
        body(output);
    })
}

fn seal(format: u16, body: impl FnOnce(&mut Output)) -> Vec<u8> {
    let mut bytes = Vec::new();
    append(&mut bytes, format, body);
    bytes
}

fn append(bytes: &mut Vec<u8>, format: u16, body: impl FnOnce(&mut Output)) {
    let start = bytes.len();
    let mut output = Output { bytes: std::mem::take(bytes) };
    output.bytes.resize(start + HEADER, 0);
    body(&mut output);
    *bytes = output.bytes;
    let (header, rest) = bytes[start..].split_at_mut(HEADER);
    header[..2].copy_from_slice(&format.to_le_bytes());
    header[2..].copy_from_slice(&xxh3_64(rest).to_le_bytes());
}

/// Checks the envelope of a record; what is inside.
pub(crate) fn open_frame(bytes: &[u8]) -> Result<&[u8], Malformed> {
    match open(bytes)? {
        (RECORD, rest) => Ok(rest),
        (format, _) => Err(unknown(format, RECORD)),
    }
}

/// Checks the envelope of a section of any format; the stamp in its head, and what `read` finds in the whole rest.
pub(crate) fn open_section<'a, R>(
    bytes: &'a [u8],
    read: impl FnOnce(&mut Input<'a>) -> Result<R, Malformed>,
) -> Result<(u64, R), Malformed> {
    match open(bytes)? {
        (format @ PLAIN_SECTION..=VERSIONED_SECTION, rest) => {
            Input::of_section(rest, format).whole(|input| Ok((input.head()?.0, read(input)?)))
        }
        (format, _) => Err(unknown(format, VERSIONED_SECTION)),
    }
}

/// The version of the schema that a section, which was decoded, was written under; 0 of one that does not say.
pub(crate) fn written_under(section: &[u8]) -> u64 {
    let is_versioned = section.get(..2) == Some(&VERSIONED_SECTION.to_le_bytes()[..]);
    let mut input = Input::new(section.get(HEADER..).unwrap_or_default());
    if is_versioned { input.head().map_or(0, |(_, schema)| schema) } else { 0 }
}

fn open(bytes: &[u8]) -> Result<(u16, &[u8]), Malformed> {
    let (header, rest) = bytes.split_at_checked(HEADER).ok_or_else(|| Malformed::new("it ends too early"))?;
    Malformed::unless(xxh3_64(rest).to_le_bytes() == header[2..], "its checksum does not match")?;
    Ok((u16::from_le_bytes([header[0], header[1]]), rest))
}

fn unknown(format: u16, expected: u16) -> Malformed {
    Malformed::new(format!("its format is {format}, expected {expected}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_is_noticed() {
        let sealed = seal_frame(|output| output.block(b"mangrove"));
        assert!(open_frame(&sealed).is_ok());
        for bit in 0..sealed.len() * 8 {
            let mut flipped = sealed.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(open_frame(&flipped).is_err(), "bit {bit}");
        }
        for len in 0..sealed.len() {
            assert!(open_frame(&sealed[..len]).is_err(), "cut at {len}");
        }
    }
}
