//! Writes of edges and their properties.

use values::{EdgeRef, Value, VertexRef};

use super::transaction::Transaction;
use super::vertex::require_vertex;
use super::write_set::WriteSet;
use crate::error::{GraphError, Result};
use crate::model::{
    Before, Dir, EDGE_ID_KEY, EdgeCells, EdgeLabelId, KeyId, NameSpace, ValueRef, cells_weight, element_id,
    for_each_equal_hash, index_hash, under_key, units, weight,
};
use crate::read::OwnEdge;
use crate::sections::{EdgeChange, EdgeChangeKind, order_values};
use values::Direction;

impl Transaction {
    /// Adds an edge; without an id the graph generates a long.
    ///
    /// # Errors
    /// If an end does not exist, the id is taken or cannot be an id, or the label cannot be a label.
    pub fn add_edge(
        &self,
        id: Option<Value>,
        label: &str,
        src: VertexRef,
        dst: VertexRef,
    ) -> Result<EdgeRef> {
        id.as_ref().map_or(Ok(()), element_id::check)?;
        self.obey_label(NameSpace::EdgeLabel, label)?;
        let label = EdgeLabelId(self.intern(NameSpace::EdgeLabel, label)?);
        let mut writes = self.writes.lock();
        {
            let reader = self.reader(&writes);
            require_vertex(&reader, src)?;
            require_vertex(&reader, dst)?;
            if let Some(id) = &id
                && reader.edge_by_id(id).is_some()
            {
                drop(reader);
                for_each_equal_hash(id, |hash| writes.footprint.reads(units::edge_id(hash)));
                return Err(GraphError::DuplicateEdgeId(id.clone()));
            }
        }
        let seq = self.allocate_edge(&writes, src)?;
        let e = EdgeRef { src, dst, seq, label: label.0 };
        let write = writes.next_write(&self.memory().options, id.as_ref().map_or(0, weight))?;
        for end in [src, dst] {
            if !writes.has_created(end) {
                writes.footprint.reads(units::existence(end));
            }
        }
        self.note_list_change(&mut writes, e)?;
        let cells: EdgeCells = match &id {
            Some(id) => {
                writes.replaces([units::edge_id(index_hash(id))])?;
                self.overlay.edge_ids.push(index_hash(id), write, e);
                [(EDGE_ID_KEY, id.clone())].into()
            }
            None => {
                writes.adds([units::edge_id(index_hash(&Value::Long(e.generated_id())))])?;
                EdgeCells::default()
            }
        };
        self.push_change(&writes, write, e, &EdgeChangeKind::Insert(cells.clone()));
        writes.create_edge(e, cells);
        writes.counts.change_edges(label, 1);
        Ok(e)
    }

    /// A sequence number for which no user chose the generated id.
    fn allocate_edge(&self, writes: &WriteSet, src: VertexRef) -> Result<u32> {
        let reader = self.reader(writes);
        loop {
            let seq = self.memory().allocator.seq(src)?;
            let generated = EdgeRef { src, dst: src, seq, label: 0 }.generated_id();
            if reader.edge_by_user_id(&Value::Long(generated)).is_none() {
                return Ok(seq);
            }
        }
    }

    /// Drops an edge. Dropping one that does not exist does nothing.
    ///
    /// # Errors
    /// If a section cannot be read or the transaction is full.
    pub fn drop_edge(&self, e: EdgeRef) -> Result<()> {
        let mut writes = self.writes.lock();
        let known = {
            let reader = self.reader(&writes);
            let Some(place) = reader.edge_place(e) else { return self.base.check() };
            let (catalog, label) = (self.memory().catalog(), EdgeLabelId(e.label));
            let value = |key| Some((key, place.value(key)?.to_value()));
            let before = catalog.list_keys(label).filter_map(value).collect();
            (place.value(EDGE_ID_KEY).map(ValueRef::to_value), before)
        };
        self.drop_known_edge(&mut writes, e, known)
    }

    /// Drops an edge that exists; with the id that a user chose for it, and its values under the keys by which its lists may
    /// lie.
    pub(crate) fn drop_known_edge(
        &self,
        writes: &mut WriteSet,
        e: EdgeRef,
        (id, before): (Option<Value>, Before),
    ) -> Result<()> {
        let bytes = id.as_ref().map_or(0, weight) + cells_weight(&before);
        let write = writes.next_write(&self.memory().options, bytes)?;
        let hash = id.as_ref().map_or_else(|| index_hash(&Value::Long(e.generated_id())), index_hash);
        writes.replaces([units::edge_existence(e)])?;
        writes.adds([units::edge_id(hash)])?;
        self.note_list_change(writes, e)?;
        self.push_change(writes, write, e, &EdgeChangeKind::Delete);
        writes.drop_edge(e, id, before);
        writes.counts.change_edges(EdgeLabelId(e.label), -1);
        Ok(())
    }

    /// Sets a property of an edge.
    ///
    /// # Errors
    /// If the edge does not exist, or the key or value cannot be stored.
    pub fn set_edge_property(&self, e: EdgeRef, key: &str, value: Value) -> Result<()> {
        let value = self.obey_edge_value(EdgeLabelId(e.label), key, value)?;
        let key = self.storable(key, &value)?;
        self.change_edge(e, key, true, |cells| match cells.binary_search_by_key(&key, |(known, _)| *known) {
            Ok(place) => cells[place].1 = value,
            Err(place) => cells.insert(place, (key, value)),
        })
    }

    /// Drops a property of an edge. Dropping one that does not exist does nothing.
    ///
    /// # Errors
    /// If a section cannot be read or the transaction is full.
    pub fn drop_edge_property(&self, e: EdgeRef, key: &str) -> Result<()> {
        let Some(key) = self.known_key(key) else { return Ok(()) };
        self.change_edge(e, key, false, |cells| cells.retain(|(known, _)| *known != key))
    }

    /// Changes what an edge has under a key.
    fn change_edge(
        &self,
        e: EdgeRef,
        key: KeyId,
        required: bool,
        change: impl FnOnce(&mut Vec<(KeyId, Value)>),
    ) -> Result<()> {
        let mut writes = self.writes.lock();
        let before = self.reader(&writes).edge_place(e).map(|place| place.cells());
        let Some(before) = before else {
            self.base.check()?;
            let missing = GraphError::NoSuchEdge(Value::Long(e.generated_id()));
            return if required { Err(missing) } else { Ok(()) };
        };
        let mut after = before.to_vec();
        change(&mut after);
        let after: EdgeCells = after.into();
        let (catalog, label) = (self.memory().catalog(), EdgeLabelId(e.label));
        let keys = || catalog.list_keys(label);
        let old: Before = keys().filter_map(|key| Some((key, under_key(&before, key)?.clone()))).collect();
        // Nobody looks for an edge of this transaction where it was before.
        let old_bytes = if writes.has_created_edge(e) { 0 } else { cells_weight(&old) };
        let write = writes.next_write(&self.memory().options, cells_weight(&after) + old_bytes)?;
        if !writes.has_created_edge(e) {
            writes.footprint.reads(units::edge_existence(e));
            // Its cells are written as a whole: of two who change some, one is refused.
            writes.replaces([units::edge_properties(e)])?;
            writes.adds([units::edge_property(e, key)])?;
        }
        if keys().any(|key| is_moved(&before, &after, key)) {
            // It moves to another place of lists by such a key: who has read a part of them may have missed it there.
            for (v, dir, ..) in ends(e) {
                writes.adds([units::list(v, label, dir), units::any_list(v, dir)])?;
            }
        }
        self.push_update(&writes, write, e, (&before, &after), keys().next().is_some());
        writes.update_edge(e, after, old);
        Ok(())
    }

    /// Notes that both lists of an edge change. Nobody else has looked for lists of a vertex that this transaction created.
    fn note_list_change(&self, writes: &mut WriteSet, e: EdgeRef) -> Result<()> {
        let label = EdgeLabelId(e.label);
        for (v, dir, ..) in ends(e) {
            if !writes.has_created(v) {
                writes.adds([units::list(v, label, dir), units::any_list(v, dir)])?;
            }
        }
        writes.adds(units::edge_labels(label))
    }

    /// Lays a change over both lists of an edge; `writes` does not count it yet as seen.
    fn push_change(&self, writes: &WriteSet, write: u64, e: EdgeRef, kind: &EdgeChangeKind) {
        let label = EdgeLabelId(e.label);
        let exists = |cells: &EdgeCells| OwnEdge::Exists(e.dst, label, cells.clone());
        let state = kind.cells().map_or(OwnEdge::Dropped, exists);
        self.overlay.edges.push((e.src, e.seq), write, state);
        for (v, dir, direction, neighbour) in ends(e) {
            let before = self.reader(writes).degree(v, direction, &[label]);
            let degree = before.saturating_add_signed(kind.growth()) as u32;
            let change = EdgeChange { kind: kind.clone(), neighbour, seq: e.seq, degree };
            self.overlay.change_list(v, label, dir, write, change);
        }
    }

    /// Lays new properties over both lists of an edge. In a list by a key whose value has changed, it goes to another place.
    /// `sorted`: whether there may be such lists.
    fn push_update(
        &self,
        writes: &WriteSet,
        write: u64,
        e: EdgeRef,
        (before, after): (&EdgeCells, &EdgeCells),
        sorted: bool,
    ) {
        let label = EdgeLabelId(e.label);
        self.overlay.edges.push((e.src, e.seq), write, OwnEdge::Exists(e.dst, label, after.clone()));
        for (v, dir, direction, neighbour) in ends(e) {
            let (key, degree) = {
                let reader = self.reader(writes);
                let key = if sorted { reader.list(v, label, dir).sort_key() } else { None };
                (key, reader.degree(v, direction, &[label]) as u32)
            };
            let push = |kind, degree| {
                let change = EdgeChange { kind, neighbour, seq: e.seq, degree };
                self.overlay.change_list(v, label, dir, write, change);
            };
            if key.is_some_and(|key| is_moved(before, after, key)) {
                push(EdgeChangeKind::Delete, degree.saturating_sub(1));
                push(EdgeChangeKind::Insert(after.clone()), degree);
            } else {
                push(EdgeChangeKind::Update(after.clone()), degree);
            }
        }
    }
}

/// Both lists of an edge, by their owners, with the vertices at the other ends.
fn ends(e: EdgeRef) -> [(VertexRef, Dir, Direction, VertexRef); 2] {
    [(e.src, Dir::Out, Direction::Out, e.dst), (e.dst, Dir::In, Direction::In, e.src)]
}

/// Whether an edge whose properties have changed so goes to another place of a list by a key.
fn is_moved(before: &EdgeCells, after: &EdgeCells, key: KeyId) -> bool {
    let value = |cells| under_key(cells, key).map(ValueRef::of);
    !order_values(value(before), value(after)).is_eq()
}
