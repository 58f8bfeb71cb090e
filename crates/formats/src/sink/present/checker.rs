//! A look at all of a file before anything of it is written: is it sound, and is an id taken?

use graph::{BulkColumn, BulkProgress, Graph, Reader};
use values::{Value, VertexRef};

use super::batch::Batch;
use super::edge::taken_edge;
use super::vertex::{other_label, taken_vertex};
use super::{Merge, PresentOptions};
use crate::error::{Fault, ImportError};
use crate::sink::{Outcome, Rows, Sink, Standing};

/// See the module. It looks at the graph as it is then: a snapshot of all that time would keep what others change meanwhile.
pub(super) struct Checker<'g> {
    options: &'g PresentOptions,
    graph: &'g Graph,
}

impl<'g> Checker<'g> {
    pub(super) fn new(graph: &'g Graph, options: &'g PresentOptions) -> Self {
        Self { options, graph }
    }

    /// Looks at each of the rows that have ids.
    fn each_id(
        &self,
        (label, rows): (&str, Rows<'_>),
        ids: Option<Vec<Value>>,
        look: impl Fn(&Reader<'_>, &Value) -> Option<Fault>,
    ) -> Result<(), ImportError> {
        let batch = Batch::new(label, rows, ids, Vec::new(), 0);
        let snapshot = self.graph.snapshot();
        let reader = snapshot.reader();
        for (row, id) in batch.ids.iter().flatten().enumerate() {
            if let Some(fault) = look(&reader, id) {
                return Err(ImportError::BadRow(batch.bad_row(row, fault)));
            }
        }
        Ok(snapshot.check()?)
    }
}

impl Sink for Checker<'_> {
    fn vertices(
        &mut self,
        label: &str,
        rows: Rows<'_>,
        ids: Option<Vec<Value>>,
        _: Vec<BulkColumn>,
    ) -> Result<Vec<VertexRef>, ImportError> {
        if rows.standing == Standing::Own && !self.options.new_ids {
            self.each_id((label, rows), ids, |reader, id| {
                let found = reader.vertex_by_id(id)?;
                match self.options.merge {
                    Merge::Nothing => Some(taken_vertex(reader, id, found)),
                    Merge::ById => other_label(reader, id, (found, label)),
                    // Whether it is the one that the row is merged with is known when the values are looked up.
                    Merge::ByKey(_) => None,
                }
            })?;
        }
        Ok(vec![VertexRef::default(); rows.len()])
    }

    fn edges(
        &mut self,
        label: &str,
        _: (&[VertexRef], &[VertexRef]),
        rows: Rows<'_>,
        ids: Option<Vec<Value>>,
        _: Vec<BulkColumn>,
    ) -> Result<(), ImportError> {
        if self.options.merge == Merge::Nothing && !self.options.new_ids {
            self.each_id((label, rows), ids, |reader, id| {
                reader.edge_by_id(id).map(|found| taken_edge(reader, id, found))
            })?;
        }
        Ok(())
    }

    fn index(&mut self, _: &str, _: &str) -> Result<(), ImportError> {
        Ok(())
    }

    fn has_others(&self) -> bool {
        true
    }

    fn elsewhere(&mut self, ids: &[Value]) -> Option<VertexRef> {
        let snapshot = self.graph.snapshot();
        let reader = snapshot.reader();
        ids.iter().find_map(|id| reader.vertex_by_id(id))
    }

    fn null_values(&self) -> bool {
        self.graph.snapshot().catalog().schema().allow_null_values()
    }

    fn finish(self: Box<Self>, _: &dyn Fn(BulkProgress)) -> Result<Outcome, ImportError> {
        Ok(Outcome { stats: None, tally: None, reports: Vec::new() })
    }
}
