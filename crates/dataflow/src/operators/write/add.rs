//! New vertices and edges.

use planner::physical::{Operand, WriteProperty};
use values::{EdgeRef, Value, VertexRef, excerpt, watch};

use super::{Change, MAX_BULK, TICKS};
use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::operators::element::find_vertex;
use crate::operators::row_origins::trace;
use crate::operators::view::{Graph, View};

impl Change<'_> {
    /// Adds a vertex for each traverser.
    pub(super) fn add_vertices(
        &self,
        batch: &Batch,
        label: &Operand,
        id: Option<&Operand>,
        properties: &[WriteProperty],
    ) -> Result<Batch, QueryError> {
        let mut added = Vec::with_capacity(batch.len);
        let rows = self.each(batch, |row| {
            let label = self.name(label, "label", batch, row)?;
            let id = id.and_then(|id| self.cx.operand(id, batch, row));
            let vertex = self.transaction.add_vertex(id, &label)?;
            for property in properties {
                self.set_on_vertex(vertex, property, batch, row)?;
            }
            added.push(vertex);
            Ok(())
        })?;
        Ok(self.replaced(batch, &rows, Column::Vertices(added)))
    }

    /// Adds an edge for each traverser.
    pub(super) fn add_edges(
        &self,
        batch: &Batch,
        label: &Operand,
        id: Option<&Operand>,
        (from, to): (Option<&Operand>, Option<&Operand>),
        properties: &[WriteProperty],
    ) -> Result<Batch, QueryError> {
        let view = View::of(self.cx);
        let graph = view.graph();
        let mut added: Vec<EdgeRef> = Vec::with_capacity(batch.len);
        let rows = self.each(batch, |row| {
            let label = self.name(label, "label", batch, row)?;
            let id = id.and_then(|id| self.cx.operand(id, batch, row));
            let src = self.end(from, &label, "from", batch, row, &graph)?;
            let dst = self.end(to, &label, "to", batch, row, &graph)?;
            let edge = self.transaction.add_edge(id, &label, src, dst)?;
            for property in properties {
                self.set_on_edge(edge, property, batch, row)?;
            }
            added.push(edge);
            Ok(())
        })?;
        Ok(self.replaced(batch, &rows, Column::Edges(added)))
    }

    /// Calls `add` for every traverser, also for those that a row stands for together. The rows, repeated so.
    fn each(
        &self,
        batch: &Batch,
        mut add: impl FnMut(usize) -> Result<(), QueryError>,
    ) -> Result<Vec<u32>, QueryError> {
        let mut rows = Vec::with_capacity(batch.len);
        for row in 0..batch.len {
            let bulk = batch.bulk(row);
            if bulk > MAX_BULK {
                return Err(self.error(format!(
                    "{bulk} equal traversers would each add an element; at most {MAX_BULK} may"
                )));
            }
            for _ in 0..bulk {
                watch::ticks(TICKS);
                add(row)?;
                rows.push(row as u32);
            }
        }
        Ok(rows)
    }

    fn replaced(&self, batch: &Batch, rows: &[u32], column: Column) -> Batch {
        let mut added = batch.derive(rows, column);
        added.bulk = None;
        trace(&mut added, self.cx.op);
        added
    }

    /// One end of a new edge: the current vertex, the one in a slot, or the one with an id.
    fn end(
        &self,
        operand: Option<&Operand>,
        label: &str,
        what: &str,
        batch: &Batch,
        row: usize,
        graph: &Graph<'_>,
    ) -> Result<VertexRef, QueryError> {
        let object = match operand {
            None => batch.current.get(row),
            Some(operand) => self.cx.operand(operand, batch, row),
        };
        let object = object.unwrap_or_default();
        let needed = || {
            let label = excerpt(label);
            format!(
                "The value given to addE({label}).{what}() must resolve to a Vertex or the ID of a Vertex present in the graph"
            )
        };
        match &object {
            Value::VertexRef(v) => Ok(*v),
            Value::Null => Err(self.error(format!("{}, but null was specified instead", needed()))),
            other => find_vertex(other, graph).ok_or_else(|| {
                let (object, found) = (self.excerpt_of(other), other.type_name());
                self.error(format!("{}; {object} ({found}) does not", needed()))
            }),
        }
    }
}
