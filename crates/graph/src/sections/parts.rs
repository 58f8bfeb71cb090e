//! What the bytes of a section in memory are spent on.

use super::adjacency::Adjacency;
use super::column::Column;
use super::index::IndexPartition;
use super::ordered::OrderedPartition;
use super::presence::Presence;
use crate::model::KeyId;

/// A part of a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// One that every section of its kind has.
    Of(&'static str),
    /// The values of edges under a key.
    EdgeColumn(KeyId),
}

/// A section that says what its bytes are spent on.
pub(crate) trait Parts {
    /// Its parts and the bytes of each in memory, of the base alone. Together they are its
    /// [`bytes`](super::Mergeable::bytes).
    fn parts(&self) -> Vec<(Part, usize)>;
}

impl Parts for Presence {
    fn parts(&self) -> Vec<(Part, usize)> {
        let (exists, ids) = self.base();
        vec![(Part::Of("exists"), size_of_val(exists.words())), (Part::Of("ids"), ids.bytes())]
    }
}

impl Parts for Column {
    fn parts(&self) -> Vec<(Part, usize)> {
        vec![(Part::Of("values"), self.base().bytes())]
    }
}

impl Parts for Adjacency {
    fn parts(&self) -> Vec<(Part, usize)> {
        let mut parts = vec![
            (Part::Of("offsets"), size_of_val(self.offsets())),
            (Part::Of("neighbours"), size_of_val(self.neighbours())),
            (Part::Of("seqs"), size_of_val(self.seqs())),
        ];
        let columns = self.columns().iter();
        parts.extend(columns.map(|(key, values)| (Part::EdgeColumn(*key), values.bytes())));
        parts
    }
}

impl Parts for IndexPartition {
    fn parts(&self) -> Vec<(Part, usize)> {
        vec![(Part::Of("entries and buckets"), self.bytes())]
    }
}

impl Parts for OrderedPartition {
    fn parts(&self) -> Vec<(Part, usize)> {
        let (ends, bytes, vertices) = self.base();
        vec![
            (Part::Of("ends"), size_of_val(ends)),
            (Part::Of("bytes"), bytes.len()),
            (Part::Of("vertices"), size_of_val(vertices)),
        ]
    }
}
