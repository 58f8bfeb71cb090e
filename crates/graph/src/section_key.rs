//! The names of sections, in memory and in the store.

use values::VertexRef;

use crate::block::{adjacency_number, stripe_of};
use crate::{Dir, EdgeLabelId, KeyId};

/// Which section of a block, or which partition of an index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum SectionName {
    /// Which vertices exist, and their ids.
    Presence,
    /// A property key.
    Column(KeyId),
    /// An edge label, one way.
    Adjacency(EdgeLabelId, Dir),
}

impl SectionName {
    /// One number for kind and id: the order of the sections of a stripe in the store.
    ///
    /// ```text
    /// presence 0 │ columns 1 << 20 | key │ adjacency 2 << 20 | label << 1 | direction
    /// ```
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::Presence => 0,
            Self::Column(key) => 1 << 20 | u32::from(key.0),
            Self::Adjacency(label, dir) => 2 << 20 | adjacency_number(label, dir) as u32,
        }
    }

    /// The name with this number.
    pub(crate) fn from_number(number: u32) -> Option<Self> {
        let id = number & 0xf_ffff;
        match number >> 20 {
            0 if id == 0 => Some(Self::Presence),
            1 => Some(Self::Column(KeyId(u16::try_from(id).ok()?))),
            2 => {
                let dir = if id & 1 == 0 { Dir::Out } else { Dir::In };
                Some(Self::Adjacency(EdgeLabelId(u16::try_from(id >> 1).ok()?), dir))
            }
            _ => None,
        }
    }
}

/// One section of the graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum SectionKey {
    /// A section of the block at `stripe` and `tablet`.
    Block { stripe: u16, tablet: u8, name: SectionName },
    /// A partition of an index by hash.
    Index { index: u32, partition: u8 },
    /// A partition of a range index.
    Ordered { index: u32, partition: u8 },
}

impl SectionKey {
    /// The section called `name` of the block that holds `v`.
    pub(crate) fn of(v: VertexRef, name: SectionName) -> Self {
        Self::Block { stripe: stripe_of(v) as u16, tablet: v.tablet() as u8, name }
    }

    /// The key in the store: big-endian, so that a stripe's sections of one name are neighbours.
    ///
    /// ```text
    /// 'b' │ stripe u16 │ name u32 │ tablet u8          'i', 'o' │ index u32 │ partition u8
    /// ```
    pub(crate) fn bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(8);
        match self {
            Self::Block { stripe, tablet, name } => {
                bytes.push(b'b');
                bytes.extend_from_slice(&stripe.to_be_bytes());
                bytes.extend_from_slice(&name.number().to_be_bytes());
                bytes.push(tablet);
            }
            Self::Index { index, partition } | Self::Ordered { index, partition } => {
                bytes.push(if matches!(self, Self::Index { .. }) { b'i' } else { b'o' });
                bytes.extend_from_slice(&index.to_be_bytes());
                bytes.push(partition);
            }
        }
        bytes
    }
}

impl std::fmt::Display for SectionKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Block { stripe, tablet, name } => {
                write!(f, "section {name:?} of block {stripe} of tablet {tablet}")
            }
            Self::Index { index, partition } | Self::Ordered { index, partition } => {
                write!(f, "partition {partition} of index {index}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_comes_back_from_its_number() {
        for name in [
            SectionName::Presence,
            SectionName::Column(KeyId(0)),
            SectionName::Column(KeyId(65_535)),
            SectionName::Adjacency(EdgeLabelId(0), Dir::In),
            SectionName::Adjacency(EdgeLabelId(65_534), Dir::Out),
        ] {
            assert_eq!(SectionName::from_number(name.number()), Some(name));
        }
        assert_eq!(SectionName::from_number(3 << 20), None);
        assert_eq!(SectionName::from_number(7), None);
    }
}
