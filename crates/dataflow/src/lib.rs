//! The scoped dataflow engine (Banyan, sections 3 and 4).
//!
//! A [`planner::physical::Plan`] runs as a tree of scope instances and operators on cooperative executors:
//!
//! | file | what |
//! |---|---|
//! | `engine.rs` | executors, and the ways to give them queries |
//! | `executor/` | turns, threads, what executors share, commits |
//! | `query/` | one query: its state, its root, its task |
//! | `instance.rs`, `mailbox.rs` | one scope instance: mailboxes, progress, intra-instance policy |
//! | `scope/` | scope operators: instances, inter-instance policy, cancellation |
//! | `experts.rs` | who executes which operator of a plan |
//! | `operators/` | the experts: one file per category of step |
//! | `operator.rs` | what an operator is |
//! | `batch/` | the messages: columnar batches of traversers |
//! | `combine/` | what becomes of two values that are to be one |
//! | `memory/` | what a query may hold, what all may, and freeing what is large |
//! | `files.rs` | files of graphs, which `io()` reads and writes |
//! | `java_regex/` | what `TextP.regex` means |
//! | `growing/` | tables and vectors that grow little by little |
//! | `housekeeping.rs` | what a thread does that has nothing to do |
//! | `seat.rs` | how many threads compute at a time, beside the executors |
//! | `vertex_property.rs` | what a vertex property has on its way through a query |
//! | `scheduling.rs` | what the kernel is told of threads |
//!
//! Invariant: this crate knows nothing of sockets or of Gremlin text. Time comes from a [`Clock`] that a test can
//! inject, and everything below `executor.rs` is single-threaded and steps deterministically.

mod algorithms;
pub mod batch;
mod combine;
pub mod detach;
mod edge_part;
mod engine;
mod entered;
mod error;
mod executor;
mod experts;
mod files;
mod growing;
mod housekeeping;
mod instance;
mod java_hash;
mod java_random;
mod java_regex;
mod looks;
mod mailbox;
mod memory;
pub mod operator;
mod operators;
mod pace;
mod query;
mod quota;
mod raised;
pub mod scheduling;
mod scope;
mod scope_memory;
mod scope_tag;
mod seat;
mod vertex_property;

pub use edge_part::EdgePart;
pub use engine::{Counting, Engine, EngineOptions, Interrupt, LocalQuery, QueryHandle, QuerySpec};
pub use entered::{Entered, TagSet};
pub use error::QueryError;
pub use files::{FileElement, FilePass, FileProblem, FileReader, FileWriter, GraphFiles, Room as FileRoom};
pub use housekeeping::when_a_thread_is_idle;
pub use instance::Progress;
pub use memory::{Budget, Charge, MemoryMeter, Reserved, WaitingResults};
pub use query::{
    Access, Caller, CancelToken, Counters, Helpers, Piece, PieceSource, Profile, QueryState, ResultSink,
    Results, RunningQuery, Shareable, Sharing, SideEffects, Summary, Waker,
};
pub use quota::{Clock, MonotonicClock, Quota};
pub use scope_memory::ScopeMemory;
pub use scope_tag::ScopeTag;
