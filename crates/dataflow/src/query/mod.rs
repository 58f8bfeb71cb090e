//! One query: what its operators share, its root, its task on an executor, and who runs it.
//!
//! It must never know of executors: these are [`Helpers`] to it, and whoever is ready to wake them.
//!
//! | file | what |
//! |---|---|
//! | `state.rs` | what all operators of a query share |
//! | `root.rs`, `answer.rs` | the root scope instance, and what a transaction answers |
//! | `task.rs` | a query on its executor, one step at a time |
//! | `caller.rs` | who runs it, and so whose turns it has |
//! | `access.rs` | the graph as it sees it |
//! | `sharing.rs` | work on it that others may take |
//! | `cancel.rs`, `waker.rs` | ending it, waking it |
//! | `tie.rs` | what its handle and its task know of each other |
//! | `result.rs`, `side_effects.rs`, `profile.rs` | what it comes to |

mod access;
mod answer;
mod caller;
mod cancel;
mod draws;
mod profile;
mod result;
mod root;
mod sharing;
mod side_effects;
mod state;
mod task;
mod tie;
mod waker;

pub use access::Access;
pub use caller::Caller;
pub(crate) use caller::{Party, Path};
pub use cancel::CancelToken;
pub use draws::Draws;
pub use profile::{Counters, Profile};
pub use result::{ResultSink, Results, Summary};
pub use root::RunningQuery;
pub use sharing::{Helpers, Piece, PieceSource, Shareable, Sharing};
pub(crate) use sharing::{left_behind, may_go_on};
pub use side_effects::SideEffects;
pub use state::QueryState;
pub(crate) use task::{Next, Room, Task, panicked};
pub(crate) use tie::Tie;
pub use waker::Waker;
