//! Equivalence: `Eq` and `Hash` of [`Value`].

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use crate::{Edge, Map, Property, Seeded, Set, Value, Vertex, VertexProperty, Weighed};

impl PartialEq for Value {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        use Value::*;
        match (self, other) {
            (Long(a), Long(b)) => a == b,
            (Int(a), Int(b)) => a == b,
            (VertexRef(a), VertexRef(b)) => a == b,
            (EdgeRef(a), EdgeRef(b)) => a == b,
            (String(a), String(b)) => a == b,
            (a, b) => equivalent(a, b),
        }
    }
}

impl Eq for Value {}

/// The types that are rare as keys, kept out of line.
fn equivalent(a: &Value, b: &Value) -> bool {
    use Value::*;
    match (a, b) {
        (Null, Null) => true,
        (Bool(a), Bool(b)) => a == b,
        (Byte(a), Byte(b)) => a == b,
        (Short(a), Short(b)) => a == b,
        (Float(a), Float(b)) => a == b || (a.is_nan() && b.is_nan()),
        (Double(a), Double(b)) => a == b || (a.is_nan() && b.is_nan()),
        (BigInteger(a), BigInteger(b)) => a == b,
        (BigDecimal(a), BigDecimal(b)) => crate::number::decimal::compare(a, b).is_eq(),
        (Char(a), Char(b)) => a == b,
        (Uuid(a), Uuid(b)) => a == b,
        (DateTime(a), DateTime(b)) => a == b,
        (Duration(a), Duration(b)) => a == b,
        (Binary(a), Binary(b)) => a == b,
        (List(a), List(b)) => same(a, b),
        (Set(a), Set(b)) => same(a, b),
        (BulkSet(a), BulkSet(b)) => same(a, b),
        (Map(a), Map(b)) => same(a, b),
        (Entry(a), Entry(b)) => same(a, b),
        (Path(a), Path(b)) => same(a, b),
        (Property(a), Property(b)) => a == b,
        (VertexProperty(a), VertexProperty(b)) => a == b,
        (Edge(a), Edge(b)) => a == b,
        (Vertex(a), Vertex(b)) => a == b,
        (T(a), T(b)) => a == b,
        (Direction(a), Direction(b)) => a == b,
        _ => false,
    }
}

/// Whether two collections are equivalent; at once if they are one.
fn same<T: PartialEq>(a: &Arc<Weighed<T>>, b: &Arc<Weighed<T>>) -> bool {
    crate::watch::tick();
    Arc::ptr_eq(a, b) || **a == **b
}

impl PartialEq for Set {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Set {}

impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Map {}

impl PartialEq for Property {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.value == other.value
    }
}

impl Eq for Property {}

impl PartialEq for Vertex {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Vertex {}

impl PartialEq for Edge {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Edge {}

impl PartialEq for VertexProperty {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && super::compare_owners(self, other).is_eq()
    }
}

impl Eq for VertexProperty {}

/// Salts keep values of different types, or an element and its id, from sharing a hash systematically.
mod salt {
    pub const INT: u64 = 0x9e37_79b9_0000_0001;
    pub const VERTEX: u64 = 0x85eb_ca6b_0000_0002;
    pub const EDGE: u64 = 0xc2b2_ae35_0000_0003;
    pub const FLOAT: u64 = 0x27d4_eb2f_0000_0004;
    pub const DOUBLE: u64 = 0x1656_67b1_0000_0005;
}

impl Hash for Value {
    /// One word for the integers and handles that keys mostly are; everything else says its type first.
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Value::Long(v) => state.write_u64(*v as u64),
            Value::Int(v) => state.write_u64(i64::from(*v) as u64 ^ salt::INT),
            Value::VertexRef(v) => state.write_u64(u64::from(v.0) ^ salt::VERTEX),
            Value::EdgeRef(e) => state.write_u64(e.generated_id() as u64 ^ salt::EDGE),
            // Without the byte that ends a text: the hasher counts their bytes.
            Value::String(s) => state.write(s.as_bytes()),
            other => hash_rare(other, state),
        }
    }
}

fn hash_rare<H: Hasher>(value: &Value, state: &mut H) {
    use Value::*;
    match value {
        Float(v) => return state.write_u64(u64::from(canonical_f32(*v)) ^ salt::FLOAT),
        Double(v) => return state.write_u64(canonical_f64(*v) ^ salt::DOUBLE),
        other => std::mem::discriminant(other).hash(state),
    }
    crate::watch::tick();
    match value {
        Bool(v) => v.hash(state),
        Byte(v) => v.hash(state),
        Short(v) => v.hash(state),
        BigInteger(v) => v.hash(state),
        BigDecimal(v) => crate::number::decimal::hash(v, state),
        Char(v) => v.hash(state),
        Uuid(v) => v.hash(state),
        DateTime(v) => v.hash(state),
        Duration(v) => v.hash(state),
        Binary(v) => v.hash(state),
        List(v) => v.hash(state),
        Set(v) => hash_unordered(v.iter(), state),
        BulkSet(v) => hash_unordered(v.iter(), state),
        Map(v) => hash_unordered(v.iter(), state),
        Entry(v) => v.hash(state),
        Path(v) => v.objects.hash(state),
        Property(v) => (v.key.as_str(), &v.value).hash(state),
        VertexProperty(v) => v.id.hash(state),
        Edge(v) => v.id.hash(state),
        Vertex(v) => v.id.hash(state),
        T(v) => v.hash(state),
        Direction(v) => v.hash(state),
        Null | Int(_) | Long(_) | Float(_) | Double(_) | String(_) | VertexRef(_) | EdgeRef(_) => {}
    }
}

/// Members in any order give the same hash: the sum of theirs.
fn hash_unordered<H: Hasher>(members: impl Iterator<Item = impl Hash>, state: &mut H) {
    let (seeded, mut count) = (Seeded::default(), 0usize);
    let sum = members.inspect(|_| count += 1).fold(0u64, |sum, m| sum.wrapping_add(seeded.hash_one(m)));
    state.write_usize(count);
    state.write_u64(sum);
}

/// One bit pattern for both zeros, and one for every `NaN`.
fn canonical_f64(v: f64) -> u64 {
    if v == 0.0 {
        0
    } else if v.is_nan() {
        f64::NAN.to_bits()
    } else {
        v.to_bits()
    }
}

fn canonical_f32(v: f32) -> u32 {
    if v == 0.0 {
        0
    } else if v.is_nan() {
        f32::NAN.to_bits()
    } else {
        v.to_bits()
    }
}
