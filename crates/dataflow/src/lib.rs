//! The scoped dataflow engine (Banyan, sections 3 and 4).
//!
//! A [`planner::physical::Plan`] runs as a tree of scope instances and operators on cooperative executors:
//!
//! | file | what |
//! |---|---|
//! | `batch/` | the messages: columnar batches of traversers |
//! | `operator.rs` | what an operator is |
//! | `operators/` | the experts: one file per category of step |
//! | `java_regex/` | what `TextP.regex` means |
//! | `instance.rs` | one scope instance: mailboxes, progress, intra-instance policy |
//! | `scope/` | scope operators: instances, inter-instance policy, cancellation |
//! | `running.rs`, `answer.rs` | one query: the root instance, and what a transaction answers |
//! | `executor.rs`, `turns.rs`, `floor.rs`, `task.rs`, `engine.rs` | turns, what executors share, queries |
//! | `memory.rs`, `budget.rs`, `batch/weight.rs` | what a query may hold, what all may, and what values weigh |
//! | `growing/` | tables and vectors that grow little by little |
//! | `reclaim.rs` | freeing what is large, off the executors |
//! | `crew.rs`, `post.rs` | threads, and what becomes of an executor while its thread loads |
//! | `commit.rs` | commits, off the executors |
//! | `seat.rs` | how many threads compute at a time, beside the executors |
//! | `scheduling.rs` | what the kernel is told of threads |
//!
//! Invariant: this crate knows nothing of sockets or of Gremlin text. Time comes from a [`Clock`] that a test can
//! inject, and everything below `executor.rs` is single-threaded and steps deterministically.

mod answer;
pub mod batch;
mod budget;
mod cancel;
mod commit;
mod crew;
pub mod detach;
mod edge_part;
mod engine;
mod entered;
mod error;
mod executor;
mod floor;
mod growing;
mod instance;
mod java_regex;
mod mailbox;
mod memory;
pub mod operator;
mod operators;
mod pin;
mod post;
mod profile;
mod query;
mod quota;
mod reclaim;
mod result;
mod running;
pub mod scheduling;
mod scope;
mod scope_memory;
mod seat;
mod side_effects;
mod task;
mod turns;
mod waker;

pub use budget::Budget;
pub use cancel::CancelToken;
pub use edge_part::EdgePart;
pub use engine::{Counting, Engine, EngineOptions, LocalQuery, QueryHandle, QuerySpec};
pub use entered::{Entered, TagSet};
pub use error::QueryError;
pub use instance::Progress;
pub use memory::{Charge, MemoryMeter, WaitingResults};
pub use profile::{Counters, Profile};
pub use query::{Access, Helpers, QueryState, Shareable, Sharing};
pub use quota::{Clock, MonotonicClock, Quota};
pub use result::{ResultSink, Results, Summary};
pub use running::RunningQuery;
pub use scope::PieceSource;
pub use scope_memory::ScopeMemory;
pub use side_effects::SideEffects;
pub use turns::Caller;
pub use waker::Waker;
