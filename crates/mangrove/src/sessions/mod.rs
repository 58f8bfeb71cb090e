//! Several requests as one transaction, and scripts of several statements.
//!
//! ```text
//!  requests of one session, one after the other
//!     │
//!  Session ──▶ Course (one request: its statements, one by one)
//!     │           │ each a query on the executors, within the transaction
//!     └── Ground ◀┘ variables │ no transaction │ open │ over (and why)
//!            │                                   ▲
//!         Account (how many, how much)           └── Expiry: who is idle or open for too long
//! ```
//!
//! A script of several statements outside of a session has a ground of its own, which ends with it.
//! It must never know how a request is read and planned, how it waits for its turn, nor how its results reach a socket: `request/` does
//! the one, the server the other.
//!
//! | file | what |
//! |---|---|
//! | `options.rs` | the bounds |
//! | `account.rs` | what whoever has transactions open may have and hold |
//! | `ground.rs` | what the requests of a session have in common |
//! | `course.rs` | one request on its way through its statements: a way of the life in `request/` |
//! | `kept.rs` | what a statement came to, for a variable |
//! | `expiry.rs` | the end of those that are open for too long |
//! | `door.rs` | the server's door |

mod account;
mod course;
mod door;
mod expiry;
mod ground;
mod kept;
mod options;

pub(crate) use course::Course;
pub(crate) use door::SessionDoor;
pub(crate) use expiry::Expiry;
pub(crate) use ground::Ground;

pub use account::{Account, Accounts, HolderAccounts, Place};
pub use options::SessionOptions;
