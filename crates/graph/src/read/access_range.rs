//! Lookups in range indexes.

use values::VertexRef;

use super::access::keep_distinct_from;
use super::reader::Reader;
use crate::model::{RangeQuery, bounds_of};
use crate::sections::{FIRST_INDEX, OrderedPartition, PARTITIONS};

impl Reader<'_> {
    /// Appends vertices in ascending order: all that the query is about, and perhaps others of the label. Whoever asks
    /// compares the values: what belongs to a range depends on more than a range index knows.
    ///
    /// `false` if there is no such index, or one of the values is a collection, which such an index cannot find.
    pub fn range_lookup(&self, query: RangeQuery<'_>, out: &mut Vec<VertexRef>) -> bool {
        let Some(index) = self.snapshot().catalog().range_index(query.label, query.keys) else {
            return false;
        };
        let Some((from, to)) = bounds_of(query) else { return false };
        let first = out.len();
        if let Some(own) = self.own {
            own.ordered_candidates(index.number, &from, &to, out);
        }
        for partition in 0..PARTITIONS {
            if let Some(section) = self.ordered_partition(FIRST_INDEX + index.number as usize, partition) {
                section.candidates(&from, &to, out);
            }
        }
        keep_distinct_from(out, first, |v| self.exists(v));
        true
    }

    /// The partition of a range index, if there is one.
    pub(super) fn ordered_partition(&self, index: usize, partition: usize) -> Option<&OrderedPartition> {
        self.or_fail(self.memory.ordered_partition(self.request(), index, partition, &self.guard)).flatten()
    }
}
