//! Which indexes there are, and how far each is.

use crate::model::{KeyId, PropertyId, VertexLabelId};

/// What an index can answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum IndexKind {
    /// Which vertices have a value equal to a given one.
    Equality = 0,
    /// The same, and no two vertices may have the same value.
    Unique = 1,
    /// Which vertices have values in a range, in order; with several keys: equal values of the first ones, and a range
    /// of the next.
    Range = 2,
}

impl IndexKind {
    /// All of them, in the order of their numbers.
    pub(crate) const ALL: [Self; 3] = [Self::Equality, Self::Unique, Self::Range];

    /// The name that schema files and services use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Equality => "equality",
            Self::Unique => "unique",
            Self::Range => "range",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Whether an index may be asked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum IndexState {
    /// Commits maintain it; what was there before is still being added.
    Building = 0,
    /// It has everything.
    Ready = 1,
}

/// An index over the vertices of one label.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct IndexDefinition {
    /// The label of the vertices it covers.
    pub label: VertexLabelId,
    /// The keys whose values it finds: one, or for a range index up to [`IndexDefinition::MAX_KEYS`].
    pub keys: Box<[KeyId]>,
    /// What it can answer.
    pub kind: IndexKind,
}

impl IndexDefinition {
    /// Most keys of one index.
    pub const MAX_KEYS: usize = 8;

    /// Most combinations of the values that one vertex has under the keys of a range index.
    pub const MAX_COMBINATIONS: usize = PropertyId::MAX_PLACES as usize;

    /// Whether it is an index by the hash of the values of this key alone.
    pub(crate) fn is_hash_of(&self, label: VertexLabelId, key: KeyId) -> bool {
        self.label == label && self.kind != IndexKind::Range && *self.keys == [key]
    }
}

/// An index, its place in the store and its state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Index {
    /// Which of the graph's indexes it is, in the order of creation; never used again when it is dropped.
    pub(crate) number: u32,
    /// What it is over.
    pub definition: IndexDefinition,
    /// Whether it may be asked.
    pub state: IndexState,
}
