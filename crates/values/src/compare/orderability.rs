//! Orderability: a total order over all values.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::number;
use crate::{Path, Property, Value};

/// Gremlin *orderability* (`order()`): a total order over all values.
///
/// Types come in this order: null, boolean, number, date-time, string, UUID, vertex, edge, vertex property,
/// property, path, set, list, map, entry of a map, and then the ones TinkerPop calls unknown (char, binary, duration,
/// direction, T). Within a type it refines [`super::compare`]: `NaN` follows `+Infinity`, and containers are
/// compared with this order all the way down. Handles of elements come before detached elements.
///
/// Numbers are ordered by their exact mathematical value, so that the order is transitive; the promotions that
/// [`super::compare`] makes (a long beside a double, a decimal beside a float) round and are not.
#[inline]
pub fn order(a: &Value, b: &Value) -> Ordering {
    // What is sorted most often is decided where it is sorted.
    match (a, b) {
        (Value::Long(a), Value::Long(b)) => a.cmp(b),
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        _ => order_any(a, b),
    }
}

fn order_any(a: &Value, b: &Value) -> Ordering {
    use Value::*;
    match (a, b) {
        (List(a), List(b)) if Arc::ptr_eq(a, b) => Ordering::Equal,
        (Path(a), Path(b)) if Arc::ptr_eq(a, b) => Ordering::Equal,
        (Set(a), Set(b)) if Arc::ptr_eq(a, b) => Ordering::Equal,
        (Map(a), Map(b)) if Arc::ptr_eq(a, b) => Ordering::Equal,
        (String(a), String(b)) => super::compare_texts(a, b),
        (Vertex(a), Vertex(b)) => order(&a.id, &b.id),
        (Edge(a), Edge(b)) => order(&a.id, &b.id),
        (VertexProperty(a), VertexProperty(b)) => {
            order(&a.id, &b.id).then_with(|| super::compare_owners(a, b))
        }
        (Property(a), Property(b)) => order_properties(a, b),
        (List(a), List(b)) => order_all(a.iter(), b.iter()),
        (Path(a), Path(b)) => order_paths(a, b),
        (Set(a), Set(b)) => order_all(a.sorted().into_iter(), b.sorted().into_iter()),
        (Set(_) | BulkSet(_), BulkSet(_)) | (BulkSet(_), Set(_)) => {
            super::sets::order_sets(a, b).unwrap_or(Ordering::Equal)
        }
        (Map(a), Map(b)) => {
            let (a, b) = (a.sorted(), b.sorted());
            let flatten = |(k, v)| [k, v];
            order_all(a.into_iter().flat_map(flatten), b.into_iter().flat_map(flatten))
        }
        (Entry(a), Entry(b)) => order(&a.0, &b.0).then_with(|| order(&a.1, &b.1)),
        (a, b) => rank(a).cmp(&rank(b)).then_with(|| order_scalars(a, b)),
    }
}

/// Orders two values of the same rank that contain no other values.
fn order_scalars(a: &Value, b: &Value) -> Ordering {
    if a.is_number() && b.is_number() {
        number::order(a, b)
    } else {
        // Same rank and not a number: comparability is total there.
        super::compare(a, b).unwrap_or(Ordering::Equal)
    }
}

fn order_all<'a>(mut a: impl Iterator<Item = &'a Value>, mut b: impl Iterator<Item = &'a Value>) -> Ordering {
    loop {
        crate::watch::tick();
        match (a.next(), b.next()) {
            (Some(x), Some(y)) => match order(x, y) {
                Ordering::Equal => {}
                decided => return decided,
            },
            (x, y) => return x.is_some().cmp(&y.is_some()),
        }
    }
}

fn order_properties(a: &Property, b: &Property) -> Ordering {
    a.key.as_str().cmp(b.key.as_str()).then_with(|| order(&a.value, &b.value))
}

fn order_paths(a: &Path, b: &Path) -> Ordering {
    order_all(a.objects.iter(), b.objects.iter())
}

/// Place of a value's type in the order across types.
fn rank(v: &Value) -> u8 {
    use Value::*;
    match v {
        Null => 0,
        Bool(_) => 1,
        Byte(_) | Short(_) | Int(_) | Long(_) | BigInteger(_) | Float(_) | Double(_) | BigDecimal(_) => 2,
        DateTime(_) => 3,
        String(_) => 4,
        Uuid(_) => 5,
        VertexRef(_) => 6,
        Vertex(_) => 7,
        EdgeRef(_) => 8,
        Edge(_) => 9,
        VertexProperty(_) => 10,
        Property(_) => 11,
        Path(_) => 12,
        Set(_) | BulkSet(_) => 13,
        List(_) => 14,
        Map(_) => 15,
        Entry(_) => 16,
        Char(_) => 17,
        Binary(_) => 18,
        Duration(_) => 19,
        Direction(_) => 20,
        T(_) => 21,
    }
}
