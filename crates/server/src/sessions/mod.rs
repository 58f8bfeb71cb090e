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
//! TinkerPop 4 has transactions instead, of which each request may come on another connection (`transactions.rs`). Below, in the
//! graph, they are sessions, too.
//!
//! It must never know what a request says, nor how its answer is written: where that goes waits with it, whatever that is.

mod line;
mod places;
mod transactions;

pub(crate) use line::{InSession, Lines, Todo, Waiting};
pub(crate) use places::{SessionPlace, SessionPlaces};
pub(crate) use transactions::{NoTurn, Transactions, Turn};
