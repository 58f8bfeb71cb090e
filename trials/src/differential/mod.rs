//! Random traversals against TinkerPop's reference implementation, and against Mangrove itself under other options.
//!
//! | file | what |
//! |---|---|
//! | `graph.rs`, `scalar.rs` | small random graphs |
//! | `ast.rs`, `generate/` | random traversals |
//! | `reference.rs` | TinkerGraph in a process of its own |
//! | `engine.rs` | Mangrove |
//! | `canon.rs`, `answer.rs`, `verdict.rs` | answers in one form, and whether they agree |
//! | `shrink.rs` | cases made smaller |
//! | `against.rs`, `faults.rs`, `patterns.rs`, `orders.rs` | the run against the reference, and what the reference does wrong |
//! | `rewrites.rs` | the same traversal asked otherwise, to see what two answers differ in |
//! | `files.rs` | files that one has written, read by the other |
//! | `ask.rs` | one traversal of your own, against the reference |
//! | `coverage.rs`, `steps.rs`, `tally.rs` | what was compared, and what became of it |
//! | `options.rs`, `option_set.rs` | the run under all options |

mod accidents;
mod against;
mod answer;
mod ask;
mod ast;
mod canon;
mod case;
mod coverage;
mod engine;
mod faults;
mod files;
mod generate;
mod graph;
mod option_set;
mod options;
mod orders;
mod patterns;
mod reference;
mod rewrites;
mod scalar;
mod shrink;
mod steps;
mod tally;
mod verdict;

pub use against::{Arguments, run};
pub use options::{Arguments as OptionArguments, run as run_options};
