//! Looks for anything in a stored graph that is not as it must be, and says where.
//!
//! ```text
//! stored    every pair of every keyspace reads; sections, records and the checkpoint decode; the checkpoint's sections
//!           are there, with all their parts
//! contents  the graph opens; then every element: lists mirror each other, edges have their ends, ids and indexes find
//!           what has them, counts are what is counted
//! ```

mod contents;
mod stored;

use std::fmt;
use std::sync::Arc;

use store::Store;

use crate::{Graph, GraphOptions, Result, SecondaryOptions};

/// Something that is wrong: where, and what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The section, record or element.
    pub place: String,
    /// What is wrong with it.
    pub problem: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

/// How far a check is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckProgress {
    /// Stored pairs that were read, of roughly how many.
    Stored {
        /// So far.
        done: u64,
        /// In all, as the store estimates.
        total: u64,
    },
    /// Vertices that were looked at with all that belongs to them.
    Contents {
        /// So far.
        done: u64,
        /// In all.
        total: u64,
    },
}

/// Findings beyond this number are not listed: a lost section makes many.
const MOST_FINDINGS: usize = 1_000;

/// What was found so far.
#[derive(Default)]
struct Findings {
    list: Vec<Finding>,
}

impl Findings {
    fn add(&mut self, place: impl fmt::Display, problem: impl fmt::Display) {
        if self.list.len() < MOST_FINDINGS {
            self.list.push(Finding { place: place.to_string(), problem: problem.to_string() });
        }
    }
}

/// Checks the graph that is kept in `store`, which nobody else may have open. It writes nothing, and reads the graph
/// into memory. No finding means that everything there is was read and agrees; at most 1,000 are listed.
///
/// The contents are looked at only when everything stored reads: what is missing would be found once more, many times.
///
/// # Errors
/// If the store cannot be asked at all; what is wrong with the graph is a finding.
pub fn check(store: &Arc<dyn Store>, progress: &mut dyn FnMut(CheckProgress)) -> Result<Vec<Finding>> {
    let mut findings = Findings::default();
    if !stored::check(store, &mut findings, progress)? || !findings.list.is_empty() {
        return Ok(findings.list);
    }
    // Nothing is flushed: the log may be as long as it is.
    let secondary = SecondaryOptions { builders: 0, ..SecondaryOptions::default() };
    let options = GraphOptions { log_bytes: u64::MAX, keeper: false, secondary, ..GraphOptions::default() };
    match Graph::open(Arc::clone(store), options) {
        Ok(graph) => contents::check(&graph, &mut findings, progress),
        Err(error) => findings.add("the graph", error),
    }
    Ok(findings.list)
}
