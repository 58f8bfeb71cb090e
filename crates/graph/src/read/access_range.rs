//! Lookups in range indexes.

use values::VertexRef;

use super::reader::Reader;
use crate::model::{RangeQuery, bounds_of};
use crate::sections::{FIRST_INDEX, PARTITIONS};

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
            match self.memory.ordered_partition(
                self.request(),
                FIRST_INDEX + index.number as usize,
                partition,
                &self.guard,
            ) {
                Ok(Some(section)) => section.candidates(&from, &to, out),
                Ok(None) => {}
                Err(error) => self.snapshot().fail(error),
            }
        }
        out[first..].sort_unstable();
        let mut kept = first;
        for i in first..out.len() {
            if (kept == first || out[kept - 1] != out[i]) && self.exists(out[i]) {
                out[kept] = out[i];
                kept += 1;
            }
        }
        out.truncate(kept);
        true
    }
}
