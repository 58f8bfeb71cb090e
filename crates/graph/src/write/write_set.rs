//! The writes of a transaction, on their way to the log: one operation per element, the last state it was given.

use rustc_hash::FxHashMap;
use timeline::{Footprint, Unit};
use values::{EdgeRef, Value, VertexRef};

use super::held::Held;
use crate::durable::Note;
use crate::error::{GraphError, Result};
use crate::model::{Before, Counts, EdgeCells, GraphOptions, KeyId, Op, PropertyState, VertexLabelId};

/// Bytes that an operation counts beside its values.
const OP_BYTES: usize = 48;

/// Operations, and what they touch.
pub(crate) struct WriteSet {
    ops: Vec<Option<Op>>,
    vertices: FxHashMap<VertexRef, usize>,
    properties: FxHashMap<(VertexRef, KeyId), usize>,
    edges: FxHashMap<EdgeRef, usize>,
    pub(crate) footprint: Footprint,
    pub(crate) counts: Counts,
    /// Versions pushed to the overlay: the number of the last write.
    pub(crate) writes: u64,
    bytes: usize,
    /// What it leaves beside its record.
    notes: Vec<Note>,
    ended: bool,
    /// As long as the transaction lives.
    held: Held,
}

impl WriteSet {
    pub(crate) fn new(counts: Counts, held: Held) -> Self {
        Self {
            ops: Vec::new(),
            vertices: FxHashMap::default(),
            properties: FxHashMap::default(),
            edges: FxHashMap::default(),
            footprint: Footprint::new(),
            counts,
            writes: 0,
            bytes: 0,
            notes: Vec::new(),
            ended: false,
            held,
        }
    }

    /// Takes everything out, once; what is left behind takes no more writes, and counts as nothing.
    pub(crate) fn end(&mut self) -> Result<Self> {
        if self.ended {
            return Err(GraphError::TransactionEnded);
        }
        let held = self.held.another();
        let ended = Self { ended: true, writes: self.writes, ..Self::new(self.counts.clone(), held) };
        Ok(std::mem::replace(self, ended))
    }

    /// About how many bytes of memory its writes take.
    pub(crate) fn held_bytes(&self) -> usize {
        self.held.bytes()
    }

    /// The next write's number, if there is room for it and `bytes` more.
    pub(crate) fn next_write(&mut self, options: &GraphOptions, bytes: usize) -> Result<u64> {
        if self.ended {
            return Err(GraphError::TransactionEnded);
        }
        let advice = "commit the work in several smaller transactions";
        if self.writes >= options.transaction_writes as u64 {
            let limit = options.transaction_writes as u64;
            return Err(GraphError::LimitExceeded { what: "the writes of one transaction", limit, advice });
        }
        let all = self.bytes + OP_BYTES + bytes;
        if all > options.transaction_bytes {
            let limit = options.transaction_bytes as u64;
            return Err(GraphError::LimitExceeded { what: "the bytes of one transaction", limit, advice });
        }
        self.held.take(bytes)?;
        self.bytes = all;
        self.writes += 1;
        Ok(self.writes)
    }

    /// Notes that it may be the first to commit with a name, and takes room for that.
    pub(crate) fn introduces(&mut self, unit: Unit, name: &str) -> Result<()> {
        self.held.take(name.len())?;
        self.adds([unit])
    }

    pub(crate) fn create_vertex(&mut self, v: VertexRef, label: VertexLabelId, id: Option<Value>) {
        self.vertices.insert(v, self.ops.len());
        self.ops.push(Some(Op::CreateVertex { v, label, id }));
    }

    /// A vertex that this transaction created leaves no trace.
    pub(crate) fn drop_vertex(&mut self, v: VertexRef) {
        match self.vertices.remove(&v) {
            Some(created) => self.ops[created] = None,
            None => self.ops.push(Some(Op::DropVertex { v })),
        }
    }

    pub(crate) fn set_property(&mut self, v: VertexRef, key: KeyId, state: PropertyState) {
        let next = self.ops.len();
        let place = *self.properties.entry((v, key)).or_insert(next);
        let op = Some(Op::SetProperty { v, key, state });
        if place == next { self.ops.push(op) } else { self.ops[place] = op }
    }

    /// Forgets what was written under a key of a vertex that this transaction created and drops again.
    pub(crate) fn forget_property(&mut self, v: VertexRef, key: KeyId) {
        if let Some(place) = self.properties.remove(&(v, key)) {
            self.ops[place] = None;
        }
    }

    /// Whether this transaction created the vertex.
    pub(crate) fn has_created(&self, v: VertexRef) -> bool {
        self.vertices.contains_key(&v)
    }

    /// Whether this transaction created the edge.
    pub(crate) fn has_created_edge(&self, e: EdgeRef) -> bool {
        let op = self.edges.get(&e).and_then(|&place| self.ops[place].as_ref());
        matches!(op, Some(Op::CreateEdge { .. }))
    }

    pub(crate) fn create_edge(&mut self, e: EdgeRef, cells: EdgeCells) {
        self.edges.insert(e, self.ops.len());
        self.ops.push(Some(Op::CreateEdge { e, cells }));
    }

    /// `before` are the values that the edge had under the keys by which its lists may lie.
    pub(crate) fn update_edge(&mut self, e: EdgeRef, cells: EdgeCells, before: Before) {
        let next = self.ops.len();
        let place = *self.edges.entry(e).or_insert(next);
        if place == next {
            self.ops.push(Some(Op::UpdateEdge { e, cells, before }));
            return;
        }
        if let Some(Op::CreateEdge { cells: old, .. } | Op::UpdateEdge { cells: old, .. }) =
            &mut self.ops[place]
        {
            *old = cells;
        }
    }

    /// An edge that this transaction created leaves no trace.
    pub(crate) fn drop_edge(&mut self, e: EdgeRef, id: Option<Value>, mut before: Before) {
        match self.edges.remove(&e).and_then(|place| self.ops[place].take()) {
            Some(Op::CreateEdge { .. }) => return,
            // What others see is what it was before this transaction changed it.
            Some(Op::UpdateEdge { before: first, .. }) => before = first,
            _ => {}
        }
        self.ops.push(Some(Op::DropEdge { e, id, before }));
    }

    /// Notes units that were read. Where memory has no room for them, everything counts as read.
    pub(crate) fn reads(&mut self, units: impl IntoIterator<Item = Unit>) {
        let before = self.footprint.len();
        units.into_iter().for_each(|unit| self.footprint.reads(unit));
        let more = self.footprint.len().saturating_sub(before);
        if more > 0 && !self.held.take_for_reads(more) {
            self.footprint.reads_all();
        }
    }

    /// Notes units that the answer shows as they are at the commit.
    pub(crate) fn shows(&mut self, units: impl IntoIterator<Item = Unit>) {
        units.into_iter().for_each(|unit| self.footprint.shows(unit));
    }

    /// Notes units that are added to.
    pub(crate) fn adds(&mut self, units: impl IntoIterator<Item = Unit>) -> Result<()> {
        units.into_iter().try_for_each(|unit| self.footprint.adds(unit)).map_err(full)
    }

    /// Notes units that are replaced.
    pub(crate) fn replaces(&mut self, units: impl IntoIterator<Item = Unit>) -> Result<()> {
        units.into_iter().try_for_each(|unit| self.footprint.replaces(unit)).map_err(full)
    }

    /// Leaves a note; what was noted under its name before is forgotten.
    pub(crate) fn note(&mut self, note: Note) {
        self.notes.retain(|known| known.name != note.name);
        self.notes.push(note);
    }

    /// The operations so far, in the order in which their elements were first written.
    pub(crate) fn ops(&self) -> impl Iterator<Item = &Op> {
        self.ops.iter().flatten()
    }

    /// The operations, in the order in which their elements were first written, with what is noted beside them; and what they
    /// touch.
    pub(crate) fn into_ops(self) -> ((Vec<Op>, Vec<Note>), Footprint, Held) {
        ((self.ops.into_iter().flatten().collect(), self.notes), self.footprint, self.held)
    }
}

fn full(_: timeline::FootprintFull) -> GraphError {
    GraphError::LimitExceeded {
        what: "the elements that one transaction changes",
        limit: timeline::MAX_FOOTPRINT_WRITES as u64,
        advice: "commit the work in several smaller transactions",
    }
}
