//! Properties as the graph hands them out and takes them in.

use values::{Value, VertexRef, compare};

use super::catalog::PROPERTY_ID_KEY;
use super::names::{KeyId, under_key};
use super::value_bytes::weight;
use super::value_ref::ValueRef;

/// How a vertex property's key takes a further value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Cardinality {
    /// Replaces every value under the key.
    #[default]
    Single,
    /// Adds the value, whatever is there.
    List,
    /// Adds the value unless an equal one is there; then only its meta-properties are updated.
    Set,
}

impl Cardinality {
    /// The name that Gremlin, schema files and services use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::List => "list",
            Self::Set => "set",
        }
    }

    /// The cardinality with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Single, Self::List, Self::Set].into_iter().find(|cardinality| cardinality.name() == name)
    }

    /// The narrowest under which a vertex can have these values, as they are stored: to a set, numbers of two types are two.
    pub(crate) fn needed<T>(items: &[T], value: impl Fn(&T) -> &Value) -> Self {
        let is_again = |i: usize| items[..i].iter().any(|one| value(one) == value(&items[i]));
        match items.len() {
            0 | 1 => Self::Single,
            many if (1..many).any(is_again) => Self::List,
            _ => Self::Set,
        }
    }
}

/// The first item whose value equals that of one before it.
pub(crate) fn repeated<T>(items: &[T], value: impl Fn(&T) -> &Value) -> Option<&T> {
    let equals = |one: &T, other: &T| compare::equals(value(one), value(other));
    (1..items.len()).find(|&i| items[..i].iter().any(|one| equals(one, &items[i]))).map(|i| &items[i])
}

impl std::fmt::Display for Cardinality {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The id of a vertex property in this graph: which vertex, key and place it has. Users see it unless an import kept the id
/// that the property had before (`formats::ImportOptions::keep_property_ids`).
///
/// ```text
/// bit 63   62                   31 30        15 14       0
///     ┌──┬──────────────────────┬─────────────┬──────────┐
///     │ 0│ vertex reference (32)│ key id (16) │place (15)│
///     └──┴──────────────────────┴─────────────┴──────────┘
/// ```
///
/// The place is the value's number among the values of its key: stable while the value lives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PropertyId(pub i64);

impl PropertyId {
    /// Largest number of values that a vertex can have under one key.
    pub const MAX_PLACES: u16 = 1 << 15;

    /// The id of the value at `place` under `key` of `vertex`.
    #[inline]
    pub fn new(vertex: VertexRef, key: KeyId, place: u16) -> Self {
        debug_assert!(place < Self::MAX_PLACES);
        Self((u64::from(vertex.0) << 31 | u64::from(key.0) << 15 | u64::from(place)) as i64)
    }

    /// The one that an id as users see it is, if it is one of a vertex and a key.
    pub(crate) fn of(vertex: VertexRef, key: KeyId, id: &Value) -> Option<Self> {
        id.as_i64().map(Self).filter(|own| *own == Self::new(vertex, key, own.place()))
    }

    /// The vertex that the property belongs to.
    #[inline]
    pub fn vertex(self) -> VertexRef {
        VertexRef((self.0 as u64 >> 31) as u32)
    }
    /// The key.
    #[inline]
    pub fn key(self) -> KeyId {
        KeyId((self.0 as u64 >> 15) as u16)
    }
    /// The place among the values of the key.
    #[inline]
    pub fn place(self) -> u16 {
        self.0 as u16 & (Self::MAX_PLACES - 1)
    }
    /// The id as users see it, where no other was kept.
    #[inline]
    pub fn to_value(self) -> Value {
        Value::Long(self.0)
    }
}

/// One vertex property.
#[derive(Clone, Debug)]
pub struct PropertyEntry {
    /// The key.
    pub key: KeyId,
    /// Where the property is.
    pub id: PropertyId,
    /// The id that it came with, if an import kept it.
    pub kept_id: Option<Value>,
    /// The value.
    pub value: Value,
    /// Meta-properties, in the order they were first set.
    pub meta: Vec<(KeyId, Value)>,
}

impl PropertyEntry {
    /// What a cell under a key of a vertex is to readers.
    pub(crate) fn new(vertex: VertexRef, key: KeyId, mut cell: PropertyCell) -> Self {
        let at = cell.meta.iter().position(|(key, _)| *key == PROPERTY_ID_KEY);
        let kept_id = at.map(|at| cell.meta.remove(at).1);
        let id = PropertyId::new(vertex, key, cell.place);
        Self { key, id, kept_id, value: cell.value, meta: cell.meta }
    }

    /// The only value under a key of a vertex, if that is plain.
    pub(crate) fn plain(vertex: VertexRef, key: KeyId, value: Value) -> Self {
        let id = PropertyId::new(vertex, key, 0);
        Self { key, id, kept_id: None, value, meta: Vec::new() }
    }

    /// The id as users see it.
    pub fn shown_id(&self) -> Value {
        self.kept_id.clone().unwrap_or_else(|| self.id.to_value())
    }
}

/// One stored value of a vertex property.
#[derive(Clone, Debug)]
pub(crate) struct PropertyCell {
    /// Its number among the values of the key.
    pub(crate) place: u16,
    pub(crate) value: Value,
    /// Meta-properties, in the order they were first set; the id that it came with, if that is kept, is one of them.
    pub(crate) meta: Vec<(KeyId, Value)>,
}

impl PropertyCell {
    /// A value at the first place without meta-properties.
    pub(crate) fn first(value: Value) -> Self {
        Self { place: 0, value, meta: Vec::new() }
    }

    /// The id that it came with, if that is kept.
    pub(crate) fn kept_id(&self) -> Option<&Value> {
        under_key(&self.meta, PROPERTY_ID_KEY)
    }

    /// Bytes in memory, roughly.
    pub(crate) fn bytes(&self) -> usize {
        let meta = self.meta.iter().map(|entry| size_of_val(entry) + weight(&entry.1)).sum::<usize>();
        size_of::<Self>() + weight(&self.value) + meta
    }

    /// Whether the value alone says it all.
    pub(crate) fn is_plain(&self) -> bool {
        self.place == 0 && self.meta.is_empty()
    }
}

/// All values of one vertex under one key: what a version of a property is.
#[derive(Clone, Debug, Default)]
pub(crate) enum PropertyState {
    /// No value.
    #[default]
    Absent,
    /// One value at the first place, without meta-properties: nearly always.
    One(Value),
    /// Anything else, in the order the values were added.
    Many(std::sync::Arc<[PropertyCell]>),
}

impl PropertyState {
    /// The narrowest state that holds `cells`.
    pub(crate) fn of(mut cells: Vec<PropertyCell>) -> Self {
        match cells.as_slice() {
            [] => Self::Absent,
            [cell] if cell.is_plain() => cells.pop().map_or(Self::Absent, |cell| Self::One(cell.value)),
            _ => Self::Many(cells.into()),
        }
    }

    /// Bytes of its values.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Self::Absent => 0,
            Self::One(value) => weight(value),
            Self::Many(cells) => cells.iter().map(PropertyCell::bytes).sum(),
        }
    }

    /// What there is, if that is at most one value.
    pub(crate) fn single(&self) -> Single<'_> {
        match self {
            Self::Many(cells) => match &**cells {
                [cell] => Single::Value(ValueRef::of(&cell.value)),
                _ => Single::Several,
            },
            _ => self.plain(),
        }
    }

    /// What there is, if that is at most one value and nothing more.
    pub(crate) fn plain(&self) -> Single<'_> {
        match self {
            Self::Absent => Single::Absent,
            Self::One(value) => Single::Value(ValueRef::of(value)),
            Self::Many(_) => Single::Several,
        }
    }

    /// The first value.
    #[inline]
    pub(crate) fn first(&self) -> Option<crate::model::value_ref::ValueRef<'_>> {
        match self {
            Self::Absent => None,
            Self::One(value) => Some(ValueRef::of(value)),
            Self::Many(cells) => cells.first().map(|cell| ValueRef::of(&cell.value)),
        }
    }

    /// All values as cells.
    pub(crate) fn to_cells(&self) -> Vec<PropertyCell> {
        match self {
            Self::Absent => Vec::new(),
            Self::One(value) => vec![PropertyCell::first(value.clone())],
            Self::Many(cells) => cells.to_vec(),
        }
    }
}

/// What a vertex has under a key.
#[derive(Clone, Copy, Debug)]
pub enum Single<'r> {
    /// Nothing.
    Absent,
    /// One value; it may have meta-properties and an id that it came with.
    Value(ValueRef<'r>),
    /// Several: ask [`crate::read::Reader::vertex_properties`].
    Several,
}
