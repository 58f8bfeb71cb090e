//! An empty graph, which a bulk load fills.

use graph::{BulkColumn, BulkLoad, BulkProgress, Graph};
use values::{Value, VertexRef};

use super::{Outcome, Rows, Sink, Target};
use crate::error::ImportError;

impl Target for Graph {
    /// Begins a bulk load of a graph, which must be empty.
    fn begin(&self) -> Result<Box<dyn Sink + '_>, ImportError> {
        let null_values = self.snapshot().catalog().schema().allow_null_values();
        Ok(Box::new(Bulk { load: self.bulk_load()?, null_values }))
    }
}

struct Bulk {
    load: BulkLoad,
    null_values: bool,
}

impl Sink for Bulk {
    fn vertices(
        &mut self,
        label: &str,
        rows: Rows<'_>,
        ids: Option<Vec<Value>>,
        columns: Vec<BulkColumn>,
    ) -> Result<Vec<VertexRef>, ImportError> {
        Ok(match ids.is_none() && columns.is_empty() {
            true => self.load.vertices_without_columns(label, rows.len())?,
            false => self.load.vertices(label, ids, columns)?,
        })
    }

    fn edges(
        &mut self,
        label: &str,
        (from, to): (&[VertexRef], &[VertexRef]),
        _: Rows<'_>,
        ids: Option<Vec<Value>>,
        columns: Vec<BulkColumn>,
    ) -> Result<(), ImportError> {
        Ok(self.load.edges(label, from, to, ids, columns)?)
    }

    fn index(&mut self, label: &str, key: &str) -> Result<(), ImportError> {
        Ok(self.load.index(label, key)?)
    }

    fn null_values(&self) -> bool {
        self.null_values
    }

    fn finish(self: Box<Self>, progress: &dyn Fn(BulkProgress)) -> Result<Outcome, ImportError> {
        Ok(Outcome { stats: Some(self.load.finish(progress)?), tally: None, reports: Vec::new() })
    }
}
