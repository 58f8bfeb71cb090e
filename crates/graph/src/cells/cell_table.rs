//! The sections of a block, by number.
//!
//! ```text
//!  inline: numbers 0..N        rest: allocated when a number ≥ N is first needed
//! ┌────┬────┬────┬────┐       ┌───────────┬────────────┬────────────┬─────
//! │cell│cell│ …  │cell│       │ N cells   │ 2N cells   │ 4N cells   │ …         directories
//! └────┴────┴────┴────┘       └─────┬─────┴────────────┴──┬──┬──────┴─────
//!                                   ▼                     ▼  ▼
//!                              32 pages           32 pages  32 pages           groups, each when it is needed
//!                                   ▼                        ▼  ▼
//!                               16 cells                     …  16 cells        pages, each when it is needed
//! ```
//!
//! Cells never move, so a reader needs no protection against growth. A block whose only property has the number 30,000 takes a
//! directory of 32 groups, a group and a page: a graph may have very many labels, each with properties of its own.

use std::sync::OnceLock;

use super::cell::SectionCell;

const CHUNKS: usize = 16;

/// Cells of a page.
const PAGE: usize = 16;

/// A growable array of section cells whose first `N` cost no indirection. `N` is a power of two from [`PAGE`] on.
pub(crate) struct CellTable<T, const N: usize> {
    inline: [SectionCell<T>; N],
    rest: OnceLock<Box<Rest<T>>>,
}

/// Pages of a group, at most.
const GROUP: usize = 32;

type Page<T> = OnceLock<Box<[SectionCell<T>; PAGE]>>;
type Group<T> = OnceLock<Box<[Page<T>]>>;

struct Rest<T> {
    directories: [OnceLock<Box<[Group<T>]>>; CHUNKS],
}

impl<T, const N: usize> CellTable<T, N> {
    pub(crate) const fn new() -> Self {
        const { assert!(N.is_power_of_two() && N >= PAGE, "a directory is of whole pages") };
        Self { inline: [const { SectionCell::empty() }; N], rest: OnceLock::new() }
    }

    /// The cell of `number`, if it was ever needed.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> Option<&SectionCell<T>> {
        if number < N {
            return Some(&self.inline[number]);
        }
        let (directory, place) = Self::locate(number);
        let groups = self.rest.get()?.directories[directory].get()?;
        let pages = groups.get(place / (GROUP * PAGE))?.get()?;
        Some(&pages.get(place / PAGE % GROUP)?.get()?[place % PAGE])
    }

    /// The cell of `number`, made now if need be.
    ///
    /// # Panics
    /// If `number` is beyond `N << 16`, more than ids of 16 bits can ask for.
    pub(crate) fn get_or_grow(&self, number: usize) -> &SectionCell<T> {
        if number < N {
            return &self.inline[number];
        }
        let (directory, place) = Self::locate(number);
        let rest =
            self.rest.get_or_init(|| Box::new(Rest { directories: [const { OnceLock::new() }; CHUNKS] }));
        let pages = (N << directory) / PAGE;
        let groups = rest.directories[directory]
            .get_or_init(|| (0..pages.div_ceil(GROUP)).map(|_| OnceLock::new()).collect());
        let pages = groups[place / (GROUP * PAGE)]
            .get_or_init(|| (0..pages.min(GROUP)).map(|_| OnceLock::new()).collect());
        let page =
            pages[place / PAGE % GROUP].get_or_init(|| Box::new([const { SectionCell::empty() }; PAGE]));
        &page[place % PAGE]
    }

    /// All cells there are, with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &SectionCell<T>)> {
        let directories = self.rest.get().into_iter().flat_map(|rest| rest.directories.iter().enumerate());
        let groups = directories.flat_map(|(directory, groups)| {
            let groups = groups.get().map_or(&[][..], |groups| groups);
            let first = move |group: usize| (N << directory) + group * GROUP * PAGE;
            groups.iter().enumerate().filter_map(move |(i, group)| Some((first(i), group.get()?)))
        });
        let pages = groups.flat_map(|(first, pages)| {
            let first = move |page: usize| first + page * PAGE;
            pages.iter().enumerate().filter_map(move |(i, page)| Some((first(i), page.get()?)))
        });
        let rest = pages.flat_map(|(first, page)| {
            page.iter().enumerate().map(move |(place, cell)| (first + place, cell))
        });
        self.inline.iter().enumerate().chain(rest)
    }

    /// Directory `d` holds the numbers from `N << d` to below `N << (d + 1)`.
    #[inline]
    fn locate(number: usize) -> (usize, usize) {
        let directory = (number / N).ilog2() as usize;
        (directory, number - (N << directory))
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
        let table = CellTable::<Number, 16>::new();
        let (guard, account) = (crossbeam_epoch::pin(), Account::new(1));
        for number in [0, 3, 15, 16, 31, 32, 100, 5000, 131_071, (16 << 16) - 1] {
            assert!(table.get(number).is_none_or(|cell| cell.loaded(&guard).is_none()));
            table.get_or_grow(number).replace(Number(number), &account, &guard);
        }
        for number in [0, 3, 15, 16, 31, 32, 100, 5000, 131_071, (16 << 16) - 1] {
            assert_eq!(table.get(number).and_then(|cell| cell.loaded(&guard)), Some(&Number(number)));
        }
        assert!(table.get(20_000).is_none());
        let present: Vec<usize> = table
            .iter()
            .filter(|(_, cell)| cell.loaded(&guard).is_some())
            .map(|(number, _)| number)
            .collect();
        assert_eq!(present, [0, 3, 15, 16, 31, 32, 100, 5000, 131_071, (16 << 16) - 1]);
        assert!(table.iter().count() < 16 + 7 * PAGE, "what nobody needs is not there");
        let numbers: Vec<usize> = table.iter().map(|(number, _)| number).collect();
        assert!(numbers.is_sorted_by(|a, b| a < b), "each is there once, in order");
    }
}
