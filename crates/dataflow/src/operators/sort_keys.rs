//! The keys of the rows that are to be sorted.

use values::Value;

/// Rows of a chunk, as a power of two.
const SHIFT: u32 = 10;

/// Rows of a chunk.
const CHUNK: usize = 1 << SHIFT;

/// As many keys for each row, one row after another, those of a row in one piece:
///
/// ```text
/// chunks ─► [ ● , ● ]          two keys a row
///             │   └────► 1024: k k, 1025: k k, …
///             └────────► 0: k k, 1: k k, …
/// ```
///
/// In chunks, since a vector of millions moves all of them when it grows.
#[derive(Debug, Default)]
pub(super) struct SortKeys {
    chunks: Vec<Vec<Value>>,
}

/// The keys of a row that may be kept. Dropped, they are forgotten.
pub(super) struct NewKeys<'a> {
    chunk: &'a mut Vec<Value>,
    /// Keys in the chunk that are kept for sure.
    before: usize,
}

impl SortKeys {
    /// Begins a row of `width` keys.
    #[inline]
    pub(super) fn begin(&mut self, width: usize) -> NewKeys<'_> {
        let is_full = self.chunks.last().is_none_or(|last| last.len() == CHUNK * width);
        if is_full {
            self.begin_chunk(width);
        }
        let last = self.chunks.len() - 1;
        let chunk = &mut self.chunks[last];
        NewKeys { before: chunk.len(), chunk }
    }

    #[cold]
    fn begin_chunk(&mut self, width: usize) {
        // One that is alone grows as any vector.
        let room = if self.chunks.is_empty() { 0 } else { CHUNK * width };
        self.chunks.push(Vec::with_capacity(room));
    }

    /// The keys of a row.
    #[inline]
    pub(super) fn row(&self, row: usize, width: usize) -> &[Value] {
        let at = (row & (CHUNK - 1)) * width;
        &self.chunks[row >> SHIFT][at..at + width]
    }

    /// Bytes of the keys, without what they point to.
    pub(super) fn bytes(&self) -> usize {
        let room = match &self.chunks[..] {
            [] => 0,
            [first, rest @ ..] => first.capacity() + rest.len() * rest.last().map_or(0, Vec::capacity),
        };
        room * size_of::<Value>()
    }

    /// Forgets all rows. Keeps the room of a chunk.
    pub(super) fn clear(&mut self) {
        self.chunks.truncate(1);
        self.chunks.iter_mut().for_each(Vec::clear);
    }
}

impl NewKeys<'_> {
    /// Adds a key.
    #[inline]
    pub(super) fn push(&mut self, key: Value) {
        self.chunk.push(key);
    }

    /// The keys so far.
    #[inline]
    pub(super) fn keys(&self) -> &[Value] {
        &self.chunk[self.before..]
    }

    /// Keeps them.
    #[inline]
    pub(super) fn keep(mut self) {
        self.before = self.chunk.len();
    }
}

impl Drop for NewKeys<'_> {
    #[inline]
    fn drop(&mut self) {
        self.chunk.truncate(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_not_kept_leave_nothing_behind() {
        for width in [1, 3] {
            let mut keys = SortKeys::default();
            for round in [10, 5_000] {
                for row in 0..round {
                    for is_kept in [false, true] {
                        let mut new = keys.begin(width);
                        (0..width).for_each(|key| new.push((row * width + key).to_string().into()));
                        assert_eq!(new.keys().len(), width);
                        if is_kept {
                            new.keep();
                        }
                    }
                }
                let expected =
                    |row: usize| (0..width).map(move |key| Value::from((row * width + key).to_string()));
                assert!((0..round).all(|row| keys.row(row, width).iter().cloned().eq(expected(row))));
                assert!(keys.bytes() >= round * width * size_of::<Value>());
                keys.clear();
            }
        }
    }
}
