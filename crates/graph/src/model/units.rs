//! The units of conflict detection (DESIGN section 4): how reads and writes of a graph map to those of the timeline.
//!
//! ```text
//!             reads                                   changed by
//! Vertex      what a vertex has under a key, or any   setting one (adds: two blind sets commute, the later wins)
//! Existence   whether a vertex or an edge exists      dropping it
//! Adjacency   one list, or all of a direction         adding or dropping an edge in it (adds)
//! Edge        what an edge has under a key, or any    setting one
//! IndexKey    who has a value, or an id               giving or taking it
//! Label       who has a label, or who there is        creating or dropping an element
//! Name        that a name is unknown                  writing the first element that has it
//!             what is noted under a name              leaving another note there
//! Schema      what is declared                        declaring something; whoever writes has read it
//! ```
//!
//! An element that a transaction has created itself has units only where others may have looked for it: in labels, indexes and
//! ids, and in the lists of vertices that were there. docs/transactions.md says which operator reads what, and why that is
//! enough.

use timeline::{Unit, UnitKind};
use values::{EdgeRef, VertexRef};

use super::address::adjacency_number;
use super::names::{Dir, EdgeLabelId, KeyId, VertexLabelId};
use super::naming::NameSpace;
use super::read_unit::ReadUnit;

/// In place of a list's number: whatever list of the vertex that leaves it, or enters it.
const ANY_LIST: [u32; 2] = [u32::MAX - 1, u32::MAX];
/// In place of a key: whatever key. It is the hidden one's number, which no property has.
const ANY_KEY: u32 = 0;
/// In place of an index: ids of vertices, and of edges.
const VERTEX_IDS: u32 = u32::MAX;
const EDGE_IDS: u32 = u32::MAX - 1;
/// In place of a name space: names of notes.
const NOTES: u32 = u32::MAX;
/// In place of a label's element kind, and in existence.
const VERTICES: u32 = 0;
const EDGES: u32 = 1;
/// In place of a label: all of them.
const ALL: u64 = u64::MAX;

/// What a vertex has under a key.
pub(crate) fn property(v: VertexRef, key: KeyId) -> Unit {
    Unit::new(UnitKind::Vertex, key.0.into(), v.0.into())
}

/// What a vertex has under whatever key.
pub(crate) fn properties(v: VertexRef) -> Unit {
    Unit::new(UnitKind::Vertex, ANY_KEY, v.0.into())
}

pub(crate) fn existence(v: VertexRef) -> Unit {
    Unit::new(UnitKind::Existence, VERTICES, v.0.into())
}

pub(crate) fn list(v: VertexRef, label: EdgeLabelId, dir: Dir) -> Unit {
    Unit::new(UnitKind::Adjacency, adjacency_number(label, dir) as u32, v.0.into())
}

/// Whether `v` has edges one way at all, along whatever label: what dropping it depends on.
pub(crate) fn any_list(v: VertexRef, dir: Dir) -> Unit {
    Unit::new(UnitKind::Adjacency, ANY_LIST[dir as usize], v.0.into())
}

/// What an edge has under a key.
pub(crate) fn edge_property(e: EdgeRef, key: KeyId) -> Unit {
    Unit::new(UnitKind::Edge, key.0.into(), e.generated_id() as u64)
}

/// What an edge has under whatever key.
pub(crate) fn edge_properties(e: EdgeRef) -> Unit {
    Unit::new(UnitKind::Edge, ANY_KEY, e.generated_id() as u64)
}

pub(crate) fn edge_existence(e: EdgeRef) -> Unit {
    Unit::new(UnitKind::Existence, EDGES, e.generated_id() as u64)
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

/// Whether a name is known that has this hash.
pub(crate) fn name(space: NameSpace, hash: u64) -> Unit {
    Unit::new(UnitKind::Name, space as u32, hash)
}

/// What is noted under a name that has this hash.
pub(crate) fn note(hash: u64) -> Unit {
    Unit::new(UnitKind::Name, NOTES, hash)
}

/// What is declared: schema and indexes.
pub(crate) fn schema() -> Unit {
    Unit::new(UnitKind::Schema, 0, 0)
}

/// What was read, in the timeline's words.
pub(crate) fn of_read(read: ReadUnit) -> [Option<Unit>; 2] {
    match read {
        ReadUnit::Existence(v) => [Some(existence(v)), None],
        ReadUnit::Property(v, key) => [Some(property(v, key)), Some(existence(v))],
        ReadUnit::VertexRecord(v) => [Some(properties(v)), Some(existence(v))],
        ReadUnit::List(v, label, dir) => [Some(list(v, label, dir)), None],
        ReadUnit::AnyList(v, dir) => [Some(any_list(v, dir)), None],
        ReadUnit::EdgeExistence(e) => [Some(edge_existence(e)), None],
        ReadUnit::EdgeProperty(e, key) => [Some(edge_property(e, key)), Some(edge_existence(e))],
        ReadUnit::Edge(e) => [Some(edge_properties(e)), Some(edge_existence(e))],
        ReadUnit::IndexKey(label, key, hash) => [Some(index_key(label, key, hash)), None],
        ReadUnit::IndexRange(label, key) => [Some(index_range(label, key)), None],
        ReadUnit::VertexId(hash) => [Some(vertex_id(hash)), None],
        ReadUnit::EdgeId(hash) => [Some(edge_id(hash)), None],
        ReadUnit::LabelMembership(label) => [Some(vertex_labels(label)[0]), None],
        ReadUnit::EdgeLabelMembership(label) => [Some(edge_labels(label)[0]), None],
        ReadUnit::Name(space, hash) => [Some(name(space, hash)), None],
        ReadUnit::AllVertices => [Some(Unit::new(UnitKind::Label, VERTICES, ALL)), None],
        ReadUnit::AllEdges => [Some(Unit::new(UnitKind::Label, EDGES, ALL)), None],
    }
}
