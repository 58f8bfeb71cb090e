//! Users and tokens as they are stored: JSON under `u` and a name, `t` and a hash.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{AccessError, Grants, Role, password::PasswordHash, token::TokenHash};

/// The keyspace of a store that they are in.
pub(crate) const KEYSPACE: &str = "users";

const USER: u8 = b'u';
const TOKEN: u8 = b't';

/// What is kept of a user.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct User {
    /// `None`: tokens alone let him in.
    pub(crate) password: Option<PasswordHash>,
    pub(crate) grants: Grants,
    /// Another one with each new password, and with each user of that name.
    pub(crate) stamp: u64,
}

/// What is kept of a token.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Token {
    pub(crate) user: String,
    /// What its user calls it.
    pub(crate) label: String,
    /// The most that it allows.
    pub(crate) at_most: Option<Role>,
    /// Seconds since 1970; `None`: never.
    pub(crate) expires: Option<u64>,
}

/// A key and what is under it.
pub(crate) enum Record {
    User(String, User),
    Token(TokenHash, Token),
}

pub(crate) fn user_key(name: &str) -> Vec<u8> {
    [&[USER], name.as_bytes()].concat()
}

pub(crate) fn token_key(hash: TokenHash) -> Vec<u8> {
    [&[TOKEN][..], &hash.0].concat()
}

pub(crate) fn written(record: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(record).expect("records are made of texts and numbers")
}

/// Reads what is under a key.
///
/// # Errors
/// [`AccessError::Damaged`].
pub(crate) fn read(key: &[u8], value: &[u8]) -> Result<Record, AccessError> {
    let damaged =
        |reason: String| AccessError::Damaged { key: String::from_utf8_lossy(key).into_owned(), reason };
    fn json<T: DeserializeOwned>(value: &[u8]) -> Result<T, String> {
        serde_json::from_slice(value).map_err(|error| error.to_string())
    }
    match key.split_first() {
        Some((&USER, name)) => {
            let name = String::from_utf8(name.to_vec()).map_err(|error| damaged(error.to_string()))?;
            Ok(Record::User(name, json(value).map_err(damaged)?))
        }
        Some((&TOKEN, hash)) => {
            let hash = hash.try_into().map_err(|_| damaged("its key is no SHA-256".into()))?;
            Ok(Record::Token(TokenHash(hash), json(value).map_err(damaged)?))
        }
        _ => Err(damaged("nobody knows what it is".into())),
    }
}
