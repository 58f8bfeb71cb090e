//! Properties set on elements.

use graph::{Cardinality, GraphError, NameSpace, PropertyEntry, PropertyId, ReadUnit, name_hash};
use planner::physical::{Operand, WriteProperty};
use values::{EdgeRef, Str, Value, VertexProperty, VertexRef, excerpt, watch};

use super::{Change, TICKS};
use crate::batch::Batch;
use crate::error::QueryError;
use crate::operators::element::{find_edge, find_vertex};
use crate::operators::row_origins::trace;
use crate::operators::view::View;
use crate::vertex_property::is_replaced;

impl Change<'_> {
    /// Sets a property of each element; traversers pass.
    pub(super) fn set_properties(
        &self,
        mut batch: Batch,
        property: &WriteProperty,
    ) -> Result<Batch, QueryError> {
        for row in 0..batch.len {
            watch::ticks(TICKS);
            let object = batch.current.get(row).unwrap_or_default();
            match &object {
                Value::VertexRef(v) => self.set_on_vertex(*v, property, &batch, row)?,
                Value::EdgeRef(e) => self.set_on_edge(*e, property, &batch, row)?,
                Value::VertexProperty(p) => self.set_on_property(p, property, &batch, row)?,
                detached => {
                    let view = View::of(self.cx);
                    let graph = view.graph();
                    if let (Value::Vertex(_), Some(v)) = (detached, find_vertex(detached, &graph)) {
                        self.set_on_vertex(v, property, &batch, row)?;
                    } else if let (Value::Edge(_), Some(e)) = (detached, find_edge(detached, &graph)) {
                        self.set_on_edge(e, property, &batch, row)?;
                    } else {
                        let found = detached.type_name();
                        return Err(self.error(format!(
                            "a property can be set on an element of the graph, not on a {found}"
                        )));
                    }
                }
            }
        }
        trace(&mut batch, self.cx.op);
        Ok(batch)
    }

    /// Key and value, of which the value must be: a traversal that gives none is an error.
    fn key_and_value(
        &self,
        property: &WriteProperty,
        batch: &Batch,
        row: usize,
    ) -> Result<(Str, Value), QueryError> {
        let value = self.value(&property.value, batch, row)?;
        let key = self.name(&property.key, "property key", batch, row)?;
        if self.removes(&value) && key.starts_with('~') {
            // What is written the graph refuses itself; this only removes what is there.
            return Err(GraphError::HiddenName { space: NameSpace::Key, name: excerpt(&key) }.into());
        }
        Ok((key, value))
    }

    /// Whether a property that is set to this value is removed: to null, unless the graph may have null values.
    pub(super) fn removes(&self, value: &Value) -> bool {
        value.is_null() && !self.transaction.allows_null_values()
    }

    fn value(&self, value: &Operand, batch: &Batch, row: usize) -> Result<Value, QueryError> {
        self.cx.operand(value, batch, row).ok_or_else(|| {
            self.error("the provided traverser does not map to a value: the traversal inside property() yields nothing")
        })
    }

    fn meta(
        &self,
        property: &WriteProperty,
        batch: &Batch,
        row: usize,
    ) -> Result<Vec<(Str, Value)>, QueryError> {
        let mut meta = Vec::with_capacity(property.meta.len());
        for (key, value) in &property.meta {
            let value = self.value(value, batch, row)?;
            if !self.removes(&value) {
                meta.push((self.name(key, "property key", batch, row)?, value));
            }
        }
        Ok(meta)
    }

    /// Where the step says no cardinality, the graph's schema does.
    pub(super) fn set_on_vertex(
        &self,
        v: VertexRef,
        property: &WriteProperty,
        batch: &Batch,
        row: usize,
    ) -> Result<(), QueryError> {
        let (key, value) = self.key_and_value(property, batch, row)?;
        let keeps = property.again && self.transaction.declared_cardinality(v, &key).is_none();
        let removes = self.removes(&value);
        // Null takes all values of a new vertex away, also those that it was given before.
        let repeated = if removes { gremlin::Cardinality::Single } else { gremlin::Cardinality::List };
        let cardinality = property.cardinality.or(keeps.then_some(repeated));
        let meta = if removes { Vec::new() } else { self.meta(property, batch, row)? };
        self.put_on_vertex(v, (&key, value), cardinality, &meta)
    }

    /// Where no cardinality is given, the graph's schema says one.
    pub(super) fn put_on_vertex(
        &self,
        v: VertexRef,
        (key, value): (&str, Value),
        cardinality: Option<gremlin::Cardinality>,
        meta: &[(Str, Value)],
    ) -> Result<(), QueryError> {
        let cardinality = cardinality.map(|cardinality| match cardinality {
            gremlin::Cardinality::Single => Cardinality::Single,
            gremlin::Cardinality::List => Cardinality::List,
            gremlin::Cardinality::Set => Cardinality::Set,
        });
        if self.removes(&value) {
            let cardinality = cardinality.unwrap_or_else(|| self.transaction.cardinality(v, key));
            return if cardinality == Cardinality::Single { self.remove_values(v, key) } else { Ok(()) };
        }
        self.transaction.set_vertex_property(v, cardinality, key, value, meta)?;
        Ok(())
    }

    fn remove_values(&self, v: VertexRef, key: &str) -> Result<(), QueryError> {
        let snapshot = self.transaction.snapshot();
        let Some(key) = snapshot.catalog().key(key) else {
            self.transaction.note_read(ReadUnit::Name(NameSpace::Key, name_hash(key)));
            return Ok(());
        };
        // Also where there is none: that there is not is why nothing is removed.
        self.transaction.note_read(ReadUnit::Property(v, key));
        let mut entries: Vec<PropertyEntry> = Vec::new();
        snapshot.reader().vertex_properties(v, &[key], &mut entries);
        entries.iter().try_for_each(|entry| self.transaction.drop_vertex_property(entry.id))?;
        Ok(())
    }

    pub(super) fn set_on_edge(
        &self,
        e: EdgeRef,
        property: &WriteProperty,
        batch: &Batch,
        row: usize,
    ) -> Result<(), QueryError> {
        if !property.meta.is_empty() {
            return Err(self.bare_property("an edge"));
        }
        let cardinality = property.cardinality;
        let (key, value) = self.key_and_value(property, batch, row)?;
        self.put_on_edge(e, (&key, value), cardinality)
    }

    pub(super) fn put_on_edge(
        &self,
        e: EdgeRef,
        (key, value): (&str, Value),
        cardinality: Option<gremlin::Cardinality>,
    ) -> Result<(), QueryError> {
        if cardinality.is_some() {
            return Err(self.bare_property("an edge"));
        }
        if self.removes(&value) {
            self.transaction.drop_edge_property(e, key)?;
        } else {
            self.transaction.set_edge_property(e, key, value)?;
        }
        Ok(())
    }

    fn bare_property(&self, of: &str) -> QueryError {
        self.error(format!(
            "a property of {of} has neither a cardinality nor meta-properties; property(key, value) sets it"
        ))
    }

    fn set_on_property(
        &self,
        owner: &VertexProperty,
        property: &WriteProperty,
        batch: &Batch,
        row: usize,
    ) -> Result<(), QueryError> {
        if property.cardinality.is_some() || !property.meta.is_empty() {
            return Err(self.bare_property("a vertex property"));
        }
        let id = self.place_of(owner)?.ok_or_else(|| GraphError::NoSuchProperty(owner.id.clone()))?;
        let (key, value) = self.key_and_value(property, batch, row)?;
        if self.removes(&value) {
            self.transaction.drop_meta_property(id, &key)?;
        } else {
            self.transaction.set_meta_property(id, &key, value)?;
        }
        Ok(())
    }

    /// Where the graph has, or had, a vertex property; `None` only if it is gone.
    pub(super) fn place_of(&self, property: &VertexProperty) -> Result<Option<PropertyId>, QueryError> {
        let view = View::of(self.cx);
        let graph = view.graph();
        let key = graph.reader.snapshot().catalog().key(&property.key);
        // Of one that a client sends only the id may be known: if no other was kept, it says whose property it is.
        let by_id = || property.id.as_i64().map(PropertyId).filter(|id| Some(id.key()) == key);
        let by_vertex = || find_vertex(&property.vertex.as_ref()?.0, &graph);
        let owner = property.owner.or_else(by_vertex).or_else(|| Some(by_id()?.vertex()));
        if let (Some(v), Some(key)) = (owner, key) {
            // Also where it is gone: another may have come to its place.
            self.transaction.note_read(ReadUnit::Property(v, key));
        }
        match (owner, key) {
            (Some(v), Some(key)) if is_replaced(property, v, key, &graph.reader) => Ok(None),
            (Some(v), Some(key)) => Ok(graph.reader.place_of_property(v, key, &property.id)),
            _ => {
                let id = self.excerpt_of(&property.id);
                Err(self.error(format!("the vertex property {id} does not come from this graph")))
            }
        }
    }
}
