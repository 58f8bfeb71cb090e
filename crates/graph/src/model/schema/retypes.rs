//! Which values are read as another type than the one they were written with.
//!
//! ```text
//! version of the schema   1           2            3                 4
//! person.age              int         long         (not declared)    bigint
//!
//! a section written under 1 │ 7 │ 9 │   is read under 2 and 3 as longs, under 4 as big integers,
//! a section written under 3 │ 7 │ 9 │   has longs, and is read under 4 as big integers
//! ```
//!
//! Changing the type of a key changes nothing that is stored. Each section says under which version it was written, and is
//! converted when it is loaded, if a type has changed since. One step per key is enough: a change is accepted only if every
//! value that there is can be read as the new type, and that does not depend on the way there.
//!
//! Only numbers are converted, and only to the very same number ([`retype`](super::value_type::retype)): so they keep their
//! places in sorted lists and range indexes, and their hashes.
//!
//! ```text
//! stored   count, ( label u16 │ key u16 │ meta-property + 1 u32 │ step )…  │ count, ( edge label u16 │ key u16 │ step )…
//! step     since u64 │ the name of the Gremlin type
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::Schema;
use super::definitions::{decode_key, decode_type, encode_key, encode_type};
use super::value_type::{ValueType, takes_others};
use crate::bytes::{Input, Malformed, Output};
use crate::model::names::{EdgeLabelId, KeyId, VertexLabelId};

/// What the values of a section are to be read as.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Conversions {
    /// Those of a column.
    pub(crate) value: Option<ValueType>,
    /// The meta-properties of a column, or the properties of edges, by key.
    pub(crate) keyed: Vec<(KeyId, ValueType)>,
}

impl Conversions {
    /// Itself, if there is anything to be done.
    pub(crate) fn some(self) -> Option<Self> {
        (self.value.is_some() || !self.keyed.is_empty()).then_some(self)
    }
}

/// What was written under a version before `since` is read as `to`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Step {
    since: u64,
    to: ValueType,
}

/// The steps of all keys whose type was ever declared or changed to one of numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Retypes {
    /// By label, key and, of a meta-property, its key.
    vertices: BTreeMap<(VertexLabelId, KeyId, Option<KeyId>), Step>,
    edges: BTreeMap<(EdgeLabelId, KeyId), Step>,
}

impl Retypes {
    /// Notes what a change of the schema declares otherwise than before. A key that is no longer declared is read as it was
    /// read before.
    pub(crate) fn learn(&mut self, old: &Schema, new: &Schema) {
        let step = |old: Option<ValueType>, new: Option<ValueType>, version: u64| {
            new.filter(|to| Some(*to) != old && takes_others(*to)).map(|to| Step { since: version, to })
        };
        for (label, declared) in &new.vertices {
            for (key, declared) in &declared.keys {
                let before = old.vertices.get(label).and_then(|vertex| vertex.keys.get(key));
                let was = before.and_then(|before| before.value_type);
                let changed = step(was, declared.value_type, new.version);
                self.vertices.extend(changed.map(|step| ((*label, *key, None), step)));
                for (meta, value_type) in &declared.meta {
                    let was = before.and_then(|before| before.meta.get(meta).copied().flatten());
                    let changed = step(was, *value_type, new.version);
                    self.vertices.extend(changed.map(|step| ((*label, *key, Some(*meta)), step)));
                }
            }
        }
        for (label, declared) in &new.edges {
            for (key, declared) in &declared.keys {
                let before = old.edges.get(label).and_then(|edge| edge.keys.get(key));
                let changed =
                    step(before.and_then(|before| before.value_type), declared.value_type, new.version);
                self.edges.extend(changed.map(|step| ((*label, *key), step)));
            }
        }
    }

    /// What the values of a column are to be read as that was written under a version.
    pub(crate) fn of_vertices(&self, label: VertexLabelId, key: KeyId, written: u64) -> Option<Conversions> {
        let range = (label, key, None)..=(label, key, Some(KeyId(u16::MAX)));
        let steps = self.vertices.range(range).filter(|(_, step)| step.since > written);
        let mut conversions = Conversions::default();
        for ((_, _, meta), step) in steps {
            match meta {
                None => conversions.value = Some(step.to),
                Some(meta) => conversions.keyed.push((*meta, step.to)),
            }
        }
        conversions.some()
    }

    /// What the properties of edges with a label are to be read as that were written under a version.
    pub(crate) fn of_edges(&self, label: EdgeLabelId, written: u64) -> Option<Conversions> {
        let steps = self.edges.range((label, KeyId(0))..=(label, KeyId(u16::MAX)));
        let steps = steps.filter(|(_, step)| step.since > written);
        let keyed = steps.map(|((_, key), step)| (*key, step.to)).collect();
        Conversions { value: None, keyed }.some()
    }

    /// The columns of which something changed after a version.
    pub(crate) fn columns_since(&self, version: u64) -> BTreeSet<(VertexLabelId, KeyId)> {
        let steps = self.vertices.iter().filter(|(_, step)| step.since > version);
        steps.map(|((label, key, _), _)| (*label, *key)).collect()
    }

    /// The labels of edges of which something changed after a version.
    pub(crate) fn edges_since(&self, version: u64) -> BTreeSet<EdgeLabelId> {
        let steps = self.edges.iter().filter(|(_, step)| step.since > version);
        steps.map(|((label, _), _)| *label).collect()
    }

    pub(crate) fn encode(&self, output: &mut Output) {
        let encode_step = |step: &Step, output: &mut Output| {
            output.u64(step.since);
            encode_type(Some(step.to), output);
        };
        output.list(&self.vertices, |output, ((label, key, meta), step)| {
            output.u16(label.0);
            output.u16(key.0);
            encode_key(*meta, output);
            encode_step(step, output);
        });
        output.list(&self.edges, |output, ((label, key), step)| {
            output.u16(label.0);
            output.u16(key.0);
            encode_step(step, output);
        });
    }

    pub(crate) fn decode(input: &mut Input<'_>) -> Result<Self, Malformed> {
        let step = |input: &mut Input<'_>| {
            let (since, to) = (input.u64()?, decode_type(input)?);
            let to = to.ok_or_else(|| Malformed::new("values are converted to no type"))?;
            Ok(Step { since, to })
        };
        let vertices = input.list(20, |input| {
            let place = (VertexLabelId(input.u16()?), KeyId(input.u16()?), decode_key(input)?);
            Ok((place, step(input)?))
        })?;
        let edges = input.list(16, |input| {
            let place = (EdgeLabelId(input.u16()?), KeyId(input.u16()?));
            Ok((place, step(input)?))
        })?;
        Ok(Self { vertices, edges })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::schema::{EdgeKey, EdgeSchema, VertexKey, VertexSchema};

    const LABEL: VertexLabelId = VertexLabelId(3);
    const KEY: KeyId = KeyId(7);

    fn schema(version: u64, age: Option<ValueType>, meta: Option<ValueType>) -> Schema {
        let mut schema = Schema { version, ..Schema::default() };
        let key = VertexKey { value_type: age, meta: [(KeyId(8), meta)].into(), ..VertexKey::default() };
        schema.vertices.insert(LABEL, VertexSchema { keys: [(KEY, key)].into() });
        let key = EdgeKey { value_type: age, required: false };
        schema
            .edges
            .insert(EdgeLabelId(2), EdgeSchema { keys: [(KEY, key)].into(), ..EdgeSchema::default() });
        schema
    }

    #[test]
    fn what_was_written_before_a_change_is_converted_and_what_came_after_it_is_not() {
        const INT: ValueType = ValueType::Int;
        const LONG: ValueType = ValueType::Long;
        const BIG: ValueType = ValueType::BigInt;
        let mut retypes = Retypes::default();
        let versions = [
            schema(1, Some(INT), None),
            schema(2, Some(LONG), Some(LONG)),
            schema(3, None, Some(LONG)),
            schema(4, Some(BIG), None),
        ];
        let of = |retypes: &Retypes, written| retypes.of_vertices(LABEL, KEY, written);
        retypes.learn(&Schema::default(), &versions[0]);
        retypes.learn(&versions[0], &versions[1]);
        retypes.learn(&versions[1], &versions[2]);
        assert_eq!(of(&retypes, 1).unwrap().value, Some(LONG), "though it is not declared any more");
        assert_eq!(of(&retypes, 1).unwrap().keyed, [(KeyId(8), LONG)]);
        assert!(of(&retypes, 2).is_none());
        retypes.learn(&versions[2], &versions[3]);
        assert_eq!(of(&retypes, 0).unwrap().value, Some(BIG));
        assert_eq!(of(&retypes, 3).unwrap().keyed, []);
        assert!(of(&retypes, 4).is_none());
        assert_eq!(retypes.of_edges(EdgeLabelId(2), 3).unwrap().keyed, [(KEY, BIG)]);
        assert!(retypes.of_edges(EdgeLabelId(1), 0).is_none());
        assert_eq!(retypes.columns_since(3), [(LABEL, KEY)].into());
        assert!(retypes.columns_since(4).is_empty() && retypes.edges_since(4).is_empty());
        let mut output = Output::default();
        retypes.encode(&mut output);
        let mut input = Input::new(&output.bytes);
        assert_eq!(Retypes::decode(&mut input).unwrap(), retypes);
        input.end().unwrap();
        for len in 0..output.bytes.len() {
            assert!(Retypes::decode(&mut Input::new(&output.bytes[..len])).is_err());
        }
    }

    #[test]
    fn text_is_never_converted() {
        let mut retypes = Retypes::default();
        retypes.learn(&Schema::default(), &schema(1, Some(ValueType::String), Some(ValueType::Number)));
        assert_eq!(retypes, Retypes::default());
    }
}
