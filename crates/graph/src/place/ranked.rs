//! The ranks of the values of a stripe under one key, as they lie there. `read/ranked` makes and asks them.

use super::block::Stripe;
use super::filters;
use super::filters::Filters;
use crate::cells::Weigh;
use crate::model::{STRIPE_VERTICES, TABLETS};
use std::sync::atomic::{AtomicU64, Ordering};

/// Lookups per vertex of a stripe after which its ranks are made. Making them costs about what twice as many lookups save, so
/// whoever waits for this spends at most three times what would have been best.
pub(crate) const PAYS: u64 = 32;

/// Vertices that a stripe counts for at least: an array of ranks is as long for a few.
pub(crate) const FEWEST: u32 = 4096;

/// The ranks of one stripe.
pub(crate) type Array = [u16; STRIPE_VERTICES as usize];

/// The different values of a stripe, ascending.
#[derive(Debug)]
pub(crate) enum Different {
    Longs(Box<[i64]>),
    Strings(Box<[Box<str>]>),
}

/// What is in the place of a stripe and key.
pub(crate) struct Ranked {
    /// Values that were asked for since it is there and was of no use.
    pub(crate) asked: AtomicU64,
    pub(crate) ranks: Option<Ranks>,
}

pub(crate) struct Ranks {
    pub(crate) array: Box<Array>,
    pub(crate) different: Different,
    pub(crate) filters: Filters,
    /// By tablet, the identity of the column; 0 where there is none.
    pub(crate) sections: [u64; TABLETS],
}

impl Ranked {
    /// Whether to make ranks now. One of those who ask at the same time is told so.
    pub(crate) fn is_due(&self, stripe: &Stripe) -> bool {
        let pays = PAYS * u64::from(stripe.allocated().max(FEWEST));
        self.asked.load(Ordering::Relaxed) >= pays && self.asked.swap(0, Ordering::Relaxed) >= pays
    }
}

impl Weigh for Ranked {
    fn weight(&self) -> usize {
        let ranks = self
            .ranks
            .as_ref()
            .map_or(0, |ranks| size_of::<Array>() + filters::BYTES + ranks.different.bytes());
        size_of::<Self>() + ranks
    }
}

impl Different {
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Longs(longs) => size_of_val::<[i64]>(longs),
            Self::Strings(strings) => {
                size_of_val::<[Box<str>]>(strings) + strings.iter().map(|text| text.len()).sum::<usize>()
            }
        }
    }
}

/// The ranks of some values that follow one another: from `first` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RankRange {
    pub(crate) first: u16,
    pub(crate) len: u16,
}

impl RankRange {
    /// Whether a rank is in it.
    #[inline(always)]
    pub(crate) fn holds(self, rank: u16) -> bool {
        rank.wrapping_sub(self.first) < self.len
    }
}
