//! Ids of the names in the catalog, and the two ways along an edge.

use values::Direction;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        #[repr(transparent)]
        pub struct $name(pub u16);

        impl $name {
            /// The id as an index into a table.
            #[inline]
            pub fn index(self) -> usize {
                usize::from(self.0)
            }
        }
    };
}

id! {
    /// A vertex label's id in the catalog. Those of labels that a commit has used are never another's; nearly dense.
    VertexLabelId
}
id! {
    /// An edge label's id in the catalog, as for vertex labels. The same number as [`values::EdgeRef::label`].
    EdgeLabelId
}
id! {
    /// A property key's id in the catalog, as for vertex labels; vertices, edges and meta-properties share the keys.
    KeyId
}

/// Which of its two adjacency lists a vertex is asked for. An edge is stored in both.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Dir {
    /// The edges that leave the vertex.
    Out = 0,
    /// The edges that enter it.
    In = 1,
}

impl Dir {
    /// The other way.
    #[inline]
    pub fn reverse(self) -> Self {
        match self {
            Self::Out => Self::In,
            Self::In => Self::Out,
        }
    }

    /// The lists to look at for a traversal's direction: one, or for `Both` the out-edges first.
    #[inline]
    pub fn of(direction: Direction) -> &'static [Dir] {
        match direction {
            Direction::Out => &[Self::Out],
            Direction::In => &[Self::In],
            Direction::Both => &[Self::Out, Self::In],
        }
    }
}

/// What is there under a key: of a handful of entries, so a linear search beats a map.
#[inline]
pub(crate) fn under_key<T>(entries: &[(KeyId, T)], key: KeyId) -> Option<&T> {
    entries.iter().find(|(known, _)| *known == key).map(|(_, entry)| entry)
}

/// The same, added as `new` makes it if there is nothing.
#[inline]
pub(crate) fn under_key_or<T>(entries: &mut Vec<(KeyId, T)>, key: KeyId, new: impl FnOnce() -> T) -> &mut T {
    let place = entries.iter().position(|(known, _)| *known == key).unwrap_or(entries.len());
    if place == entries.len() {
        entries.push((key, new()));
    }
    &mut entries[place].1
}
