//! Elements collected into columns, one batch per label; every element brings keys of its own. Columns stay in the order
//! in which the file has their keys, which so becomes the order of an element's properties.

use indexmap::IndexMap;
use values::{Value, VertexRef};

use super::element::{EdgeLine, VertexLine};
use graph::{BulkCell, BulkColumn, BulkValues};

/// Vertices of one label.
#[derive(Default)]
pub(crate) struct VertexBatch {
    pub(super) ids: Vec<Value>,
    columns: IndexMap<String, Vec<Vec<BulkCell>>>,
}

/// Edges of one label.
#[derive(Default)]
pub(crate) struct EdgeBatch {
    pub(super) from: Vec<VertexRef>,
    pub(super) to: Vec<VertexRef>,
    ids: Vec<Option<Value>>,
    columns: IndexMap<String, Vec<Option<Value>>>,
}

impl VertexBatch {
    pub(crate) fn add(&mut self, vertex: VertexLine) {
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
    pub(crate) fn into_columns(self) -> (Vec<Value>, Vec<BulkColumn>) {
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
    pub(crate) fn add(&mut self, from: VertexRef, to: VertexRef, edge: EdgeLine) {
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
    pub(crate) fn differs_from(&self, edge: &EdgeLine) -> bool {
        self.ids.first().is_some_and(|first| first.is_some() != edge.id.is_some())
    }

    /// Hands the edges over: ends, ids if they have any, columns.
    pub(crate) fn into_columns(
        self,
    ) -> (Vec<VertexRef>, Vec<VertexRef>, Option<Vec<Value>>, Vec<BulkColumn>) {
        let rows = self.from.len();
        let columns = self.columns.into_iter().map(|(key, mut values)| {
            values.resize(rows, None);
            BulkColumn { key, values: BulkValues::Any(values) }
        });
        let columns = columns.collect();
        (self.from, self.to, self.ids.into_iter().collect(), columns)
    }
}
