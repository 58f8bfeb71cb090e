//! Tokens that can appear as values.

/// The parts of an element that are not properties, in the order of TinkerPop's enumeration, by which they sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum T {
    /// The element's label.
    Label,
    /// The element's id.
    Id,
    /// A property's key.
    Key,
    /// A property's value.
    Value,
}

impl T {
    /// The name Gremlin uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Label => "label",
            Self::Key => "key",
            Self::Value => "value",
        }
    }
    /// The token of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Id, Self::Label, Self::Key, Self::Value].into_iter().find(|t| t.as_str() == name)
    }
}

/// The end of an edge, or the way along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// Along the edge, from its source.
    Out,
    /// Against the edge, from its target.
    In,
    /// Either way.
    Both,
}

impl Direction {
    /// The name Gremlin uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Out => "OUT",
            Self::In => "IN",
            Self::Both => "BOTH",
        }
    }
    /// The token of that name; `from` and `to` are other names of `OUT` and `IN`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "OUT" | "from" => Some(Self::Out),
            "IN" | "to" => Some(Self::In),
            "BOTH" => Some(Self::Both),
            _ => None,
        }
    }
    /// The other way along the edge.
    pub fn opposite(self) -> Self {
        match self {
            Self::Out => Self::In,
            Self::In => Self::Out,
            Self::Both => Self::Both,
        }
    }
}
