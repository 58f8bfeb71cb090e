//! Gremlin over WebSocket: one task per connection, several requests in flight on it.

mod connection;
mod frame;
mod response;

pub(crate) use connection::Connection;
pub(crate) use frame::FrameKind;
