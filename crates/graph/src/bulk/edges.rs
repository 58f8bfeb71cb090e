//! Edges while they are loaded: rows in input order, then sorted into sections.
//!
//! ```text
//! rows          src │ dst │ seq │ columns in chunks of 65,536 rows
//! order         row numbers, counting-sorted by the block of the list's owner    (one pass per direction)
//! a block       its rows, counting-sorted by slot ──▶ offsets, neighbours, seqs, columns
//!                                    a long list ──▶ the nodes of an edge-tree
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use parking_lot::Mutex;
use values::VertexRef;

use super::stripe::Encoded;
use super::{BulkColumn, BulkValues};
use crate::block::{TABLETS, slot_of, vertex_at};
use crate::codec::StoredSection;
use crate::memory::Account;
use crate::section::{Adjacency, Order, SLOTS, SortPlace, Values, ValuesBuilder};
use crate::section_key::{SectionKey, SectionName};
use crate::tree::{EdgeTree, TreeBuild, TreeName};
use crate::{DegreeHistogram, Dir, EdgeLabelId, KeyId, Tick, TreeBounds, ValueRef};

const CHUNK: usize = 1 << 16;

/// Sections that each worker may be ahead of the store.
const AHEAD: usize = 32;

/// By stripe: how many edges of one label, one way, its vertices have.
pub(super) type DegreeHistograms = BTreeMap<usize, DegreeHistogram>;

/// What sections are built for.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) dir: Dir,
    pub(super) order: Order,
    pub(super) settled: Tick,
    /// The version of the schema that the load obeys.
    pub(super) schema: u64,
    pub(super) bounds: TreeBounds,
    /// Where it is noted how many edges the vertices have.
    pub(super) degrees: &'a Mutex<DegreeHistograms>,
    /// Where the nodes of edge-trees go.
    pub(super) trees: &'a Mutex<Vec<Encoded>>,
    /// What nodes in memory count to.
    pub(super) account: &'a Arc<Account>,
}

/// The edges of one label.
pub(super) struct EdgeRows {
    pub(super) label: EdgeLabelId,
    src: Vec<VertexRef>,
    dst: Vec<VertexRef>,
    seq: Vec<u32>,
    columns: Vec<(KeyId, ChunkedColumn)>,
}

/// A column in chunks, so that it grows without being copied and a row is found by a shift.
struct ChunkedColumn {
    full: Vec<Values>,
    last: ValuesBuilder,
}

impl ChunkedColumn {
    fn new() -> Self {
        Self { full: Vec::new(), last: ValuesBuilder::new() }
    }

    fn len(&self) -> usize {
        self.full.len() * CHUNK + self.last.len()
    }

    /// The value of a row, once the column is closed.
    fn get(&self, row: usize) -> Option<ValueRef<'_>> {
        self.full.get(row / CHUNK)?.get(row % CHUNK)
    }

    fn push(&mut self, values: &BulkValues, row: usize) {
        match values.get(row) {
            Some(value) => self.last.push(value),
            None => self.last.push_absent(),
        }
        self.close_if_full();
    }

    fn pad(&mut self, rows: usize) {
        while self.len() < rows {
            self.last.push_absent();
            self.close_if_full();
        }
    }

    fn close_if_full(&mut self) {
        if self.last.len() == CHUNK {
            self.full.push(std::mem::replace(&mut self.last, ValuesBuilder::new()).finish());
        }
    }

    fn close(&mut self) {
        self.full.push(std::mem::replace(&mut self.last, ValuesBuilder::new()).finish());
    }
}

impl EdgeRows {
    pub(super) fn new(label: EdgeLabelId) -> Self {
        Self { label, src: Vec::new(), dst: Vec::new(), seq: Vec::new(), columns: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.src.len()
    }

    /// Appends edges whose sequence numbers are `seqs`; columns are as long as they are.
    pub(super) fn add(
        &mut self,
        (src, dst): (&[VertexRef], &[VertexRef]),
        seqs: &[u32],
        columns: &[(KeyId, &BulkColumn)],
    ) {
        let first = self.len();
        self.src.extend_from_slice(src);
        self.dst.extend_from_slice(dst);
        self.seq.extend_from_slice(seqs);
        for (key, column) in columns {
            let place = match self.columns.iter().position(|(known, _)| known == key) {
                Some(place) => place,
                None => {
                    self.columns.push((*key, ChunkedColumn::new()));
                    self.columns.len() - 1
                }
            };
            let chunked = &mut self.columns[place].1;
            chunked.pad(first);
            (0..src.len()).for_each(|row| chunked.push(&column.values, row));
        }
    }

    /// Ends the input.
    pub(super) fn close(&mut self) {
        let rows = self.len();
        for (_, column) in &mut self.columns {
            column.pad(rows);
            column.close();
        }
        self.columns.sort_by_key(|(key, _)| *key);
    }

    /// Calls `consume` with the sections one way, in the order of their keys, built by several threads meanwhile.
    pub(super) fn sections<R>(
        &self,
        target: Target<'_>,
        threads: usize,
        consume: impl FnOnce(&mut dyn Iterator<Item = Encoded>) -> R,
    ) -> R {
        let owners = if target.dir == Dir::Out { &self.src } else { &self.dst };
        let order = BlockOrder::of(owners);
        let blocks: Vec<usize> = order.blocks().collect();
        std::thread::scope(|scope| {
            // Each worker has a channel of its own, so taking turns restores the order.
            let mut results = Vec::with_capacity(threads);
            for worker in 0..threads {
                let (send, receive) = sync_channel(AHEAD);
                results.push(receive);
                let (order, blocks) = (&order, &blocks);
                scope.spawn(move || {
                    for &block in blocks.iter().skip(worker).step_by(threads) {
                        // A consumer that went away has failed and says why itself.
                        if send.send(self.section(target, block, order.rows(block))).is_err() {
                            return;
                        }
                    }
                });
            }
            let mut turn = 0;
            let mut in_order = std::iter::from_fn(|| {
                let next = results[turn % threads].recv().ok();
                turn += 1;
                next
            });
            let result = consume(&mut in_order);
            drop(results);
            result
        })
    }

    /// The section of one block, from the rows whose owners are in it.
    fn section(&self, target: Target<'_>, block: usize, rows: &[u32]) -> Encoded {
        let owners = if target.dir == Dir::Out { &self.src } else { &self.dst };
        let (mut offsets, mut rows) = by_slot(owners, rows);
        note_degrees(target, block / TABLETS, &offsets);
        if let Some(key) = target.order.key() {
            self.sort(&offsets, &mut rows, key, target.dir);
        }
        let (stripe, tablet) = ((block / TABLETS) as u16, (block % TABLETS) as u8);
        let mut trees = Vec::new();
        for slot in long_lists(&offsets, target.bounds.max) {
            let range = offsets[slot] as usize..offsets[slot + 1] as usize;
            let list = self.adjacency(target, Box::new([0, range.len() as u32]), &rows[range]);
            let v = vertex_at(stripe, tablet, slot as u16);
            let name = TreeName::primary(v, self.label, target.dir);
            let (dir, bounds, account) = (target.dir, target.bounds, target.account);
            target
                .trees
                .lock()
                .extend(TreeBuild { list: &list, dir, bounds, account }.stored(name, target.schema));
            trees.push((slot as u16, Arc::new(EdgeTree::stored())));
        }
        if !trees.is_empty() {
            (offsets, rows) = without(&trees, &offsets, &rows);
        }
        let section = self.adjacency(target, offsets, &rows).with_trees(trees.into());
        let name = SectionName::Adjacency(self.label, target.dir);
        (SectionKey::Block { stripe, tablet, name }, section.encode(target.schema))
    }

    /// The edges of some rows, which are in the order of their lists.
    fn adjacency(&self, target: Target<'_>, offsets: Box<[u32]>, rows: &[u32]) -> Adjacency {
        let others = if target.dir == Dir::Out { &self.dst } else { &self.src };
        let neighbours = rows.iter().map(|&row| others[row as usize]).collect();
        let seqs = rows.iter().map(|&row| self.seq[row as usize]).collect();
        let columns = self.columns.iter().filter_map(|(key, column)| Some((*key, gather(column, rows)?)));
        Adjacency::new(target.settled, target.order, offsets, neighbours, seqs, columns.collect())
    }

    /// Sorts the rows of each slot by a sort key.
    fn sort(&self, offsets: &[u32], rows: &mut [u32], key: KeyId, dir: Dir) {
        let others = if dir == Dir::Out { &self.dst } else { &self.src };
        let column = self.columns.iter().find(|(known, _)| *known == key).map(|(_, column)| column);
        let place = |row: u32| SortPlace {
            value: column.and_then(|column| column.get(row as usize)),
            neighbour: others[row as usize],
            seq: self.seq[row as usize],
        };
        for pair in offsets.windows(2) {
            rows[pair[0] as usize..pair[1] as usize].sort_by(|&a, &b| place(a).order(&place(b)));
        }
    }
}

/// Counts how many edges each vertex of a block has.
fn note_degrees(target: Target<'_>, stripe: usize, offsets: &[u32]) {
    let mut histogram = DegreeHistogram::default();
    offsets.windows(2).for_each(|pair| histogram.add_vertex(u64::from(pair[1] - pair[0])));
    target.degrees.lock().entry(stripe).or_default().add(&histogram);
}

/// The rows of a block by slot, in input order within each, and where each slot begins.
fn by_slot(owners: &[VertexRef], rows: &[u32]) -> (Box<[u32]>, Vec<u32>) {
    let slot = |row: u32| slot_of(owners[row as usize]);
    let mut starts = vec![0u32; SLOTS + 1];
    rows.iter().for_each(|&row| starts[slot(row) + 1] += 1);
    let used = starts.iter().rposition(|&count| count > 0).unwrap_or(0);
    for i in 1..=SLOTS {
        starts[i] += starts[i - 1];
    }
    let offsets = starts[..=used].into();
    let mut sorted = vec![0; rows.len()];
    for &row in rows {
        let place = &mut starts[slot(row)];
        sorted[*place as usize] = row;
        *place += 1;
    }
    (offsets, sorted)
}

/// The slots with more edges than a packed list may have.
fn long_lists(offsets: &[u32], max: usize) -> Vec<usize> {
    let is_long = |slot: &usize| (offsets[slot + 1] - offsets[*slot]) as usize > max;
    (0..offsets.len() - 1).filter(is_long).collect()
}

/// Offsets and rows without those of the slots that have trees.
fn without(trees: &[(u16, Arc<EdgeTree>)], offsets: &[u32], rows: &[u32]) -> (Box<[u32]>, Vec<u32>) {
    let (mut kept_offsets, mut kept_rows) = (vec![0], Vec::with_capacity(rows.len()));
    for (slot, pair) in offsets.windows(2).enumerate() {
        if trees.binary_search_by_key(&slot, |(tree, _)| usize::from(*tree)).is_err() {
            kept_rows.extend_from_slice(&rows[pair[0] as usize..pair[1] as usize]);
        }
        kept_offsets.push(kept_rows.len() as u32);
    }
    (kept_offsets.into(), kept_rows)
}

/// The values of some rows; nothing if none of them has one.
fn gather(column: &ChunkedColumn, rows: &[u32]) -> Option<Values> {
    let mut builder = ValuesBuilder::new();
    for (position, &row) in rows.iter().enumerate() {
        let row = row as usize;
        if let Some(value) = column.get(row) {
            builder.pad(position);
            builder.push(value);
        }
    }
    (builder.len() > 0).then(|| builder.finish())
}

/// Row numbers sorted by the block of their owner, in input order within each.
struct BlockOrder {
    /// Where the rows of each block begin.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl BlockOrder {
    fn of(owners: &[VertexRef]) -> Self {
        let block = |v: &VertexRef| (v.0 >> 16) as usize * TABLETS + v.tablet() as usize;
        let blocks = owners.iter().map(block).max().map_or(0, |last| last + 1);
        let mut starts = vec![0u32; blocks + 1];
        owners.iter().for_each(|v| starts[block(v) + 1] += 1);
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; owners.len()];
        for (row, v) in (0..).zip(owners) {
            let place = &mut next[block(v)];
            rows[*place as usize] = row;
            *place += 1;
        }
        Self { starts, rows }
    }

    /// The blocks that have rows, ascending: the order of the sections' keys.
    fn blocks(&self) -> impl Iterator<Item = usize> {
        (0..self.starts.len() - 1).filter(|&block| self.starts[block] < self.starts[block + 1])
    }

    fn rows(&self, block: usize) -> &[u32] {
        &self.rows[self.starts[block] as usize..self.starts[block + 1] as usize]
    }
}
