//! Tokens: 256 random bits, of which only a hash is kept.

use std::fmt;

use ring::{
    digest::{SHA256, digest},
    rand::{SecureRandom, SystemRandom},
};

/// What every token begins with, so that it is recognised where it should not be.
const PREFIX: &str = "mgv_";

/// Random bytes of a token.
const BYTES: usize = 32;

/// What a token is kept as: the SHA-256 of its text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TokenHash(pub(crate) [u8; 32]);

impl TokenHash {
    /// That of the text which somebody sends.
    pub(crate) fn of(text: &str) -> Self {
        let mut hash = [0; 32];
        hash.copy_from_slice(digest(&SHA256, text.as_bytes()).as_ref());
        Self(hash)
    }

    /// What it is called in lists: enough to tell it from others, and of no use to log in.
    pub(crate) fn id(self) -> String {
        hex(&self.0[..6])
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenHash({})", self.id())
    }
}

/// Makes a token.
pub(crate) fn new() -> String {
    format!("{PREFIX}{}", hex(&random::<BYTES>()))
}

/// Whether a text looks like one.
pub(crate) fn is_token(text: &str) -> bool {
    text.len() == PREFIX.len() + 2 * BYTES && text.starts_with(PREFIX)
}

/// Bytes that nobody can guess.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).expect("the operating system has random bytes");
    bytes
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use fmt::Write;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

pub(crate) fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    if text.len() != 2 * N || !text.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_have_256_bits() {
        let (one, other) = (new(), new());
        assert!(one != other && one.len() == PREFIX.len() + 64);
        assert_eq!(TokenHash::of(&one), TokenHash::of(&one));
        assert_ne!(TokenHash::of(&one), TokenHash::of(&other));
    }

    #[test]
    fn bytes_are_read_as_they_are_written() {
        let bytes = random::<16>();
        assert_eq!(from_hex(&hex(&bytes)), Some(bytes));
        assert_eq!(from_hex::<16>("00"), None);
        assert_eq!(from_hex::<1>("+1"), Some([1]), "as Rust reads numbers; nobody writes it");
    }
}
