//! The sections of a block, by number.
//!
//! ```text
//!  inline: numbers 0..N        rest: allocated when a number ≥ N is first needed
//! ┌────┬────┬────┬────┐       ┌───────────┬────────────┬────────────┬─────
//! │cell│cell│ …  │cell│       │ N cells   │ 2N cells   │ 4N cells   │ …
//! └────┴────┴────┴────┘       └───────────┴────────────┴────────────┴─────
//! ```
//!
//! Cells never move, so a reader needs no protection against growth.

use std::sync::OnceLock;

use super::cell::SectionCell;

const CHUNKS: usize = 16;

/// A growable array of section cells whose first `N` cost no indirection. `N` is a power of two.
pub(crate) struct CellTable<T, const N: usize> {
    inline: [SectionCell<T>; N],
    rest: OnceLock<Box<Rest<T>>>,
}

type Chunk<T> = OnceLock<Box<[SectionCell<T>]>>;

struct Rest<T> {
    chunks: [Chunk<T>; CHUNKS],
}

impl<T, const N: usize> CellTable<T, N> {
    pub(crate) const fn new() -> Self {
        Self { inline: [const { SectionCell::empty() }; N], rest: OnceLock::new() }
    }

    /// The cell of `number`, if it was ever needed.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> Option<&SectionCell<T>> {
        if number < N {
            return Some(&self.inline[number]);
        }
        let (chunk, place) = Self::locate(number);
        self.rest.get()?.chunks[chunk].get()?.get(place)
    }

    /// The cell of `number`, made now if need be.
    ///
    /// # Panics
    /// If `number` is beyond `N << 16`, more than ids of 16 bits can ask for.
    pub(crate) fn get_or_grow(&self, number: usize) -> &SectionCell<T> {
        if number < N {
            return &self.inline[number];
        }
        let (chunk, place) = Self::locate(number);
        let rest = self.rest.get_or_init(|| Box::new(Rest { chunks: [const { OnceLock::new() }; CHUNKS] }));
        let cells =
            rest.chunks[chunk].get_or_init(|| (0..N << chunk).map(|_| SectionCell::empty()).collect());
        &cells[place]
    }

    /// All cells there are, with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &SectionCell<T>)> {
        let rest = self.rest.get().into_iter().flat_map(|rest| {
            rest.chunks.iter().enumerate().flat_map(|(chunk, cells)| {
                let cells = cells.get().map_or(&[][..], |cells| cells);
                cells.iter().enumerate().map(move |(place, cell)| ((N << chunk) + place, cell))
            })
        });
        self.inline.iter().enumerate().chain(rest)
    }

    /// Chunk `c` holds the numbers from `N << c` to below `N << (c + 1)`.
    #[inline]
    fn locate(number: usize) -> (usize, usize) {
        let chunk = (number / N).ilog2() as usize;
        (chunk, number - (N << chunk))
    }
}

#[cfg(test)]
mod tests {
    use super::super::account::{Account, Weigh};
    use super::*;

    #[derive(PartialEq, Debug)]
    struct Number(usize);
    impl Weigh for Number {
        fn weight(&self) -> usize {
            size_of::<Self>()
        }
    }

    #[test]
    fn every_number_has_a_cell_of_its_own() {
        let table = CellTable::<Number, 4>::new();
        let (guard, account) = (crossbeam_epoch::pin(), Account::new(1));
        for number in [0, 3, 4, 7, 8, 9, 100, 5000, 131_071] {
            assert!(table.get(number).is_none_or(|cell| cell.loaded(&guard).is_none()));
            table.get_or_grow(number).replace(Number(number), &account, &guard);
        }
        for number in [0, 3, 4, 7, 8, 9, 100, 5000, 131_071] {
            assert_eq!(table.get(number).and_then(|cell| cell.loaded(&guard)), Some(&Number(number)));
        }
        assert!(table.get(20_000).is_none());
        let present: Vec<usize> = table
            .iter()
            .filter(|(_, cell)| cell.loaded(&guard).is_some())
            .map(|(number, _)| number)
            .collect();
        assert_eq!(present, [0, 3, 4, 7, 8, 9, 100, 5000, 131_071]);
    }
}
