//! The values of a whole stripe under one key as ranks: for tests of very many vertices in any order.
//!
//! ```text
//! vertex (low 16 bits)   0   1   2   3   …
//! ranks                │ 2 │ 0 │ 1 │ 2 │ …       0: it has no value;  r: it has the r-th of the different ones
//! different            │ 1984-03-02 │ 1991-11-30 │    ascending
//! sections             │ 17 │ 4 │ … │ 23 │           what it was made from, a section of each of the 64 tablets
//! ```
//!
//! A property section has a column for a 64th of a stripe, in the width of its type; to compare one value there means to
//! find the block, its column, and 8 bytes that are often not in the nearest cache. Here it is one array of 16 bits per
//! vertex, 128 KB for a stripe, whatever the type. A range of values is a range of ranks, found by two binary searches per
//! query, so a test is one access, one subtraction and one comparison.
//!
//! It holds for every snapshot, as long as the sections are those that it was made from and have no changes on top, which
//! is looked at each time (64 sections; a fraction of a microsecond). It is made when so many values of a stripe have been
//! asked for that making it has cost less than it would have saved, charged to the cache's account like a section, and goes
//! like one when it is not used.

mod build;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use values::VertexRef;

use super::batched::Ends;
use super::reader::Reader;
use crate::cache::{Entry, name_of};
use crate::cells::SectionState;
use crate::model::{KeyId, stripe_of};
use crate::place::{Array, Different, Filter, RankRange, Ranked, Ranks, Stripe};
use crate::resident::Memory;

/// The ranks of a stripe, as they are for one reader. Made by [`Reader::ranks_near`].
#[derive(Clone, Copy)]
pub struct StripeRanks<'r> {
    stripe: u16,
    /// Vertices that the stripe has.
    vertices: u32,
    ranks: &'r Ranks,
}

impl<'r> StripeRanks<'r> {
    /// The test for longs from `low` to `high`; `None` if the values are of another type.
    pub fn longs(&self, low: i64, high: i64) -> Option<StripeTest<'r>> {
        let Different::Longs(longs) = &self.ranks.different else { return None };
        let before = longs.partition_point(|long| *long < low);
        let len = longs[before..].partition_point(|long| *long <= high);
        Some(self.test(range(before, len)))
    }

    /// The test for one string; `None` if the values are of another type.
    pub fn string(&self, text: &str) -> Option<StripeTest<'r>> {
        let Different::Strings(strings) = &self.ranks.different else { return None };
        let found = strings.binary_search_by(|string| (**string).cmp(text));
        Some(self.test(found.map_or(range(0, 0), |place| range(place, 1))))
    }

    fn test(&self, wanted: RankRange) -> StripeTest<'r> {
        let Self { stripe, vertices, ranks } = *self;
        let filter = ranks.filters.get(wanted, &ranks.array, vertices);
        StripeTest { stripe, wanted, ranks, filter, tested: 0 }
    }
}

/// A test of vertices of one stripe by their values under a key.
pub struct StripeTest<'r> {
    stripe: u16,
    wanted: RankRange,
    ranks: &'r Ranks,
    filter: Option<Arc<Filter>>,
    /// Vertices that were.
    tested: u64,
}

impl StripeTest<'_> {
    /// How many of some vertices pass; `None` if not all of them are in this stripe.
    #[inline(always)]
    pub fn count(&mut self, vertices: Ends<'_>) -> Option<usize> {
        if vertices.stripe() != Some(self.stripe) {
            return None;
        }
        self.tested += vertices.list.len() as u64;
        let place = |v: &VertexRef| usize::from(v.0 as u16);
        Some(match &self.filter {
            Some(filter) => vertices.list.iter().map(|v| usize::from(filter[place(v)])).sum(),
            None => {
                let holds = |v| usize::from(self.wanted.holds(self.ranks.array[place(v)]));
                vertices.list.iter().map(holds).sum()
            }
        })
    }
}

impl Drop for StripeTest<'_> {
    fn drop(&mut self) {
        if self.tested > 0 {
            self.ranks.filters.note(self.wanted, self.tested);
        }
    }
}

/// Rank 0 is that of no value. There are fewer than 65,536 different ones.
fn range(before: usize, len: usize) -> RankRange {
    RankRange { first: (before as u16).wrapping_add(1), len: len as u16 }
}

impl Ranks {
    /// Whether the columns of a stripe are still what it was made from.
    fn are_of(&self, stripe: &Stripe, key: KeyId, reader: &Reader<'_>) -> bool {
        let identity = |tablet| build::identity(stripe, tablet, key, reader);
        self.sections.iter().enumerate().all(|(tablet, section)| identity(tablet) == Some(*section))
    }
}

impl<'s> Reader<'s> {
    /// The ranks of the stripe of a vertex under a key, if they are known or worth making now. None in a transaction that has
    /// changes of its own.
    pub fn ranks_near<'r>(&'r self, v: VertexRef, key: KeyId) -> Option<StripeRanks<'r>> {
        let stripe = self.memory.blocks.stripe(stripe_of(v))?;
        let cell = stripe.ranked.get(key.index())?;
        let SectionState::Loaded(ranked) = cell.read(self.memory.cache.account.era(), &self.guard) else {
            return None;
        };
        if self.own.is_some() {
            return None;
        }
        let known = ranked.ranks.as_ref().filter(|ranks| ranks.are_of(stripe, key, self));
        let ranks = match known {
            Some(ranks) => ranks,
            None if ranked.is_due(stripe) => self.memory.make_ranks(stripe_of(v), key, self)?,
            None => return None,
        };
        Some(StripeRanks { stripe: stripe_of(v) as u16, vertices: stripe.allocated(), ranks })
    }

    /// Notes that so many values of the stripe of a vertex were looked up one by one, of which ranks would have told enough.
    pub fn note_asked(&self, v: VertexRef, key: KeyId, values: usize) {
        let Some(stripe) = self.memory.blocks.stripe(stripe_of(v)) else { return };
        let cell = stripe.ranked.get_or_grow(key.index());
        match cell.loaded(&self.guard) {
            Some(ranked) => drop(ranked.asked.fetch_add(values as u64, Ordering::Relaxed)),
            None => {
                let first = Ranked { asked: AtomicU64::new(values as u64), ranks: None };
                cell.replace(first, &self.memory.cache.account, &self.guard);
            }
        }
    }
}

impl Memory {
    /// Makes the ranks of a stripe from its columns, and lets the cache keep them. Where that cannot be, it is not tried
    /// again before as much was asked for as now.
    #[cold]
    fn make_ranks<'r>(&self, number: usize, key: KeyId, reader: &'r Reader<'_>) -> Option<&'r Ranks> {
        self.make_room(false);
        let stripe = self.blocks.stripe(number)?;
        let ranks = build::ranks(stripe, key, reader);
        let cell = stripe.ranked.get_or_grow(key.index());
        let ranked = Ranked { asked: AtomicU64::new(0), ranks };
        let account: &Arc<_> = &self.cache.account;
        let ranked = cell.replace(ranked, account, &reader.guard);
        if let Some(resident) = cell.resident(&reader.guard) {
            let entry = || Entry::Ranked { stripe: number, key };
            self.cache.admit_clean(Some(resident), name_of(&("ranked", number, key.0)), entry);
            self.cache.ring_if_high();
        }
        ranked.ranks.as_ref()
    }
}
