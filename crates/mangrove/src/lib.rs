//! The Mangrove graph database as an embedded library.
//!
//! Open a directory, run a query, iterate results:
//!
//! ```
//! # let directory = tempfile::tempdir().unwrap();
//! # let path = directory.path().join("graph");
//! let db = mangrove::Database::open(path)?;
//! db.query("g.addV('person').property('name', 'ada').as('a').addV('person').property('name', 'bob').addE('knows').from('a')")?;
//! for name in db.query("g.V().has('name', 'ada').out('knows').values('name')")? {
//!     assert_eq!(name?, "bob".into());
//! }
//! # Ok::<(), mangrove::Error>(())
//! ```
//!
//! | file | what |
//! |---|---|
//! | `database.rs` | an open graph: what one can ask of it |
//! | `script.rs` | from text or bytecode to one traversal and what to do with it |
//! | `prepare.rs` | from a traversal to a plan and its parameters |
//! | `origin.rs` | what a request was read from, to plan it again |
//! | `run.rs`, `results.rs` | a request on the calling thread |
//! | `hosted.rs`, `job.rs` | a request on the engine's executors, for the server |
//! | `services/` | what `g.call(…)` does: schema and indexes |
//! | `schema_file.rs` | schemas as TOML |
//! | `transaction.rs` | several scripts as one transaction |
//! | `backoff.rs`, `retry.rs` | what happens to requests that lose against concurrent writes |
//! | `import.rs`, `generate/` | data from files, and files from nothing |
//! | `config/` | the settings of the command |

mod allocator;
mod backoff;
pub mod config;
mod database;
mod error;
pub mod generate;
mod global_allocator;
mod hosted;
mod import;
mod job;
mod machine_memory;
mod memory_plan;
mod metrics;
mod options;
mod origin;
mod prepare;
mod profile;
mod results;
mod retry;
mod run;
pub mod schema_file;
mod script;
mod scripts;
mod services;
mod time_limit;
mod transaction;

pub use allocator::{give_memory_back_soon, keep_memory_for_a_while};
pub use database::Database;
pub use error::Error;
pub use global_allocator::Mimalloc;
pub use import::ImportFormat;
pub use memory_plan::{MemoryPlan, TooMuch};
pub use options::{DatabaseOptions, held_bytes, start_engine, start_engine_with};
pub use results::Results;
pub use server::ErrorKind;
pub use transaction::Transaction;

/// Import: files in, a graph out.
pub use formats;
/// Graphs below Gremlin: snapshots, transactions, bulk load.
pub use graph;
/// Gremlin's syntax tree, for traversals that are built rather than written.
pub use gremlin;
/// The store under the graph.
pub use store;
/// What values are.
pub use values;

/// The version of this library and of the command.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
