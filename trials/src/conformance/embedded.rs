//! The embedded engine.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use gremlin::Bindings;
use mangrove::{Database, Error};

use super::door::{self, Answer, Door, Failure, Graphs};
use crate::Problem;

/// The embedded engine, in this process.
#[derive(Debug)]
pub struct Embedded {
    graphs: Graphs,
}

impl Embedded {
    /// Opens all graphs.
    ///
    /// # Errors
    /// If a sample cannot be read.
    pub fn open(data: &Path) -> Result<Self, Problem> {
        Ok(Self { graphs: door::open(data)? })
    }
}

impl Door for Embedded {
    fn name(&self) -> &'static str {
        "embedded"
    }

    fn ask(&mut self, graph: &str, text: &str, bindings: &Bindings) -> Answer {
        let Some(database) = self.graphs.get(graph) else {
            return Err(Failure::Broken(format!("there is no graph {graph}")));
        };
        // A panic is a failure of this scenario, not the end of all.
        match catch_unwind(AssertUnwindSafe(|| ask(database, text, bindings))) {
            Ok(answer) => answer,
            Err(panic) => Err(Failure::Broken(format!("panicked: {}", said(&*panic)))),
        }
    }
}

fn ask(database: &Database, text: &str, bindings: &Bindings) -> Answer {
    let pairs = bindings.iter().filter_map(|(name, bound)| Some((name.clone(), bound.as_value()?.clone())));
    database.query_with(text, pairs).and_then(Iterator::collect).map_err(failure)
}

fn failure(error: Error) -> Failure {
    Failure::of(error.kind(), error.to_string())
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a word")
}
