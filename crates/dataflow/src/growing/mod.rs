//! Tables and vectors that grow little by little.
//!
//! A hash table that is full moves all it has into one twice as large, and so does a vector: with millions of entries that takes
//! hundreds of turns, and nobody can stop it in the middle. These here are made of parts of bounded size. A full part of a table
//! is divided in two, a vector gets one more chunk; what they had besides stays where it is.
//!
//! | file | what |
//! |---|---|
//! | `table.rs` | entries by their hash, in no order |
//! | `map.rs` | keys and values, in the order in which they came |
//! | `chunked.rs` | a vector |
//!
//! They must never know what is in them.

mod chunked;
mod map;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use chunked::{Chunked, Chunks};
pub(crate) use map::GrowingMap;
pub(crate) use table::{Hashed, Table, hash_of};
