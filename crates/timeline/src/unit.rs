//! Units: what two transactions must have in common to conflict.

use std::fmt;

/// The kinds of units (DESIGN, section 4).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum UnitKind {
    /// What a vertex has under one property key, or under any.
    Vertex = 1,
    /// Whether a vertex or an edge exists. It is a unit of its own, so that inserting an edge depends on the existence of both
    /// ends, and not on their properties.
    Existence = 2,
    /// One adjacency list of a vertex, or any of one direction: which edges are in it.
    Adjacency = 3,
    /// What an edge has under one property key, or under any.
    Edge = 4,
    /// All elements with one value in one index.
    IndexKey = 5,
    /// Which elements have a label.
    Label = 6,
    /// The catalog, or one entry of it.
    Schema = 7,
    /// Whether a name is known.
    Name = 8,
}

/// One unit: 16 bytes that the graph chooses. Two transactions that name equal units touch common data; units that
/// are equal by accident (a hash collision) refuse a transaction for nothing, which is safe.
///
/// ```text
///   ┌────────┬───────────────┬─────────────────────────────┐
///   │ kind 1 │   space 4     │           key 8              │  bytes
///   └────────┴───────────────┴─────────────────────────────┘
///     Vertex     the key, or any   the vertex
///     Adjacency  label, or any; direction  the vertex
///     Edge       the key, or any   the edge
///     IndexKey   the index       a hash of the value
///     Label      0               the label
///     Name       labels or keys  a hash of the name
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unit {
    key: u64,
    space: u32,
    kind: UnitKind,
}

impl Unit {
    /// The unit of `kind` with the given place: which one within its space.
    pub const fn new(kind: UnitKind, space: u32, key: u64) -> Self {
        Self { key, space, kind }
    }

    /// What kind of data it stands for.
    pub const fn kind(self) -> UnitKind {
        self.kind
    }

    /// The list, the index …: which of several namespaces of its kind.
    pub const fn space(self) -> u32 {
        self.space
    }

    /// The vertex, edge, value …: which one within the space.
    pub const fn key(self) -> u64 {
        self.key
    }
}

impl fmt::Debug for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({}, {:#x})", self.kind, self.space, self.key)
    }
}
