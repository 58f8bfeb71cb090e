//! The units of conflict detection (DESIGN section 4): how reads and writes of a graph map to those of the timeline.
//!
//! ```text
//!             reads                              changed by
//! Vertex      a vertex's properties              setting one (adds: two blind sets commute, the later wins); dropping it
//! Existence   whether a vertex exists            dropping it
//! Adjacency   one list                           adding or dropping an edge in it (adds)
//!             any list of a vertex               the same
//! Edge        an edge's properties               setting one, dropping it
//! IndexKey    who has a value, or an id          giving or taking it
//! Label       who has a label, or who there is   creating or dropping an element
//! Schema      what is declared                   declaring something; whoever writes has read it
//! ```

use timeline::{Unit, UnitKind};
use values::{EdgeRef, VertexRef};

use crate::block::adjacency_number;
use crate::{Dir, EdgeLabelId, KeyId, ReadUnit, VertexLabelId};

/// In place of a list's number: whatever list of the vertex.
const ANY_LIST: u32 = u32::MAX;
/// In place of an index: ids of vertices, and of edges.
const VERTEX_IDS: u32 = u32::MAX;
const EDGE_IDS: u32 = u32::MAX - 1;
/// In place of a label's element kind.
const VERTICES: u32 = 0;
const EDGES: u32 = 1;
/// In place of a label: all of them.
const ALL: u64 = u64::MAX;

pub(crate) fn vertex(v: VertexRef) -> Unit {
    Unit::new(UnitKind::Vertex, 0, v.0.into())
}

pub(crate) fn existence(v: VertexRef) -> Unit {
    Unit::new(UnitKind::Existence, 0, v.0.into())
}

pub(crate) fn list(v: VertexRef, label: EdgeLabelId, dir: Dir) -> Unit {
    Unit::new(UnitKind::Adjacency, adjacency_number(label, dir) as u32, v.0.into())
}

/// Whether `v` has edges at all, along whatever label: what dropping it depends on.
pub(crate) fn any_list(v: VertexRef) -> Unit {
    Unit::new(UnitKind::Adjacency, ANY_LIST, v.0.into())
}

pub(crate) fn edge(e: EdgeRef) -> Unit {
    Unit::new(UnitKind::Edge, 0, e.generated_id() as u64)
}

/// The vertices of a label with this hash under a key. Named by label and key, not by the index, so that it does not
/// matter when the index was created.
pub(crate) fn index_key(label: VertexLabelId, key: KeyId, hash: u32) -> Unit {
    Unit::new(UnitKind::IndexKey, u32::from(label.0) << 16 | u32::from(key.0), hash.into())
}

/// Who has which values under a key of a range index: one unit for all of them, since ranges have none of their own.
pub(crate) fn index_range(label: VertexLabelId, key: KeyId) -> Unit {
    Unit::new(UnitKind::IndexKey, u32::from(label.0) << 16 | u32::from(key.0), 1 << 33)
}

pub(crate) fn vertex_id(hash: u32) -> Unit {
    Unit::new(UnitKind::IndexKey, VERTEX_IDS, u64::from(hash) | 1 << 32)
}

pub(crate) fn edge_id(hash: u32) -> Unit {
    Unit::new(UnitKind::IndexKey, EDGE_IDS, u64::from(hash) | 1 << 32)
}

/// The vertices of a label, and all vertices.
pub(crate) fn vertex_labels(label: VertexLabelId) -> [Unit; 2] {
    [u64::from(label.0), ALL].map(|label| Unit::new(UnitKind::Label, VERTICES, label))
}

/// The edges of a label, and all edges.
pub(crate) fn edge_labels(label: EdgeLabelId) -> [Unit; 2] {
    [u64::from(label.0), ALL].map(|label| Unit::new(UnitKind::Label, EDGES, label))
}

/// What is declared: schema and indexes.
pub(crate) fn schema() -> Unit {
    Unit::new(UnitKind::Schema, 0, 0)
}

/// What was read, in the timeline's words.
pub(crate) fn of_read(read: ReadUnit) -> [Option<Unit>; 2] {
    match read {
        ReadUnit::VertexRecord(v) => [Some(vertex(v)), Some(existence(v))],
        ReadUnit::List(v, label, dir) => [Some(list(v, label, dir)), None],
        ReadUnit::Edge(e) => [Some(edge(e)), None],
        ReadUnit::IndexKey(label, key, hash) => [Some(index_key(label, key, hash)), None],
        ReadUnit::IndexRange(label, key) => [Some(index_range(label, key)), None],
        ReadUnit::VertexId(hash) => [Some(vertex_id(hash)), None],
        ReadUnit::EdgeId(hash) => [Some(edge_id(hash)), None],
        ReadUnit::LabelMembership(label) => [Some(vertex_labels(label)[0]), None],
        ReadUnit::EdgeLabelMembership(label) => [Some(edge_labels(label)[0]), None],
        ReadUnit::AllVertices => [Some(Unit::new(UnitKind::Label, VERTICES, ALL)), None],
        ReadUnit::AllEdges => [Some(Unit::new(UnitKind::Label, EDGES, ALL)), None],
    }
}
