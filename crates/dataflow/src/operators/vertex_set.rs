//! A set of vertices.

use graph::Ends;
use values::VertexRef;

use super::vertex_page::{Page, low};

/// Members up to which a reset removes them one by one instead of wiping pages.
const REMEMBERED: usize = 512;

/// One in so many being new is few.
const FEW: usize = 8;

/// Pages that a reset keeps for the next use.
const KEPT_PAGES: usize = 64;

/// Pages that are large and fast; further ones are small.
const LARGE_PAGES: usize = 4;

/// A set of [`VertexRef`]s. References are nearly dense from 0 on, so the pages are well filled:
///
/// ```text
/// reference  │ page (16 bits) │ place in the page (16 bits) │
/// pages:       [ ● , – , ● , – ]          – : no member yet, nothing allocated
///                └─► 65,536 bytes, or bits
/// ```
#[derive(Debug, Default)]
pub(super) struct VertexSet {
    pages: Vec<Option<Page>>,
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
        // A few vertices one by one do without large pages.
        self.insert_on(v, 0)
    }

    /// Adds a vertex, on a large page if there is none for it yet and fewer than so many pages; `false` if it was there.
    #[inline]
    fn insert_on(&mut self, v: VertexRef, large: usize) -> bool {
        let number = page_of(v);
        let page = match self.pages.get_mut(number) {
            Some(Some(page)) => page,
            _ => self.allocate(number, large),
        };
        if !page.insert(low(v)) {
            return false;
        }
        if self.len < REMEMBERED {
            self.first.push(v);
        }
        self.len += 1;
        true
    }

    /// Adds vertices until `room` of them are new, and appends those to `new`. How many it has looked at.
    #[inline]
    pub(super) fn insert_all(&mut self, vertices: Ends<'_>, room: usize, new: &mut Vec<VertexRef>) -> usize {
        let full = new.len() + room;
        let mut rest = vertices.list;
        while !rest.is_empty() && new.len() < full {
            // As many as can be new for sure.
            let (some, behind) = rest.split_at(rest.len().min(full - new.len()));
            match vertices.part(some).stripe() {
                Some(page) => self.insert_on_page(usize::from(page), some, new),
                None => new.extend(some.iter().filter(|v| self.insert_on(**v, LARGE_PAGES))),
            }
            rest = behind;
        }
        vertices.list.len() - rest.len()
    }

    /// Adds vertices, all of them on a page.
    fn insert_on_page(&mut self, number: usize, vertices: &[VertexRef], new: &mut Vec<VertexRef>) {
        let (before, few_are_new) = (new.len(), self.few_are_new);
        let page = match self.pages.get_mut(number) {
            Some(Some(page)) => page,
            _ => self.allocate(number, LARGE_PAGES),
        };
        page.insert_all(vertices, few_are_new, new);
        self.few_are_new = (new.len() - before) * FEW < vertices.len();
        self.note(&new[before..]);
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
        matches!(self.pages.get(page_of(v)), Some(Some(page)) if page.contains(low(v)))
    }

    #[cold]
    fn allocate(&mut self, number: usize, large: usize) -> &mut Page {
        if number >= self.pages.len() {
            self.pages.resize_with(number + 1, || None);
        }
        let page = if self.allocated.len() < large { Page::large() } else { Page::small() };
        self.allocated.push(number as u16);
        self.pages[number].insert(page)
    }

    /// Calls `each` with the members, 64 references at a time: the first of these, and a bit for each that is a member.
    pub(super) fn for_each_word(&self, mut each: impl FnMut(VertexRef, u64)) {
        for number in &self.allocated {
            let Some(page) = &self.pages[usize::from(*number)] else { continue };
            let first = u32::from(*number) << 16;
            page.for_each_word(|word, bits| each(VertexRef(first | (word << 6) as u32), bits));
        }
    }

    /// Bytes it occupies.
    pub(super) fn bytes(&self) -> usize {
        let pages = self.allocated.iter().filter_map(|number| self.pages[usize::from(*number)].as_ref());
        pages.map(Page::bytes).sum::<usize>() + self.pages.len() * size_of::<Option<Page>>()
    }

    /// Removes all members. Costs what the members cost, or the pages if they were many.
    pub(super) fn clear(&mut self) {
        if self.allocated.len() > KEPT_PAGES {
            *self = Self::default();
            return;
        }
        if self.len <= self.first.len() {
            for v in &self.first {
                if let Some(page) = &mut self.pages[page_of(*v)] {
                    page.remove(low(*v));
                }
            }
        } else {
            self.pages.iter_mut().flatten().for_each(Page::clear);
        }
        self.first.clear();
        self.len = 0;
        self.few_are_new = false;
    }
}

#[inline]
fn page_of(v: VertexRef) -> usize {
    (v.0 >> 16) as usize
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
    fn a_set_on_the_pages_of_another_one_is_empty() {
        for round in 0..600 {
            let mut set = VertexSet::default();
            let few =
                |count: u32| (0..6 * count).map(|n| VertexRef(((n % 6) << 16) | (n / 6))).collect::<Vec<_>>();
            // Few are removed one by one, many at once.
            for members in [few(3), few(100), few(1)] {
                let mut new = Vec::new();
                assert!(!members.iter().any(|v| set.contains(*v)), "round {round}");
                assert_eq!(set.insert_all(members[..].into(), 1000, &mut new), members.len());
                assert_eq!(new, members, "round {round}");
                set.clear();
            }
            assert!(set.insert(VertexRef(round % 3)));
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
