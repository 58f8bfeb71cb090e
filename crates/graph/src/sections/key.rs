//! The names of sections, in memory and in the store.

use values::VertexRef;

use super::tree::{TreeName, TreePart};
use crate::model::{Dir, EdgeLabelId, KeyId, adjacency_number, slot_of, stripe_of, vertex_at};

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
    /// A node of an edge-tree.
    Tree { name: TreeName, part: TreePart },
}

impl SectionKey {
    /// The section called `name` of the block that holds `v`.
    pub(crate) fn of(v: VertexRef, name: SectionName) -> Self {
        Self::Block { stripe: stripe_of(v) as u16, tablet: v.tablet() as u8, name }
    }

    /// A partition of an index by hash.
    pub(crate) fn index(index: usize, partition: usize) -> Self {
        Self::Index { index: index as u32, partition: partition as u8 }
    }

    /// A partition of a range index.
    pub(crate) fn ordered(index: usize, partition: usize) -> Self {
        Self::Ordered { index: index as u32, partition: partition as u8 }
    }

    /// Whether it is one of lists.
    pub(crate) fn is_adjacency(&self) -> bool {
        matches!(self, Self::Block { name: SectionName::Adjacency(..), .. })
    }

    /// The section whose key in the store begins with these bytes, and what follows: nothing, or the number of a further
    /// part.
    pub(crate) fn parse(bytes: &[u8]) -> Option<(Self, &[u8])> {
        match bytes.split_first()? {
            (b'b', rest) => {
                let (fields, rest) = rest.split_first_chunk::<7>()?;
                let stripe = u16::from_be_bytes([fields[0], fields[1]]);
                let number = u32::from_be_bytes([fields[2], fields[3], fields[4], fields[5]]);
                let name = SectionName::from_number(number)?;
                Some((Self::Block { stripe, tablet: fields[6], name }, rest))
            }
            (kind @ (b'i' | b'o'), rest) => {
                let (&[i0, i1, i2, i3, partition], rest) = rest.split_first_chunk::<5>()?;
                let index = u32::from_be_bytes([i0, i1, i2, i3]);
                let hashed = Self::Index { index, partition };
                let key = if *kind == b'i' { hashed } else { Self::Ordered { index, partition } };
                Some((key, rest))
            }
            (b't', rest) => {
                let (list, rest) = parse_list(rest)?;
                let (part, rest) = parse_part(rest)?;
                Some((Self::Tree { name: list, part }, rest))
            }
            (b's', rest) => {
                let (list, rest) = parse_list(rest)?;
                let (key, rest) = rest.split_first_chunk::<2>()?;
                let name = list.by(Some(KeyId(u16::from_be_bytes(*key))));
                let (part, rest) = parse_part(rest)?;
                Some((Self::Tree { name, part }, rest))
            }
            _ => None,
        }
    }

    /// The key in the store: big-endian, so that a stripe's sections of one name are neighbours.
    ///
    /// ```text
    /// 'b' │ stripe u16 │ name u32 │ tablet u8          'i', 'o' │ index u32 │ partition u8
    /// 't' │ stripe u16 │ name u32 │ tablet u8 │ slot u16 │ 0 root, 1 meta, 2 edge node u8 │ id u32
    /// 's' │ stripe u16 │ name u32 │ tablet u8 │ slot u16 │ property key u16 │ likewise, of a secondary tree
    /// ```
    pub(crate) fn bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(16);
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
            Self::Tree { name, part } => {
                bytes.extend_from_slice(&tree_prefix(name));
                let (kind, id) = match part {
                    TreePart::Root => (0, 0),
                    TreePart::Meta(id) => (1, id),
                    TreePart::Node(id) => (2, id),
                };
                bytes.push(kind);
                bytes.extend_from_slice(&u32::to_be_bytes(id));
            }
        }
        bytes
    }
}

/// What the keys of all sections of a stripe begin with, and those of the nodes of their trees.
pub(crate) fn stripe_prefixes(stripe: u16) -> [Vec<u8>; 2] {
    let [high, low] = stripe.to_be_bytes();
    [b'b', b't'].map(|kind| vec![kind, high, low])
}

/// What the keys of all nodes of a tree begin with.
pub(crate) fn tree_prefix(name: TreeName) -> Vec<u8> {
    let list = SectionName::Adjacency(name.label, name.dir);
    let mut bytes = vec![if name.by.is_some() { b's' } else { b't' }];
    bytes.extend_from_slice(&(stripe_of(name.v) as u16).to_be_bytes());
    bytes.extend_from_slice(&list.number().to_be_bytes());
    bytes.push(name.v.tablet() as u8);
    bytes.extend_from_slice(&(slot_of(name.v) as u16).to_be_bytes());
    if let Some(key) = name.by {
        bytes.extend_from_slice(&key.0.to_be_bytes());
    }
    bytes
}

/// The primary tree of the list that the key of a tree's node names behind its first byte.
fn parse_list(bytes: &[u8]) -> Option<(TreeName, &[u8])> {
    let (fields, rest) = bytes.split_first_chunk::<9>()?;
    let [s0, s1, n0, n1, n2, n3, tablet, slot0, slot1] = *fields;
    let SectionName::Adjacency(label, dir) = SectionName::from_number(u32::from_be_bytes([n0, n1, n2, n3]))?
    else {
        return None;
    };
    let v = vertex_at(u16::from_be_bytes([s0, s1]), tablet, u16::from_be_bytes([slot0, slot1]));
    Some((TreeName::primary(v, label, dir), rest))
}

fn parse_part(bytes: &[u8]) -> Option<(TreePart, &[u8])> {
    let ([kind, id @ ..], rest) = bytes.split_first_chunk::<5>()?;
    let id = u32::from_be_bytes(*id);
    let part = match kind {
        0 => TreePart::Root,
        1 => TreePart::Meta(id),
        2 => TreePart::Node(id),
        _ => return None,
    };
    Some((part, rest))
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
            Self::Tree { name: TreeName { v, label, dir, by }, part } => {
                let kind = if by.is_some() { "secondary edge-tree" } else { "edge-tree" };
                write!(f, "{part:?} of the {kind} of vertex {} ({dir:?}, edge label {})", v.0, label.0)?;
                by.map_or(Ok(()), |key| write!(f, " by property key {}", key.0))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_comes_back_from_its_bytes() {
        let name = SectionName::Adjacency(EdgeLabelId(7), Dir::In);
        let list = TreeName::primary(vertex_at(300, 63, 1_000), EdgeLabelId(7), Dir::In);
        for key in [
            SectionKey::Block { stripe: 300, tablet: 63, name },
            SectionKey::Index { index: 70_000, partition: 9 },
            SectionKey::Tree { name: list, part: TreePart::Node(70_000) },
            SectionKey::Tree { name: list.by(Some(KeyId(600))), part: TreePart::Root },
            SectionKey::Tree { name: list.by(Some(KeyId(6))), part: TreePart::Meta(3) },
        ] {
            let mut bytes = key.bytes();
            assert_eq!(SectionKey::parse(&bytes), Some((key, &[][..])));
            bytes.push(5);
            assert_eq!(SectionKey::parse(&bytes), Some((key, &[5][..])));
            assert_eq!(SectionKey::parse(&bytes[..5]), None);
        }
        assert_eq!(SectionKey::parse(b"x"), None);
    }

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
