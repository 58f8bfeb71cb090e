//! The sections of a block, by number.
//!
//! ```text
//!  inline: numbers 0..N        first page                     others: a tree of which a part is allocated when needed
//! ┌────┬────┬────┬────┐       ┌──────────────┬──────────┐    ┌────┬────┬────┬─────
//! │cell│cell│ …  │cell│  ──▶  │ its number   │ 16 cells │ ─▶ │ ●  │ ·  │ ●  │ …   32 groups of 4,096 numbers
//! └────┴────┴────┴────┘       └──────────────┴──────────┘    └─┬──┴────┴────┴─────
//!                                                              ▼
//!                                                             16 shelves of 256 ─▶ 16 pages of 16 ─▶ 16 cells
//! ```
//!
//! Cells never move, so a reader needs no protection against growth. A pointer takes 8 bytes and no more (`OnceBox`), so a
//! block whose only property has the number 30,000 takes 144 bytes for it: a graph may have very many labels, each with
//! properties of its own. The page that is needed first is found without the tree.

use once_cell::race::OnceBox;

use super::cell::SectionCell;

/// Cells of a page, pages of a shelf, and shelves of a group.
const FAN: usize = 16;

/// Groups: together they hold more than ids of 16 bits can ask for, in two directions.
const GROUPS: usize = 32;

/// A growable array of section cells whose first `N` cost no indirection.
pub(crate) struct CellTable<T, const N: usize> {
    inline: [SectionCell<T>; N],
    first: OnceBox<First<T>>,
}

/// The page that was needed first, and the others.
struct First<T> {
    /// The place of its first cell behind the inline ones, divided by [`FAN`].
    page: usize,
    cells: Page<T>,
    others: OnceBox<Others<T>>,
}

type Page<T> = [SectionCell<T>; FAN];
type Shelf<T> = [OnceBox<Page<T>>; FAN];
type Group<T> = [OnceBox<Shelf<T>>; FAN];
type Others<T> = [OnceBox<Group<T>>; GROUPS];

/// Where a number beyond the inline ones is: group, shelf, page and cell.
#[inline]
fn locate(place: usize) -> [usize; 4] {
    [place / FAN / FAN / FAN, place / FAN / FAN % FAN, place / FAN % FAN, place % FAN]
}

impl<T, const N: usize> CellTable<T, N> {
    pub(crate) const fn new() -> Self {
        Self { inline: [const { SectionCell::empty() }; N], first: OnceBox::new() }
    }

    /// The cell of `number`, if it was ever needed.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> Option<&SectionCell<T>> {
        if number < N {
            return Some(&self.inline[number]);
        }
        let first = self.first.get()?;
        if (number - N) / FAN == first.page {
            return Some(&first.cells[(number - N) % FAN]);
        }
        let [group, shelf, page, cell] = locate(number - N);
        Some(&first.others.get()?.get(group)?.get()?[shelf].get()?[page].get()?[cell])
    }

    /// The cell of `number`, made now if need be.
    ///
    /// # Panics
    /// If `number` is 131,072 and more beyond `N`.
    pub(crate) fn get_or_grow(&self, number: usize) -> &SectionCell<T> {
        if number < N {
            return &self.inline[number];
        }
        let new = || First { page: (number - N) / FAN, cells: empty(), others: OnceBox::new() };
        let first = self.first.get_or_init(|| Box::new(new()));
        if (number - N) / FAN == first.page {
            return &first.cells[(number - N) % FAN];
        }
        let [group, shelf, page, cell] = locate(number - N);
        let groups = first.others.get_or_init(|| Box::new([const { OnceBox::new() }; GROUPS]));
        let shelves = groups[group].get_or_init(|| Box::new([const { OnceBox::new() }; FAN]));
        let pages = shelves[shelf].get_or_init(|| Box::new([const { OnceBox::new() }; FAN]));
        let cells = pages[page].get_or_init(|| Box::new(empty()));
        &cells[cell]
    }

    /// All cells there are, with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &SectionCell<T>)> {
        self.iter_from(0)
    }

    /// The same from a number on.
    pub(crate) fn iter_from(&self, from: usize) -> impl Iterator<Item = (usize, &SectionCell<T>)> {
        let mut first = self.first.get().map(|first| (first.page * FAN + N, &first.cells));
        let others = self.first.get().and_then(|first| first.others.get()).into_iter();
        let groups = others.flat_map(move |groups| present(groups, N, FAN * FAN * FAN, from));
        let shelves = groups.flat_map(move |(start, shelves)| present(shelves, start, FAN * FAN, from));
        let pages = shelves.flat_map(move |(start, pages)| present(pages, start, FAN, from));
        let mut pages = pages.peekable();
        let pages = std::iter::from_fn(move || match (first, pages.peek()) {
            (Some((start, _)), Some(other)) if other.0 < start => pages.next(),
            (Some(_), _) => first.take(),
            (None, _) => pages.next(),
        });
        let rest = pages.flat_map(move |(start, page)| {
            let skipped = from.saturating_sub(start).min(FAN);
            page.iter().enumerate().skip(skipped).map(move |(place, cell)| (start + place, cell))
        });
        self.inline.iter().enumerate().skip(from.min(N)).chain(rest)
    }
}

/// A page of which nobody has needed a cell.
const fn empty<T>() -> Page<T> {
    [const { SectionCell::empty() }; FAN]
}

/// The parts that are there, each with the number of its first cell, without those that end before `from`: `first` is the number
/// of the first part's first cell, and each part has `cells`.
fn present<T>(
    parts: &[OnceBox<T>],
    first: usize,
    cells: usize,
    from: usize,
) -> impl Iterator<Item = (usize, &T)> {
    let parts = parts.iter().enumerate().skip(from.saturating_sub(first) / cells);
    parts.filter_map(move |(i, part)| Some((first + i * cells, part.get()?)))
}

#[cfg(test)]
mod tests {
    use super::super::account::{Account, Weigh};
    use super::*;

    #[derive(PartialEq, Debug)]
    struct Number(usize);
    const NUMBERS: [usize; 10] = [0, 3, 15, 16, 31, 32, 100, 5000, 70_000, 16 + 131_071];
    impl Weigh for Number {
        fn weight(&self) -> usize {
            size_of::<Self>()
        }
    }

    #[test]
    fn every_number_has_a_cell_of_its_own() {
        let table = CellTable::<Number, 16>::new();
        let (guard, account) = (crossbeam_epoch::pin(), Account::new(1));
        for number in NUMBERS {
            assert!(table.get(number).is_none_or(|cell| cell.loaded(&guard).is_none()));
            table.get_or_grow(number).replace(Number(number), &account, &guard);
        }
        for number in NUMBERS {
            assert_eq!(table.get(number).and_then(|cell| cell.loaded(&guard)), Some(&Number(number)));
        }
        assert!(table.get(20_000).is_none());
        let present: Vec<usize> = table
            .iter()
            .filter(|(_, cell)| cell.loaded(&guard).is_some())
            .map(|(number, _)| number)
            .collect();
        assert_eq!(present, NUMBERS);
        assert!(table.iter().count() < 16 + 7 * FAN, "what nobody needs is not there");
        let numbers: Vec<usize> = table.iter().map(|(number, _)| number).collect();
        assert!(numbers.is_sorted_by(|a, b| a < b), "each is there once, in order");
        for from in (0..6000).chain(69_000..71_000).chain([131_086, 131_087, 131_088, usize::MAX]) {
            let rest = numbers.iter().copied().filter(|number| *number >= from);
            assert!(table.iter_from(from).map(|(number, _)| number).eq(rest), "{from}");
        }
    }
}
