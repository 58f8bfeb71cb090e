//! Equivalence: `Eq` and `Hash` of [`Value`].

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use super::{BYTES_PER_TICK, LONG_TEXT};
use crate::{Edge, Map, Property, Seeded, Set, Value, Vertex, VertexProperty, Weighed, watch};

impl PartialEq for Value {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        use Value::*;
        match (self, other) {
            (Long(a), Long(b)) => a == b,
            (Int(a), Int(b)) => a == b,
            (VertexRef(a), VertexRef(b)) => a == b,
            (EdgeRef(a), EdgeRef(b)) => a == b,
            (String(a), String(b)) => same_bytes(a.as_bytes(), b.as_bytes()),
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
        (Binary(a), Binary(b)) => same_bytes(a, b),
        (List(a), List(b)) => same(a, b, |a, b| all_same(a, b)),
        (Set(a), Set(b)) => same(a, b, PartialEq::eq),
        (BulkSet(a), BulkSet(b)) => same(a, b, PartialEq::eq),
        (Map(a), Map(b)) => same(a, b, PartialEq::eq),
        (Entry(a), Entry(b)) => same(a, b, PartialEq::eq),
        (Path(a), Path(b)) => same(a, b, PartialEq::eq),
        (Property(a), Property(b)) => a == b,
        (VertexProperty(a), VertexProperty(b)) => a == b,
        (Edge(a), Edge(b)) => a == b,
        (Vertex(a), Vertex(b)) => a == b,
        (T(a), T(b)) => a == b,
        (Direction(a), Direction(b)) => a == b,
        _ => false,
    }
}

/// Whether two collections are equivalent, as `are_alike` says; at once if they are one.
fn same<T>(a: &Arc<Weighed<T>>, b: &Arc<Weighed<T>>, are_alike: impl FnOnce(&T, &T) -> bool) -> bool {
    watch::tick();
    let (one, other): (&T, &T) = (a, b);
    Arc::ptr_eq(a, b) || are_alike(one, other)
}

/// Whether values are equivalent to those in the same places. There may be millions, so the watch is told of each.
pub(crate) fn all_same(a: &[Value], b: &[Value]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            watch::tick();
            a == b
        })
}

/// Whether texts, or other bytes, are the same; there may be megabytes.
#[inline]
fn same_bytes(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && if a.len() >= LONG_TEXT { same_long(a, b) } else { a == b }
}

#[cold]
fn same_long(a: &[u8], b: &[u8]) -> bool {
    if std::ptr::eq(a, b) {
        return true;
    }
    if a[..LONG_TEXT] != b[..LONG_TEXT] {
        return false;
    }
    watch::ticks(a.len() / BYTES_PER_TICK);
    a == b
}

impl PartialEq for Set {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.iter().all(|member| {
                watch::tick();
                other.contains(member)
            })
    }
}

impl Eq for Set {}

impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.iter().all(|(key, value)| {
                watch::tick();
                other.get(key) == Some(value)
            })
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
            Value::String(s) => hash_text(s.as_bytes(), state),
            other => hash_rare(other, state),
        }
    }
}

#[inline]
fn hash_text<H: Hasher>(text: &[u8], state: &mut H) {
    if text.len() >= LONG_TEXT {
        note_long(text);
    }
    state.write(text);
}

/// Tells the watch of bytes that are hashed.
#[cold]
fn note_long(bytes: &[u8]) {
    watch::ticks(bytes.len() / BYTES_PER_TICK);
}

fn hash_rare<H: Hasher>(value: &Value, state: &mut H) {
    use Value::*;
    match value {
        Float(v) => return state.write_u64(u64::from(canonical_f32(*v)) ^ salt::FLOAT),
        Double(v) => return state.write_u64(canonical_f64(*v) ^ salt::DOUBLE),
        other => std::mem::discriminant(other).hash(state),
    }
    watch::tick();
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
        Binary(v) => {
            note_long(v);
            v.hash(state);
        }
        List(v) => hash_in_order(v, state),
        Set(v) => hash_unordered(v.iter(), state),
        BulkSet(v) => hash_unordered(v.iter(), state),
        Map(v) => hash_unordered(v.iter(), state),
        Entry(v) => v.hash(state),
        Path(v) => hash_in_order(&v.objects, state),
        Property(v) => (v.key.as_str(), &v.value).hash(state),
        VertexProperty(v) => v.id.hash(state),
        Edge(v) => v.id.hash(state),
        Vertex(v) => v.id.hash(state),
        T(v) => v.hash(state),
        Direction(v) => v.hash(state),
        Null | Int(_) | Long(_) | Float(_) | Double(_) | String(_) | VertexRef(_) | EdgeRef(_) => {}
    }
}

/// Members one after the other, as a vector hashes them. There may be millions, so the watch is told of each.
fn hash_in_order<H: Hasher>(members: &[Value], state: &mut H) {
    state.write_usize(members.len());
    for member in members {
        watch::tick();
        member.hash(state);
    }
}

/// Members in any order give the same hash: the sum of theirs.
fn hash_unordered<H: Hasher>(members: impl Iterator<Item = impl Hash>, state: &mut H) {
    let (seeded, mut count) = (Seeded::default(), 0usize);
    let sum = members.fold(0u64, |sum, member| {
        watch::tick();
        count += 1;
        sum.wrapping_add(seeded.hash_one(member))
    });
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::watch::{Watch, watched};
    use crate::{BulkSet, Path};

    /// Is asked, and never ends anything.
    #[derive(Default)]
    struct Asked(AtomicUsize);

    impl Watch for Asked {
        fn must_end(&self) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed);
            false
        }
    }

    /// How often the watch is asked while something is done.
    fn looks(work: impl FnOnce()) -> usize {
        let asked = Arc::new(Asked::default());
        watched(asked.clone(), work).unwrap();
        asked.0.load(Ordering::Relaxed)
    }

    #[test]
    fn the_watch_is_told_of_each_member_of_a_collection() {
        const MEMBERS: usize = 1 << 16;
        /// A look comes after a thousand ticks or so.
        const LOOKS: usize = MEMBERS / 1_100;
        let members = || (0..MEMBERS as i32).map(Value::Int);
        let path = || Path { labels: vec![Vec::new(); MEMBERS], objects: members().collect() };
        let collections: [(&str, &dyn Fn() -> Value); 5] = [
            ("list", &|| members().collect::<Vec<_>>().into()),
            ("path", &|| path().into()),
            ("set", &|| members().collect::<Set>().into()),
            ("bulk set", &|| members().map(|member| (member, 2)).collect::<BulkSet>().into()),
            ("map", &|| members().map(|member| (member.clone(), member)).collect::<Map>().into()),
        ];
        for (name, collection) in collections {
            let (one, other) = (collection(), collection());
            assert!(looks(|| assert!(one == other)) >= LOOKS, "equivalence of a {name}");
            assert!(looks(|| _ = Seeded::default().hash_one(&one)) >= LOOKS, "hash of a {name}");
            assert!(looks(|| assert!(super::super::equals(&one, &other))) >= LOOKS, "equality of a {name}");
        }
        for (name, collection) in &collections[2..] {
            assert!(looks(|| drop(collection())) >= LOOKS, "making a {name}");
        }
    }

    #[test]
    fn the_watch_is_told_of_long_texts_and_bytes() {
        let text = || Value::from("x".repeat(1 << 20));
        let bytes = || Value::binary(vec![7; 1 << 20]);
        for (one, other) in [(text(), text()), (bytes(), bytes())] {
            assert!(looks(|| assert!(one == other)) > 0);
            assert!(looks(|| _ = Seeded::default().hash_one(&one)) > 0);
            assert!(looks(|| assert!(one != Value::Null)) == 0);
        }
        let (long, longer) = (Value::from("x".repeat(1 << 11)), Value::from("x".repeat((1 << 11) + 1)));
        assert!(long != longer && long == long.clone());
        let differs = Value::from(format!("{}y", "x".repeat((1 << 11) - 1)));
        assert!(long != differs, "what begins alike may end otherwise");
    }
}
