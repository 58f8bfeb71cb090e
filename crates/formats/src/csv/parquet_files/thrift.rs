//! Thrift's compact protocol, as far as headers of pages and the footer of a Parquet file need it.
//!
//! Whoever reads such bytes reserves what they declare. So they are looked at here first: what has a length has to be there, and what
//! lies in something else lies no deeper than it may.

/// What is wrong with some bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// They end in the midst of something; more may help.
    Ends,
    /// They are none of this protocol.
    Other(&'static str),
}

/// Most structures inside of one another.
const DEEPEST: usize = 32;

/// What a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind(u8);

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const LIST: u8 = 9;
const SET: u8 = 10;

/// Bytes that are read from their beginning.
pub(super) struct Compact<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Compact<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// How many bytes have been read.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Calls `take` for each field of the structure that is here. It says whether it has read the field; otherwise that is skipped.
    pub(super) fn fields(
        &mut self,
        mut take: impl FnMut(&mut Self, i64, Kind) -> Result<bool, Wrong>,
    ) -> Result<(), Wrong> {
        self.each_field(DEEPEST, &mut take)
    }

    fn each_field(
        &mut self,
        depth: usize,
        take: &mut dyn FnMut(&mut Self, i64, Kind) -> Result<bool, Wrong>,
    ) -> Result<(), Wrong> {
        let depth = depth.checked_sub(1).ok_or(Wrong::Other("its structures are too deep"))?;
        let mut id = 0i64;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(());
            }
            id = match head >> 4 {
                0 => self.number()?,
                more => id.wrapping_add(i64::from(more)),
            };
            let kind = Kind(head & 15);
            if !take(self, id, kind)? {
                self.skip(kind, depth)?;
            }
        }
    }

    /// A whole number.
    pub(super) fn number(&mut self) -> Result<i64, Wrong> {
        let bits = self.varint()?;
        Ok((bits >> 1) as i64 ^ -((bits & 1) as i64))
    }

    /// A truth value, which is in its kind.
    pub(super) fn truth(kind: Kind) -> bool {
        kind.0 == TRUE
    }

    /// Goes into the list that is here; how many structures are in it.
    pub(super) fn list(&mut self, kind: Kind) -> Result<usize, Wrong> {
        if kind.0 != LIST {
            return Err(Wrong::Other("a list expected in it"));
        }
        self.list_head().map(|(_, count)| count)
    }

    fn list_head(&mut self) -> Result<(Kind, usize), Wrong> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => self.varint()?,
            few => u64::from(few),
        };
        // Each member has a byte at the least.
        match usize::try_from(count) {
            Ok(count) if count <= self.bytes.len() - self.at => Ok((Kind(head & 15), count)),
            _ => Err(Wrong::Ends),
        }
    }

    fn skip(&mut self, kind: Kind, depth: usize) -> Result<(), Wrong> {
        match kind.0 {
            TRUE | FALSE => Ok(()),
            3 => self.pass(1),
            4..=6 => self.varint().map(drop),
            7 => self.pass(8),
            8 => {
                let length = self.varint()?;
                self.pass(usize::try_from(length).map_err(|_| Wrong::Ends)?)
            }
            LIST | SET => {
                let (member, count) = self.list_head()?;
                (0..count).try_for_each(|_| self.skip_member(member, depth))
            }
            11 => {
                let count = self.varint()?;
                let kinds = if count > 0 { self.byte()? } else { 0 };
                (0..count).try_for_each(|_| {
                    self.skip_member(Kind(kinds >> 4), depth)?;
                    self.skip_member(Kind(kinds & 15), depth)
                })
            }
            12 => self.each_field(depth, &mut |_, _, _| Ok(false)),
            13 => self.pass(16),
            _ => Err(Wrong::Other("it has a field of no kind there is")),
        }
    }

    /// A truth value in a list takes a byte.
    fn skip_member(&mut self, kind: Kind, depth: usize) -> Result<(), Wrong> {
        let depth = depth.checked_sub(1).ok_or(Wrong::Other("its structures are too deep"))?;
        if matches!(kind.0, TRUE | FALSE) { self.pass(1) } else { self.skip(kind, depth) }
    }

    fn pass(&mut self, count: usize) -> Result<(), Wrong> {
        if count > self.bytes.len() - self.at {
            return Err(Wrong::Ends);
        }
        self.at += count;
        Ok(())
    }

    fn byte(&mut self) -> Result<u8, Wrong> {
        let byte = *self.bytes.get(self.at).ok_or(Wrong::Ends)?;
        self.at += 1;
        Ok(byte)
    }

    fn varint(&mut self) -> Result<u64, Wrong> {
        let mut bits = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            bits |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(bits);
            }
        }
        Err(Wrong::Other("it has a number of more than 64 bits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers under their fields' ids.
    fn numbers(bytes: &[u8]) -> Result<Vec<(i64, i64)>, Wrong> {
        let mut found = Vec::new();
        let mut compact = Compact::new(bytes);
        compact.fields(|compact, id, kind| {
            let is_number = matches!(kind.0, 4..=6);
            if is_number {
                found.push((id, compact.number()?));
            }
            Ok(is_number)
        })?;
        assert_eq!(compact.position(), bytes.len());
        Ok(found)
    }

    #[test]
    fn numbers_are_found_between_what_is_skipped() {
        // 1: 3; 2: "ab"; 3: true; 5: [{1: 7}, {}]; 300: -1
        let bytes = b"\x15\x06\x18\x02ab\x11\x29\x2c\x15\x0e\0\0\x05\xd8\x04\x01\0";
        assert_eq!(numbers(bytes), Ok(vec![(1, 3), (300, -1)]));
        for end in 0..bytes.len() {
            assert_eq!(numbers(&bytes[..end]), Err(Wrong::Ends), "{end}");
        }
    }

    #[test]
    fn what_is_declared_has_to_be_there() {
        for bytes in [
            // A text of 2^40 bytes, and as many structures, and entries of a map.
            &b"\x18\x80\x80\x80\x80\x80\x20\0"[..],
            b"\x19\xfc\x80\x80\x80\x80\x80\x20\0",
            b"\x1b\x80\x80\x80\x80\x80\x20\x55\0",
        ] {
            assert_eq!(numbers(bytes), Err(Wrong::Ends), "{bytes:?}");
        }
        assert!(matches!(numbers(&b"\x1c".repeat(100_000)), Err(Wrong::Other(_))), "not too deep");
        assert!(matches!(numbers(&b"\x19\x19".repeat(100_000)), Err(Wrong::Other(_))), "nor lists");
        assert!(matches!(
            numbers(&[0x15, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255]),
            Err(Wrong::Other(_))
        ));
    }
}
