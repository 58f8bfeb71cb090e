//! Elements collected into columns, one batch per label; every element brings keys of its own. Columns stay in the order
//! in which the file has their keys, which so becomes the order of an element's properties.

use indexmap::IndexMap;
use values::{Value, VertexRef};

use super::element::{EdgeLine, VertexLine};
use crate::error::ImportError;
use crate::summary::Counts;
use graph::{BulkCell, BulkColumn, BulkLoad, BulkValues};

/// Elements after which batches are handed on.
const FULL: usize = 16 << 10;

/// Vertices on their way into the bulk load, label by label.
#[derive(Default)]
pub(crate) struct VertexBatches {
    by_label: IndexMap<String, VertexBatch>,
    pending: usize,
}

impl VertexBatches {
    pub(crate) fn add(&mut self, vertex: VertexLine) {
        if !self.by_label.contains_key(&vertex.label) {
            self.by_label.insert(vertex.label.clone(), VertexBatch::default());
        }
        if let Some(batch) = self.by_label.get_mut(&vertex.label) {
            batch.add(vertex);
            self.pending += 1;
        }
    }

    /// Whether they should be handed on.
    pub(crate) fn is_full(&self) -> bool {
        self.pending >= FULL
    }

    /// Hands all of them on: their ids, with what the graph calls them.
    pub(crate) fn load(
        &mut self,
        bulk: &mut BulkLoad,
        counts: &mut Counts,
    ) -> Result<Vec<(Value, VertexRef)>, ImportError> {
        let mut loaded = Vec::with_capacity(std::mem::take(&mut self.pending));
        for (label, batch) in std::mem::take(&mut self.by_label) {
            let (ids, columns) = batch.into_columns();
            let vertices = bulk.vertices(&label, Some(ids.clone()), columns)?;
            counts.vertices += vertices.len() as u64;
            loaded.extend(ids.into_iter().zip(vertices));
        }
        Ok(loaded)
    }
}

/// Edges on their way into the bulk load, label by label.
#[derive(Default)]
pub(crate) struct EdgeBatches {
    by_label: IndexMap<String, EdgeBatch>,
    pending: usize,
}

impl EdgeBatches {
    /// Adds an edge; hands on first what must not be together with it.
    pub(crate) fn add(
        &mut self,
        (from, to): (VertexRef, VertexRef),
        edge: EdgeLine,
        bulk: &mut BulkLoad,
        counts: &mut Counts,
    ) -> Result<(), ImportError> {
        let differs = self.by_label.get(&edge.label).is_some_and(|batch| batch.differs_from(&edge));
        if differs || self.pending >= FULL {
            self.load(bulk, counts)?;
        }
        if !self.by_label.contains_key(&edge.label) {
            self.by_label.insert(edge.label.clone(), EdgeBatch::default());
        }
        if let Some(batch) = self.by_label.get_mut(&edge.label) {
            batch.add(from, to, edge);
            self.pending += 1;
        }
        Ok(())
    }

    /// Hands all of them on.
    pub(crate) fn load(&mut self, bulk: &mut BulkLoad, counts: &mut Counts) -> Result<(), ImportError> {
        self.pending = 0;
        for (label, batch) in std::mem::take(&mut self.by_label) {
            let (from, to, ids, columns) = batch.into_columns();
            counts.edges += from.len() as u64;
            bulk.edges(&label, &from, &to, ids, columns)?;
        }
        Ok(())
    }
}

/// Vertices of one label.
#[derive(Default)]
struct VertexBatch {
    ids: Vec<Value>,
    columns: IndexMap<String, Vec<Vec<BulkCell>>>,
}

/// Edges of one label.
#[derive(Default)]
struct EdgeBatch {
    from: Vec<VertexRef>,
    to: Vec<VertexRef>,
    ids: Vec<Option<Value>>,
    columns: IndexMap<String, Vec<Option<Value>>>,
}

impl VertexBatch {
    fn add(&mut self, vertex: VertexLine) {
        for (key, cells) in vertex.properties {
            let column = self.columns.entry(key).or_default();
            // Vertices before this one that do not have the key.
            column.resize(self.ids.len(), Vec::new());
            column.push(cells);
        }
        self.ids.push(vertex.id);
    }

    /// The ids and the columns: a key under which every vertex has at most one value, without meta-properties or an id, is a
    /// single property, otherwise a multi-property.
    fn into_columns(self) -> (Vec<Value>, Vec<BulkColumn>) {
        let rows = self.ids.len();
        let columns = self.columns.into_iter().map(|(key, mut cells)| {
            cells.resize(rows, Vec::new());
            let is_single = cells.iter().all(|row| row.len() <= 1 && row.iter().all(BulkCell::is_plain));
            let values = match is_single {
                true => BulkValues::Any(
                    cells.into_iter().map(|row| row.into_iter().next().map(|cell| cell.value)).collect(),
                ),
                false => BulkValues::Multi(cells),
            };
            BulkColumn { key, values }
        });
        (self.ids, columns.collect())
    }
}

impl EdgeBatch {
    fn add(&mut self, from: VertexRef, to: VertexRef, edge: EdgeLine) {
        for (key, value) in edge.properties {
            let column = self.columns.entry(key).or_default();
            column.resize(self.from.len(), None);
            column.push(Some(value));
        }
        self.from.push(from);
        self.to.push(to);
        self.ids.push(edge.id);
    }

    /// Whether the next edge must not be in one batch with these: either all have ids of their own or none.
    fn differs_from(&self, edge: &EdgeLine) -> bool {
        self.ids.first().is_some_and(|first| first.is_some() != edge.id.is_some())
    }

    /// Hands the edges over: ends, ids if they have any, columns.
    fn into_columns(self) -> (Vec<VertexRef>, Vec<VertexRef>, Option<Vec<Value>>, Vec<BulkColumn>) {
        let rows = self.from.len();
        let columns = self.columns.into_iter().map(|(key, mut values)| {
            values.resize(rows, None);
            BulkColumn { key, values: BulkValues::Any(values) }
        });
        let columns = columns.collect();
        (self.from, self.to, self.ids.into_iter().collect(), columns)
    }
}
