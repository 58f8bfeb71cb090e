//! What the writer needs to know of any section.

use super::adjacency::Adjacency;
use super::codec::StoredSection;
use super::column::Column;
use super::convert::Convert;
use super::index::IndexPartition;
use super::ordered::OrderedPartition;
use super::parts::Parts;
use super::presence::Presence;
use crate::cells::Weigh;
use crate::model::{SLOTS, Tick};

/// A section whose delta can be merged into its base.
pub(crate) trait Mergeable: StoredSection + Convert + Parts + Weigh {
    /// Everything up to this stamp is in the base.
    fn settled(&self) -> Tick;
    /// Versions in the delta.
    fn delta_len(&self) -> usize;
    /// Versions in the delta up to `stamp`.
    fn delta_up_to(&self, stamp: Tick) -> usize;
    /// Whether the delta has grown large beside the base, and larger than `smallest`.
    fn is_ripe(&self, smallest: usize) -> bool;
    /// A section whose base includes everything up to `stamp`.
    fn merged(&self, stamp: Tick) -> Self;
    /// Bytes of the delta, without what its values point to.
    fn delta_bytes(&self) -> usize;
    /// Bytes of the base in memory.
    fn bytes(&self) -> usize;
}

macro_rules! mergeable {
    ($($section:ty, |$it:ident| $rows:expr;)*) => { $(
        impl Mergeable for $section {
            fn settled(&self) -> Tick {
                self.settled
            }
            fn delta_len(&self) -> usize {
                self.delta.len()
            }
            fn delta_up_to(&self, stamp: Tick) -> usize {
                self.delta.count_up_to(stamp)
            }
            fn delta_bytes(&self) -> usize {
                self.delta.bytes()
            }
            fn is_ripe(&self, smallest: usize) -> bool {
                let $it = self;
                self.delta.is_ripe(smallest, $rows)
            }
            fn merged(&self, stamp: Tick) -> Self {
                <$section>::merged(self, stamp)
            }
            fn bytes(&self) -> usize {
                <$section>::bytes(self)
            }
        }

        impl Weigh for $section {
            fn weight(&self) -> usize {
                size_of::<Self>() + Mergeable::bytes(self) + self.delta.bytes()
            }
        }
    )* };
}

mergeable! {
    Presence, |_it| SLOTS;
    Column, |_it| SLOTS;
    Adjacency, |it| it.neighbours().len();
    IndexPartition, |it| it.entries().len();
    OrderedPartition, |it| it.len();
}
