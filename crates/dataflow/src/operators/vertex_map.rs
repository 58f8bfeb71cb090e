//! A number for each of many vertices.

use rustc_hash::FxHashMap;
use values::VertexRef;

/// References in a page: 16 KiB of numbers.
const PAGE: usize = 4096;

/// Stands for no number.
const NONE: u32 = u32::MAX;

/// A map from [`VertexRef`]s to numbers. References are nearly dense from 0 on, so the pages are well filled:
///
/// ```text
/// reference  │ page (20 bits) │ place within the page (12 bits) │
/// pages:       [ ● , – , ● , – ]          – : no vertex yet, nothing allocated
///                └─► 4,096 numbers
/// ```
///
/// Where they are not (few vertices here and there), pages cost more than they are good for, and the numbers go into a
/// hash map.
#[derive(Debug, Default)]
pub(super) struct VertexMap {
    pages: Vec<Option<Box<[u32; PAGE]>>>,
    allocated: usize,
    scattered: FxHashMap<VertexRef, u32>,
    len: usize,
}

/// Vertices for which no page is made: most maps of short queries have no more, and a page takes as long to make as 64 vertices
/// to find.
const FEW: usize = 64;

/// Pages there may be however few vertices they hold, beyond the first few.
const FREE_PAGES: usize = 16;

/// Vertices for each further page.
const PER_PAGE: usize = 256;

impl VertexMap {
    /// The number of a vertex, which is `number` if it had none. `u32::MAX` is no number.
    #[inline]
    pub(super) fn get_or_insert(&mut self, v: VertexRef, number: u32) -> u32 {
        let (page, place) = (v.0 as usize / PAGE, v.0 as usize % PAGE);
        match self.pages.get_mut(page) {
            Some(Some(numbers)) => {
                let known = &mut numbers[place];
                if *known == NONE {
                    // It may have come before its page was worth making.
                    *known = self.scattered.get(&v).copied().unwrap_or(number);
                    self.len += 1;
                }
                *known
            }
            _ => self.without_page(v, number),
        }
    }

    /// The same of a vertex whose page is not made.
    #[inline(never)]
    fn without_page(&mut self, v: VertexRef, number: u32) -> u32 {
        let page = v.0 as usize / PAGE;
        if self.len >= FEW && self.allocated < FREE_PAGES + self.len / PER_PAGE {
            let is_first = self.allocated == 0;
            self.allocate(page);
            if is_first {
                // The first few move to pages, so that nobody looks for others among them.
                let len = self.len;
                for (v, number) in std::mem::take(&mut self.scattered) {
                    self.get_or_insert(v, number);
                }
                self.len = len;
            }
            return self.get_or_insert(v, number);
        }
        *self.scattered.entry(v).or_insert_with(|| {
            self.len += 1;
            number
        })
    }

    fn allocate(&mut self, page: usize) {
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        self.pages[page] = Some(Box::new([NONE; PAGE]));
        self.allocated += 1;
    }

    /// Bytes it occupies.
    pub(super) fn bytes(&self) -> usize {
        let scattered = self.scattered.capacity() * (size_of::<(VertexRef, u32)>() + 1);
        self.allocated * PAGE * size_of::<u32>() + self.pages.len() * size_of::<usize>() + scattered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vertex_keeps_its_first_number() {
        let mut map = VertexMap::default();
        let few = FEW as u32;
        for (number, v) in (0..few).chain([4095, 4096, 900_000, u32::MAX]).enumerate() {
            assert_eq!(map.get_or_insert(VertexRef(v), number as u32), number as u32);
        }
        assert_eq!(map.get_or_insert(VertexRef(7), 9), 7);
        assert_eq!(map.get_or_insert(VertexRef(4096), 9), few + 1);
        assert_eq!((map.allocated, map.len), (4, FEW + 4));
        assert!(map.scattered.is_empty());
    }

    #[test]
    fn few_vertices_take_no_page() {
        let mut map = VertexMap::default();
        for v in 1..FEW as u32 {
            assert_eq!(map.get_or_insert(VertexRef(v * 5_000), v), v);
        }
        assert!((1..FEW as u32).all(|v| map.get_or_insert(VertexRef(v * 5_000), 0) == v));
        assert_eq!(map.allocated, 0);
    }

    #[test]
    fn scattered_vertices_take_no_pages_and_are_found_again_when_there_are_more() {
        let mut map = VertexMap::default();
        let scattered = |i: u32| VertexRef(i * 65_536);
        for i in 0..10_000 {
            assert_eq!(map.get_or_insert(scattered(i), i), i);
        }
        assert!(map.bytes() < 5 << 20, "{}", map.bytes());
        let dense: Vec<VertexRef> = (1..200_000).map(VertexRef).filter(|v| v.0 % 65_536 != 0).collect();
        for (i, v) in dense.iter().enumerate() {
            assert_eq!(map.get_or_insert(*v, 10_000 + i as u32), 10_000 + i as u32);
        }
        assert!((0..10_000).all(|i| map.get_or_insert(scattered(i), 0) == i));
        assert!(dense.iter().enumerate().all(|(i, v)| map.get_or_insert(*v, 0) == 10_000 + i as u32));
    }
}
