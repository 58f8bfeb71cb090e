//! GraphBinary and GraphSON, and the messages drivers exchange in them.
//!
//! [`WireValue`] is anything that can travel. [`graphbinary`] and [`graphson`] encode and decode it, and the
//! [`RequestMessage`]s and [`ResponseMessage`]s around it; [`Format`] chooses among them by mime type and knows
//! the frames of a WebSocket. That is TinkerPop 3; [`four`] has the messages and formats of TinkerPop 4. Results go from the query's own values straight into the buffer that is sent.
//!
//! Invariant: this crate executes nothing and does no I/O.

mod bytecode;
mod error;
mod format;
pub mod four;
mod graph_parts;
pub mod graphbinary;
pub mod graphson;
mod memory;
mod message;
mod predicate;
mod temporal;
mod wire_value;

pub use error::{DecodeError, EncodeError, Place, Problem};
pub use format::{Format, HttpFields, decode_frame, decode_http, decode_text_frame};
pub use message::{Args, Properties, RequestMessage, ResponseMessage, ResponseStatus, Results};
pub use temporal::{LocalTime, Temporal};
pub use wire_value::{Extended, Graph, InetAddress, Metrics, Transaction, Tree, WireValue};

/// Deepest nesting of values, on the way in and on the way out. It bounds the stack that a message can use.
pub const MAX_DEPTH: usize = 128;

/// Most bytes of the results of one message in JSON, beside its last value. A value knows how much memory it takes, and not what JSON makes
/// of it: six bytes of a control character, and a million times what is in a bulk set so often.
pub const MAX_RESULTS: usize = 256 << 20;
