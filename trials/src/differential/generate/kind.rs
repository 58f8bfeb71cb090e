//! What kind of objects a stream carries, as far as the generator needs to know.

/// A kind of object.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A vertex.
    Vertex,
    /// An edge.
    Edge,
    /// A property of a vertex.
    VertexProperty,
    /// A property of an edge or of a property.
    Property,
    /// A number of any type.
    Number,
    /// A text.
    Text,
    /// A truth value.
    Bool,
    /// A point in time.
    Date,
    /// A list or a set of such.
    Many(Box<Kind>),
    /// A map with texts for keys, some of which are known.
    Map(Vec<(String, Kind)>),
    /// A path.
    Path,
    /// Any of them.
    Mixed,
}

impl Kind {
    /// A list of such.
    pub fn many(of: Kind) -> Self {
        Self::Many(Box::new(of))
    }

    /// What it is of two streams together.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if self == other { self } else { Self::Mixed }
    }
}

/// What a step wants to be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Anything.
    Any,
    /// A vertex.
    Vertex,
    /// An edge.
    Edge,
    /// A vertex or an edge.
    Element,
    /// What has properties: a vertex, an edge, a property of a vertex.
    Owner,
    /// A property.
    Property,
    /// A property of a vertex.
    VertexProperty,
    /// A number.
    Number,
    /// A text.
    Text,
    /// A point in time.
    Date,
    /// A list.
    Many,
    /// A list of texts.
    Texts,
    /// A list or a map.
    Container,
    /// A map.
    Map,
    /// A path.
    Path,
    /// What can be compared with its like: a number or a text.
    Comparable,
    /// What is neither a list, a map nor a path.
    Atom,
}

impl Needs {
    /// Whether that will do.
    pub fn take(self, kind: &Kind) -> bool {
        use Kind as K;
        match self {
            Self::Any => true,
            Self::Vertex => *kind == K::Vertex,
            Self::Edge => *kind == K::Edge,
            Self::Element => matches!(kind, K::Vertex | K::Edge),
            Self::Owner => matches!(kind, K::Vertex | K::Edge | K::VertexProperty),
            Self::Property => matches!(kind, K::VertexProperty | K::Property),
            Self::VertexProperty => *kind == K::VertexProperty,
            Self::Number => *kind == K::Number,
            Self::Text => *kind == K::Text,
            Self::Date => *kind == K::Date,
            Self::Many => matches!(kind, K::Many(_)),
            Self::Texts => matches!(kind, K::Many(of) if **of == K::Text),
            Self::Container => matches!(kind, K::Many(_) | K::Map(_)),
            Self::Map => matches!(kind, K::Map(_)),
            Self::Path => *kind == K::Path,
            Self::Comparable => matches!(kind, K::Number | K::Text | K::Date | K::Bool),
            Self::Atom => !matches!(kind, K::Many(_) | K::Map(_) | K::Path | K::Mixed),
        }
    }
}
