//! The extension module `mangrove._mangrove`: the engine in a Python process. The package `mangrove` around it is Python.
//!
//! ```text
//!  Python thread ─▶ Database, Transaction ─▶ guard: the GIL is given back, a panic caught, a signal looked for each 50 ms
//!                        │                        └─▶ mangrove::Embedder
//!                        └─▶ Results ─┬─ one by one, lists      (values/to_python)
//!                                     ├─ Arrow, without a copy  (columns/)
//!                                     └─ GraphBinary            (gremlin): what gremlinpython reads
//!  frames of any library ─▶ Arrow's C interface ─▶ load/ ─▶ bulk load, or transactions where the graph has data
//! ```
//!
//! Invariant: nothing here knows how a query is run. What can be said in Python stands in the package.

use pyo3::prelude::*;

mod columns;
mod database;
mod ending;
mod errors;
mod files;
mod fork;
mod gremlin;
mod guard;
mod load;
mod results;
mod summaries;
mod transaction;
mod values;

/// The engine frees on one thread what another one took, as its server does: mimalloc is made for that. Python has its own.
#[global_allocator]
static ALLOCATOR: mangrove::Mimalloc = mangrove::Mimalloc;

/// The engine. What is meant to be used of it is in the package `mangrove`.
#[pymodule]
mod _mangrove {
    #[pymodule_export]
    use crate::database::Database;
    #[pymodule_export]
    use crate::files::restore;
    #[pymodule_export]
    use crate::fork::_forked;
    #[pymodule_export]
    use crate::results::Results;
    #[pymodule_export]
    use crate::transaction::Transaction;
    #[pymodule_export]
    use crate::values::elements::{Edge, Graph, Path, Property, Vertex, VertexProperty};

    /// The version of the engine and of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = mangrove::VERSION;
}
