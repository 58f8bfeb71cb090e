//! Gremlin over WebSocket: one task per connection, several requests in flight on it.
//!
//! It must never know how a query runs, nor how a connection became a WebSocket.

mod connection;
mod entry;
mod frame;
mod response;

pub(crate) use connection::Connection;
