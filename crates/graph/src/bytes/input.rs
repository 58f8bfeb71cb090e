//! Reads what [`Output`](super::Output) wrote, never beyond the end.

use super::frame::{PLAIN_SECTION, VERSIONED_SECTION};

/// Why bytes cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) String);

impl Malformed {
    pub(crate) fn new(problem: impl Into<String>) -> Self {
        Self(problem.into())
    }

    /// An error with this problem where what must hold of the bytes does not.
    pub(crate) fn unless(holds: bool, problem: &str) -> Result<(), Self> {
        if holds { Ok(()) } else { Err(Self::new(problem)) }
    }
}

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The bytes that are left.
pub(crate) struct Input<'a> {
    bytes: &'a [u8],
    /// The format that arrays and texts have: that of a section, and of everything else the newest.
    format: u16,
}

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self::of_section(bytes, VERSIONED_SECTION)
    }
    /// The bytes of a section of this format.
    pub(crate) fn of_section(bytes: &'a [u8], format: u16) -> Self {
        Self { bytes, format }
    }
    /// What `read` finds, which must be all that there is.
    pub(crate) fn whole<R>(
        mut self,
        read: impl FnOnce(&mut Self) -> Result<R, Malformed>,
    ) -> Result<R, Malformed> {
        let found = read(&mut self)?;
        self.end()?;
        Ok(found)
    }
    /// Whether nothing is packed.
    pub(crate) fn is_plain(&self) -> bool {
        self.format == PLAIN_SECTION
    }
    /// How many bytes are left.
    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len()
    }
    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) =
            self.bytes.split_at_checked(len).ok_or_else(|| Malformed::new("it ends too early"))?;
        self.bytes = rest;
        Ok(taken)
    }
    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }
    pub(crate) fn u8(&mut self) -> Result<u8, Malformed> {
        Ok(self.fixed::<1>()?[0])
    }
    pub(crate) fn u16(&mut self) -> Result<u16, Malformed> {
        Ok(u16::from_le_bytes(self.fixed()?))
    }
    pub(crate) fn u32(&mut self) -> Result<u32, Malformed> {
        Ok(u32::from_le_bytes(self.fixed()?))
    }
    pub(crate) fn u64(&mut self) -> Result<u64, Malformed> {
        Ok(u64::from_le_bytes(self.fixed()?))
    }
    /// A number in as few bytes as it takes.
    pub(crate) fn varint(&mut self) -> Result<u64, Malformed> {
        let mut v = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            v |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(v);
            }
        }
        Err(Malformed::new("a number has no end"))
    }
    /// What a section begins with: the stamp up to which it includes every change, and the version of the schema that it was
    /// written under.
    pub(crate) fn head(&mut self) -> Result<(u64, u64), Malformed> {
        let settled = self.u64()?;
        Ok((settled, if self.format >= VERSIONED_SECTION { self.varint()? } else { 0 }))
    }
    /// As many things as a count says, each of them in at least `size` bytes, as `item` reads them.
    pub(crate) fn list<T, C: FromIterator<T>>(
        &mut self,
        size: usize,
        mut item: impl FnMut(&mut Self) -> Result<T, Malformed>,
    ) -> Result<C, Malformed> {
        (0..self.count(size)?).map(|_| item(self)).collect()
    }
    /// The one of `known` whose number is next.
    pub(crate) fn one_of<T: Copy>(
        &mut self,
        known: impl IntoIterator<Item = T>,
        number: impl Fn(T) -> u8,
        problem: &str,
    ) -> Result<T, Malformed> {
        let read = self.u8()?;
        known.into_iter().find(|&one| number(one) == read).ok_or_else(|| Malformed::new(problem))
    }
    /// A count of things that take at least `size` bytes each, so that a damaged count cannot reserve much memory.
    pub(crate) fn count(&mut self, size: usize) -> Result<usize, Malformed> {
        let count = self.u32()? as usize;
        match count.checked_mul(size) {
            Some(bytes) if bytes <= self.bytes.len() => Ok(count),
            _ => Err(Malformed::new("a count is larger than what follows")),
        }
    }
    pub(crate) fn block(&mut self) -> Result<&'a [u8], Malformed> {
        let len = self.count(1)?;
        self.take(len)
    }
    pub(crate) fn str(&mut self) -> Result<&'a str, Malformed> {
        std::str::from_utf8(self.block()?).map_err(|_| Malformed::new("a string is not UTF-8"))
    }
    pub(crate) fn u32s(&mut self) -> Result<Box<[u32]>, Malformed> {
        let len = self.count(4)?;
        let (chunks, _) = self.take(len * 4)?.as_chunks::<4>();
        Ok(chunks.iter().map(|chunk| u32::from_le_bytes(*chunk)).collect())
    }
    pub(crate) fn u64s(&mut self) -> Result<Box<[u64]>, Malformed> {
        let len = self.count(8)?;
        let (chunks, _) = self.take(len * 8)?.as_chunks::<8>();
        Ok(chunks.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect())
    }
    /// Whether nothing is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
    /// Nothing may be left.
    pub(crate) fn end(&self) -> Result<(), Malformed> {
        Malformed::unless(self.bytes.is_empty(), "there are bytes after its end")
    }
}
