//! Writes of vertices and their properties.

use values::{Str, Value, VertexRef, compare};

use super::transaction::Transaction;
use super::write_set::WriteSet;
use crate::apply::{check_combinations, order_keys};
use crate::error::{GraphError, Result};
use crate::model::{
    Cardinality, Dir, EdgeLabelId, IndexDefinition, IndexKind, KeyId, NameSpace, PropertyCell, PropertyId,
    PropertyState, ValueRef, VertexLabelId, element_id, for_each_equal_hash, index_hash, under_key_or, units,
    weight,
};
use crate::read::Reader;
use crate::sections::VertexState;

/// Ticks of the query's watch for one edge that is dropped: a microsecond or more.
const TICKS: usize = 16;

impl Transaction {
    /// Adds a vertex; without an id the graph generates a long.
    ///
    /// # Errors
    /// If the id is taken or cannot be an id, or the label cannot be a label.
    pub fn add_vertex(&self, id: Option<Value>, label: &str) -> Result<VertexRef> {
        id.as_ref().map_or(Ok(()), element_id::check)?;
        self.obey_label(NameSpace::VertexLabel, label)?;
        let label = VertexLabelId(self.intern(NameSpace::VertexLabel, label)?);
        let mut writes = self.writes.lock();
        if let Some(id) = &id
            && self.reader(&writes).vertex_by_id(id).is_some()
        {
            // Below the unit is replaced. A call that fails writes nothing, but what it says may be of use.
            for_each_equal_hash(id, |hash| writes.footprint.reads(units::vertex_id(hash)));
            return Err(GraphError::DuplicateVertexId(id.clone()));
        }
        let v = self.allocate_vertex(&writes, label)?;
        let write = writes.next_write(&self.memory().options, id.as_ref().map_or(0, weight))?;
        writes.adds(units::vertex_labels(label))?;
        match &id {
            Some(id) => {
                let hash = index_hash(id);
                writes.replaces([units::vertex_id(hash)])?;
                self.overlay.vertex_ids.push(hash, write, v);
            }
            None => writes.adds([units::vertex_id(index_hash(&Value::Long(v.0.into())))])?,
        }
        self.overlay.vertices.push(v, write, VertexState::Exists(id.clone()));
        writes.create_vertex(v, label, id);
        writes.counts.change_vertices(label, 1);
        Ok(v)
    }

    /// A reference whose number no user chose as an id: it may become the vertex's generated id.
    fn allocate_vertex(&self, writes: &WriteSet, label: VertexLabelId) -> Result<VertexRef> {
        let reader = self.reader(writes);
        loop {
            let v = self.memory().allocator.vertices(&self.memory().blocks, label, 1)?;
            if let Some(&v) = v.first()
                && reader.vertex_by_id(&Value::Long(v.0.into())).is_none()
            {
                return Ok(v);
            }
        }
    }

    /// Drops a vertex, its properties and its edges. Dropping one that does not exist does nothing.
    ///
    /// # Errors
    /// If a section cannot be read or the transaction is full.
    pub fn drop_vertex(&self, v: VertexRef) -> Result<()> {
        let mut writes = self.writes.lock();
        if !self.reader(&writes).exists(v) {
            return self.base.check();
        }
        for dir in [Dir::Out, Dir::In] {
            self.drop_edges_of(&mut writes, v, dir)?;
        }
        self.drop_properties_of(&mut writes, v)?;
        self.base.check()?;
        let label = self.reader(&writes).label(v);
        let write = writes.next_write(&self.memory().options, 0)?;
        writes.footprint.reads(units::any_list(v, Dir::Out));
        writes.footprint.reads(units::any_list(v, Dir::In));
        writes.footprint.reads(units::properties(v));
        writes.replaces([units::existence(v)])?;
        writes.adds(units::vertex_labels(label))?;
        let id = self.reader(&writes).id(v);
        writes.adds([units::vertex_id(index_hash(&id))])?;
        self.overlay.vertices.push(v, write, VertexState::Dropped);
        writes.drop_vertex(v);
        writes.counts.change_vertices(label, -1);
        Ok(())
    }

    fn drop_edges_of(&self, writes: &mut WriteSet, v: VertexRef, dir: Dir) -> Result<()> {
        let mut from = Some(EdgeLabelId(0));
        while let Some(label) = from.and_then(|from| self.reader(writes).next_label(v, dir, from)) {
            from = label.0.checked_add(1).map(EdgeLabelId);
            values::watch::tick();
            let edges: Vec<_> = {
                let reader = self.reader(writes);
                let list = reader.list(v, label, dir);
                let catalog = self.memory().catalog();
                let edges = list.runs().flat_map(|run| {
                    let known = |i: usize| {
                        let keys = catalog.list_keys(label);
                        let before = keys.filter_map(|key| Some((key, run.value(i, key)?))).collect();
                        (run.user_id(i).map(ValueRef::to_value), before)
                    };
                    (0..run.neighbours().len()).map(|i| (run.edge(i), known(i))).collect::<Vec<_>>()
                });
                edges.collect()
            };
            edges.into_iter().try_for_each(|(e, known)| {
                values::watch::ticks(TICKS);
                self.drop_known_edge(writes, e, known)
            })?;
        }
        Ok(())
    }

    fn drop_properties_of(&self, writes: &mut WriteSet, v: VertexRef) -> Result<()> {
        let created = writes.has_created(v);
        let mut keys = Vec::new();
        self.reader(writes).each_key(v, |key| keys.push(key));
        for key in keys {
            let before = self.reader(writes).cells(v, key);
            if before.is_empty() {
                continue;
            }
            self.put_property(writes, v, key, &before, PropertyState::Absent)?;
            if created {
                writes.forget_property(v, key);
            }
        }
        Ok(())
    }

    /// Sets a property of a vertex, with meta-properties, as the cardinality says (without one: as declared, or else
    /// a single value); the property's id.
    ///
    /// # Errors
    /// If the vertex does not exist, the key or a value cannot be stored, or the schema refuses it.
    pub fn set_vertex_property(
        &self,
        v: VertexRef,
        cardinality: impl Into<Option<Cardinality>>,
        key: &str,
        value: Value,
        meta: &[(Str, Value)],
    ) -> Result<PropertyId> {
        let (cardinality, value) = self.obey_vertex_value(v, key, cardinality.into(), value)?;
        let name = key;
        let key = self.storable(key, &value)?;
        let mut cell = PropertyCell::first(value);
        for (meta, value) in meta {
            let value = self.obey_meta_value(v, name, meta, value.clone())?;
            set_entry(&mut cell.meta, self.storable(meta, &value)?, value);
        }
        let mut writes = self.writes.lock();
        let reader = self.reader(&writes);
        require_vertex(&reader, v)?;
        let before = reader.cells(v, key);
        drop(reader);
        if !writes.has_created(v) {
            writes.footprint.reads(units::existence(v));
            if cardinality != Cardinality::Single {
                writes.footprint.reads(units::property(v, key));
            }
        }
        let (place, after) = with_cell((v, key), cardinality, &before, cell)?;
        self.put_property(&mut writes, v, key, &before, PropertyState::of(after))?;
        Ok(PropertyId::new(v, key, place))
    }

    /// Sets a meta-property.
    ///
    /// # Errors
    /// If the vertex property does not exist, or the key or value cannot be stored.
    pub fn set_meta_property(&self, property: PropertyId, key: &str, value: Value) -> Result<()> {
        let catalog = self.catalog();
        let owner = catalog.name(NameSpace::Key, property.key().0);
        let value = self.obey_meta_value(property.vertex(), owner.map_or("", |name| name), key, value)?;
        let meta = self.storable(key, &value)?;
        self.change_property(property, true, |cells, place| set_entry(&mut cells[place].meta, meta, value))
    }

    /// Drops one vertex property. Dropping one that does not exist does nothing.
    ///
    /// # Errors
    /// If a section cannot be read or the transaction is full.
    pub fn drop_vertex_property(&self, property: PropertyId) -> Result<()> {
        self.change_property(property, false, |cells, place| drop(cells.remove(place)))
    }

    /// Drops a meta-property. Dropping one that does not exist does nothing.
    ///
    /// # Errors
    /// If a section cannot be read or the transaction is full.
    pub fn drop_meta_property(&self, property: PropertyId, key: &str) -> Result<()> {
        let Some(meta) = self.known_key(key) else { return Ok(()) };
        self.change_property(property, false, |cells, place| cells[place].meta.retain(|(k, _)| *k != meta))
    }

    /// Changes the values of a key in which a property, found at its place, is one.
    fn change_property(
        &self,
        property: PropertyId,
        required: bool,
        change: impl FnOnce(&mut Vec<PropertyCell>, usize),
    ) -> Result<()> {
        let (v, key) = (property.vertex(), property.key());
        let mut writes = self.writes.lock();
        let reader = self.reader(&writes);
        let before = if reader.exists(v) { reader.cells(v, key) } else { Vec::new() };
        drop(reader);
        self.base.check()?;
        // Also where there is nothing to change: that there is not is why nothing is changed.
        writes.footprint.reads(units::property(v, key));
        writes.footprint.reads(units::existence(v));
        let Some(place) = before.iter().position(|cell| cell.place == property.place()) else {
            return if required { Err(GraphError::NoSuchProperty(property.to_value())) } else { Ok(()) };
        };
        let mut after = before.clone();
        change(&mut after, place);
        self.put_property(&mut writes, v, key, &before, PropertyState::of(after))
    }

    /// Writes the new values of a key.
    fn put_property(
        &self,
        writes: &mut WriteSet,
        v: VertexRef,
        key: KeyId,
        before: &[PropertyCell],
        state: PropertyState,
    ) -> Result<()> {
        let after = state.to_cells();
        self.obey_uniqueness(writes, v, key, before, &after)?;
        let cell_weight = |cell: &PropertyCell| {
            weight(&cell.value) + cell.meta.iter().map(|(_, v)| weight(v)).sum::<usize>()
        };
        let write = writes.next_write(&self.memory().options, after.iter().map(cell_weight).sum())?;
        if !writes.has_created(v) {
            writes.adds([units::property(v, key), units::properties(v)])?;
        }
        self.note_values(writes, v, key, before, &after, write)?;
        self.overlay.set_property(v, key, write, state.clone());
        writes.set_property(v, key, state);
        Ok(())
    }

    /// Notes what changes in the indexes over a key, and what this transaction is to find there.
    fn note_values(
        &self,
        writes: &mut WriteSet,
        v: VertexRef,
        key: KeyId,
        before: &[PropertyCell],
        after: &[PropertyCell],
        write: u64,
    ) -> Result<()> {
        let label = self.base.reader().label(v);
        let (mut by_hash, mut in_order) = (false, false);
        for index in self.base.catalog().indexes_over(label, key) {
            if index.definition.kind != IndexKind::Range {
                by_hash = true;
                continue;
            }
            in_order = true;
            for key in self.order_keys_after(writes, v, &index.definition, key, after)? {
                self.overlay.ordered.insert((index.number, key, v, write));
            }
        }
        if in_order {
            writes.adds([units::index_range(label, key)])?;
        }
        if by_hash {
            let hashes = before.iter().chain(after).map(|cell| index_hash(&cell.value));
            writes.adds(hashes.map(|hash| units::index_key(label, key, hash)))?;
            for cell in after {
                self.overlay.values.push((label, key, index_hash(&cell.value)), write, v);
            }
        }
        Ok(())
    }

    /// The keys of a vertex in a range index once it has the values `after` under one of the index's keys.
    fn order_keys_after(
        &self,
        writes: &WriteSet,
        v: VertexRef,
        definition: &IndexDefinition,
        changed: KeyId,
        after: &[PropertyCell],
    ) -> Result<Vec<Box<[u8]>>> {
        let reader = self.reader(writes);
        let values = |cells: &[PropertyCell]| cells.iter().map(|cell| cell.value.clone()).collect::<Vec<_>>();
        let of_key =
            |&key: &KeyId| if key == changed { values(after) } else { values(&reader.cells(v, key)) };
        let values: Vec<Vec<Value>> = definition.keys.iter().map(of_key).collect();
        check_combinations(&values)?;
        Ok(order_keys(&values))
    }
}

/// The values of a key after one is set, and its place.
fn with_cell(
    (v, key): (VertexRef, KeyId),
    cardinality: Cardinality,
    before: &[PropertyCell],
    mut cell: PropertyCell,
) -> Result<(u16, Vec<PropertyCell>)> {
    if cardinality == Cardinality::Single {
        return Ok((0, vec![cell]));
    }
    let mut after = before.to_vec();
    if cardinality == Cardinality::Set
        // As `equals()` of Java: a number of another type is another value.
        && let Some(same) = after.iter_mut().find(|known| known.value == cell.value)
    {
        for (key, value) in cell.meta {
            set_entry(&mut same.meta, key, value);
        }
        return Ok((same.place, after));
    }
    let is_taken = |place: u16| {
        let id = PropertyId::new(v, key, place).to_value();
        before.iter().filter_map(PropertyCell::kept_id).any(|kept| compare::equals(kept, &id))
    };
    let mut place = before.iter().map(|known| known.place + 1).max().unwrap_or(0);
    // An id that was kept may be what this graph calls a place.
    while place < PropertyId::MAX_PLACES && is_taken(place) {
        place += 1;
    }
    if place >= PropertyId::MAX_PLACES {
        return Err(GraphError::LimitExceeded {
            what: "the values of one vertex under one key",
            limit: PropertyId::MAX_PLACES.into(),
            advice: "keep them as vertices of their own",
        });
    }
    cell.place = place;
    after.push(cell);
    Ok((place, after))
}

fn set_entry(entries: &mut Vec<(KeyId, Value)>, key: KeyId, value: Value) {
    *under_key_or(entries, key, || Value::Null) = value;
}

/// The vertex must exist.
pub(crate) fn require_vertex(reader: &Reader<'_>, v: VertexRef) -> Result<()> {
    if reader.exists(v) {
        return Ok(());
    }
    reader.check()?;
    Err(GraphError::NoSuchVertex(Value::Long(v.0.into())))
}
