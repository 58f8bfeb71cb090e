//! A set of vertices that several executors add to at once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;
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

    /// Adds 64 vertices at once, those whose bits are set: the bits of those that were there.
    #[inline]
    fn insert_word(page: &Page, word: usize, bits: u64) -> u64 {
        let before = page[word].load(Ordering::Relaxed);
        if bits & !before == 0 { before } else { page[word].fetch_or(bits, Ordering::Relaxed) }
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

/// What one of those who add to a [`SharedVertexSet`] knows of it. Two executors that write the same cache lines for each
/// vertex wait for each other most of the time; so each first looks here, and claims what is new to it a batch at a time,
/// 64 vertices at once and in the order of the lines.
///
/// ```text
/// here    known │1011…│0110…│      fresh │0010…│0000…│   known since the last claim
/// shared        │1001…│0111…│  ─▶  of fresh: those that nobody had
/// ```
#[derive(Debug, Default)]
pub(super) struct Claims {
    pages: Vec<Option<Box<Known>>>,
    /// Pages with something fresh.
    touched: Vec<u16>,
    fresh: usize,
    allocated: usize,
}

#[derive(Debug)]
struct Known {
    known: [u64; WORDS],
    fresh: [u64; WORDS],
    /// Words with something fresh.
    dirty: [u64; WORDS / 64],
    is_touched: bool,
}

impl Claims {
    /// How many vertices are new here since the last claim.
    pub(super) fn fresh(&self) -> usize {
        self.fresh
    }

    /// Takes vertices in until `room` of them are new here. How many it has looked at.
    #[inline]
    pub(super) fn add(&mut self, mut vertices: &[VertexRef], room: usize) -> usize {
        let (all, full) = (vertices.len(), self.fresh + room);
        while let Some(first) = vertices.first()
            && self.fresh < full
        {
            let most = vertices.len().min(full - self.fresh);
            let used = self.add_on_page((first.0 >> 16) as usize, &vertices[..most]);
            vertices = &vertices[used..];
        }
        all - vertices.len()
    }

    /// Takes in the first vertices, those on a page. How many that are.
    fn add_on_page(&mut self, page: usize, vertices: &[VertexRef]) -> usize {
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        let base = (page as u32) << 16;
        let Known { known, fresh, dirty, is_touched } = &mut **self.pages[page].get_or_insert_with(|| {
            self.allocated += 1;
            Box::new(Known {
                known: [0; WORDS],
                fresh: [0; WORDS],
                dirty: [0; WORDS / 64],
                is_touched: false,
            })
        });
        if !std::mem::replace(is_touched, true) {
            self.touched.push(page as u16);
        }
        let (mut used, mut new) = (vertices.len(), 0);
        for (i, v) in vertices.iter().enumerate() {
            // On another page this is beyond the words.
            let word = ((v.0 ^ base) >> 6) as usize;
            if word >= WORDS {
                used = i;
                break;
            }
            let bit = 1 << (v.0 & 63);
            if known[word] & bit == 0 {
                known[word] |= bit;
                fresh[word] |= bit;
                dirty[word / 64] |= 1 << (word % 64);
                new += 1;
            }
        }
        self.fresh += new;
        used
    }

    /// Adds what is new here to the shared set, and appends to `won` what nobody else had added.
    pub(super) fn claim(&mut self, shared: &SharedVertexSet, won: &mut Vec<VertexRef>) {
        for page in self.touched.drain(..) {
            let first = u32::from(page) << 16;
            let Some(Known { known, fresh, dirty, is_touched }) =
                self.pages[usize::from(page)].as_deref_mut()
            else {
                continue;
            };
            *is_touched = false;
            let others = shared.page(VertexRef(first));
            for (group, dirty) in dirty.iter_mut().enumerate() {
                for place in bits(std::mem::take(dirty)) {
                    let word = group * 64 + place;
                    let mine = std::mem::take(&mut fresh[word]);
                    let before = SharedVertexSet::insert_word(others, word, mine);
                    known[word] |= before;
                    won.extend(bits(mine & !before).map(|bit| VertexRef(first | (word * 64 + bit) as u32)));
                }
            }
        }
        self.fresh = 0;
    }

    /// Bytes it occupies.
    pub(super) fn bytes(&self) -> usize {
        self.allocated * size_of::<Known>() + self.pages.len() * size_of::<usize>()
    }
}

/// The places of the bits that are set, ascending.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = word.trailing_zeros() as usize;
        if place == 64 {
            return None;
        }
        word &= word - 1;
        Some(place)
    })
}

/// The set of an exchange, and what those who have finished pieces of it know: the next piece goes on with that.
#[derive(Debug, Default)]
pub(super) struct PieceSet {
    pub(super) shared: SharedVertexSet,
    at_rest: Mutex<Vec<Claims>>,
}

impl PieceSet {
    /// What an executor that begins a piece is to know.
    pub(super) fn begin(&self) -> Claims {
        self.at_rest.lock().pop().unwrap_or_default()
    }

    /// Keeps what an executor knows that has finished a piece.
    pub(super) fn end(&self, claims: Claims) {
        self.at_rest.lock().push(claims);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_vertex_is_claimed_by_exactly_one_of_several() {
        let set = PieceSet::default();
        let vertices: Vec<VertexRef> =
            (0..200_000u32).map(|i| VertexRef(i.wrapping_mul(2_654_435_761) >> 8)).collect();
        let distinct: std::collections::BTreeSet<VertexRef> = vertices.iter().copied().collect();
        let claim = || {
            let mut won = Vec::new();
            for piece in vertices.chunks(10_000) {
                let (mut claims, mut rest) = (set.begin(), piece);
                while !rest.is_empty() {
                    let used = claims.add(rest, 300);
                    assert!(used > 0 && claims.fresh() <= 300);
                    rest = &rest[used..];
                    claims.claim(&set.shared, &mut won);
                }
                set.end(claims);
            }
            won
        };
        let mut won: Vec<VertexRef> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(claim)).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        won.sort_unstable();
        assert!(won.iter().eq(&distinct), "{} of {}", won.len(), distinct.len());
        assert!(set.at_rest.lock().len() <= 3, "they are used again");
    }

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
