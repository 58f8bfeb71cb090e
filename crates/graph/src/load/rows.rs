//! Edges without their properties, in input order.
//!
//! ```text
//! chunks   │ src │ dst │ seq │ src │ dst │ seq │ …  65,536 of them │      12 bytes each, as building looks at all three of a
//!          │ …                                                    │      row, in an order of its own: one line of the
//!          │ src │ dst │ seq │ …                                           processor's cache, not three
//! ```
//!
//! Rows that grow are not copied, and the chunks of those that went to a temporary file are filled again, with the edges of
//! whatever label: to have the kernel find and clear other memory costs more than to fill it.

use values::VertexRef;

use crate::model::Dir;

/// Rows of a chunk.
pub(super) const CHUNK: usize = 1 << 16;

/// An edge, without its properties.
#[derive(Clone, Copy, Default)]
pub(super) struct Row {
    /// Source and target.
    pub(super) ends: [VertexRef; 2],
    pub(super) seq: u32,
}

impl Row {
    /// The vertex whose list one way the edge is in.
    pub(super) fn owner(self, dir: Dir) -> VertexRef {
        self.ends[dir as usize]
    }

    /// The vertex at the other end.
    pub(super) fn neighbour(self, dir: Dir) -> VertexRef {
        self.ends[dir.reverse() as usize]
    }
}

/// Chunks that are empty.
pub(super) type SpareChunks = Vec<Vec<Row>>;

/// Rows by their numbers.
#[derive(Default)]
pub(super) struct Rows {
    /// All of them full but the last.
    chunks: Vec<Vec<Row>>,
}

impl Rows {
    pub(super) fn len(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.len())
    }

    #[inline(always)]
    pub(super) fn get(&self, row: u32) -> Row {
        self.chunks[row as usize / CHUNK][row as usize % CHUNK]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Row> + Clone {
        self.chunks.iter().flatten().copied()
    }

    /// Appends rows; room for them is taken from `spare` while there is some.
    pub(super) fn extend(&mut self, mut rows: impl ExactSizeIterator<Item = Row>, spare: &mut SpareChunks) {
        while rows.len() > 0 {
            if self.chunks.last().is_none_or(|last| last.len() == CHUNK) {
                let room = if self.chunks.is_empty() { rows.len().min(CHUNK) } else { CHUNK };
                self.chunks.push(spare.pop().unwrap_or_else(|| Vec::with_capacity(room)));
            }
            if let Some(last) = self.chunks.last_mut() {
                let some = CHUNK - last.len();
                last.extend(rows.by_ref().take(some));
            }
        }
    }

    /// Forgets the rows, and leaves their room to others.
    pub(super) fn clear(&mut self, spare: &mut SpareChunks) {
        for mut chunk in self.chunks.drain(..) {
            chunk.clear();
            spare.push(chunk);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(numbers: std::ops::Range<u32>) -> impl ExactSizeIterator<Item = Row> {
        let numbers: Vec<u32> = numbers.collect();
        numbers.into_iter().map(|n| Row { ends: [VertexRef(n), VertexRef(n + 1)], seq: n * 2 })
    }

    #[test]
    fn rows_come_back_by_number_and_in_order_across_chunks() {
        let (mut some, mut spare) = (Rows::default(), SpareChunks::new());
        assert_eq!(some.len(), 0);
        let many = 3 * CHUNK as u32 + 5;
        for (start, end) in [(0, 7), (7, 7), (7, CHUNK as u32), (CHUNK as u32, many - 1), (many - 1, many)] {
            some.extend(rows(start..end), &mut spare);
            assert_eq!(some.len(), end as usize);
        }
        assert!(some.iter().map(|row| row.seq).eq((0..many).map(|n| n * 2)));
        assert!((0..many).all(|n| some.get(n).owner(Dir::Out) == VertexRef(n)));
        assert_eq!(some.get(many - 1).neighbour(Dir::Out), VertexRef(many));
        some.clear(&mut spare);
        assert_eq!((some.len(), spare.len()), (0, 4));
        let mut others = Rows::default();
        others.extend(rows(5..9), &mut spare);
        assert_eq!((others.len(), others.get(3).seq, spare.len()), (4, 16, 3));
    }
}
