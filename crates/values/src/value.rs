//! The one type that every value of a query has.

use std::sync::Arc;

use crate::{
    BigDecimal, BigInt, BulkSet, DateTime, Direction, Duration, Edge, EdgeRef, Map, Path, Property, Set, T,
    Uuid, Vertex, VertexProperty, VertexRef, Weighed,
};

/// A string of at most 15 bytes is stored inline; a longer one is shared and counted.
pub type Str = ecow::EcoString;

/// Any value that a Gremlin query can see.
///
/// At most 32 bytes: scalars and short strings are inline, everything larger is behind one counted pointer, so
/// copying a value never copies its contents.
///
/// `Eq` and `Hash` are TinkerPop's *equivalence* (what `dedup` and `group` use: `NaN` equals itself, numbers of
/// different types differ); what `P.eq` means is [`crate::compare::equals`].
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// The absence of a value that is still a value.
    #[default]
    Null,
    /// A truth value.
    Bool(bool),
    /// 8-bit integer.
    Byte(i8),
    /// 16-bit integer.
    Short(i16),
    /// 32-bit integer.
    Int(i32),
    /// 64-bit integer.
    Long(i64),
    /// Integer of any size.
    BigInteger(Arc<BigInt>),
    /// IEEE single.
    Float(f32),
    /// IEEE double.
    Double(f64),
    /// Decimal of any size.
    BigDecimal(Arc<BigDecimal>),
    /// One character.
    Char(char),
    /// A string.
    String(Str),
    /// A UUID.
    Uuid(Uuid),
    /// A point in time.
    DateTime(DateTime),
    /// A span of time.
    Duration(Duration),
    /// Bytes.
    Binary(Arc<[u8]>),
    /// An ordered collection.
    List(Arc<Weighed<Vec<Value>>>),
    /// A collection without equals.
    Set(Arc<Weighed<Set>>),
    /// A collection whose members are told once, with how often they are in it.
    BulkSet(Arc<Weighed<BulkSet>>),
    /// A mapping.
    Map(Arc<Weighed<Map>>),
    /// One entry of a map, as `unfold` yields them: `select(keys)` of it is its key. Results leave as one-entry maps.
    Entry(Arc<Weighed<(Value, Value)>>),
    /// A traverser's history.
    Path(Arc<Weighed<Path>>),
    /// A property of an edge or a meta-property.
    Property(Arc<Property>),
    /// A property of a vertex.
    VertexProperty(Arc<VertexProperty>),
    /// An edge, detached.
    Edge(Arc<Edge>),
    /// A vertex, detached.
    Vertex(Arc<Vertex>),
    /// A vertex of the graph the query runs on. Never leaves the engine: results are detached.
    VertexRef(VertexRef),
    /// An edge of the graph the query runs on. Never leaves the engine: results are detached.
    EdgeRef(EdgeRef),
    /// `T.id` and its kin, for instance as keys of an `elementMap`.
    T(T),
    /// `Direction.OUT` and its kin, for instance as keys of an `elementMap`.
    Direction(Direction),
}

const _: () = assert!(size_of::<Value>() <= 32);

impl Value {
    /// A string value.
    pub fn str(s: impl Into<Str>) -> Self {
        Self::String(s.into())
    }
    /// A list value.
    pub fn list(items: impl Into<Vec<Value>>) -> Self {
        Self::from(items.into())
    }
    /// The string inside, if this is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(s) => Some(s),
            _ => None,
        }
    }
    /// The integer inside, if this is a byte, short, int or long.
    #[inline]
    pub fn as_i64(&self) -> Option<i64> {
        match *self {
            Self::Byte(v) => Some(v.into()),
            Self::Short(v) => Some(v.into()),
            Self::Int(v) => Some(v.into()),
            Self::Long(v) => Some(v),
            _ => None,
        }
    }
    /// This id as the key by which elements of one file are told apart: a whole number counts by its value, whatever its type, for
    /// formats differ in what they say of types.
    #[must_use]
    pub fn id_key(&self) -> Self {
        self.as_i64().map_or_else(|| self.clone(), Self::Long)
    }
    /// The number inside as the nearest double, if this is one.
    pub fn as_f64(&self) -> Option<f64> {
        crate::number::to_f64(self)
    }
    /// The truth value inside, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match *self {
            Self::Bool(v) => Some(v),
            _ => None,
        }
    }
    /// The items, if this is a list.
    pub fn as_list(&self) -> Option<&[Value]> {
        match self {
            Self::List(v) => Some(v),
            _ => None,
        }
    }
    /// The members, if this is a set.
    pub fn as_set(&self) -> Option<&Set> {
        match self {
            Self::Set(v) => Some(v),
            _ => None,
        }
    }
    /// The map inside, if this is one.
    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Self::Map(v) => Some(v),
            _ => None,
        }
    }
    /// Whether this is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
    /// Whether this is a list, a set or a bulk set that has no members.
    pub fn is_empty_collection(&self) -> bool {
        match self {
            Self::List(list) => list.is_empty(),
            Self::Set(set) => set.is_empty(),
            Self::BulkSet(bag) => bag.is_empty(),
            _ => false,
        }
    }
    /// An entry of a map.
    pub fn entry(key: impl Into<Value>, value: impl Into<Value>) -> Self {
        Self::Entry(Arc::new((key.into(), value.into()).into()))
    }
    /// A value of bytes.
    pub fn binary(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self::Binary(bytes.into())
    }
}

macro_rules! from {
    ($($t:ty => $v:ident),* $(,)?) => { $(impl From<$t> for Value { fn from(v: $t) -> Self { Self::$v(v.into()) } })* };
}
from! {
    bool => Bool, i8 => Byte, i16 => Short, i32 => Int, i64 => Long, f32 => Float, f64 => Double, char => Char,
    &str => String, String => String, Str => String, Uuid => Uuid, DateTime => DateTime, Duration => Duration,
    VertexRef => VertexRef, EdgeRef => EdgeRef, T => T, Direction => Direction,
}
impl From<Vec<Value>> for Value {
    fn from(v: Vec<Value>) -> Self {
        Self::List(Arc::new(v.into()))
    }
}
impl From<Map> for Value {
    fn from(v: Map) -> Self {
        Self::Map(Arc::new(v.into()))
    }
}
impl From<BulkSet> for Value {
    fn from(v: BulkSet) -> Self {
        Self::BulkSet(Arc::new(v.into()))
    }
}

impl From<Set> for Value {
    fn from(v: Set) -> Self {
        Self::Set(Arc::new(v.into()))
    }
}
impl From<Path> for Value {
    fn from(v: Path) -> Self {
        Self::Path(Arc::new(v.into()))
    }
}
impl From<BigInt> for Value {
    fn from(v: BigInt) -> Self {
        Self::BigInteger(Arc::new(v))
    }
}
impl From<BigDecimal> for Value {
    fn from(v: BigDecimal) -> Self {
        Self::BigDecimal(Arc::new(v))
    }
}
impl From<Vertex> for Value {
    fn from(v: Vertex) -> Self {
        Self::Vertex(Arc::new(v))
    }
}
impl From<Edge> for Value {
    fn from(v: Edge) -> Self {
        Self::Edge(Arc::new(v))
    }
}
impl From<VertexProperty> for Value {
    fn from(v: VertexProperty) -> Self {
        Self::VertexProperty(Arc::new(v))
    }
}
impl From<Property> for Value {
    fn from(v: Property) -> Self {
        Self::Property(Arc::new(v))
    }
}
/// Null for `None`.
impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(v: Option<V>) -> Self {
        v.map_or(Self::Null, Into::into)
    }
}
