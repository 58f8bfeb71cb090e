//! Trials: what keeps Mangrove's promises kept.
//!
//! | module | what is tried |
//! |---|---|
//! | [`conformance`] | TinkerPop's own scenarios, through the embedded engine and over WebSocket |
//! | [`differential`] | random traversals, against TinkerGraph and under all options |
//! | [`histories`] | concurrent clients over the wire: some serial order explains what they saw, or none does |
//! | [`hostile`] | traversals that explode, against a server with small bounds |
//! | [`soak`] | everything at once, for a long time: nothing grows, nothing is lost |
//!
//! They share [`samples`] (TinkerPop's sample graphs), [`served`] (a server in this process), [`process`] (one in a process of its
//! own) and [`client`] (one connection to a server). Each is a subcommand of the program `trials` and a `make` target, and has a
//! short form in `make test`.

pub mod client;
pub mod conformance;
pub mod differential;
pub mod histories;
pub mod hostile;
pub mod process;
pub mod samples;
pub mod served;
pub mod soak;

/// What goes wrong outside the trial itself: a file that is not there, a port that cannot be had.
pub type Problem = Box<dyn std::error::Error + Send + Sync>;
