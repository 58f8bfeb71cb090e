//! Builds the base of an adjacency section.

use values::{Value, VertexRef};

use super::adjacency::Adjacency;
use super::order::Order;
use super::values_builder::ValuesBuilder;
use crate::model::{KeyId, Tick, ValueRef, under_key_or};

/// Builds a base slot by slot.
pub(crate) struct AdjacencyBuilder {
    offsets: Vec<u32>,
    neighbours: Vec<VertexRef>,
    seqs: Vec<u32>,
    columns: Vec<(KeyId, ValuesBuilder)>,
    order: Order,
}

impl AdjacencyBuilder {
    pub(crate) fn new(order: Order, edges: usize) -> Self {
        Self {
            offsets: vec![0],
            neighbours: Vec::with_capacity(edges),
            seqs: Vec::with_capacity(edges),
            columns: Vec::new(),
            order,
        }
    }

    /// Appends an edge to the current slot.
    pub(crate) fn push<'v>(
        &mut self,
        neighbour: VertexRef,
        seq: u32,
        cells: impl Iterator<Item = &'v (KeyId, Value)>,
    ) {
        let row = self.neighbours.len();
        for (key, value) in cells {
            self.column(*key).put(row, ValueRef::of(value));
        }
        self.neighbours.push(neighbour);
        self.seqs.push(seq);
    }

    /// Appends base positions of another section, properties included.
    pub(crate) fn copy(&mut self, from: &Adjacency, range: std::ops::Range<usize>) {
        if range.is_empty() {
            return;
        }
        let row = self.neighbours.len();
        for (key, values) in from.columns() {
            if values.is_full() && self.column(*key).extend(row, values, range.clone()) {
                continue;
            }
            for position in range.clone() {
                if let Some(value) = values.get(position) {
                    self.column(*key).put(row + position - range.start, value);
                }
            }
        }
        self.neighbours.extend_from_slice(&from.neighbours()[range.clone()]);
        self.seqs.extend_from_slice(&from.seqs()[range]);
    }

    /// Ends the current slot and begins the next.
    pub(crate) fn end_slot(&mut self) {
        self.offsets.push(self.neighbours.len() as u32);
    }

    /// The finished base, trailing empty slots cut off.
    pub(crate) fn finish(mut self, settled: Tick) -> Adjacency {
        let edges = self.neighbours.len() as u32;
        while self.offsets.len() > 1 && self.offsets[self.offsets.len() - 2] == edges {
            self.offsets.pop();
        }
        self.columns.sort_by_key(|(key, _)| *key);
        let columns = self.columns.into_iter().map(|(key, values)| (key, values.finish())).collect();
        let (offsets, neighbours, seqs) = (self.offsets.into(), self.neighbours.into(), self.seqs.into());
        Adjacency::new(settled, self.order, offsets, neighbours, seqs, columns)
    }

    fn column(&mut self, key: KeyId) -> &mut ValuesBuilder {
        under_key_or(&mut self.columns, key, ValuesBuilder::new)
    }
}
