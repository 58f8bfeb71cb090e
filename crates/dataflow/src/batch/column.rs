//! One attribute of all the traversers of a batch.

use values::{EdgeRef, Value, VertexRef};

use super::Weight;

/// A column: one value per row of its batch, in the most compact form the producer could give.
///
/// Columns are immutable once they are in a batch and shared by reference count, so that copying a column from one
/// batch to the next (`as('a')`, an untouched slot) costs one increment.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Vertices of the graph.
    Vertices(Vec<VertexRef>),
    /// Edges of the graph.
    Edges(Vec<EdgeRef>),
    /// Longs (counts, LDBC ids and dates).
    Longs(Vec<i64>),
    /// Truth values: marks of test scopes.
    Bools(Vec<bool>),
    /// Anything.
    Values(Vec<Value>),
    /// Anything, or nothing: what an unproductive `by` leaves.
    Optional(Vec<Option<Value>>),
    /// The same value in every row, however many there are.
    Uniform(Value),
}

impl Column {
    /// The value in `row`; `None` if it is absent. `Null` is a value.
    ///
    /// # Panics
    /// If the row is out of bounds.
    #[inline]
    pub fn get(&self, row: usize) -> Option<Value> {
        match self {
            Self::Vertices(v) => Some(Value::VertexRef(v[row])),
            Self::Edges(v) => Some(Value::EdgeRef(v[row])),
            Self::Longs(v) => Some(Value::Long(v[row])),
            Self::Bools(v) => Some(Value::Bool(v[row])),
            Self::Values(v) => Some(v[row].clone()),
            Self::Optional(v) => v[row].clone(),
            Self::Uniform(v) => Some(v.clone()),
        }
    }

    /// Whether the row has a value.
    #[inline]
    pub fn has(&self, row: usize) -> bool {
        match self {
            Self::Optional(v) => v[row].is_some(),
            _ => true,
        }
    }

    /// The value in `row`, `Null` if it is absent.
    #[inline]
    pub fn value(&self, row: usize) -> Value {
        self.get(row).unwrap_or_default()
    }

    /// The vertex in `row`, if there is one.
    #[inline]
    pub fn vertex(&self, row: usize) -> Option<VertexRef> {
        match self {
            Self::Vertices(v) => Some(v[row]),
            Self::Values(v) => as_vertex(&v[row]),
            Self::Optional(v) => v[row].as_ref().and_then(as_vertex),
            Self::Uniform(v) => as_vertex(v),
            _ => None,
        }
    }

    /// The edge in `row`, if there is one.
    #[inline]
    pub fn edge(&self, row: usize) -> Option<EdgeRef> {
        let value = match self {
            Self::Edges(v) => return Some(v[row]),
            Self::Values(v) => &v[row],
            Self::Optional(v) => v[row].as_ref()?,
            Self::Uniform(v) => v,
            _ => return None,
        };
        match value {
            Value::EdgeRef(e) => Some(*e),
            _ => None,
        }
    }

    /// Whether the row holds `true` (a mark).
    #[inline]
    pub fn is_true(&self, row: usize) -> bool {
        match self {
            Self::Bools(v) => v[row],
            other => matches!(other.get(row), Some(Value::Bool(true))),
        }
    }

    /// The rows named by `rows`, in that order.
    pub fn gather(&self, rows: &[u32]) -> Self {
        fn pick<T: Clone>(from: &[T], rows: &[u32]) -> Vec<T> {
            rows.iter().map(|&r| from[r as usize].clone()).collect()
        }
        match self {
            Self::Vertices(v) => Self::Vertices(pick(v, rows)),
            Self::Edges(v) => Self::Edges(pick(v, rows)),
            Self::Longs(v) => Self::Longs(pick(v, rows)),
            Self::Bools(v) => Self::Bools(pick(v, rows)),
            Self::Values(v) => Self::Values(pick(v, rows)),
            Self::Optional(v) => Self::Optional(pick(v, rows)),
            Self::Uniform(v) => Self::Uniform(v.clone()),
        }
    }

    /// The most compact column with these values.
    pub fn from_values(values: Vec<Value>) -> Self {
        match values.first() {
            Some(Value::VertexRef(_)) => collect(values, as_vertex, Self::Vertices),
            Some(Value::Long(_)) => collect(values, as_long, Self::Longs),
            Some(Value::EdgeRef(_)) => collect(values, as_edge, Self::Edges),
            _ => Self::Values(values),
        }
    }

    /// The most compact column with these values, some of which may be absent.
    pub fn from_optional(values: Vec<Option<Value>>) -> Self {
        if values.iter().all(Option::is_some) {
            Self::from_values(values.into_iter().flatten().collect())
        } else {
            Self::Optional(values)
        }
    }

    /// This column of `len` rows followed by `other` of `other_len` rows.
    pub fn concat(&self, len: usize, other: &Self, other_len: usize) -> Self {
        match (self, other) {
            (Self::Vertices(a), Self::Vertices(b)) => Self::Vertices([&a[..], b].concat()),
            (Self::Edges(a), Self::Edges(b)) => Self::Edges([&a[..], b].concat()),
            (Self::Longs(a), Self::Longs(b)) => Self::Longs([&a[..], b].concat()),
            (Self::Bools(a), Self::Bools(b)) => Self::Bools([&a[..], b].concat()),
            (Self::Uniform(a), Self::Uniform(b)) if a == b => self.clone(),
            _ => Self::from_optional(
                (0..len).map(|i| self.get(i)).chain((0..other_len).map(|i| other.get(i))).collect(),
            ),
        }
    }

    /// Whether its rows may be of any type, and so of any size.
    #[inline]
    pub fn has_values(&self) -> bool {
        matches!(self, Self::Values(_) | Self::Optional(_) | Self::Uniform(_))
    }

    /// Whether there is room for what its values point to: as [`Weight::is_slight`].
    #[inline]
    pub(super) fn is_slight(&self, room: &mut usize) -> bool {
        match self {
            Self::Values(values) => values.iter().all(|value| Weight::is_slight(value, room)),
            Self::Optional(values) => values.iter().flatten().all(|value| Weight::is_slight(value, room)),
            Self::Uniform(value) => Weight::is_slight(value, room),
            _ => true,
        }
    }

    /// Bytes of a column of `len` rows, roughly, with what its values point to.
    pub fn bytes(&self, len: usize) -> usize {
        if !self.has_values() {
            return self.slots(len);
        }
        let mut weight = Weight::default();
        weight.add_column(self, len);
        weight.bytes
    }

    /// Bytes of a column of `len` rows, roughly, without what its values point to.
    pub(super) fn slots(&self, len: usize) -> usize {
        match self {
            Self::Vertices(_) => len * size_of::<VertexRef>(),
            Self::Edges(_) => len * size_of::<EdgeRef>(),
            Self::Longs(_) => len * 8,
            Self::Bools(_) => len,
            Self::Values(_) | Self::Optional(_) => len * size_of::<Value>(),
            Self::Uniform(_) => size_of::<Value>(),
        }
    }
}

fn as_vertex(value: &Value) -> Option<VertexRef> {
    match value {
        Value::VertexRef(v) => Some(*v),
        _ => None,
    }
}

fn as_edge(value: &Value) -> Option<EdgeRef> {
    match value {
        Value::EdgeRef(e) => Some(*e),
        _ => None,
    }
}

fn as_long(value: &Value) -> Option<i64> {
    match value {
        Value::Long(v) => Some(*v),
        _ => None,
    }
}

/// Collects into a typed column if every value is of the type, else keeps the values.
fn collect<T>(values: Vec<Value>, as_typed: fn(&Value) -> Option<T>, column: fn(Vec<T>) -> Column) -> Column {
    let typed: Vec<T> = values.iter().map_while(as_typed).collect();
    if typed.len() == values.len() { column(typed) } else { Column::Values(values) }
}
