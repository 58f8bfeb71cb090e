//! Equality, comparability, orderability and equivalence of values, after TinkerPop's "Gremlin semantics".
//!
//! | notion | function | used by | across types | `NaN` |
//! |---|---|---|---|---|
//! | equality | [`equals`] | `P.eq`, `P.within`, `has` | never equal, but `1 == 1.0` | equals nothing |
//! | comparability | [`compare`] | `P.lt`, `P.between` | not comparable | not comparable |
//! | orderability | [`order`] | `order()` | by type, see [`order`] | after `+Infinity` |
//! | equivalence | `Eq` and `Hash` of [`Value`] | `dedup()`, `group()` | never, and `1` is not `1.0` | itself |

use std::cmp::Ordering;

use crate::number;
use crate::{BulkSet, Map, Path, Property, Set, Str, Value, VertexProperty};

mod equivalence;
mod orderability;
mod sets;

pub(crate) use equivalence::all_same;
pub use orderability::order;

/// Gremlin *equality* (`P.eq`): numbers are equal by value across types, `NaN` equals nothing, `null` equals `null`.
pub fn equals(a: &Value, b: &Value) -> bool {
    if let (Some(a), Some(b)) = (size(a), size(b))
        && a != b
    {
        return false;
    }
    match (a, b) {
        (Value::List(a), Value::List(b)) => all_equal(a.iter(), b.iter()),
        (Value::Path(a), Value::Path(b)) => all_equal(a.objects.iter(), b.objects.iter()),
        _ => compare(a, b) == Some(Ordering::Equal),
    }
}

/// As many members as there are on both sides, each equal to its opposite.
fn all_equal<'a>(a: impl Iterator<Item = &'a Value>, b: impl Iterator<Item = &'a Value>) -> bool {
    a.zip(b).all(|(a, b)| {
        crate::watch::tick();
        equals(a, b)
    })
}

/// Gremlin *comparability* (`P.lt` and its kin): `None` when the two cannot be compared (different types, `NaN`).
///
/// Collections are compared pairwise: the first pair that is unequal decides, and each pair must be comparable. Sets and maps
/// are brought in [`order`] first. Elements are compared by id, handles of elements by their place in the graph.
pub fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    use Value::*;
    match (a, b) {
        (Null, Null) => Some(Ordering::Equal),
        (Bool(a), Bool(b)) => Some(a.cmp(b)),
        (String(a), String(b)) => Some(compare_texts(a, b)),
        (Char(a), Char(b)) => Some(a.cmp(b)),
        (Uuid(a), Uuid(b)) => Some(a.cmp(b)),
        (DateTime(a), DateTime(b)) => Some(a.cmp(b)),
        (Duration(a), Duration(b)) => Some(a.cmp(b)),
        (Binary(a), Binary(b)) => Some(compare_bytes(a, b)),
        (T(a), T(b)) => Some(a.cmp(b)),
        (Direction(a), Direction(b)) => Some(a.cmp(b)),
        (VertexRef(a), VertexRef(b)) => Some(a.cmp(b)),
        (EdgeRef(a), EdgeRef(b)) => Some(a.cmp(b)),
        (Vertex(a), Vertex(b)) => compare(&a.id, &b.id),
        (Edge(a), Edge(b)) => compare(&a.id, &b.id),
        (VertexProperty(a), VertexProperty(b)) => compare_vertex_properties(a, b),
        (Property(a), Property(b)) => compare_properties(a, b),
        (List(a), List(b)) => compare_all(a.iter(), b.iter()),
        (Path(a), Path(b)) => compare_paths(a, b),
        (Set(_) | BulkSet(_), Set(_) | BulkSet(_)) => sets::compare_sets(a, b),
        (Map(a), Map(b)) => compare_maps(a, b),
        (Entry(a), Entry(b)) => compare_all([&a.0, &a.1].into_iter(), [&b.0, &b.1].into_iter()),
        (a, b) => number::compare(a, b),
    }
}

/// Bytes of texts from which on to compare or hash them takes longer than a tick of the watch.
const LONG_TEXT: usize = 1 << 10;

/// Bytes of texts that are compared or hashed in a tick.
const BYTES_PER_TICK: usize = 256;

/// Compares texts, which may have megabytes in common.
#[inline]
fn compare_texts(a: &Str, b: &Str) -> Ordering {
    compare_bytes(a.as_bytes(), b.as_bytes())
}

/// The same of bytes: texts are in the order of theirs.
#[inline]
fn compare_bytes(a: &[u8], b: &[u8]) -> Ordering {
    if a.len().min(b.len()) >= LONG_TEXT { compare_long(a, b) } else { a.cmp(b) }
}

#[cold]
fn compare_long(a: &[u8], b: &[u8]) -> Ordering {
    if std::ptr::eq(a, b) {
        return Ordering::Equal;
    }
    if a[..LONG_TEXT] == b[..LONG_TEXT] {
        crate::watch::ticks(a.len().min(b.len()) / BYTES_PER_TICK);
    }
    a.cmp(b)
}

/// Number of members, for the collections that equality may tell apart by size alone.
fn size(v: &Value) -> Option<u64> {
    match v {
        Value::List(l) => Some(l.len() as u64),
        Value::Set(s) => Some(s.len() as u64),
        Value::BulkSet(s) => Some(s.total()),
        Value::Path(p) => Some(p.objects.len() as u64),
        Value::Map(m) => Some(m.len() as u64),
        _ => None,
    }
}

fn compare_all<'a>(
    mut a: impl Iterator<Item = &'a Value>,
    mut b: impl Iterator<Item = &'a Value>,
) -> Option<Ordering> {
    let mut decided = Ordering::Equal;
    loop {
        crate::watch::tick();
        match (a.next(), b.next()) {
            (Some(x), Some(y)) => decided = decided.then(compare(x, y)?),
            (x, y) => return Some(decided.then(x.is_some().cmp(&y.is_some()))),
        }
    }
}

fn compare_paths(a: &Path, b: &Path) -> Option<Ordering> {
    compare_all(a.objects.iter(), b.objects.iter())
}

fn compare_maps(a: &Map, b: &Map) -> Option<Ordering> {
    let (a, b) = (a.sorted(), b.sorted());
    let flatten = |(k, v)| [k, v];
    // Keys and values alternate, so comparing the flattened entries is comparing entry by entry, key first.
    compare_all(a.into_iter().flat_map(flatten), b.into_iter().flat_map(flatten))
}

fn compare_properties(a: &Property, b: &Property) -> Option<Ordering> {
    compare(&a.value, &b.value).map(|values| a.key.as_str().cmp(b.key.as_str()).then(values))
}

fn compare_vertex_properties(a: &VertexProperty, b: &VertexProperty) -> Option<Ordering> {
    compare(&a.id, &b.id).map(|ids| ids.then(compare_owners(a, b)))
}

/// An id that an import kept may be what the graph calls a property of another vertex: where both vertices are known, they
/// decide, too.
pub(crate) fn compare_owners(a: &VertexProperty, b: &VertexProperty) -> Ordering {
    a.owner.zip(b.owner).map_or(Ordering::Equal, |(a, b)| a.cmp(&b))
}

/// A comparison among many.
fn ticked(compare: impl FnOnce() -> Ordering) -> Ordering {
    crate::watch::tick();
    compare()
}

impl Set {
    /// The members in [`order`].
    pub fn sorted(&self) -> Vec<&Value> {
        let mut members: Vec<_> = self.iter().collect();
        members.sort_by(|a, b| ticked(|| order(a, b)));
        members
    }
}

impl BulkSet {
    /// The members in [`order`], with how often each is in it.
    pub fn sorted(&self) -> Vec<(&Value, u64)> {
        let mut members: Vec<_> = self.iter().collect();
        members.sort_by(|a, b| ticked(|| order(a.0, b.0)));
        members
    }
}

impl Map {
    /// The entries in [`order`] of their keys, then of their values.
    pub fn sorted(&self) -> Vec<(&Value, &Value)> {
        let mut entries: Vec<_> = self.iter().collect();
        entries.sort_by(|a, b| ticked(|| order(a.0, b.0).then_with(|| order(a.1, b.1))));
        entries
    }
}
