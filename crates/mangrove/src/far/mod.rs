//! A server that is asked by a command: by its address, or by the directory that it has open.
//!
//! ```text
//! --url wss://db.example.com:8182/gremlin ──▶ TCP, TLS ──┐
//! --data DIR, which a server has open ──▶ its socket ────┴─▶ WebSocket ─▶ login, if it asks for one ─▶ request, answer
//! ```
//!
//! It must never know what is asked, nor what is done with the answer.

mod address;
mod client;
mod place;

pub use address::{Address, Far, Link};
pub use client::Client;
pub use place::{Place, server_of};
