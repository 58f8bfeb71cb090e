//! A number for each of many vertices.

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
#[derive(Debug, Default)]
pub(super) struct VertexMap {
    pages: Vec<Option<Box<[u32; PAGE]>>>,
    allocated: usize,
}

impl VertexMap {
    /// The number of a vertex, which is `number` if it had none. `u32::MAX` is no number.
    #[inline]
    pub(super) fn get_or_insert(&mut self, v: VertexRef, number: u32) -> &mut u32 {
        let (page, place) = (v.0 as usize / PAGE, v.0 as usize % PAGE);
        if self.pages.get(page).is_none_or(Option::is_none) {
            self.allocate(page);
        }
        let numbers = self.pages[page].as_mut().expect("allocated");
        let entry = &mut numbers[place];
        if *entry == NONE {
            *entry = number;
        }
        entry
    }

    #[cold]
    fn allocate(&mut self, page: usize) {
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        self.pages[page] = Some(Box::new([NONE; PAGE]));
        self.allocated += 1;
    }

    /// Bytes it occupies.
    pub(super) fn bytes(&self) -> usize {
        self.allocated * PAGE * size_of::<u32>() + self.pages.len() * size_of::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vertex_keeps_its_first_number() {
        let mut map = VertexMap::default();
        for (number, v) in [7, 4095, 4096, 900_000, u32::MAX].into_iter().enumerate() {
            assert_eq!(*map.get_or_insert(VertexRef(v), number as u32), number as u32);
        }
        assert_eq!(*map.get_or_insert(VertexRef(4096), 9), 2);
        assert_eq!(map.allocated, 4);
    }
}
