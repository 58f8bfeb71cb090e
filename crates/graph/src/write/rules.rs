//! The schema, as the writes of a transaction meet it.

use values::{EdgeRef, Value, VertexRef, compare};

use super::transaction::Transaction;
use super::write_set::WriteSet;
use crate::error::{GraphError, Result};
use crate::model::{
    Cardinality, EdgeLabelId, Index, IndexKind, KeyId, LabelOf, NameSpace, Op, PropertyCell, Rules,
    SchemaError, VertexLabelId, for_each_equal_hash, stripe_of, under_key, units,
};

impl Transaction {
    /// How the graph takes a further value under `key` of a vertex where a program does not say: as declared.
    pub fn cardinality(&self, v: VertexRef, key: &str) -> Cardinality {
        self.declared_cardinality(v, key).unwrap_or_default()
    }

    /// What the schema says of it; `None` if nothing.
    pub fn declared_cardinality(&self, v: VertexRef, key: &str) -> Option<Cardinality> {
        let catalog = self.base.catalog();
        let vertex = catalog.schema().vertex(self.label_of(v)?)?;
        vertex.keys.get(&catalog.key(key)?).map(|key| key.cardinality)
    }

    /// Whether a property may have the value null.
    pub fn allows_null_values(&self) -> bool {
        self.base.catalog().schema().allow_null_values()
    }

    /// The label of a vertex, existing or not.
    fn label_of(&self, v: VertexRef) -> Option<VertexLabelId> {
        Some(self.memory().blocks.stripe(stripe_of(v))?.label)
    }

    /// Asks the schema, and after it the one that is to be.
    fn obey<R>(&self, ask: impl Fn(Rules<'_>) -> Result<R, SchemaError>) -> Result<R> {
        let catalog = self.base.catalog();
        let answer = ask(Rules::new(catalog.schema(), catalog))?;
        if let Some(pending) = catalog.pending() {
            ask(Rules::of_stored(pending, catalog)).map_err(being_changed)?;
        }
        Ok(answer)
    }

    /// The value as the schema wants it stored; the one that is to be must be content with that.
    fn obey_with(
        &self,
        value: Value,
        ask: impl Fn(Rules<'_>, Value) -> Result<Value, SchemaError>,
    ) -> Result<Value> {
        let catalog = self.base.catalog();
        let value = ask(Rules::new(catalog.schema(), catalog), value)?;
        if let Some(pending) = catalog.pending() {
            // It is stored as of now: whether the schema that is to be ever comes is not known yet.
            ask(Rules::of_stored(pending, catalog), value.clone()).map_err(being_changed)?;
        }
        Ok(value)
    }

    /// Whether there is nothing to obey.
    fn is_free(&self) -> bool {
        let catalog = self.base.catalog();
        catalog.schema().is_empty() && catalog.pending().is_none()
    }

    /// Refuses a vertex, or an edge if the space is theirs, of a label that may not be.
    pub(crate) fn obey_label(&self, space: NameSpace, label: &str) -> Result<()> {
        if self.is_free() { Ok(()) } else { self.obey(|rules| rules.admit_label(space, label)) }
    }

    /// Cardinality and value as the schema wants them.
    pub(crate) fn obey_vertex_value(
        &self,
        v: VertexRef,
        key: &str,
        asked: Option<Cardinality>,
        value: Value,
    ) -> Result<(Cardinality, Value)> {
        let Some(label) = self.label_of(v).filter(|_| !self.is_free()) else {
            return Ok((asked.unwrap_or_default(), value));
        };
        let catalog = self.base.catalog();
        let named = (catalog.key(key), key);
        let cardinality = Rules::new(catalog.schema(), catalog).cardinality(label, named, asked)?;
        if let Some(pending) = catalog.pending() {
            // It is taken as of now, also where nobody asked for a cardinality: that must suit the schema that is to be.
            let taken = Rules::of_stored(pending, catalog).cardinality(label, named, Some(cardinality));
            taken.map_err(being_changed)?;
        }
        let value = self.obey_with(value, |rules, value| rules.vertex_value(label, named, value))?;
        Ok((cardinality, value))
    }

    /// The value of a meta-property as the schema wants it.
    pub(crate) fn obey_meta_value(&self, v: VertexRef, key: &str, meta: &str, value: Value) -> Result<Value> {
        let Some(label) = self.label_of(v).filter(|_| !self.is_free()) else { return Ok(value) };
        let named = |key| (self.base.catalog().key(key), key);
        self.obey_with(value, |rules, value| rules.meta_value(label, named(key), named(meta), value))
    }

    /// The value of a property of an edge as the schema wants it.
    pub(crate) fn obey_edge_value(&self, label: EdgeLabelId, key: &str, value: Value) -> Result<Value> {
        if self.is_free() {
            return Ok(value);
        }
        let named = (self.base.catalog().key(key), key);
        self.obey_with(value, |rules, value| rules.edge_value(label, named, value))
    }

    /// Refuses a value that another vertex has under a key with a unique index. That nobody else has it counts as read, so
    /// of two transactions that give the same value to two vertices only one commits; also when one of them means to leave
    /// the value where it is, while somebody took it away and the other gives it to another vertex.
    pub(crate) fn obey_uniqueness(
        &self,
        writes: &mut WriteSet,
        v: VertexRef,
        key: KeyId,
        before: &[PropertyCell],
        after: &[PropertyCell],
    ) -> Result<()> {
        let catalog = self.base.catalog();
        let Some(label) = self.label_of(v) else { return Ok(()) };
        for index in catalog.indexes_over(label, key) {
            if index.definition.kind != IndexKind::Unique {
                continue;
            }
            let known = |value: &Value| before.iter().any(|cell| compare::equals(&cell.value, value));
            for PropertyCell { value, .. } in after {
                // Also where it is refused, which tells whoever asks that somebody has it.
                for_each_equal_hash(value, |hash| {
                    writes.footprint.reads(units::index_key(label, key, hash));
                });
                if !known(value) {
                    self.refuse_duplicate(&self.reader(writes), index, v, key, value)?;
                }
            }
        }
        Ok(())
    }

    fn refuse_duplicate(
        &self,
        reader: &crate::read::Reader<'_>,
        index: &Index,
        v: VertexRef,
        key: KeyId,
        value: &Value,
    ) -> Result<()> {
        let mut holders = Vec::new();
        reader.look_up_in(index, key, value, &mut holders);
        let Some(holder) = holders.iter().find(|holder| **holder != v) else { return Ok(()) };
        let catalog = self.base.catalog();
        let label = catalog.vertex_label_name(index.definition.label).clone();
        let (key, value) = (catalog.key_name(key).clone(), value.clone());
        Err(SchemaError::NotUnique { label, key, value, holder: reader.id(*holder) }.into())
    }

    /// Whether every element that was written has what it is required to have.
    pub(crate) fn obey_requirements(&self, writes: &WriteSet) -> Result<()> {
        if self.is_free() {
            return Ok(());
        }
        let reader = self.reader(writes);
        writes.ops().try_for_each(|op| match op {
            Op::CreateVertex { v, .. } => self.require_of_vertex(&reader, *v),
            Op::SetProperty { v, state, .. } if state.first().is_none() && reader.exists(*v) => {
                self.require_of_vertex(&reader, *v)
            }
            Op::CreateEdge { e, cells } | Op::UpdateEdge { e, cells, .. } => {
                let has = |key: KeyId| under_key(cells, key).is_some();
                self.obey(|rules| {
                    rules.require(LabelOf::Edges(EdgeLabelId(e.label)), || reader.edge_id(*e), has)
                })
            }
            _ => Ok(()),
        })?;
        self.base.check()
    }

    /// Whether a vertex has what the schema requires, as a commit asks of all that was written.
    ///
    /// # Errors
    /// [`GraphError::Schema`] if it has not.
    pub fn check_vertex(&self, v: VertexRef) -> Result<()> {
        if self.is_free() {
            return Ok(());
        }
        self.require_of_vertex(&self.reader(&self.writes.lock()), v)
    }

    /// The same of an edge.
    ///
    /// # Errors
    /// Likewise.
    pub fn check_edge(&self, e: EdgeRef) -> Result<()> {
        if self.is_free() {
            return Ok(());
        }
        let writes = self.writes.lock();
        let reader = self.reader(&writes);
        let has = |key: KeyId| reader.edge_value_ref(e, key).is_some();
        self.obey(|rules| rules.require(LabelOf::Edges(EdgeLabelId(e.label)), || reader.edge_id(e), has))
    }

    fn require_of_vertex(&self, reader: &crate::read::Reader<'_>, v: VertexRef) -> Result<()> {
        let has = |key: KeyId| reader.value_ref(v, key).is_some();
        self.obey(|rules| rules.require(LabelOf::Vertices(reader.label(v)), || reader.id(v), has))
    }
}

/// A write that only the schema to be refuses: whether it will be is not known yet.
fn being_changed(refusal: SchemaError) -> GraphError {
    GraphError::Conflict(format!("the schema is being changed, and the new one would refuse this: {refusal}"))
}
