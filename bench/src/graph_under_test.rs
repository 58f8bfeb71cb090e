//! Running queries on the graph that is measured.

use std::path::Path;
use std::sync::Arc;

use dataflow::Engine;
use mangrove::{Database, DatabaseOptions};
use values::Value;

use crate::parameters::Bindings;

/// Opens a graph with an engine of so many executors, and brings it into memory by touching every person's friends.
///
/// # Errors
/// If the graph cannot be opened.
pub fn open(path: &Path, executors: usize) -> Result<Database, mangrove::Error> {
    open_with(path, mangrove::start_engine(executors)?)
}

/// The same with an engine of one's own.
///
/// # Errors
/// If the graph cannot be opened.
pub fn open_with(path: &Path, engine: Arc<Engine>) -> Result<Database, mangrove::Error> {
    let executors = engine.executors();
    let options = DatabaseOptions { engine: Some(engine), executors, ..DatabaseOptions::default() };
    Database::open_with(path, options)
}

/// All results of a query.
///
/// # Errors
/// If the query fails.
pub fn run(database: &Database, text: &str, bindings: &Bindings) -> Result<Vec<Value>, mangrove::Error> {
    database.query_with(text, bindings.iter().cloned())?.collect()
}
