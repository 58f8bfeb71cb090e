//! Access paths: ids, indexes, scans.

use std::ops::ControlFlow;

use values::{EdgeRef, Value, VertexRef, watch};

use super::reader::Reader;
use super::runs::Place;
use super::scan::ScanCursor;
use crate::model::{
    Dir, EdgeLabelId, Index, KeyId, STRIPE_VERTICES, TABLETS, VertexLabelId, for_each_equal_hash, index_hash,
};
use crate::sections::{EDGE_IDS, FIRST_INDEX, Presence, VERTEX_IDS, partition_of};

impl Reader<'_> {
    /// The vertex with this id; numbers match by value across their types.
    pub fn vertex_by_id(&self, id: &Value) -> Option<VertexRef> {
        let mut candidates = Vec::new();
        for_each_equal_hash(id, |hash| {
            if let Some(own) = self.own {
                own.candidates(&own.overlay.vertex_ids, &hash, &mut candidates);
            }
            self.index_candidates(VERTEX_IDS, hash, &mut candidates);
        });
        let has_id = |v: &VertexRef| self.user_id(*v).is_some_and(|user| user.equals(id));
        candidates
            .into_iter()
            .find(|v| self.exists(*v) && has_id(v))
            .or_else(|| self.vertex_by_generated_id(id))
    }

    /// The vertex whose generated id this is.
    fn vertex_by_generated_id(&self, id: &Value) -> Option<VertexRef> {
        let v = VertexRef(u32::try_from(whole_number(id)?).ok()?);
        (self.exists(v) && self.user_id(v).is_none()).then_some(v)
    }

    /// The edge with this id; numbers match by value across their types.
    pub fn edge_by_id(&self, id: &Value) -> Option<EdgeRef> {
        self.edge_by_user_id(id).or_else(|| self.edge_by_generated_id(id))
    }

    /// The same by the index of formats before 7, from the hash of an id to the source of the edge: edges that have been there
    /// since then are in no other. All that leave the source are looked at.
    pub(crate) fn edge_by_id_of_its_source(&self, id: &Value) -> Option<EdgeRef> {
        let mut sources = Vec::new();
        for_each_equal_hash(id, |hash| self.index_candidates(EDGE_IDS, hash, &mut sources));
        sources.sort_unstable();
        sources.dedup();
        sources.into_iter().find_map(|src| self.out_edge_by_user_id(src, id))
    }

    fn out_edge_by_user_id(&self, src: VertexRef, id: &Value) -> Option<EdgeRef> {
        let mut found = None;
        self.for_each_label(src, Dir::Out, |_, list| {
            if found.is_none() {
                found = list.runs().find_map(|run| {
                    let has_id = |&i: &usize| run.user_id(i).is_some_and(|user| user.equals(id));
                    (0..run.neighbours().len()).find(has_id).map(|i| run.edge(i))
                });
            }
        });
        found
    }

    /// The edge whose generated id this is.
    pub(crate) fn edge_by_generated_id(&self, id: &Value) -> Option<EdgeRef> {
        let (src, seq) = EdgeRef::split_generated_id(whole_number(id)?);
        let found = self.try_each_label(src, Dir::Out, EdgeLabelId(0), |label| {
            let Some(found) = self.find_edge(src, label, seq) else { return ControlFlow::Continue(()) };
            let generated = found.place.value(crate::model::EDGE_ID_KEY).is_none();
            // A number is given to one edge of its source.
            ControlFlow::Break(generated.then_some(EdgeRef {
                src,
                dst: found.neighbour,
                seq,
                label: label.0,
            }))
        });
        found.break_value().flatten()
    }

    /// The ids with this hash that users gave to vertices.
    pub(crate) fn user_ids_by_hash(&self, hash: u32) -> Vec<Value> {
        let mut candidates = Vec::new();
        self.index_candidates(VERTEX_IDS, hash, &mut candidates);
        let ids = candidates.into_iter().filter_map(|v| Some(self.user_id(v)?.to_value()));
        ids.filter(|id| index_hash(id) == hash).collect()
    }

    /// Appends the vertices of `label` that have a value equal to `value` (`P.eq`) under `key`, in ascending order;
    /// `false` if there is no such index.
    pub fn index_lookup(
        &self,
        label: VertexLabelId,
        key: KeyId,
        value: &Value,
        out: &mut Vec<VertexRef>,
    ) -> bool {
        let Some(index) = self.snapshot().catalog().hash_index(label, key) else { return false };
        self.look_up_in(index, key, value, out);
        true
    }

    /// The same in an index that may not be ready yet.
    pub(crate) fn look_up_in(&self, index: &Index, key: KeyId, value: &Value, out: &mut Vec<VertexRef>) {
        let label = index.definition.label;
        let first = out.len();
        for_each_equal_hash(value, |hash| {
            if let Some(own) = self.own {
                own.candidates(&own.overlay.values, &(label, key, hash), out);
            }
            self.index_candidates(FIRST_INDEX + index.number as usize, hash, out);
        });
        keep_distinct_from(out, first, |v| self.has_value(v, key, value) && self.exists(v));
    }

    /// Appends the vertices that an index has under a hash: a superset of those that have the value.
    fn index_candidates(&self, index: usize, hash: u32, out: &mut Vec<VertexRef>) {
        let loaded = self.memory.index_partition(self.request(), index, partition_of(hash), &self.guard);
        if let Some(partition) = self.or_fail(loaded).flatten() {
            partition.candidates(hash, out);
        }
    }

    /// Appends up to `limit` vertices of a label (of all labels) from the cursor on, in ascending order, and moves
    /// the cursor; whether there may be more. There may be although fewer were found: where many were dropped, it does not look
    /// for the next one for long, unless `limit` is as large.
    pub fn scan_vertices(
        &self,
        label: Option<VertexLabelId>,
        cursor: &mut ScanCursor,
        limit: usize,
        out: &mut Vec<VertexRef>,
    ) -> bool {
        let enough = out.len().saturating_add(limit);
        let mut looks = limit.max(LOOKS) as u64;
        while out.len() < enough && looks > 0 {
            let Some((from, to)) = self.next_run(label, cursor.next, cursor.end) else { return false };
            let to = to.min(from.saturating_add(looks));
            looks -= to - from;
            cursor.next = to;
            // A run is of one stripe, and goes round its tablets.
            let mut known: [Option<Option<&Presence>>; TABLETS] = [None; TABLETS];
            for v in from..to {
                let v = VertexRef(v as u32);
                let known = &mut known[v.tablet() as usize];
                if !self.exists_in(v, || *known.get_or_insert_with(|| self.presence(v))) {
                    continue;
                }
                out.push(v);
                if out.len() == enough {
                    cursor.next = u64::from(v.0) + 1;
                    break;
                }
            }
        }
        true
    }

    /// Appends up to `limit` edges of a label (of all labels) from the cursor on, grouped by source in ascending
    /// order, and moves the cursor; whether there may be more. There may be although fewer were found, or none: it does not look
    /// into empty lists for long.
    pub fn scan_edges(
        &self,
        label: Option<EdgeLabelId>,
        cursor: &mut ScanCursor,
        limit: usize,
        out: &mut Vec<EdgeRef>,
    ) -> bool {
        let enough = out.len().saturating_add(limit);
        let labels = if label.is_some() { 1 } else { self.edge_label_bound().max(1) };
        let mut looks = LOOKS / labels + 1;
        while out.len() < enough && looks > 0 {
            let Some((v, end)) = self.next_run(None, cursor.next, cursor.end) else { return false };
            if v != cursor.next {
                *cursor = ScanCursor { next: v, end: cursor.end, ..ScanCursor::default() };
            }
            while cursor.next < end && out.len() < enough && looks > 0 {
                looks -= 1;
                self.scan_edges_of(label, cursor, enough, out);
            }
        }
        true
    }

    /// Goes on with the out-edges of the cursor's vertex.
    fn scan_edges_of(
        &self,
        label: Option<EdgeLabelId>,
        cursor: &mut ScanCursor,
        enough: usize,
        out: &mut Vec<EdgeRef>,
    ) {
        let src = VertexRef(cursor.next as u32);
        let from = EdgeLabelId(cursor.label as u16);
        let mut visit = |label| self.scan_list(src, label, cursor, enough, out);
        let has_ended = match label {
            Some(label) => visit(label),
            None => self.try_each_label(src, Dir::Out, from, visit),
        };
        if has_ended.is_break() {
            return;
        }
        (cursor.next, cursor.label, cursor.edge) = (cursor.next + 1, 0, Place::default());
    }

    /// Goes on with one list of the cursor's vertex; breaks off where there is enough.
    fn scan_list(
        &self,
        src: VertexRef,
        label: EdgeLabelId,
        cursor: &mut ScanCursor,
        enough: usize,
        out: &mut Vec<EdgeRef>,
    ) -> ControlFlow<()> {
        if u32::from(label.0) != cursor.label {
            (cursor.label, cursor.edge) = (label.0.into(), Place::default());
        }
        loop {
            let run = self.run(src, label, Dir::Out, &mut cursor.edge);
            let from = cursor.edge.position.min(run.end());
            let to = run.end().min(from + enough - out.len());
            out.extend((from..to).map(|position| run.edge(position - run.first())));
            cursor.edge.position = to;
            if to >= run.total() || run.neighbours().is_empty() {
                return ControlFlow::Continue(());
            }
            if out.len() >= enough {
                return ControlFlow::Break(());
            }
        }
    }

    /// The next run of references at or after `from` that were given out to vertices of `label`.
    fn next_run(&self, label: Option<VertexLabelId>, from: u64, end: Option<u64>) -> Option<(u64, u64)> {
        let end = end.unwrap_or(u64::MAX);
        let mut number = (from >> 16) as usize;
        while let Some((next, stripe)) = self.memory.blocks.next(label, number) {
            let first = (next as u64) << 16;
            if first >= end {
                return None;
            }
            let to = (first + u64::from(stripe.allocated().min(STRIPE_VERTICES))).min(end);
            if from.max(first) < to {
                return Some((from.max(first), to));
            }
            number = next + 1;
        }
        None
    }
}

/// Vertices, or lists of edges, that a scan looks at in one go although it finds nothing there: less than a millisecond.
const LOOKS: usize = 1 << 13;

/// Sorts what follows `first`, and keeps each vertex once if `keep` says so.
pub(super) fn keep_distinct_from(out: &mut Vec<VertexRef>, first: usize, keep: impl Fn(VertexRef) -> bool) {
    out[first..].sort_unstable();
    let mut kept = first;
    for i in first..out.len() {
        // There may be millions, and `keep` reads of each.
        watch::tick();
        let v = out[i];
        if (kept == first || out[kept - 1] != v) && keep(v) {
            out[kept] = v;
            kept += 1;
        }
    }
    out.truncate(kept);
}

/// A number as a whole one, if it is: as a generated id would be.
pub(crate) fn whole_number(id: &Value) -> Option<i64> {
    match id {
        Value::Double(v) if v.fract() == 0.0 && v.abs() < 9e15 => Some(*v as i64),
        Value::Float(v) if v.fract() == 0.0 && v.abs() < 1e7 => Some(*v as i64),
        Value::BigInteger(v) => i64::try_from(v.as_ref()).ok(),
        other => other.as_i64(),
    }
}

impl ScanCursor {
    /// A cursor over references from `from` to below `to` only: how a scan is split among executors.
    pub fn between(from: u64, to: u64) -> Self {
        Self { next: from, end: Some(to), ..Self::default() }
    }
}
