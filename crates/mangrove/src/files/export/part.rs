//! A part of a graph: what a traversal yields.

use graph::Reader;
use rustc_hash::FxHashSet;
use values::{EdgeRef, Value, VertexRef};

use super::ExportError;
use crate::{Database, request::Wishes};

/// Vertices and edges.
pub(super) struct Part {
    /// In order.
    vertices: Vec<VertexRef>,
    known: FxHashSet<VertexRef>,
    /// None if all edges between the vertices belong to it.
    edges: Option<FxHashSet<EdgeRef>>,
}

/// What was found so far.
#[derive(Default)]
struct Found {
    vertices: FxHashSet<VertexRef>,
    edges: FxHashSet<EdgeRef>,
    /// Whether edges were named, be it none of them.
    names_edges: bool,
}

impl Part {
    /// What a traversal yields.
    pub(super) fn of(database: &Database, query: &str, wishes: &Wishes) -> Result<Self, ExportError> {
        let mut found = Found::default();
        let results = database.query_as(query, wishes)?;
        let snapshot = database.snapshot();
        for result in results {
            found.take(&result?, &snapshot.reader())?;
        }
        let mut vertices: Vec<_> = found.vertices.iter().copied().collect();
        vertices.sort_unstable();
        let edges = found.names_edges.then_some(found.edges);
        Ok(Self { vertices, known: found.vertices, edges })
    }

    /// Its vertices, in order.
    pub(super) fn vertices(&self) -> &[VertexRef] {
        &self.vertices
    }

    /// Whether an edge belongs to it.
    pub(super) fn has_edge(&self, e: EdgeRef) -> bool {
        match &self.edges {
            Some(edges) => edges.contains(&e),
            None => self.known.contains(&e.src) && self.known.contains(&e.dst),
        }
    }
}

impl Found {
    fn take(&mut self, value: &Value, reader: &Reader<'_>) -> Result<(), ExportError> {
        match value {
            Value::Vertex(vertex) => {
                self.vertices.extend(reader.vertex_by_id(&vertex.id));
                Ok(())
            }
            Value::Edge(edge) => {
                self.names_edges = true;
                if let Some(e) = reader.edge_by_id(&edge.id) {
                    self.vertices.extend([e.src, e.dst]);
                    self.edges.insert(e);
                }
                Ok(())
            }
            Value::List(members) => members.iter().try_for_each(|member| self.take(member, reader)),
            Value::Set(members) => members.iter().try_for_each(|member| self.take(member, reader)),
            Value::Map(map) if map.kind() == values::MapKind::Graph => {
                self.names_edges = true;
                map.iter().try_for_each(|(_, members)| self.take(members, reader))
            }
            other => Err(ExportError::NoElement(other.type_name().to_owned())),
        }
    }
}
