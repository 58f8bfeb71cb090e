//! Looks for anything in a stored graph that is not as it must be, and says where.
//!
//! ```text
//! stored    every pair of every keyspace reads; sections, records and the checkpoint decode; the checkpoint's sections
//!           are there, with all their parts
//! contents  the graph opens; then every element: lists mirror each other, are in order and have the degree they say, their
//!           edges have their ends and are found by number and value in their trees, ids and indexes of every kind find what
//!           has them, unique values are unique, all obeys the schema, counts are what is counted, and neither a reference
//!           nor an edge's number will be given out twice
//! ```

mod contents;
mod indexes;
mod stored;

use std::fmt;
use std::sync::Arc;

use store::Store;

use crate::error::Result;
use crate::model::GraphOptions;
use crate::read::Snapshot;
use crate::restart::open;

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

/// Checks the graph that is kept in `store`, which nobody else may have open, with the memory that a graph has by
/// default: see [`check_within`].
///
/// # Errors
/// If the store cannot be asked at all; what is wrong with the graph is a finding.
pub fn check(store: &Arc<dyn Store>, progress: &mut dyn FnMut(CheckProgress)) -> Result<Vec<Finding>> {
    check_within(store, GraphOptions::default().cache_bytes, progress)
}

/// Checks the graph that is kept in `store`, which nobody else may have open, with so many bytes of sections in memory. It
/// changes nothing; where memory has no room for what the log has, that is written to where a flush would have. No finding
/// means that everything there is was read and agrees; at most 1,000 are listed.
///
/// The contents are looked at only when everything stored reads: what is missing would be found once more, many times.
///
/// # Errors
/// If the store cannot be asked at all; what is wrong with the graph is a finding.
pub fn check_within(
    store: &Arc<dyn Store>,
    cache_bytes: usize,
    progress: &mut dyn FnMut(CheckProgress),
) -> Result<Vec<Finding>> {
    let mut findings = Findings::default();
    if !stored::check(store, &mut findings, progress)? || !findings.list.is_empty() {
        return Ok(findings.list);
    }
    // None of the threads that an open graph has: nobody builds, drops or flushes anything.
    let options = GraphOptions { cache_bytes, ..GraphOptions::default() };
    match open(Arc::clone(store), options) {
        Ok(files) => contents::check(&Snapshot::latest(&files), &mut findings, progress),
        Err(error) => findings.add("the graph", error),
    }
    Ok(findings.list)
}

#[cfg(test)]
mod tests {
    use store::MemoryStore;
    use values::Value;

    use super::*;
    use crate::graph::Graph;
    use crate::model::{Cardinality, IndexKind, SchemaDescription, VertexKeyDescription};

    /// A graph of two persons of one age, and what is found after some change of what is declared that nobody checked.
    fn found_after(change: impl FnOnce(&Graph)) -> String {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let graph = Graph::open(store, GraphOptions::default()).unwrap();
        graph.create_index("person", "age").unwrap();
        let transaction = graph.begin();
        for _ in 0..2 {
            let v = transaction.add_vertex(None, "person").unwrap();
            transaction.set_vertex_property(v, Cardinality::Single, "age", Value::Int(7), &[]).unwrap();
        }
        transaction.commit().unwrap();
        change(&graph);
        let mut findings = Findings::default();
        contents::check(&graph.snapshot(), &mut findings, &mut |_| {});
        findings.list.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_unique_index_and_a_schema_that_are_not_obeyed_are_found() {
        assert_eq!(found_after(|_| {}), "");
        let unique = found_after(|graph| {
            let make = |definitions: &mut crate::model::Definitions| {
                definitions.indexes[0].definition.kind = IndexKind::Unique;
            };
            graph.definer().declare(|declared| declared.define(make));
        });
        assert!(unique.contains("is unique, and vertex 0 has its value 7"), "{unique}");
        let required = found_after(|graph| {
            let definer = graph.definer();
            let mut description = SchemaDescription::of(&definer.catalog());
            let key = VertexKeyDescription { required: true, ..VertexKeyDescription::default() };
            description.vertices.entry("person".into()).or_default().keys.insert("name".into(), key);
            let names = crate::model::NewNames::new(&definer.names);
            let intern = |space, name: &str| Ok(names.intern(space, name)?.0);
            let schema = description.to_schema(1, intern).unwrap();
            definer.commit_names(&names).unwrap();
            definer.declare(|declared| declared.define(|definitions| definitions.schema = schema));
        });
        assert!(required.contains("name") && required.contains("the schema"), "{required}");
    }
}
