//! A set of vertices that several executors add to at once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use graph::Ends;
use parking_lot::Mutex;
use values::VertexRef;

use super::vertex_set::VertexSet;

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
/// known   a set of its own ─▶ fresh │ v₁ │ v₂ │ … │   new here since the last claim
/// claim   │0010…│0000…│                              the same as bits, by page
/// shared  │1001…│0111…│  ─▶ of fresh: those that nobody had
/// ```
#[derive(Debug, Default)]
pub(super) struct Claims {
    known: VertexSet,
    fresh: Vec<VertexRef>,
    /// Of the pages of the shared set that were claimed from.
    pages: Vec<Option<Box<Claim>>>,
}

/// What is to be claimed of a page: nothing, between claims.
#[derive(Debug)]
struct Claim {
    bits: [u64; WORDS],
    /// Words with a bit.
    dirty: [u64; WORDS / 64],
    is_empty: bool,
}

impl Claims {
    /// How many vertices are new here since the last claim.
    pub(super) fn fresh(&self) -> usize {
        self.fresh.len()
    }

    /// Takes vertices in until `room` of them are new here. How many it has looked at.
    #[inline]
    pub(super) fn add(&mut self, vertices: Ends<'_>, room: usize) -> usize {
        self.known.insert_all(vertices, room, &mut self.fresh)
    }

    /// The same where nobody else adds to the set: what is new here is new, and appended to `new`.
    #[inline]
    pub(super) fn add_alone(&mut self, vertices: Ends<'_>, room: usize, new: &mut Vec<VertexRef>) -> usize {
        self.known.insert_all(vertices, room, new)
    }

    /// Adds what is new here to the shared set, and appends to `won` what nobody else had added.
    pub(super) fn claim(&mut self, shared: &SharedVertexSet, won: &mut Vec<VertexRef>) {
        let mut touched = Vec::new();
        for v in self.fresh.drain(..) {
            let (page, word) = ((v.0 >> 16) as usize, (v.0 >> 6) as usize % WORDS);
            if page >= self.pages.len() {
                self.pages.resize_with(page + 1, || None);
            }
            let Claim { bits, dirty, is_empty } = &mut **self.pages[page].get_or_insert_with(Claim::boxed);
            if std::mem::replace(is_empty, false) {
                touched.push(page);
            }
            bits[word] |= 1 << (v.0 & 63);
            dirty[word / 64] |= 1 << (word % 64);
        }
        for page in touched {
            let Some(claim) = &mut self.pages[page] else { continue };
            let first = (page as u32) << 16;
            let others = shared.page(VertexRef(first));
            claim.drain(|word, mine| {
                let before = SharedVertexSet::insert_word(others, word, mine);
                won.extend(bits(mine & !before).map(|bit| VertexRef(first | (word * 64 + bit) as u32)));
            });
        }
    }

    /// Adds all that is known here to the shared set.
    fn publish(&self, shared: &SharedVertexSet) {
        self.known.for_each_word(|first, bits| {
            SharedVertexSet::insert_word(shared.page(first), (first.0 >> 6) as usize % WORDS, bits);
        });
    }

    /// Bytes it occupies.
    pub(super) fn bytes(&self) -> usize {
        let claims = self.pages.iter().flatten().count() * size_of::<Claim>();
        self.known.bytes() + claims + self.pages.len() * size_of::<usize>()
    }
}

impl Claim {
    fn boxed() -> Box<Self> {
        Box::new(Self { bits: [0; WORDS], dirty: [0; WORDS / 64], is_empty: true })
    }

    /// Takes all bits out, a word at a time.
    fn drain(&mut self, mut each: impl FnMut(usize, u64)) {
        self.is_empty = true;
        for (group, dirty) in self.dirty.iter_mut().enumerate() {
            for place in bits(std::mem::take(dirty)) {
                let word = group * 64 + place;
                each(word, std::mem::take(&mut self.bits[word]));
            }
        }
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
///
/// As long as the exchange gives nothing away, all its pieces run one after another, and what they know together is the
/// set. The shared set is filled when that ends.
#[derive(Debug, Default)]
pub(super) struct PieceSet {
    pub(super) shared: SharedVertexSet,
    at_rest: Mutex<AtRest>,
}

#[derive(Debug, Default)]
struct AtRest {
    claims: Vec<Claims>,
    /// Whether the shared set has what was known before it was shared.
    is_published: bool,
}

impl PieceSet {
    /// What an executor that begins a piece is to know. `is_shared`: whether several executors may add to the set from now
    /// on, as it stays once it was so. No piece is under way when it first is.
    pub(super) fn begin(&self, is_shared: bool) -> Claims {
        let mut at_rest = self.at_rest.lock();
        if is_shared && !std::mem::replace(&mut at_rest.is_published, true) {
            at_rest.claims.iter().for_each(|claims| claims.publish(&self.shared));
        }
        at_rest.claims.pop().unwrap_or_default()
    }

    /// Keeps what an executor knows that has finished a piece.
    pub(super) fn end(&self, claims: Claims) {
        self.at_rest.lock().claims.push(claims);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scattered() -> Vec<VertexRef> {
        (0..200_000u32).map(|i| VertexRef(i.wrapping_mul(2_654_435_761) >> 8)).collect()
    }

    /// What one who works on pieces of these vertices wins.
    fn claim(set: &PieceSet, vertices: &[VertexRef]) -> Vec<VertexRef> {
        let mut won = Vec::new();
        for piece in vertices.chunks(10_000) {
            let (mut claims, mut rest) = (set.begin(true), piece);
            while !rest.is_empty() {
                let used = claims.add(rest.into(), 300);
                assert!(used > 0 && claims.fresh() <= 300);
                rest = &rest[used..];
                claims.claim(&set.shared, &mut won);
                assert_eq!(claims.fresh(), 0);
            }
            set.end(claims);
        }
        won
    }

    #[test]
    fn each_vertex_is_claimed_by_exactly_one_of_several() {
        // So many are found before others join in.
        for alone in [0, 1, 70_000] {
            let (set, vertices) = (PieceSet::default(), scattered());
            let distinct: std::collections::BTreeSet<VertexRef> = vertices.iter().copied().collect();
            let mut won = Vec::new();
            for piece in vertices[..alone].chunks(10_000) {
                let mut claims = set.begin(false);
                assert_eq!(claims.add_alone(piece.into(), piece.len(), &mut won), piece.len());
                set.end(claims);
            }
            let parts = [&vertices[..90_000], &vertices[50_000..], &vertices[alone / 2..]];
            std::thread::scope(|scope| {
                let threads: Vec<_> = parts.iter().map(|part| scope.spawn(|| claim(&set, part))).collect();
                won.extend(threads.into_iter().flat_map(|thread| thread.join().unwrap()));
            });
            won.sort_unstable();
            assert!(won.iter().eq(&distinct), "{} of {}", won.len(), distinct.len());
            assert!(set.at_rest.lock().claims.len() <= 3, "they are used again");
        }
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
