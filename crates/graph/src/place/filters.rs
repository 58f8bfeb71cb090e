//! Which vertices of a stripe pass a test that comes again and again, as a byte each.
//!
//! ```text
//! ranks     │ 2 │ 0 │ 1 │ 2 │ …        looked up, subtracted and compared
//! filter    │ 1 │ 0 │ 0 │ 1 │ …        looked up: the ranks from 2 on, say
//! ```
//!
//! Programs ask the same of many starting points: whose friends are of age, which posts are public. A filter takes half the
//! time of ranks per vertex. Ranks have room for two of them, which are charged with the ranks, whether they are there or not.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::RwLock;

use super::ranked::{Array, RankRange};
use crate::model::STRIPE_VERTICES;

/// Filters that are kept.
const MOST: usize = 2;

/// Lookups per vertex of a stripe after which a filter is made: to make it costs less than this saves.
const PAYS: u64 = 1;

/// Lookups beyond which a filter has no more weight against another one.
const MOST_WEIGHT: u64 = 1 << 20;

/// A byte per vertex of a stripe: 1 if it passes.
pub(crate) type Filter = [u8; STRIPE_VERTICES as usize];

/// Bytes of all filters of a stripe.
pub(crate) const BYTES: usize = MOST * size_of::<Filter>();

/// The filters of one stripe and key.
#[derive(Default)]
pub(crate) struct Filters {
    known: RwLock<Vec<Known>>,
}

/// A test that has come before.
struct Known {
    wanted: RankRange,
    asked: AtomicU64,
    filter: OnceLock<Arc<Filter>>,
}

impl Filters {
    /// The filter of a test, if there is one, or it is worth making now, for a stripe of so many vertices.
    pub(crate) fn get(&self, wanted: RankRange, ranks: &Array, vertices: u32) -> Option<Arc<Filter>> {
        let known = self.known.read();
        let known = known.iter().find(|known| known.wanted == wanted)?;
        if known.filter.get().is_none() && known.asked.load(Ordering::Relaxed) < PAYS * u64::from(vertices) {
            return None;
        }
        Some(Arc::clone(known.filter.get_or_init(|| make(wanted, ranks))))
    }

    /// Notes that so many vertices were tested. A test that comes more often than one that is known takes its place.
    pub(crate) fn note(&self, wanted: RankRange, vertices: u64) {
        if self.add(wanted, vertices) {
            return;
        }
        let mut known = self.known.write();
        if known.iter().any(|known| known.wanted == wanted) {
            return;
        }
        if known.len() < MOST {
            known.push(Known::new(wanted, vertices));
        } else if let Some(weakest) = known.iter_mut().min_by_key(|known| known.asked.load(Ordering::Relaxed))
        {
            match weakest.asked.get_mut().checked_sub(vertices) {
                Some(left) => *weakest.asked.get_mut() = left,
                None => *weakest = Known::new(wanted, vertices),
            }
        }
    }

    /// Whether the test is known; then that many are added.
    fn add(&self, wanted: RankRange, vertices: u64) -> bool {
        let known = self.known.read();
        let Some(known) = known.iter().find(|known| known.wanted == wanted) else { return false };
        if known.asked.fetch_add(vertices, Ordering::Relaxed) > MOST_WEIGHT {
            known.asked.store(MOST_WEIGHT, Ordering::Relaxed);
        }
        true
    }
}

impl Known {
    fn new(wanted: RankRange, asked: u64) -> Self {
        Self { wanted, asked: AtomicU64::new(asked), filter: OnceLock::new() }
    }
}

#[cold]
fn make(wanted: RankRange, ranks: &Array) -> Arc<Filter> {
    let filter: Arc<[u8]> = ranks.iter().map(|rank| u8::from(wanted.holds(*rank))).collect();
    filter.try_into().unwrap_or_else(|_| unreachable!("it is as long as a stripe"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(first: u16, len: u16) -> RankRange {
        RankRange { first, len }
    }

    #[test]
    fn a_filter_says_what_the_ranks_say_once_it_has_been_asked_for_often() {
        let mut ranks = [0; STRIPE_VERTICES as usize];
        (0..1000).for_each(|n| ranks[n * 65] = (n % 50) as u16);
        let (filters, wanted) = (Filters::default(), range(3, 20));
        assert!(filters.get(wanted, &ranks, 1000).is_none());
        filters.note(wanted, 999);
        assert!(filters.get(wanted, &ranks, 1000).is_none());
        filters.note(wanted, 1);
        let filter = filters.get(wanted, &ranks, 1000).unwrap();
        assert!(filter.iter().zip(&ranks).all(|(byte, rank)| *byte == u8::from((3..23).contains(rank))));
        assert!(filters.get(range(3, 21), &ranks, 1000).is_none());
    }

    #[test]
    fn what_is_asked_for_now_takes_the_place_of_what_was_asked_for_long_ago() {
        let (filters, ranks) = (Filters::default(), [1; STRIPE_VERTICES as usize]);
        let is_known = |wanted| filters.get(wanted, &ranks, 100).is_some();
        let (one, two, three) = (range(1, 1), range(1, 2), range(1, 3));
        (0..100).for_each(|_| filters.note(one, 1 << 20));
        filters.note(two, 500);
        assert!(is_known(one) && is_known(two));
        filters.note(three, 400);
        assert!(is_known(one) && is_known(two) && !is_known(three), "it came less often");
        filters.note(three, 400);
        assert!(is_known(one) && !is_known(two) && is_known(three));
        (0..6).for_each(|_| filters.note(three, 1 << 20));
        (0..6).for_each(|_| filters.note(two, 1 << 20));
        assert!(is_known(two), "what was asked for very often does not stay for ever");
    }
}
