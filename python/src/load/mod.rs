//! Frames into the graph: whatever speaks Arrow's C interface, through the sinks that imports of files use.
//!
//! ```text
//!  frame ─▶ batches ─▶ rows of each label (labels) ─▶ ids, ends, columns (cells, ids) ─┬─▶ bulk load            an empty graph
//!                                                                                     └─▶ looked at, then
//!                                                                                         transactions          one with data
//! ```
//!
//! It must never know what library a frame is of.

mod cells;
mod frame;
mod ids;
mod labels;
mod loading;

use mangrove::{
    Database,
    formats::{ImportError, Present, PresentOptions, Tally, Target},
    graph::GraphError,
};
use pyo3::PyErr;

pub(crate) use frame::{Frame, Frames, Names};

use crate::errors;
use loading::load;

/// What a load did.
pub(crate) struct Loaded {
    /// Vertices added.
    pub(crate) vertices: u64,
    /// Edges added.
    pub(crate) edges: u64,
}

/// Why nothing, or not all, was loaded.
pub(crate) enum Failure {
    /// A frame cannot be read.
    Frame(PyErr),
    /// The graph takes no more.
    Import(ImportError),
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Frame(error)
    }
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        Self::Import(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Frame(error) => error,
            // What it advises is for files.
            Failure::Import(error) => errors::of_advised(&error.into()),
        }
    }
}

/// Loads frames: in one go if the graph is empty and nobody is in it, and then nothing is there before all is; by transactions otherwise,
/// after a look at whether all of it can be taken.
///
/// # Errors
/// If a frame cannot be read, or the graph refuses something.
pub(crate) fn into_graph(db: &Database, frames: Frames) -> Result<Loaded, Failure> {
    let graph = db.graph();
    let stats = graph.stats();
    let is_empty = stats.vertices.iter().chain(&stats.edges).all(|(_, count)| *count == 0);
    if is_empty {
        match Target::begin(graph) {
            Ok(sink) => return load(sink, &frames),
            // Somebody has a transaction open, or results of a query.
            Err(ImportError::Graph(GraphError::InUse { .. } | GraphError::NotEmpty { .. })) => {}
            Err(other) => return Err(other.into()),
        }
    }
    // They are read twice, which some frames can be only once.
    let frames = frames.at_hand()?;
    let options = PresentOptions::default();
    let name = format!("frames {}", uuid::Uuid::new_v4());
    let present = Present::new(graph, &options, &name);
    load(present.looking_only().begin()?, &frames)?;
    let loaded = load(present.begin()?, &frames)?;
    present.forget()?;
    Ok(loaded)
}

/// What was added, as the sink says it, or as it was counted.
fn told(tally: Option<Tally>, (vertices, edges): (u64, u64)) -> Loaded {
    match tally {
        Some(tally) => Loaded { vertices: tally.vertices, edges: tally.edges },
        None => Loaded { vertices, edges },
    }
}
