//! Applies commits to the sections in memory, and merges deltas that have grown.
//!
//! One thread at a time, in stamp order; readers go on meanwhile. Replaying the log takes the same path: a change that
//! a section's base already includes is skipped.

use crossbeam_epoch::Guard;
use values::{EdgeRef, Value, VertexRef};

use crate::cells::SectionCell;
use crate::error::{GraphError, Result};
use crate::model::{
    Before, Catalog, Counts, Dir, EDGE_ID_KEY, EdgeLabelId, KeyId, Op, PropertyState, SLOTS, Tick,
    VertexLabelId, adjacency_number, index_hash, slot_of, stripe_of, under_key, weight,
};
use crate::place::Block;
use crate::resident::{Memory, Writer};
use crate::sections::{
    Column, EdgeChangeKind, IndexChange, IndexPartition, Mergeable, PARTITIONS, Presence, SectionKey,
    SectionName, TreeChange, TreeName, VERTEX_IDS, VertexState, partition_of,
};

/// One commit on its way into the sections.
pub(crate) struct Application<'a> {
    pub(crate) memory: &'a Memory,
    pub(crate) writer: &'a mut Writer,
    pub(crate) catalog: &'a Catalog,
    pub(crate) counts: &'a mut Counts,
    pub(crate) tick: Tick,
    /// No reader asks for anything before this; unknown until a delta is ripe for merging.
    pub(crate) watermark: Option<Tick>,
    /// Whether lists are merged as soon as they are ripe. Otherwise whoever applies calls [`Application::merge_list`].
    pub(crate) merges_lists: bool,
    pub(crate) guard: &'a Guard,
}

impl<'a> Application<'a> {
    /// Applies one operation.
    pub(crate) fn apply(&mut self, op: &Op) -> Result<()> {
        self.apply_but_lists(op)?;
        let Some(e) = op.edge() else { return Ok(()) };
        self.change_end(e, Dir::Out, op)?;
        self.change_end(e, Dir::In, op)
    }

    /// Applies one operation to everything but the lists of the edge that it changes, if it changes one.
    pub(crate) fn apply_but_lists(&mut self, op: &Op) -> Result<()> {
        match op {
            Op::CreateVertex { v, label, id } => self.create_vertex(*v, *label, id.as_ref()),
            Op::DropVertex { v } => self.drop_vertex(*v),
            Op::SetProperty { v, key, state } => self.set_property(*v, *key, state),
            Op::CreateEdge { e, cells } => {
                self.counts.change_edges(EdgeLabelId(e.label), 1);
                under_key(cells, EDGE_ID_KEY).map_or(Ok(()), |id| self.change_edge_id(id, *e, true))
            }
            Op::UpdateEdge { .. } => Ok(()),
            Op::DropEdge { e, id, .. } => {
                self.counts.change_edges(EdgeLabelId(e.label), -1);
                match id {
                    Some(id) => self.change_edge_id(id, *e, false),
                    None => Ok(()),
                }
            }
        }
    }

    fn create_vertex(&mut self, v: VertexRef, label: VertexLabelId, id: Option<&Value>) -> Result<()> {
        let stripe = self.memory.blocks.stripe_for(stripe_of(v), label);
        stripe.allocate_up_to((v.0 & 0xffff) + 1);
        self.counts.change_vertices(stripe.label, 1);
        if let Some(id) = id {
            self.change_index(VERTEX_IDS, index_hash(id), v, true)?;
        }
        self.change_vertex(v, VertexState::Exists(id.cloned()))
    }

    fn drop_vertex(&mut self, v: VertexRef) -> Result<()> {
        let stripe = self.memory.blocks.stripe(stripe_of(v)).ok_or_else(|| unknown_vertex(v))?;
        self.counts.change_vertices(stripe.label, -1);
        let cell = &self.block(v)?.presence;
        let key = SectionKey::of(v, SectionName::Presence);
        let presence = self.memory.section(cell, || key, self.guard)?;
        let hash =
            presence.and_then(|p| p.user_id(slot_of(v), Tick::MAX)).map(|id| index_hash(&id.to_value()));
        if let Some(hash) = hash {
            self.change_index(VERTEX_IDS, hash, v, false)?;
        }
        self.change_vertex(v, VertexState::Dropped)
    }

    fn change_vertex(&mut self, v: VertexRef, state: VertexState) -> Result<()> {
        let (cell, tick) = (&self.block(v)?.presence, self.tick);
        let bytes = if let VertexState::Exists(Some(id)) = &state { weight(id) } else { 0 };
        let key = SectionKey::of(v, SectionName::Presence);
        self.change(cell, key, bytes, Presence::empty, |presence: &Presence| {
            presence.delta.push(SLOTS, slot_of(v), tick, state);
        })
    }

    fn set_property(&mut self, v: VertexRef, key: KeyId, state: &PropertyState) -> Result<()> {
        let label = self.memory.blocks.stripe(stripe_of(v)).ok_or_else(|| unknown_vertex(v))?.label;
        let cell = self.block(v)?.columns.get_or_grow(key.index());
        let name = SectionKey::of(v, SectionName::Column(key));
        let catalog = self.catalog;
        for index in catalog.indexes_over(label, key) {
            self.maintain(index, v, key, state)?;
        }
        let tick = self.tick;
        self.change(cell, name, state.weight(), Column::empty, |column: &Column| {
            column.delta.push(SLOTS, slot_of(v), tick, state.clone());
        })
    }

    /// Applies an operation that changes an edge to the list of one of its ends.
    pub(crate) fn change_end(&mut self, e: EdgeRef, dir: Dir, op: &Op) -> Result<()> {
        static NOTHING: Before = Before::new();
        let (kind, before) = match op {
            Op::CreateEdge { cells, .. } => (EdgeChangeKind::Insert(cells.clone()), &NOTHING),
            Op::UpdateEdge { cells, before, .. } => (EdgeChangeKind::Update(cells.clone()), before),
            Op::DropEdge { before, .. } => (EdgeChangeKind::Delete, before),
            Op::CreateVertex { .. } | Op::DropVertex { .. } | Op::SetProperty { .. } => return Ok(()),
        };
        let (v, neighbour) = if dir == Dir::Out { (e.src, e.dst) } else { (e.dst, e.src) };
        let name = TreeName::primary(v, EdgeLabelId(e.label), dir);
        let change = TreeChange { tick: self.tick, neighbour, seq: e.seq, kind: &kind, before: None };
        self.change_list(name, change, before)
    }

    pub(crate) fn change_index(
        &mut self,
        index: usize,
        hash: u32,
        vertex: VertexRef,
        added: bool,
    ) -> Result<()> {
        let partition = partition_of(hash);
        let cell = self.memory.indexes.get_or_grow(index * PARTITIONS + partition);
        let key = SectionKey::index(index, partition);
        let tick = self.tick;
        self.change(cell, key, 0, IndexPartition::empty, |section: &IndexPartition| {
            section.push(tick, IndexChange { hash, vertex, added });
        })
    }

    /// Lets `push` add a version, with values of so many bytes, to the section in a cell, unless its base has it already.
    pub(crate) fn change<T: Mergeable>(
        &mut self,
        cell: &SectionCell<T>,
        key: SectionKey,
        bytes: usize,
        empty: impl FnOnce() -> T,
        push: impl FnOnce(&T),
    ) -> Result<()> {
        let section = match self.memory.section(cell, || key, self.guard)? {
            Some(section) => section,
            None => cell.replace(empty(), &self.memory.cache.account, self.guard),
        };
        if section.settled() >= self.tick {
            return Ok(());
        }
        let before = section.delta_bytes();
        push(section);
        cell.grow(section.delta_bytes() - before + bytes, self.guard);
        self.writer.dirty.insert(key);
        let waits = !self.merges_lists && key.is_adjacency();
        if !waits && section.is_ripe(self.memory.options.merge_versions) {
            self.merge(cell, section, key);
        }
        Ok(())
    }

    /// Merges the section of a list if it is ripe.
    pub(crate) fn merge_list(&mut self, v: VertexRef, label: EdgeLabelId, dir: Dir) -> Result<()> {
        let cell = self.block(v)?.adjacency.get_or_grow(adjacency_number(label, dir));
        if let Some(section) = cell.loaded(self.guard)
            && section.is_ripe(self.memory.options.merge_versions)
        {
            self.merge(cell, section, SectionKey::of(v, SectionName::Adjacency(label, dir)));
        }
        Ok(())
    }

    /// Merges what is behind the watermark, if that is most of the delta.
    fn merge<T: Mergeable>(&mut self, cell: &SectionCell<T>, section: &T, key: SectionKey) {
        let len = section.delta_len();
        if self.writer.patience.get(&key).is_some_and(|&patience| len < patience) {
            return;
        }
        let watermark = self.watermark();
        if section.delta_up_to(watermark) * 2 < len {
            self.writer.patience.insert(key, len * 2);
            return;
        }
        self.writer.patience.remove(&key);
        cell.replace(section.merged(watermark), &self.memory.cache.account, self.guard);
    }

    /// No reader asks for anything before this.
    pub(crate) fn watermark(&mut self) -> Tick {
        let watermark = *self.watermark.get_or_insert_with(|| self.memory.timeline.watermark().bits());
        // The stamps between the last commit and the watermark, if any, were given up.
        watermark.min(self.writer.applied)
    }

    pub(crate) fn block(&self, v: VertexRef) -> Result<&'a Block> {
        let stripe = self.memory.blocks.stripe(stripe_of(v)).ok_or_else(|| unknown_vertex(v))?;
        Ok(stripe.block(v.tablet() as usize))
    }
}

fn unknown_vertex(v: VertexRef) -> GraphError {
    GraphError::corrupt("log", format!("a record changes the vertex {}, which no record created", v.0))
}
