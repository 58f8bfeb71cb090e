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
//! | `request/` | one life of a request: read, planned, run, tried again |
//! | `results.rs` | results of a request on the calling thread |
//! | `hosted.rs` | the server's door |
//! | `sessions/` | several requests as one transaction, and scripts of several statements |
//! | `services/` | what `g.call(…)` does: schema and indexes |
//! | `files/` | the files that `io()` reads and writes, and exports |
//! | `schema_file.rs` | schemas as TOML |
//! | `transaction.rs` | several scripts as one transaction |
//! | `embedder.rs` | the same for another language, which owns what it gets and may interrupt it |
//! | `import/`, `generate/` | data from files, and files from nothing |
//! | `time_limit.rs` | how long a request may take, for who works before or beside its query |
//! | `temporary.rs` | files and directories that are not whole, for whoever ends the process |
//! | `config/` | the settings of the command |

mod allocator;
mod asker;
pub mod config;
mod database;
mod embedder;
mod error;
mod files;
pub mod generate;
mod global_allocator;
mod graph_host;
mod hosted;
mod import;
mod machine_memory;
mod memory_plan;
mod metrics;
mod options;
mod profile;
mod request;
mod results;
pub mod schema_file;
mod service_threads;
mod services;
mod sessions;
mod summary;
mod temporary;
mod tenant_memory;
mod time_limit;
mod transaction;
mod transfers;

pub use allocator::{give_memory_back_soon, keep_memory_for_a_while};
pub use database::Database;
pub use dataflow::Interrupt;
pub use embedder::{Embedder, OwnedTransaction};
pub use error::Error;
pub use files::{ExportError, ExportFormat, ExportOptions, ExportSummary};
pub use global_allocator::Mimalloc;
pub use graph_host::{GraphHost, GraphInfo};
pub use import::{ImportFormat, ImportIntoOptions, ImportSource, Imported, import_files};
pub use memory_plan::{MemoryPlan, TooMuch};
pub use options::{DatabaseOptions, held_bytes, start_engine, start_engine_with};
pub use request::RequestKeyOptions;
pub use results::Results;
pub use server::ErrorKind;
pub use sessions::{Account, Accounts, HolderAccounts, Place, SessionOptions};
pub use temporary::{Temporary, remove_temporaries};
pub use tenant_memory::TenantMemory;
pub use transaction::Transaction;
pub use transfers::Transfers;

/// Who may do what: users, roles, tokens.
pub use access;
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
