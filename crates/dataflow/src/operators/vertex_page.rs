//! A part of a set of vertices: those of 65,536 consecutive references.

use std::cell::RefCell;

use values::VertexRef;

/// References of a page.
const REFERENCES: usize = 1 << 16;

/// Words of a page of bits.
const WORDS: usize = REFERENCES / 64;

/// Large pages that a thread keeps for the next query: to wipe one takes as long as to put a thousand members in.
const SPARE: usize = 4;

thread_local! {
    static SPARES: RefCell<Vec<Marks>> = const { RefCell::new(Vec::new()) };
}

/// A byte for each reference, 64 KiB, or a bit, 8 KiB.
///
/// To add a member to bytes means to read one and to write another, which does not depend on what was read. To add one to
/// bits means to read a word, change it and write it back, and where neighbours are close together the next one waits for
/// that; it takes a third more time. A set of very many pages must be small, though, and most have one or two.
#[derive(Debug)]
pub(super) enum Page {
    Bytes(Bytes),
    Bits(Box<[u64; WORDS]>),
}

/// A page of bytes, lent by the thread.
#[derive(Debug)]
pub(super) struct Bytes(Option<Marks>);

/// ```text
/// mark │ 7 │   bytes │ 0 │ 7 │ 3 │ 7 │ …       members have the mark; so all are removed by taking another one
/// ```
#[derive(Debug)]
struct Marks {
    mark: u8,
    bytes: Box<[u8; REFERENCES]>,
}

/// The place of a vertex in its page.
#[inline]
pub(super) fn low(v: VertexRef) -> u16 {
    v.0 as u16
}

/// Zeros on the heap: a `Box::new` of so large an array might pass over the stack.
fn zeroed<T: Copy + Default, const N: usize>() -> Box<[T; N]> {
    let zeros = vec![T::default(); N].into_boxed_slice();
    zeros.try_into().unwrap_or_else(|_| unreachable!("it has as many elements"))
}

impl Marks {
    fn new() -> Self {
        Self { mark: 1, bytes: zeroed() }
    }

    /// Removes all members.
    fn clear(&mut self) {
        match self.mark.checked_add(1) {
            Some(next) => self.mark = next,
            None => {
                self.bytes.fill(0);
                self.mark = 1;
            }
        }
    }
}

impl Bytes {
    fn new() -> Self {
        let spare = SPARES.try_with(|spares| spares.borrow_mut().pop()).ok().flatten();
        Self(Some(spare.unwrap_or_else(Marks::new)))
    }

    #[inline]
    fn marks(&self) -> Option<&Marks> {
        self.0.as_ref()
    }

    /// The mark, and the bytes.
    #[inline]
    fn parts(&mut self) -> (u8, &mut [u8; REFERENCES]) {
        let marks = self.0.get_or_insert_with(Marks::new);
        (marks.mark, &mut marks.bytes)
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        if let Some(mut marks) = self.0.take() {
            marks.clear();
            let _ = SPARES.try_with(|spares| {
                let mut spares = spares.borrow_mut();
                if spares.len() < SPARE {
                    spares.push(marks);
                }
            });
        }
    }
}

impl Page {
    /// An empty page that is fast.
    pub(super) fn large() -> Self {
        Self::Bytes(Bytes::new())
    }

    /// An empty page that is small.
    pub(super) fn small() -> Self {
        Self::Bits(zeroed())
    }

    /// Bytes it occupies.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Bytes(_) => REFERENCES,
            Self::Bits(words) => size_of_val(&**words),
        }
    }

    /// Whether it has a member.
    #[inline]
    pub(super) fn contains(&self, place: u16) -> bool {
        match self {
            Self::Bytes(bytes) => {
                bytes.marks().is_some_and(|marks| marks.bytes[usize::from(place)] == marks.mark)
            }
            Self::Bits(words) => words[usize::from(place >> 6)] >> (place & 63) & 1 != 0,
        }
    }

    /// Adds a member; `false` if it was there.
    #[inline]
    pub(super) fn insert(&mut self, place: u16) -> bool {
        match self {
            Self::Bytes(bytes) => {
                let (mark, bytes) = bytes.parts();
                add_byte(&mut bytes[usize::from(place)], mark)
            }
            Self::Bits(words) => add_bit(&mut words[usize::from(place >> 6)], u32::from(place)),
        }
    }

    /// Removes a member; perhaps others, too, since all are to be removed.
    pub(super) fn remove(&mut self, place: u16) {
        match self {
            Self::Bytes(bytes) => bytes.parts().1[usize::from(place)] = 0,
            Self::Bits(words) => words[usize::from(place >> 6)] = 0,
        }
    }

    /// Removes all members.
    pub(super) fn clear(&mut self) {
        match self {
            Self::Bytes(bytes) => bytes.0.iter_mut().for_each(|marks| marks.clear()),
            Self::Bits(words) => words.fill(0),
        }
    }

    /// Calls `each` with every word of 64 places that has members, and a bit for each of them.
    pub(super) fn for_each_word(&self, mut each: impl FnMut(usize, u64)) {
        let mut some = |(word, bits): (usize, u64)| {
            if bits != 0 {
                each(word, bits);
            }
        };
        match self {
            Self::Bits(words) => words.iter().copied().enumerate().for_each(some),
            Self::Bytes(bytes) => {
                let Some(marks) = bytes.marks() else { return };
                let places = marks.bytes.as_chunks::<64>().0.iter();
                let bits = |bytes: &[u8; 64]| {
                    let bit = |(place, byte): (usize, &u8)| u64::from(*byte == marks.mark) << place;
                    bytes.iter().enumerate().map(bit).fold(0, |bits, bit| bits | bit)
                };
                places.map(bits).enumerate().for_each(&mut some);
            }
        }
    }

    /// Adds vertices, all of which are on this page, and appends the new ones to `new`.
    pub(super) fn insert_all(&mut self, vertices: &[VertexRef], few_are_new: bool, new: &mut Vec<VertexRef>) {
        match self {
            Self::Bytes(bytes) => {
                let (mark, bytes) = bytes.parts();
                let add = |v: VertexRef| add_byte(&mut bytes[usize::from(low(v))], mark);
                if few_are_new { push_few(vertices, new, add) } else { push_some(vertices, new, add) }
            }
            Self::Bits(words) => {
                let word = |v: VertexRef| usize::from(low(v) >> 6);
                match few_are_new {
                    true => push_few(vertices, new, |v| add_rare_bit(&mut words[word(v)], v.0)),
                    false => push_some(vertices, new, |v| add_bit(&mut words[word(v)], v.0)),
                }
            }
        }
    }
}

#[inline(always)]
fn add_byte(byte: &mut u8, mark: u8) -> bool {
    std::mem::replace(byte, mark) != mark
}

#[inline(always)]
fn add_bit(word: &mut u64, place: u32) -> bool {
    let is_new = *word >> (place & 63) & 1 == 0;
    *word |= 1 << (place & 63);
    is_new
}

/// As [`add_bit`], where it is seldom new: what is there is not written again.
#[inline(always)]
fn add_rare_bit(word: &mut u64, place: u32) -> bool {
    *word >> (place & 63) & 1 == 0 && add_bit(word, place)
}

/// Appends the vertices that are new, as `add` says.
#[inline(always)]
fn push_few(vertices: &[VertexRef], new: &mut Vec<VertexRef>, mut add: impl FnMut(VertexRef) -> bool) {
    for v in vertices {
        if add(*v) {
            new.push(*v);
        }
    }
}

/// As [`push_few`], where it cannot be foreseen which are new. Each would cost a misprediction; so every vertex is written,
/// and the place to write moves on if it is new.
#[inline(always)]
fn push_some(vertices: &[VertexRef], new: &mut Vec<VertexRef>, mut add: impl FnMut(VertexRef) -> bool) {
    let before = new.len();
    new.resize(before + vertices.len(), VertexRef(0));
    let (room, mut count) = (&mut new[before..], 0);
    for v in vertices {
        room[count] = *v;
        count += usize::from(add(*v));
    }
    new.truncate(before + count);
}
