//! What a transaction says it has read, so that its commit can tell whether that still holds.

use values::{EdgeRef, VertexRef};

use super::names::{Dir, EdgeLabelId, KeyId, VertexLabelId};
use super::naming::NameSpace;

/// The grain of conflict detection (DESIGN section 4): two transactions conflict if one read a unit that the other
/// wrote after the first one's snapshot. Writes alone never conflict, so two blind inserts on one hub do not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReadUnit {
    /// Whether a vertex exists.
    Existence(VertexRef),
    /// A vertex's existence and what it has under a key.
    Property(VertexRef, KeyId),
    /// A vertex's existence and all its properties.
    VertexRecord(VertexRef),
    /// The adjacency of a vertex along one edge label, one way: which edges there are, not their properties.
    List(VertexRef, EdgeLabelId, Dir),
    /// The adjacency of a vertex along all edge labels, one way; those included that have no edge yet, anywhere.
    AnyList(VertexRef, Dir),
    /// Whether an edge exists.
    EdgeExistence(EdgeRef),
    /// An edge's existence and what it has under a key.
    EdgeProperty(EdgeRef, KeyId),
    /// An edge's existence and all its properties.
    Edge(EdgeRef),
    /// The vertices of a label that have a value with this hash ([`crate::model::index_hash`]) under the key.
    IndexKey(VertexLabelId, KeyId, u32),
    /// The values that vertices of a label have under a key of a range index.
    IndexRange(VertexLabelId, KeyId),
    /// Whether a vertex has an id with this hash ([`crate::model::index_hash`]).
    VertexId(u32),
    /// Whether an edge has an id with this hash ([`crate::model::index_hash`]).
    EdgeId(u32),
    /// That a name with this hash ([`crate::model::name_hash`]) is unknown.
    Name(NameSpace, u64),
    /// Which vertices have the label: what a scan of the label reads.
    LabelMembership(VertexLabelId),
    /// Which edges have the label: what a scan of all edges with the label reads.
    EdgeLabelMembership(EdgeLabelId),
    /// Which vertices there are at all: what a full scan reads.
    AllVertices,
    /// Which edges there are at all: what a full scan of edges reads.
    AllEdges,
}
