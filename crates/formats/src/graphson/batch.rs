//! Elements collected into columns, one batch per label; every element brings keys of its own. Columns stay in the order
//! in which the file has their keys, which so becomes the order of an element's properties.

use indexmap::IndexMap;
use values::{Value, VertexRef};

use super::element::{EdgeLine, VertexLine};
use crate::error::ImportError;
use crate::sink::{Sink, Source};
use crate::summary::Counts;
use graph::{BulkCell, BulkColumn, BulkValues};

/// Elements after which batches are handed on.
const FULL: usize = 16 << 10;
/// Bytes of them after which they are: each element may have a long text, or keys that no other has.
const FULL_OF_BYTES: usize = 64 << 20;

/// Vertices on their way into the graph, label by label.
#[derive(Default)]
pub(crate) struct VertexBatches {
    by_label: IndexMap<String, VertexBatch>,
    pending: usize,
    bytes: usize,
}

impl VertexBatches {
    /// Adds a vertex, from a place in the file.
    pub(crate) fn add(&mut self, vertex: VertexLine, place: u64) {
        if !self.by_label.contains_key(&vertex.label) {
            self.by_label.insert(vertex.label.clone(), VertexBatch::default());
        }
        if let Some(batch) = self.by_label.get_mut(&vertex.label) {
            let before = batch.bytes();
            batch.add(vertex, place);
            self.bytes += batch.bytes() - before;
            self.pending += 1;
        }
    }

    /// Whether they should be handed on.
    pub(crate) fn is_full(&self) -> bool {
        self.pending >= FULL || self.bytes >= FULL_OF_BYTES
    }

    /// Hands all of them on, which are from a file: their ids, with what the graph calls them.
    pub(crate) fn load(
        &mut self,
        sink: &mut dyn Sink,
        source: Source<'_>,
        counts: &mut Counts,
    ) -> Result<Vec<(Value, VertexRef)>, ImportError> {
        self.bytes = 0;
        let mut loaded = Vec::with_capacity(std::mem::take(&mut self.pending));
        for (label, batch) in std::mem::take(&mut self.by_label) {
            let (ids, places, columns) = batch.into_columns();
            let vertices = sink.vertices(&label, source.rows(&places), Some(ids.clone()), columns)?;
            counts.vertices += vertices.len() as u64;
            loaded.extend(ids.into_iter().zip(vertices));
        }
        Ok(loaded)
    }
}

/// Edges on their way into the graph, label by label.
#[derive(Default)]
pub(crate) struct EdgeBatches {
    by_label: IndexMap<String, EdgeBatch>,
    pending: usize,
    bytes: usize,
}

impl EdgeBatches {
    /// Whether they must be handed on before this edge is added.
    pub(crate) fn is_full_for(&self, edge: &EdgeLine) -> bool {
        let differs = self.by_label.get(&edge.label).is_some_and(|batch| batch.differs_from(edge));
        differs || self.pending >= FULL || self.bytes >= FULL_OF_BYTES
    }

    /// Adds an edge, from a place in the file.
    pub(crate) fn add(&mut self, ends: (VertexRef, VertexRef), edge: EdgeLine, place: u64) {
        if !self.by_label.contains_key(&edge.label) {
            self.by_label.insert(edge.label.clone(), EdgeBatch::default());
        }
        if let Some(batch) = self.by_label.get_mut(&edge.label) {
            let before = batch.bytes();
            batch.add(ends, edge, place);
            self.bytes += batch.bytes() - before;
            self.pending += 1;
        }
    }

    /// Hands all of them on, which are from a file.
    pub(crate) fn load(
        &mut self,
        sink: &mut dyn Sink,
        source: Source<'_>,
        counts: &mut Counts,
    ) -> Result<(), ImportError> {
        (self.pending, self.bytes) = (0, 0);
        for (label, mut batch) in std::mem::take(&mut self.by_label) {
            let (ids, columns) = batch.columns();
            let EdgeBatch { from, to, places, .. } = &batch;
            counts.edges += from.len() as u64;
            sink.edges(&label, (from, to), source.rows(places), ids, columns)?;
        }
        Ok(())
    }
}

/// Vertices of one label.
#[derive(Default)]
struct VertexBatch {
    ids: Vec<Value>,
    places: Vec<u64>,
    columns: IndexMap<String, Vec<Vec<BulkCell>>>,
    /// Bytes of what is in them.
    held: usize,
}

/// Edges of one label.
#[derive(Default)]
struct EdgeBatch {
    places: Vec<u64>,
    from: Vec<VertexRef>,
    to: Vec<VertexRef>,
    ids: Vec<Option<Value>>,
    columns: IndexMap<String, Vec<Option<Value>>>,
    /// Bytes of what is in them.
    held: usize,
}

/// Bytes of a value in memory.
fn bytes_of(value: &Value) -> usize {
    usize::try_from(value.extent().expanded).unwrap_or(usize::MAX)
}

/// Bytes of a value of a vertex, and of what is said of it.
fn bytes_of_cell(cell: &BulkCell) -> usize {
    let meta = cell.meta.iter().map(|(key, value)| key.len() + bytes_of(value));
    size_of::<BulkCell>() + bytes_of(&cell.value) + cell.id.as_ref().map_or(0, bytes_of) + meta.sum::<usize>()
}

impl VertexBatch {
    /// Bytes of it. Each key has a place for each vertex.
    fn bytes(&self) -> usize {
        self.held + self.ids.len() * self.columns.len() * size_of::<Vec<BulkCell>>()
    }

    fn add(&mut self, vertex: VertexLine, place: u64) {
        self.held += bytes_of(&vertex.id);
        for (key, cells) in vertex.properties {
            self.held += cells.iter().map(bytes_of_cell).sum::<usize>();
            let column = self.columns.entry(key).or_default();
            // Vertices before this one that do not have the key.
            column.resize(self.ids.len(), Vec::new());
            column.push(cells);
        }
        self.ids.push(vertex.id);
        self.places.push(place);
    }

    /// The ids, their places and the columns: a key under which every vertex has at most one value, without meta-properties or an id, is a
    /// single property, otherwise a multi-property.
    fn into_columns(self) -> (Vec<Value>, Vec<u64>, Vec<BulkColumn>) {
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
        (self.ids, self.places, columns.collect())
    }
}

impl EdgeBatch {
    /// Bytes of it. Each key has a place for each edge.
    fn bytes(&self) -> usize {
        self.held + self.from.len() * self.columns.len() * size_of::<Option<Value>>()
    }

    fn add(&mut self, (from, to): (VertexRef, VertexRef), edge: EdgeLine, place: u64) {
        self.held += edge.id.as_ref().map_or(0, bytes_of);
        for (key, value) in edge.properties {
            self.held += bytes_of(&value);
            let column = self.columns.entry(key).or_default();
            column.resize(self.from.len(), None);
            column.push(Some(value));
        }
        self.places.push(place);
        self.from.push(from);
        self.to.push(to);
        self.ids.push(edge.id);
    }

    /// Whether the next edge must not be in one batch with these: either all have ids of their own or none.
    fn differs_from(&self, edge: &EdgeLine) -> bool {
        self.ids.first().is_some_and(|first| first.is_some() != edge.id.is_some())
    }

    /// The ids, if they have any, and the columns, which it has no more.
    fn columns(&mut self) -> (Option<Vec<Value>>, Vec<BulkColumn>) {
        let rows = self.from.len();
        let columns = std::mem::take(&mut self.columns).into_iter().map(|(key, mut values)| {
            values.resize(rows, None);
            BulkColumn { key, values: BulkValues::Any(values) }
        });
        let columns = columns.collect();
        (std::mem::take(&mut self.ids).into_iter().collect(), columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many batches hold until they are full, of elements that have so many properties with a text each.
    fn held(keys: impl Fn(usize) -> Vec<String>, text: usize) -> (usize, usize) {
        let text = || Value::str("x".repeat(text));
        let (mut vertices, mut edges) = (VertexBatches::default(), EdgeBatches::default());
        while !vertices.is_full() {
            let (id, label) = (Value::Long(vertices.pending as i64), "v".to_owned());
            let cells = |key| (key, vec![BulkCell::plain(text())]);
            let properties = keys(vertices.pending).into_iter().map(cells).collect();
            vertices.add(VertexLine { id, label, properties }, 1);
        }
        loop {
            let properties = keys(edges.pending).into_iter().map(|key| (key, text())).collect();
            let edge = EdgeLine { id: None, label: "e".into(), other: Value::Null, properties };
            if edges.is_full_for(&edge) {
                return (vertices.pending, edges.pending);
            }
            edges.add((VertexRef(0), VertexRef(0)), edge, 1);
        }
    }

    #[test]
    fn batches_are_full_of_elements_or_of_bytes() {
        let one = |_| vec!["key".to_owned()];
        assert_eq!(held(one, 10), (FULL, FULL));
        let (vertices, edges) = held(one, 1 << 20);
        assert!((60..=64).contains(&vertices) && (60..=64).contains(&edges), "{vertices} {edges}");
        // Each has a place for the keys of all others.
        let (vertices, edges) = held(|number| vec![number.to_string()], 1);
        assert!(vertices < 2_000 && edges < 3_000, "{vertices} {edges}");
    }
}
