//! A set of vertices that several executors add to at once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use values::VertexRef;

/// Words in a page: 65,536 references, 8 KiB.
const WORDS: usize = 1024;

/// Entries of each of the two levels of tables above the pages.
const ENTRIES: usize = 256;

type Page = Box<[AtomicU64; WORDS]>;
type Table<T> = Box<[OnceLock<T>; ENTRIES]>;

/// A bit set over [`VertexRef`]s without locks. As [`super::vertex_set::VertexSet`], with a table of tables of pages,
/// so that pages can be added while others look:
///
/// ```text
/// reference  │ table (8 bits) │ page (8 bits) │ bit within the page (16 bits) │
/// ```
///
/// A bit is all that is published: relaxed operations suffice to let exactly one of several win it.
#[derive(Debug)]
pub(super) struct SharedVertexSet {
    tables: Table<Table<Page>>,
    pages: AtomicUsize,
}

impl Default for SharedVertexSet {
    fn default() -> Self {
        Self { tables: table(), pages: AtomicUsize::new(0) }
    }
}

fn table<T>() -> Table<T> {
    Box::new([const { OnceLock::new() }; ENTRIES])
}

impl SharedVertexSet {
    /// Adds a vertex; `false` if it was there, also if another thread has added it at the same moment.
    #[inline]
    pub(super) fn insert(&self, v: VertexRef) -> bool {
        let (word, bit) = ((v.0 >> 6) as usize % WORDS, 1u64 << (v.0 % 64));
        let word = &self.page(v)[word];
        // Most have been seen before: reading leaves the cache line shared.
        word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0
    }

    #[inline]
    fn page(&self, v: VertexRef) -> &Page {
        let (upper, lower) = ((v.0 >> 24) as usize, (v.0 >> 16) as usize % ENTRIES);
        self.tables[upper].get_or_init(table)[lower].get_or_init(|| {
            self.pages.fetch_add(1, Ordering::Relaxed);
            Box::new([const { AtomicU64::new(0) }; WORDS])
        })
    }

    /// Bytes it occupies.
    pub(super) fn bytes(&self) -> usize {
        self.pages.load(Ordering::Relaxed) * WORDS * 8 + ENTRIES * size_of::<OnceLock<Table<Page>>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_vertex_is_won_by_exactly_one_thread() {
        let set = SharedVertexSet::default();
        let vertices: Vec<u32> = (0..200_000u32).map(|i| i.wrapping_mul(2_654_435_761) >> 8).collect();
        let distinct: std::collections::HashSet<u32> = vertices.iter().copied().collect();
        let won: usize = std::thread::scope(|scope| {
            let add = || vertices.iter().filter(|v| set.insert(VertexRef(**v))).count();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(add)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(won, distinct.len());
        assert!(!set.insert(VertexRef(vertices[0])) && set.insert(VertexRef(u32::MAX)));
    }
}
