//! A file becomes part of the graph.

use std::collections::VecDeque;

use graph::{Cardinality, Transaction};
use rustc_hash::FxHashSet;
use values::{Edge, Property, SeededMap, Str, Value, Vertex, VertexProperty, VertexRef, excerpt, watch};

use super::failed;
use crate::batch::Weight;
use crate::error::QueryError;
use crate::files::{FileElement, FileReader};
use crate::memory::StateMemory;
use crate::operator::Context;
use crate::operators::write::TICKS;

/// The label of a vertex that only edges name.
const DEFAULT_LABEL: &str = "vertex";

/// Bytes that a table needs for an id, beside the id.
const ENTRY: usize = 80;

/// A file on its way into the graph.
pub(super) struct Reading {
    file: Box<dyn FileReader>,
    /// The vertices so far, by the ids that the file has for them.
    vertices: SeededMap<Value, VertexRef>,
    /// Edges since the last vertex: their other end may be the next one.
    recent: Vec<Edge>,
    /// Edges of which an end has not come yet.
    waiting: VecDeque<Edge>,
    ended: bool,
    held: StateMemory,
    /// What the recent edges hold.
    recent_held: StateMemory,
}

impl Reading {
    pub(super) fn new(file: Box<dyn FileReader>) -> Self {
        Self {
            file,
            vertices: SeededMap::default(),
            recent: Vec::new(),
            waiting: VecDeque::new(),
            ended: false,
            held: StateMemory::default(),
            recent_held: StateMemory::default(),
        }
    }

    /// Goes on for a turn; whether all has been read.
    pub(super) fn go_on(&mut self, cx: &Context<'_>) -> Result<bool, QueryError> {
        let Some(transaction) = cx.query.transaction() else {
            let message = "a change of the graph outside of a transaction".into();
            return Err(QueryError::Internal { step: cx.op.step.to_string(), message });
        };
        while !self.ended {
            match self.file.next().map_err(|error| failed(cx, error))? {
                Some(FileElement::Vertex(vertex)) => self.vertex(vertex, transaction, cx)?,
                Some(FileElement::Edge(edge)) => self.edge(edge, transaction, cx)?,
                None => {
                    self.ended = true;
                    self.waiting.extend(self.recent.drain(..));
                }
            }
            if cx.quota.is_spent() {
                return Ok(false);
            }
        }
        while let Some(edge) = self.waiting.pop_front() {
            let (from, to) = self.ends_at_last(&edge, transaction, cx)?;
            add_edge(edge, from, to, transaction)?;
            if cx.quota.is_spent() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn vertex(
        &mut self,
        vertex: Vertex,
        transaction: &Transaction,
        cx: &Context<'_>,
    ) -> Result<(), QueryError> {
        watch::ticks(TICKS);
        let Vertex { id, label, properties } = vertex;
        let key = id.id_key();
        if self.vertices.contains_key(&key) {
            return Err(failed(cx, format!("two vertices have the id {}", excerpt(&id))));
        }
        let v = transaction.add_vertex((!id.is_null()).then_some(id), &label)?;
        self.note(v, key, cx)?;
        let mut keys = FxHashSet::default();
        let repeated: FxHashSet<Str> =
            properties.iter().filter(|it| !keys.insert(&it.key)).map(|it| it.key.clone()).collect();
        for property in properties {
            let many = repeated.contains(&property.key);
            set_property(v, property, many, transaction)?;
        }
        for edge in std::mem::take(&mut self.recent) {
            match (self.found(&edge.out_v), self.found(&edge.in_v)) {
                (Some(from), Some(to)) => add_edge(edge, from, to, transaction)?,
                _ => {
                    self.held.grow(&cx.query.memory, weight_of(&edge))?;
                    self.waiting.push_back(edge);
                }
            }
        }
        self.recent_held.release();
        Ok(())
    }

    fn note(&mut self, v: VertexRef, key: Value, cx: &Context<'_>) -> Result<(), QueryError> {
        self.held.grow(&cx.query.memory, ENTRY + weight([&key]))?;
        self.vertices.insert(key, v);
        Ok(())
    }

    fn edge(&mut self, edge: Edge, transaction: &Transaction, cx: &Context<'_>) -> Result<(), QueryError> {
        if let (Some(from), Some(to)) = (self.found(&edge.out_v), self.found(&edge.in_v)) {
            return add_edge(edge, from, to, transaction);
        }
        self.recent_held.grow(&cx.query.memory, weight_of(&edge))?;
        self.recent.push(edge);
        Ok(())
    }

    fn found(&self, end: &Vertex) -> Option<VertexRef> {
        self.vertices.get(&end.id.id_key()).copied()
    }

    /// The ends of an edge, when the file has no more vertices.
    fn ends_at_last(
        &mut self,
        edge: &Edge,
        transaction: &Transaction,
        cx: &Context<'_>,
    ) -> Result<(VertexRef, VertexRef), QueryError> {
        let mut end = |end: &Vertex, what: &str| match self.found(end) {
            Some(v) => Ok(v),
            None if self.file.names_vertices_in_edges() => {
                let v = transaction.add_vertex(Some(end.id.clone()), DEFAULT_LABEL)?;
                self.note(v, end.id.id_key(), cx)?;
                Ok(v)
            }
            None => {
                let (end, edge) = (excerpt(&end.id), excerpt(&edge.id));
                let problem =
                    format!("Could not find {what} with id [{end}] to create edge with id [{edge}]");
                Err(failed(cx, problem))
            }
        };
        Ok((end(&edge.out_v, "outV")?, end(&edge.in_v, "inV")?))
    }
}

/// Whether a property with this value is one of the graph.
fn is_stored(value: &Value, transaction: &Transaction) -> bool {
    !value.is_null() || transaction.allows_null_values()
}

/// Adds an edge.
fn add_edge(edge: Edge, from: VertexRef, to: VertexRef, transaction: &Transaction) -> Result<(), QueryError> {
    watch::ticks(TICKS);
    let Edge { id, label, properties, .. } = edge;
    let e = transaction.add_edge((!id.is_null()).then_some(id), &label, from, to)?;
    for property in properties.into_iter().filter(|property| is_stored(&property.value, transaction)) {
        transaction.set_edge_property(e, &property.key, property.value)?;
    }
    Ok(())
}

/// Sets a property of a new vertex. Of `many` values under one key all are kept, unless the schema says otherwise.
fn set_property(
    v: VertexRef,
    property: VertexProperty,
    many: bool,
    transaction: &Transaction,
) -> Result<(), QueryError> {
    let VertexProperty { key, value, properties, .. } = property;
    if !is_stored(&value, transaction) {
        return Ok(());
    }
    let keeps = many && transaction.declared_cardinality(v, &key).is_none();
    let meta =
        properties.into_iter().filter(|it| is_stored(&it.value, transaction)).map(|it| (it.key, it.value));
    let meta: Vec<(Str, Value)> = meta.collect();
    transaction.set_vertex_property(v, keeps.then_some(Cardinality::List), &key, value, &meta)?;
    Ok(())
}

fn weight_of(edge: &Edge) -> usize {
    let ids = [&edge.id, &edge.out_v.id, &edge.in_v.id];
    let values = edge.properties.iter().map(|property| &property.value);
    let bytes = size_of::<Edge>() + edge.properties.len() * size_of::<Property>();
    bytes + weight(ids.into_iter().chain(values))
}

fn weight<'v>(values: impl IntoIterator<Item = &'v Value>) -> usize {
    let mut weight = Weight::default();
    values.into_iter().for_each(|value| weight.add(value));
    weight.bytes
}
