//! A set of vertices.

use values::VertexRef;

/// Words in a page: 65,536 references, 8 KiB.
const WORDS: usize = 1024;

/// Members up to which a reset removes them one by one instead of wiping pages.
const REMEMBERED: usize = 512;

/// One in so many being new is few.
const FEW: usize = 8;

/// Pages that a reset keeps for the next use.
const KEPT_PAGES: usize = 64;

/// A bit set over [`VertexRef`]s. References are nearly dense from 0 on, so the pages are well filled:
///
/// ```text
/// reference  │ page (16 bits) │ bit within the page (16 bits) │
/// pages:       [ ● , – , ● , – ]          – : no member yet, nothing allocated
///                └─► 1,024 words of 64 bits
/// ```
#[derive(Debug, Default)]
pub(super) struct VertexSet {
    pages: Vec<Option<Box<[u64; WORDS]>>>,
    /// Pages that have members.
    allocated: Vec<u16>,
    /// The first members, in the order they came.
    first: Vec<VertexRef>,
    len: usize,
    /// Whether few of those that were added last were new.
    few_are_new: bool,
}

impl VertexSet {
    /// Adds a vertex; `false` if it was there.
    #[inline]
    pub(super) fn insert(&mut self, v: VertexRef) -> bool {
        let (page, word, bit) = place(v);
        match self.pages.get_mut(page) {
            Some(Some(words)) => {
                let word = &mut words[word];
                if *word & bit != 0 {
                    return false;
                }
                *word |= bit;
            }
            _ => self.allocate(page)[word] |= bit,
        }
        if self.len < REMEMBERED {
            self.first.push(v);
        }
        self.len += 1;
        true
    }

    /// Adds vertices until `room` of them are new, and appends those to `new`. How many it has looked at.
    #[inline]
    pub(super) fn insert_all(
        &mut self,
        mut vertices: &[VertexRef],
        room: usize,
        new: &mut Vec<VertexRef>,
    ) -> usize {
        let (all, full) = (vertices.len(), new.len() + room);
        while let Some(first) = vertices.first()
            && new.len() < full
        {
            // As many as can be new for sure, on one page.
            let most = vertices.len().min(full - new.len());
            let used = self.insert_on_page(place(*first).0, &vertices[..most], new);
            vertices = &vertices[used..];
        }
        all - vertices.len()
    }

    /// Adds the first vertices, those on a page. How many that are.
    fn insert_on_page(&mut self, page: usize, vertices: &[VertexRef], new: &mut Vec<VertexRef>) -> usize {
        if !matches!(self.pages.get(page), Some(Some(_))) {
            self.allocate(page);
        }
        let Some(words) = &mut self.pages[page] else { return 0 };
        let (before, base) = (new.len(), (page as u32) << 16);
        let used = match self.few_are_new {
            true => push_few(words, base, vertices, new),
            false => push_some(words, base, vertices, new),
        };
        self.few_are_new = (new.len() - before) * FEW < used;
        self.note(&new[before..]);
        used
    }

    /// Counts new members.
    fn note(&mut self, new: &[VertexRef]) {
        let remembered = REMEMBERED.saturating_sub(self.len).min(new.len());
        self.first.extend_from_slice(&new[..remembered]);
        self.len += new.len();
    }

    /// Whether the vertex is a member.
    #[inline]
    pub(super) fn contains(&self, v: VertexRef) -> bool {
        let (page, word, bit) = place(v);
        matches!(self.pages.get(page), Some(Some(words)) if words[word] & bit != 0)
    }

    #[cold]
    fn allocate(&mut self, page: usize) -> &mut [u64; WORDS] {
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        self.allocated.push(page as u16);
        self.pages[page].insert(Box::new([0; WORDS]))
    }

    /// Bytes it occupies.
    pub(super) fn bytes(&self) -> usize {
        self.allocated.len() * WORDS * 8 + self.pages.len() * 8
    }

    /// Removes all members. Costs what the members cost, or the pages if they were many.
    pub(super) fn clear(&mut self) {
        if self.allocated.len() > KEPT_PAGES {
            *self = Self::default();
            return;
        }
        if self.len <= self.first.len() {
            for v in &self.first {
                let (page, word, _) = place(*v);
                if let Some(words) = &mut self.pages[page] {
                    words[word] = 0;
                }
            }
        } else {
            for page in &self.allocated {
                if let Some(words) = &mut self.pages[usize::from(*page)] {
                    words.fill(0);
                }
            }
        }
        self.first.clear();
        self.len = 0;
        self.few_are_new = false;
    }
}

/// Adds the first vertices, those on the page that begins with `base`, and appends the new ones to `new`. How many it has
/// looked at.
fn push_few(words: &mut [u64; WORDS], base: u32, vertices: &[VertexRef], new: &mut Vec<VertexRef>) -> usize {
    for (i, v) in vertices.iter().enumerate() {
        // On another page this is beyond the words.
        let Some(word) = words.get_mut(((v.0 ^ base) >> 6) as usize) else { return i };
        let bit = 1 << (v.0 & 63);
        if *word & bit == 0 {
            *word |= bit;
            new.push(*v);
        }
    }
    vertices.len()
}

/// As [`push_few`], where it cannot be foreseen which are new. Each would cost a misprediction; so every vertex is
/// written, and the place to write moves on if it is new.
fn push_some(words: &mut [u64; WORDS], base: u32, vertices: &[VertexRef], new: &mut Vec<VertexRef>) -> usize {
    let before = new.len();
    new.resize(before + vertices.len(), VertexRef(0));
    let room = &mut new[before..];
    let (mut used, mut count) = (vertices.len(), 0);
    for (i, v) in vertices.iter().enumerate() {
        let Some(word) = words.get_mut(((v.0 ^ base) >> 6) as usize) else {
            used = i;
            break;
        };
        let bit = v.0 & 63;
        room[count] = *v;
        count += usize::from(*word >> bit & 1 == 0);
        *word |= 1 << bit;
    }
    new.truncate(before + count);
    used
}

#[inline]
fn place(v: VertexRef) -> (usize, usize, u64) {
    ((v.0 >> 16) as usize, (v.0 >> 6) as usize & (WORDS - 1), 1 << (v.0 & 63))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_agrees_with_a_set_of_numbers_before_and_after_being_cleared() {
        let mut set = VertexSet::default();
        let seed = 0x5eed_u64;
        let mut state = seed;
        for round in 0..4 {
            let mut expected = std::collections::BTreeSet::new();
            for _ in 0..[100, 5000, 10, 20_000][round] {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let v = VertexRef((state >> 33) as u32 & 0x0fff_ffff >> (round * 4));
                assert_eq!(set.insert(v), expected.insert(v.0), "seed {seed}, round {round}");
            }
            assert!(expected.iter().all(|&v| set.contains(VertexRef(v))));
            set.clear();
            assert!(expected.iter().all(|&v| !set.contains(VertexRef(v))));
        }
    }

    #[test]
    fn the_largest_reference_has_its_place() {
        let mut set = VertexSet::default();
        assert!(set.insert(VertexRef(u32::MAX)) && set.insert(VertexRef(0)));
        assert!(!set.insert(VertexRef(u32::MAX)));
        assert_eq!(set.allocated.len(), 2);
    }
}
