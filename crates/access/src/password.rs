//! Passwords, kept as argon2id (RFC 9106) makes of them.

use argon2::{Algorithm, Argon2, Block, Params, Version};
use serde::{Deserialize, Serialize};

use crate::{
    AccessError,
    token::{from_hex, hex, random},
};

/// Characters of a password, at least.
pub const SHORTEST: usize = 8;

/// Bytes of a password, at most: whoever is not logged in yet sends them.
pub const LONGEST: usize = 1024;

/// KiB that a hash takes, passes over them, and lanes: OWASP's recommendation for argon2id.
const KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// Bytes of a block of argon2.
const BLOCK: u64 = 1024;

/// Bytes of memory that hashing takes.
pub const HASHING_BYTES: u64 = KIB as u64 * BLOCK;

/// What is kept of a password.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PasswordHash {
    kib: u32,
    passes: u32,
    lanes: u32,
    salt: String,
    hash: String,
}

/// The memory that hashes are computed in. One at a time.
pub(crate) struct Bench {
    blocks: Vec<Block>,
}

/// Whether a text can be a password.
///
/// # Errors
/// [`AccessError::Password`].
pub(crate) fn check(password: &str) -> Result<(), AccessError> {
    let is_one = password.chars().count() >= SHORTEST && password.len() <= LONGEST;
    if is_one { Ok(()) } else { Err(AccessError::Password) }
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self { blocks: vec![Block::default(); KIB as usize] }
    }

    /// What is to be kept of a password.
    pub(crate) fn hash(&mut self, password: &str) -> PasswordHash {
        let salt = random::<16>();
        let params = Params::new(KIB, PASSES, LANES, None).expect("argon2 takes these parameters");
        let hash = self.compute(password, &salt, params).expect("argon2 takes a password of that length");
        PasswordHash { kib: KIB, passes: PASSES, lanes: LANES, salt: hex(&salt), hash: hex(&hash) }
    }

    /// Whether a password is the one of which `kept` is kept. Without one it takes as long, and is not.
    pub(crate) fn verify(&mut self, password: &str, kept: Option<&PasswordHash>) -> bool {
        let Some(kept) = kept else {
            self.hash(password);
            return false;
        };
        let salt = from_hex::<16>(&kept.salt);
        let params = Params::new(kept.kib, kept.passes, kept.lanes, None).ok();
        let computed = salt.zip(params).and_then(|(salt, params)| self.compute(password, &salt, params));
        match (computed, from_hex::<32>(&kept.hash)) {
            (Some(computed), Some(kept)) => is_equal(&computed, &kept),
            _ => false,
        }
    }

    fn compute(&mut self, password: &str, salt: &[u8; 16], params: Params) -> Option<[u8; 32]> {
        let blocks = params.block_count();
        if self.blocks.len() < blocks {
            // Kept with more than is used now.
            self.blocks.resize(blocks, Block::default());
        }
        let mut hash = [0; 32];
        let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let memory = &mut self.blocks[..blocks];
        argon.hash_password_into_with_memory(password.as_bytes(), salt, &mut hash, memory).ok()?;
        Some(hash)
    }
}

/// In a time that does not depend on where they differ.
fn is_equal(one: &[u8; 32], other: &[u8; 32]) -> bool {
    one.iter().zip(other).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_verified_and_another_one_is_not() {
        let mut bench = Bench::new();
        let (kept, again) = (bench.hash("correct horse"), bench.hash("correct horse"));
        assert!(kept.hash != again.hash, "salted");
        assert!(bench.verify("correct horse", Some(&kept)) && bench.verify("correct horse", Some(&again)));
        assert!(!bench.verify("correct house", Some(&kept)) && !bench.verify("correct horse", None));
    }

    #[test]
    fn one_that_was_kept_with_other_parameters_is_verified_by_those() {
        let mut bench = Bench::new();
        let params = Params::new(64, 1, 1, None).unwrap();
        let hash = bench.compute("a password", &[7; 16], params).unwrap();
        let kept = PasswordHash { kib: 64, passes: 1, lanes: 1, salt: hex(&[7; 16]), hash: hex(&hash) };
        assert!(bench.verify("a password", Some(&kept)) && !bench.verify("no password", Some(&kept)));
        let damaged = PasswordHash { salt: "no".into(), ..kept };
        assert!(!bench.verify("a password", Some(&damaged)));
    }

    #[test]
    fn what_is_too_short_or_too_long_is_no_password() {
        assert!(check("1234567").is_err() && check("12345678").is_ok() && check("ääääääää").is_ok());
        assert!(check(&"x".repeat(LONGEST)).is_ok() && check(&"x".repeat(LONGEST + 1)).is_err());
    }
}
