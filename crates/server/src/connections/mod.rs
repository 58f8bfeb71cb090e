//! Open connections: how many there may be, and who gives way when there are too many.
//!
//! ```text
//!             a place is free
//! accepted ──┬──────────────▶ among the connections ◀── asks for a query ──┐
//!            └──────────────▶ waiting ─────────────────────────────────────┤
//!              none is free                                                └── /health, /metrics: answered
//! ```
//!
//! So at the bound a newcomer is listened to before anybody has to go for it. Who waits is bounded in the same way,
//! and has as long as [`ServerOptions::read_timeout`](crate::ServerOptions::read_timeout) says to tell what it wants.
//!
//! It must never know what is said on a connection.

mod guest;
mod presence;
mod table;

pub(crate) use guest::Guest;
pub(crate) use presence::Presence;
pub(crate) use table::ConnectionTable;

/// Connections beyond the bound that are listened to at a time.
pub(crate) const WAITING: usize = 256;

/// The same of one address.
pub(crate) const WAITING_PER_ADDRESS: usize = 64;
