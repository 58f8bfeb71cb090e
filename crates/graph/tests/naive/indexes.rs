//! What indexes find, beside what the model has.

use std::cmp::Ordering;

use graph::{Index, IndexKind, IndexState, RangeQuery, Reader, Value, VertexRef};
use values::compare;

use super::{Naive, Vertex};

/// Values of all types that random writes give.
fn probes() -> Vec<Value> {
    let of = |n: i64| {
        [Value::Long(n), Value::Double(n as f64 / 2.0), Value::str(format!("v{n}")), Value::Bool(n == 0)]
    };
    (0..5).flat_map(of).collect()
}

/// An index by names, and who asks it.
struct Asked<'a> {
    reader: &'a Reader<'a>,
    index: &'a Index,
    label: &'a str,
    keys: Vec<&'a str>,
    context: &'a str,
}

impl Asked<'_> {
    fn has(&self, vertex: &Vertex, key: usize, fits: impl Fn(&Value) -> bool) -> bool {
        let values = vertex.properties.get(self.keys[key]).into_iter().flatten();
        vertex.label == self.label && values.into_iter().any(|property| fits(&property.value))
    }
}

impl Naive {
    pub(super) fn check_indexes(&self, reader: &Reader<'_>, context: &str) {
        let catalog = reader.snapshot().catalog();
        for index in catalog.indexes().iter().filter(|index| index.state == IndexState::Ready) {
            let label = catalog.vertex_label_name(index.definition.label);
            let keys = index.definition.keys.iter().map(|key| catalog.key_name(*key).as_str()).collect();
            let asked = Asked { reader, index, label, keys, context };
            match index.definition.kind {
                IndexKind::Range => self.check_range_index(&asked),
                IndexKind::Equality | IndexKind::Unique => self.check_hash_index(&asked),
            }
        }
    }

    fn holders(&self, has: impl Fn(&Vertex) -> bool) -> Vec<VertexRef> {
        self.vertices.iter().filter(|(_, vertex)| has(vertex)).map(|(v, _)| VertexRef(*v)).collect()
    }

    fn check_hash_index(&self, asked: &Asked<'_>) {
        let Asked { reader, index, label, keys, context } = asked;
        for probe in probes() {
            let expected =
                self.holders(|vertex| asked.has(vertex, 0, |value| compare::equals(value, &probe)));
            let (mut found, key) = (Vec::new(), index.definition.keys[0]);
            assert!(reader.index_lookup(index.definition.label, key, &probe, &mut found));
            assert_eq!(found, expected, "{context}: index on {label}.{}, {probe:?}", keys[0]);
        }
    }

    /// A range index finds whatever is in a range, and perhaps more of its label.
    fn check_range_index(&self, asked: &Asked<'_>) {
        let probes = probes();
        for (i, low) in probes.iter().enumerate() {
            let high = &probes[(i + 7) % probes.len()];
            let equal = if asked.keys.len() > 1 { &probes[i / 2..=i / 2] } else { &[] };
            for range in
                [(Some(low), None), (None, Some(high)), (Some(low), Some(high)), (Some(low), Some(low))]
            {
                self.check_range(asked, equal, range);
            }
            if !equal.is_empty() {
                self.check_range(asked, equal, (None, None));
            }
        }
    }

    fn check_range(&self, asked: &Asked<'_>, equal: &[Value], (low, high): (Option<&Value>, Option<&Value>)) {
        let Asked { reader, index, label, keys, context } = asked;
        let is = |value: &Value, end: Option<&Value>, wanted: fn(Ordering) -> bool| {
            end.is_none_or(|end| compare::compare(value, end).is_some_and(wanted))
        };
        let within = |value: &Value| is(value, low, Ordering::is_ge) && is(value, high, Ordering::is_le);
        let expected = self.holders(|vertex| {
            let equals = |key| asked.has(vertex, key, |value| compare::equals(value, &equal[key]));
            let is_open = low.is_none() && high.is_none();
            (0..equal.len()).all(equals) && (is_open || asked.has(vertex, equal.len(), within))
        });
        let definition = &index.definition;
        let query = RangeQuery { label: definition.label, keys: &definition.keys, equal, low, high };
        let mut found = Vec::new();
        assert!(reader.range_lookup(query, &mut found));
        let what = || format!("{context}: range index on {label}.{keys:?}, {equal:?} {low:?} {high:?}");
        let is_found = |v: &VertexRef| found.binary_search(v).is_ok();
        assert!(expected.iter().all(is_found), "{}: {found:?} of {expected:?}", what());
        let is_there = |v: &VertexRef| self.vertices.get(&v.0).is_some_and(|vertex| vertex.label == *label);
        assert!(found.iter().all(is_there), "{}: {found:?}", what());
    }
}
