//! What is known about the objects of a stream.

use values::Str;

use crate::physical::Slot;

/// What kind of objects a step yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Type {
    /// Any.
    #[default]
    Unknown,
    /// Nothing yet: the start of a traversal.
    Seed,
    /// Vertices.
    Vertex,
    /// Edges.
    Edge,
    /// Properties, with or without an owner.
    Property,
    /// Maps.
    Map,
    /// Lists.
    List,
    /// Anything else that is neither an element nor a map.
    Scalar,
}

/// What is known about the objects of a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Shape {
    /// Their kind.
    pub ty: Type,
    /// For edges: where the vertex is kept that they were reached from.
    pub from: Option<Slot>,
    /// For maps: their keys, where they are known.
    pub keys: Option<Vec<Str>>,
    /// Whether one of them may be missing.
    pub lacks: bool,
}

impl Shape {
    /// Objects of a kind, and no more known about them.
    pub fn of(ty: Type) -> Self {
        Self { ty, ..Self::default() }
    }

    /// Objects of any kind.
    pub fn unknown() -> Self {
        Self::default()
    }

    /// What is known of objects that may be of either shape.
    pub fn or(self, other: Self) -> Self {
        if self == other {
            return self;
        }
        // Only of edges anybody asks what was current before.
        let from = match (self.may_be_edge(), other.may_be_edge()) {
            (true, false) => self.from,
            (false, true) => other.from,
            _ => self.from.filter(|_| self.from == other.from),
        };
        let ty = if self.ty == other.ty { self.ty } else { Type::Unknown };
        Self { from, ..Self::of(ty) }
    }

    fn may_be_edge(&self) -> bool {
        matches!(self.ty, Type::Unknown | Type::Edge)
    }

    /// Whether the objects may be maps.
    pub fn may_be_map(&self) -> bool {
        matches!(self.ty, Type::Unknown | Type::Map)
    }
}
