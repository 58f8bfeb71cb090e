//! What tests look at.

use graph::{EdgeLabelId, KeyId, Run, Single, ValueRef, VertexLabelId};
use values::{EdgeRef, Str, Value, VertexRef};

use crate::batch::{Batch, Column};

use super::super::element::{self, Key};
use super::super::view::Graph;

/// The object that a test looks at.
#[derive(Clone, Copy)]
pub(in crate::operators) enum Object<'a> {
    Value(&'a Value),
    Vertex(VertexRef),
    Edge(EdgeRef),
    Long(i64),
    /// An edge of an adjacency list, whose properties lie beside it.
    Listed(&'a Run<'a>, usize),
    /// Nothing, where the column has no value.
    Absent,
}

impl<'a> Object<'a> {
    /// The current object of a row.
    #[inline]
    pub(in crate::operators) fn current(batch: &'a Batch, row: usize) -> Self {
        match &*batch.current {
            Column::Vertices(v) => Self::Vertex(v[row]),
            Column::Edges(e) => Self::Edge(e[row]),
            Column::Longs(v) => Self::Long(v[row]),
            Column::Values(v) => Self::Value(&v[row]),
            Column::Uniform(v) => Self::Value(v),
            Column::Optional(v) => v[row].as_ref().map_or(Self::Absent, Self::Value),
            Column::Bools(v) => Self::Value(if v[row] { &Value::Bool(true) } else { &Value::Bool(false) }),
        }
    }
}

/// Where a test is applied: to an object, with the other columns of a row.
#[derive(Clone, Copy)]
pub(in crate::operators) struct Subject<'a> {
    pub(in crate::operators) object: Object<'a>,
    pub(in crate::operators) batch: &'a Batch,
    pub(in crate::operators) row: usize,
    pub(in crate::operators) graph: &'a Graph<'a>,
    pub(in crate::operators) loops: i64,
}

impl Subject<'_> {
    /// The object as a value.
    pub(super) fn to_value(self) -> Value {
        match self.object {
            Object::Value(value) => value.clone(),
            Object::Vertex(v) => Value::VertexRef(v),
            Object::Edge(e) => Value::EdgeRef(e),
            Object::Long(v) => Value::Long(v),
            Object::Listed(run, i) => Value::EdgeRef(run.edge(i)),
            Object::Absent => Value::Null,
        }
    }

    /// Looks at the object where it lies.
    #[inline]
    pub(super) fn with_object<R>(self, f: impl FnOnce(ValueRef<'_>) -> R) -> R {
        match self.object {
            Object::Value(value) => f(ValueRef::of(value)),
            Object::Long(v) => f(ValueRef::Long(v)),
            Object::Vertex(v) => f(ValueRef::Other(&Value::VertexRef(v))),
            _ => f(ValueRef::of(&self.to_value())),
        }
    }

    /// Whether some value under a key, given by name or by id, satisfies `f`. False if there is none. A name without an id is none
    /// of the snapshot's, but may have become one of the transaction's.
    #[inline]
    pub(super) fn any_value(
        self,
        name: Option<&Str>,
        key: Option<KeyId>,
        mut f: impl FnMut(ValueRef<'_>) -> bool,
    ) -> bool {
        let graph = self.graph;
        let key = key.or_else(|| graph.reader.snapshot().catalog().new_key(name?));
        match (self.object, key) {
            (Object::Listed(run, i), Some(key)) => run.value_ref(i, key).is_some_and(f),
            (Object::Edge(e), Some(key)) => {
                graph.note_edge_property(e, Some(key));
                graph.reader.edge_value_ref(e, key).is_some_and(f)
            }
            (Object::Vertex(v) | Object::Value(&Value::VertexRef(v)), Some(key)) => {
                vertex_values(v, key, graph, f)
            }
            (Object::Value(value), key) => {
                let name = name.or_else(|| Some(graph.reader.snapshot().catalog().key_name(key?)));
                let Some(name) = name else { return false };
                match value {
                    // A detached vertex may have several values too.
                    Value::Vertex(vertex) => {
                        vertex.properties.iter().any(|p| p.key == *name && f(ValueRef::of(&p.value)))
                    }
                    other => element::with_property(other, Key { name, id: key }, graph, |value| {
                        value.is_some_and(f)
                    }),
                }
            }
            _ => false,
        }
    }

    /// Whether the object has a key.
    pub(super) fn has_key(self, key: KeyId) -> bool {
        self.any_value(None, Some(key), |_| true)
    }

    /// The object's label, if it is an element; of a vertex property, its key. A property of an edge has none.
    pub(super) fn label(self) -> Option<Str> {
        element::label_of(&self.to_value(), self.graph)
    }
}

/// Whether one of the values of a vertex under a key satisfies `f`. Only where the first does not are the others looked for.
#[inline]
pub(super) fn vertex_values(
    v: VertexRef,
    key: KeyId,
    graph: &Graph<'_>,
    mut f: impl FnMut(ValueRef<'_>) -> bool,
) -> bool {
    graph.note_property(v, Some(key));
    match graph.reader.single(v, key) {
        Single::Absent => return false,
        Single::Value(value) => return f(value),
        Single::Several => {}
    }
    if graph.reader.value_ref(v, key).is_some_and(&mut f) {
        return true;
    }
    let mut entries = Vec::new();
    graph.reader.vertex_properties(v, &[key], &mut entries);
    entries.iter().skip(1).any(|entry| f(ValueRef::of(&entry.value)))
}

/// Admissible labels, by id and (for detached elements) by name.
#[derive(Debug)]
pub(in crate::operators) struct Labels {
    vertex: Vec<VertexLabelId>,
    edge: Vec<EdgeLabelId>,
    vertex_names: Vec<Str>,
    edge_names: Vec<Str>,
}

impl Labels {
    pub(super) fn new(vertex: &[VertexLabelId], edge: &[EdgeLabelId], graph: &Graph<'_>) -> Self {
        let catalog = graph.reader.snapshot().catalog();
        Self {
            vertex: vertex.to_vec(),
            edge: edge.to_vec(),
            vertex_names: vertex.iter().map(|l| catalog.vertex_label_name(*l).clone()).collect(),
            edge_names: edge.iter().map(|l| catalog.edge_label_name(*l).clone()).collect(),
        }
    }

    /// Whether the subject is an element with one of the labels.
    #[inline]
    pub(super) fn admit(&self, subject: Subject<'_>) -> bool {
        match subject.object {
            Object::Vertex(v) | Object::Value(&Value::VertexRef(v)) => {
                subject.graph.note_vertex(v);
                self.vertex.contains(&subject.graph.reader.label(v))
            }
            Object::Edge(e) | Object::Value(&Value::EdgeRef(e)) => self.edge.contains(&EdgeLabelId(e.label)),
            Object::Listed(run, i) => self.edge.contains(&EdgeLabelId(run.edge(i).label)),
            Object::Value(Value::Vertex(v)) => self.vertex_names.contains(&v.label),
            Object::Value(Value::Edge(e)) => self.edge_names.contains(&e.label),
            _ => false,
        }
    }
}
