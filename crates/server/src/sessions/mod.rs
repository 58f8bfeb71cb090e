//! The sessions of a connection: requests that run one after the other.
//!
//! ```text
//!   session "a": running ◀─ waiting waiting        one transaction, one answer at a time
//!   session "b": running                            beside it
//!   no session:  running running running
//! ```
//!
//! A session belongs to the connection that began it: the same id on another connection is another session. It ends with `close`
//! or with the connection; then what it has not committed is rolled back.
//!
//! It must never know what a request says, nor how its answer is written: where that goes waits with it, whatever that is.

mod line;
mod places;

pub(crate) use line::{InSession, Lines, Todo, Waiting};
pub(crate) use places::{SessionPlace, SessionPlaces};
