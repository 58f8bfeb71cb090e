//! Edges while they are loaded: rows in input order, then sorted into sections.
//!
//! ```text
//! rows          ends and number of each edge                 in chunks of 65,536 rows (rows.rs)
//! columns       a property each                              likewise
//! order         row numbers, counting-sorted by the block of the list's owner    (one pass per direction)
//! a block       copies of its rows with their numbers, counting-sorted by slot ──▶ offsets, neighbours, seqs, columns
//!                                    a long list ──▶ the nodes of an edge-tree
//! ```

use std::sync::Arc;

use values::VertexRef;

use super::block_order::BlockOrder;
use super::column::BulkColumn;
use super::rows::{CHUNK, Row, Rows, SpareChunks};
use super::stripe::Encoded;
use crate::apply::TreeBuild;
use crate::cells::Account;
use crate::model::{
    DegreeHistogram, Dir, EdgeLabelId, KeyId, SLOTS, TABLETS, Tick, TreeBounds, ValueRef, slot_of, under_key,
    under_key_or, vertex_at,
};
use crate::sections::{
    Adjacency, EdgePiece, EdgeTree, Order, SectionKey, SectionName, SortPlace, StoredSection, TreeName,
    Values, ValuesBuilder, append_piece,
};

/// Bytes of an edge in memory, without its properties: its ends and number, and its places while both orders are made.
const ROW_BYTES: usize = 12 + 8;

/// What sections are built for.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) dir: Dir,
    pub(super) order: Order,
    pub(super) settled: Tick,
    /// The version of the schema that the load obeys.
    pub(super) schema: u64,
    pub(super) bounds: TreeBounds,
    /// What nodes in memory count to.
    pub(super) account: &'a Arc<Account>,
}

/// A row and its number.
type Entry = (Row, u32);

/// What was built of the edges of some blocks.
#[derive(Default)]
pub(super) struct Built {
    /// In the order of their keys.
    pub(super) sections: Vec<Encoded>,
    /// The nodes of edge-trees.
    pub(super) trees: Vec<Encoded>,
    /// How many edges the vertices have.
    pub(super) degrees: DegreeHistogram,
    pub(super) edges: u64,
}

/// The edges of one label.
pub(super) struct EdgeRows {
    pub(super) label: EdgeLabelId,
    rows: Rows,
    columns: Vec<(KeyId, ChunkedColumn)>,
}

/// A column in chunks, so that it grows without being copied and a row is found by a shift.
struct ChunkedColumn {
    full: Vec<Values>,
    last: ValuesBuilder,
    /// Bytes of the full chunks.
    full_bytes: usize,
}

impl ChunkedColumn {
    fn new() -> Self {
        Self { full: Vec::new(), last: ValuesBuilder::new(), full_bytes: 0 }
    }

    fn len(&self) -> usize {
        self.full.len() * CHUNK + self.last.len()
    }

    /// The value of a row, once the column is closed.
    fn get(&self, row: usize) -> Option<ValueRef<'_>> {
        self.full.get(row / CHUNK)?.get(row % CHUNK)
    }

    fn push(&mut self, value: Option<ValueRef<'_>>) {
        self.last.push_any(value);
        self.close_if_full();
    }

    /// Appends rows of another column, from the first one on.
    fn extend(&mut self, values: &Values, rows: usize) {
        let before = self.last.len();
        if before + rows <= CHUNK && values.is_full() && self.last.extend(before, values, 0..rows) {
            self.close_if_full();
        } else {
            (0..rows).for_each(|row| self.push(values.get(row)));
        }
    }

    /// The numbers of some rows, if all of them have one, once the column is closed. Rows are far from one another in memory, so
    /// the less there is between two reads, the more of them are on their way at the same time.
    fn longs(&self, rows: impl Iterator<Item = u32>) -> Option<Values> {
        let mut longs = Vec::with_capacity(rows.size_hint().0);
        for row in rows {
            let row = row as usize;
            longs.push(self.full.get(row / CHUNK)?.long(row % CHUNK)?);
        }
        (!longs.is_empty()).then(|| Values::longs(longs))
    }

    fn pad(&mut self, rows: usize) {
        while self.len() < rows {
            self.last.push_absent();
            self.close_if_full();
        }
    }

    fn close_if_full(&mut self) {
        if self.last.len() == CHUNK {
            self.close();
        }
    }

    fn close(&mut self) {
        let chunk = std::mem::replace(&mut self.last, ValuesBuilder::new()).finish();
        self.full_bytes += chunk.bytes();
        self.full.push(chunk);
    }

    /// Bytes in memory, roughly.
    fn bytes(&self) -> usize {
        self.full_bytes + self.last.bytes()
    }
}

impl EdgeRows {
    pub(super) fn new(label: EdgeLabelId) -> Self {
        Self { label, rows: Rows::default(), columns: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Bytes in memory, roughly, including what making sections of them will take.
    pub(super) fn bytes(&self) -> usize {
        self.len() * ROW_BYTES + self.columns.iter().map(|(_, column)| column.bytes()).sum::<usize>()
    }

    /// Forgets the edges, and leaves their room to others.
    pub(super) fn clear(&mut self, spare: &mut SpareChunks) {
        self.rows.clear(spare);
        self.columns.clear();
    }

    /// The rows by the blocks of the vertices whose lists one way they are in.
    pub(super) fn block_order(&self, dir: Dir) -> BlockOrder {
        BlockOrder::of(self.rows.iter().map(move |row| row.owner(dir)))
    }

    /// Appends edges whose sequence numbers are `seqs`; columns are as long as they are. Room is taken from `spare`.
    pub(super) fn add(
        &mut self,
        (src, dst): (&[VertexRef], &[VertexRef]),
        seqs: &[u32],
        columns: &[(KeyId, &BulkColumn)],
        spare: &mut SpareChunks,
    ) {
        let first = self.len();
        let rows = src.iter().zip(dst).zip(seqs).map(|((&src, &dst), &seq)| Row { ends: [src, dst], seq });
        self.rows.extend(rows, spare);
        for (key, column) in columns {
            let chunked = self.column(*key, first);
            (0..src.len()).for_each(|row| chunked.push(column.values.get(row)));
        }
    }

    /// Appends edges that were in memory before, whose lists one way are in a block.
    pub(super) fn append_piece(&mut self, piece: &EdgePiece<'_>, block: usize, dir: Dir) {
        let (first, rows) = (self.len(), piece.len());
        let (stripe, tablet) = ((block / TABLETS) as u16, (block % TABLETS) as u8);
        let mut read = Vec::with_capacity(rows);
        piece.for_each(|(slot, other, seq)| {
            let mut ends = [other; 2];
            ends[dir as usize] = vertex_at(stripe, tablet, slot);
            read.push(Row { ends, seq });
        });
        self.rows.extend(read.into_iter(), &mut SpareChunks::new());
        for (key, values) in &piece.columns {
            self.column(*key, first).extend(values, rows);
        }
    }

    /// Appends some edges of the same label that are in memory elsewhere.
    pub(super) fn append_rows(&mut self, edges: &Self, rows: &[u32]) {
        let first = self.len();
        self.rows.extend(rows.iter().map(|&row| edges.rows.get(row)), &mut SpareChunks::new());
        for (key, column) in &edges.columns {
            let chunked = self.column(*key, first);
            match column.longs(rows.iter().copied()) {
                Some(longs) => chunked.extend(&longs, rows.len()),
                None => rows.iter().for_each(|&row| chunked.push(column.get(row as usize))),
            }
        }
    }

    /// Writes some rows, whose lists one way are in one block, behind what `bytes` has, to be appended elsewhere.
    pub(super) fn write_piece(&self, rows: &[u32], dir: Dir, bytes: &mut Vec<u8>) {
        let edge = |&row: &u32| {
            let row = self.rows.get(row);
            (slot_of(row.owner(dir)) as u16, row.neighbour(dir), row.seq)
        };
        let columns: Vec<_> = self.gathered(rows.iter().copied()).collect();
        let edges: Vec<_> = rows.iter().map(edge).collect();
        append_piece(bytes, &edges, &columns);
    }

    /// The column of a key, with as many rows as there are edges before.
    fn column(&mut self, key: KeyId, rows: usize) -> &mut ChunkedColumn {
        let column = under_key_or(&mut self.columns, key, ChunkedColumn::new);
        column.pad(rows);
        column
    }

    /// The values of some rows, in the columns in which any of them has one.
    fn gathered(&self, rows: impl Iterator<Item = u32> + Clone) -> impl Iterator<Item = (KeyId, Values)> {
        self.columns.iter().filter_map(move |(key, column)| Some((*key, gather(column, rows.clone())?)))
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

    /// Builds the section of one block, from the rows whose owners are in it, if there are any.
    pub(super) fn build_block(&self, target: Target<'_>, block: usize, rows: &[u32], built: &mut Built) {
        if rows.is_empty() {
            return;
        }
        built.edges += rows.len() as u64;
        let (mut offsets, mut entries) = self.by_slot(target.dir, rows);
        offsets.windows(2).for_each(|pair| built.degrees.add_vertex(u64::from(pair[1] - pair[0])));
        if let Some(key) = target.order.key() {
            self.sort(&offsets, &mut entries, key, target.dir);
        }
        let (stripe, tablet) = ((block / TABLETS) as u16, (block % TABLETS) as u8);
        let mut trees = Vec::new();
        for slot in long_lists(&offsets, target.bounds.max) {
            let range = offsets[slot] as usize..offsets[slot + 1] as usize;
            let list = self.adjacency(target, Box::new([0, range.len() as u32]), &entries[range]);
            let v = vertex_at(stripe, tablet, slot as u16);
            let name = TreeName::primary(v, self.label, target.dir);
            let (dir, bounds, account) = (target.dir, target.bounds, target.account);
            let build = TreeBuild { list: &list, dir, bounds, first_id: 1, account };
            built.trees.extend(build.stored(name, target.schema));
            trees.push((slot as u16, Arc::new(EdgeTree::stored())));
        }
        if !trees.is_empty() {
            (offsets, entries) = without(&trees, &offsets, &entries);
        }
        let section = self.adjacency(target, offsets, &entries).with_trees(trees.into());
        let name = SectionName::Adjacency(self.label, target.dir);
        built.sections.push((SectionKey::Block { stripe, tablet, name }, section.encode(target.schema)));
    }

    /// The rows of a block by slot, in input order within each, and where each slot begins. They are far from one another in
    /// memory: what follows has them side by side.
    fn by_slot(&self, dir: Dir, rows: &[u32]) -> (Box<[u32]>, Vec<Entry>) {
        let slots: Vec<u16> = rows.iter().map(|&row| slot_of(self.rows.get(row).owner(dir)) as u16).collect();
        let mut starts = vec![0u32; SLOTS + 1];
        slots.iter().for_each(|&slot| starts[usize::from(slot) + 1] += 1);
        let used = starts.iter().rposition(|&count| count > 0).unwrap_or(0);
        for i in 1..=SLOTS {
            starts[i] += starts[i - 1];
        }
        let offsets = starts[..=used].into();
        let mut sorted = vec![Entry::default(); rows.len()];
        for (&row, slot) in rows.iter().zip(slots) {
            let place = &mut starts[usize::from(slot)];
            sorted[*place as usize] = (self.rows.get(row), row);
            *place += 1;
        }
        (offsets, sorted)
    }

    /// The edges of some rows, which are in the order of their lists.
    fn adjacency(&self, target: Target<'_>, offsets: Box<[u32]>, entries: &[Entry]) -> Adjacency {
        let neighbours = entries.iter().map(|(row, _)| row.neighbour(target.dir)).collect();
        let seqs = entries.iter().map(|(row, _)| row.seq).collect();
        let columns = self.gathered(entries.iter().map(|(_, number)| *number)).collect();
        Adjacency::new(target.settled, target.order, offsets, neighbours, seqs, columns)
    }

    /// Sorts the rows of each slot by a sort key.
    fn sort(&self, offsets: &[u32], entries: &mut [Entry], key: KeyId, dir: Dir) {
        let column = under_key(&self.columns, key);
        let place = |&(row, number): &Entry| SortPlace {
            value: column.and_then(|column| column.get(number as usize)),
            neighbour: row.neighbour(dir),
            seq: row.seq,
        };
        for pair in offsets.windows(2) {
            entries[pair[0] as usize..pair[1] as usize].sort_by(|a, b| place(a).order(&place(b)));
        }
    }
}

/// The slots with more edges than a packed list may have.
fn long_lists(offsets: &[u32], max: usize) -> Vec<usize> {
    let is_long = |slot: &usize| (offsets[slot + 1] - offsets[*slot]) as usize > max;
    (0..offsets.len() - 1).filter(is_long).collect()
}

/// Offsets and rows without those of the slots that have trees.
fn without(trees: &[(u16, Arc<EdgeTree>)], offsets: &[u32], entries: &[Entry]) -> (Box<[u32]>, Vec<Entry>) {
    let (mut kept_offsets, mut kept) = (vec![0], Vec::with_capacity(entries.len()));
    for (slot, pair) in offsets.windows(2).enumerate() {
        if trees.binary_search_by_key(&slot, |(tree, _)| usize::from(*tree)).is_err() {
            kept.extend_from_slice(&entries[pair[0] as usize..pair[1] as usize]);
        }
        kept_offsets.push(kept.len() as u32);
    }
    (kept_offsets.into(), kept)
}

/// The values of some rows; nothing if none of them has one.
fn gather(column: &ChunkedColumn, rows: impl Iterator<Item = u32> + Clone) -> Option<Values> {
    if let Some(longs) = column.longs(rows.clone()) {
        return Some(longs);
    }
    let mut builder = ValuesBuilder::new();
    for (position, row) in rows.enumerate() {
        if let Some(value) = column.get(row as usize) {
            builder.put(position, value);
        }
    }
    (builder.len() > 0).then(|| builder.finish())
}
