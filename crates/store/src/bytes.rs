//! The byte string of keys and values.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

/// An immutable byte string that is cheap to clone: up to 20 bytes live inline, longer ones are shared.
///
/// It is the engine's own representation behind a name of ours, so a value read from the block cache is handed to
/// the caller without a copy. It orders as unsigned bytes, which is the order of every scan.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(fjall::Slice);

impl Bytes {
    /// The empty byte string.
    pub fn new() -> Self {
        Self::from(&[][..])
    }

    /// Wraps what the embedded engine returned; no copy.
    pub(crate) fn from_slice(slice: fjall::Slice) -> Self {
        Self(slice)
    }

    /// Hands the bytes to the embedded engine; no copy.
    pub(crate) fn into_slice(self) -> fjall::Slice {
        self.0
    }
}

impl Default for Bytes {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Borrow<[u8]> for Bytes {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        Self(fjall::Slice::from(bytes))
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self::from(bytes.as_slice())
    }
}

impl From<&str> for Bytes {
    fn from(text: &str) -> Self {
        Self::from(text.as_bytes())
    }
}

impl<const N: usize> From<[u8; N]> for Bytes {
    fn from(bytes: [u8; N]) -> Self {
        Self::from(&bytes[..])
    }
}

impl<const N: usize> From<&[u8; N]> for Bytes {
    fn from(bytes: &[u8; N]) -> Self {
        Self::from(&bytes[..])
    }
}

impl PartialEq<[u8]> for Bytes {
    fn eq(&self, other: &[u8]) -> bool {
        **self == *other
    }
}

impl PartialEq<&[u8]> for Bytes {
    fn eq(&self, other: &&[u8]) -> bool {
        **self == **other
    }
}

impl<const N: usize> PartialEq<&[u8; N]> for Bytes {
    fn eq(&self, other: &&[u8; N]) -> bool {
        **self == other[..]
    }
}

/// Prints the text where the bytes are printable ASCII and `\xNN` elsewhere, at most the first 64 bytes.
impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 64;
        write!(f, "b\"{}\"", self[..self.len().min(SHOWN)].escape_ascii())?;
        if self.len() > SHOWN {
            write!(f, "… ({} bytes)", self.len())?;
        }
        Ok(())
    }
}
