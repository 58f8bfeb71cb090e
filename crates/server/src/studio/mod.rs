//! The studio: the page that the server serves, and who has logged in on it.
//!
//! ```text
//!   studio/dist ── build.rs ──▶ files ──▶ GET /, GET /studio/…
//!   POST /studio/login ──▶ logins ── cookie ──▶ requests of the page
//! ```
//!
//! It must never know how HTTP is spoken, nor what the page asks.

mod files;
mod logins;

pub(crate) use files::{File, INDEX, find, is_built};
pub(crate) use logins::{LIFETIME, Logins};
