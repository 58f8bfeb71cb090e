//! Schema and indexes as they are stored: in the catalog, and whole in the log record that follows a change.
//!
//! ```text
//! revision u64 │ schema │ next index u32 │ count, ( number u32 │ label │ kind u8 │ state u8 │ keys… )… │ retypes │ nodes │ sorting
//! schema        version u64 │ flags u8 (1 strict, 2 null values) │ count, ( label │ count, vertex key… )… │ count, ( label │ sort key + 1 │ count, edge key… )…
//! vertex key    key │ type │ cardinality u8 │ required u8 │ count, ( key │ type )…
//! edge key      key │ type │ required u8
//! type          the name of the Gremlin type; empty for any
//! nodes         count, ( label │ min u32 │ max u32 )…       of edge labels whose schema says how large nodes get
//! sorting       count, ( label u16 │ count, key u16… )…   of edge labels whose lists may lie otherwise than the schema says
//! ```
//!
//! Graphs of a format before 4 have no retypes, those of format 4 no nodes, those of format 5 no sorting.

use std::collections::{BTreeMap, BTreeSet};

use super::index::{Index, IndexDefinition, IndexKind, IndexState};
use super::node_bounds::NodeBounds;
use super::retypes::Retypes;
use super::value_type::ValueType;
use super::{EdgeKey, EdgeSchema, Schema, SchemaMode, VertexKey, VertexSchema};
use crate::bytes::{Input, Malformed, Output};
use crate::model::{Cardinality, EdgeLabelId, KeyId, VertexLabelId};

/// What is declared in a graph. Small and seldom changed, so a change is stored whole.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Definitions {
    /// One more with every change of anything in here: whichever is larger is newer.
    pub(crate) revision: u64,
    pub(crate) schema: Schema,
    pub(crate) indexes: Vec<Index>,
    /// The number that the next index gets.
    pub(crate) next_index: u32,
    /// What is read as another type than it was written with.
    pub(crate) retypes: Retypes,
    /// Edge labels whose sort key was changed, with the keys by which some of their lists may lie still. Without one that is
    /// declared now, this stays; otherwise until all lists lie by it (see `lists/resort`).
    pub(crate) sorting: BTreeMap<EdgeLabelId, Vec<KeyId>>,
}

impl Definitions {
    /// The index with this definition.
    pub(crate) fn index(&self, definition: &IndexDefinition) -> Option<&Index> {
        self.indexes.iter().find(|index| index.definition == *definition)
    }

    /// Adds an index; its number. One that is there keeps its number and state.
    pub(crate) fn add_index(&mut self, definition: IndexDefinition, state: IndexState) -> u32 {
        if let Some(known) = self.index(&definition) {
            return known.number;
        }
        let number = self.next_index;
        self.next_index += 1;
        self.indexes.push(Index { number, definition, state });
        number
    }

    /// Notes for which labels a change of the schema declares another sort key.
    pub(crate) fn learn_sort_keys(&mut self, old: &Schema, new: &Schema) {
        let labels: BTreeSet<EdgeLabelId> = old.edges.keys().chain(new.edges.keys()).copied().collect();
        for label in labels {
            let (was, is) = (old.sort_key(label), new.sort_key(label));
            if was == is {
                continue;
            }
            let former = self.sorting.entry(label).or_default();
            former.extend(was.filter(|was| !former.contains(was)));
            former.retain(|key| Some(*key) != is);
            if is.is_none() && former.is_empty() {
                self.sorting.remove(&label);
            }
        }
    }

    pub(crate) fn encode(&self, output: &mut Output) {
        output.u64(self.revision);
        encode_schema(&self.schema, output);
        output.u32(self.next_index);
        output.list(&self.indexes, |output, Index { number, definition, state }| {
            output.u32(*number);
            output.u16(definition.label.0);
            output.u8(definition.kind as u8);
            output.u8(*state as u8);
            encode_keys(&definition.keys, output);
        });
        self.retypes.encode(output);
        let nodes: Vec<(EdgeLabelId, NodeBounds)> = self.schema.node_bounds().collect();
        output.list(nodes, |output, (label, NodeBounds { min, max })| {
            output.u16(label.0);
            output.u32(min);
            output.u32(max);
        });
        output.list(&self.sorting, |output, (label, former)| {
            output.u16(label.0);
            encode_keys(former, output);
        });
    }

    /// As this format of a graph has them.
    pub(crate) fn decode(input: &mut Input<'_>, format: u8) -> Result<Self, Malformed> {
        Self::decode_parts(input, |_, since| since <= format)
    }

    /// The rest of the input, of whatever format after 1.
    pub(crate) fn decode_rest(input: &mut Input<'_>) -> Result<Self, Malformed> {
        Self::decode_parts(input, |input, _| !input.is_empty())
    }

    /// `has` says of the input whether a part is next that there is since a format.
    fn decode_parts(input: &mut Input<'_>, has: impl Fn(&Input<'_>, u8) -> bool) -> Result<Self, Malformed> {
        let (revision, schema, next_index) = (input.u64()?, decode_schema(input)?, input.u32()?);
        let indexes: Vec<Index> = input.list(12, decode_index)?;
        let known = indexes.iter().all(|index| index.number < next_index);
        Malformed::unless(known, "an index has a number that was never given out")?;
        let mut definitions = Self { revision, schema, indexes, next_index, ..Self::default() };
        if has(input, 4) {
            definitions.retypes = Retypes::decode(input)?;
        }
        if has(input, 5) {
            decode_nodes(&mut definitions.schema, input)?;
        }
        if has(input, 6) {
            let label = |input: &mut Input<'_>| Ok((EdgeLabelId(input.u16()?), decode_keys(input)?));
            definitions.sorting = input.list(6, label)?;
        }
        Ok(definitions)
    }
}

fn encode_keys(keys: &[KeyId], output: &mut Output) {
    output.list(keys, |output, key| output.u16(key.0));
}

fn decode_keys<C: FromIterator<KeyId>>(input: &mut Input<'_>) -> Result<C, Malformed> {
    input.list(2, |input| input.u16().map(KeyId))
}

pub(super) fn encode_key(key: Option<KeyId>, output: &mut Output) {
    output.u32(key.map_or(0, |key| u32::from(key.0) + 1));
}

pub(super) fn decode_key(input: &mut Input<'_>) -> Result<Option<KeyId>, Malformed> {
    let id = input.u32()?.checked_sub(1).map(u16::try_from).transpose();
    Ok(id.map_err(|_| Malformed::new("no key has that id"))?.map(KeyId))
}

fn decode_index(input: &mut Input<'_>) -> Result<Index, Malformed> {
    let (number, label) = (input.u32()?, VertexLabelId(input.u16()?));
    let kind = input.one_of(IndexKind::ALL, |kind| kind as u8, "an index has an unknown kind")?;
    let states = [IndexState::Building, IndexState::Ready];
    let state = input.one_of(states, |state| state as u8, "an index has an unknown state")?;
    let keys: Box<[KeyId]> = decode_keys(input)?;
    let fits = (1..=IndexDefinition::MAX_KEYS).contains(&keys.len());
    Malformed::unless(fits, "an index has no keys, or too many")?;
    Ok(Index { number, definition: IndexDefinition { label, keys, kind }, state })
}

fn encode_schema(schema: &Schema, output: &mut Output) {
    output.u64(schema.version);
    output.u8(u8::from(schema.mode == SchemaMode::Strict) | u8::from(schema.allow_null_values) << 1);
    output.list(&schema.vertices, |output, (label, vertex)| {
        output.u16(label.0);
        output.list(&vertex.keys, |output, (key, declared)| {
            output.u16(key.0);
            encode_type(declared.value_type, output);
            output.u8(declared.cardinality as u8);
            output.u8(declared.required.into());
            output.list(&declared.meta, |output, (key, value_type)| {
                output.u16(key.0);
                encode_type(*value_type, output);
            });
        });
    });
    output.list(&schema.edges, |output, (label, edge)| {
        output.u16(label.0);
        encode_key(edge.sort_key, output);
        output.list(&edge.keys, |output, (key, declared)| {
            output.u16(key.0);
            encode_type(declared.value_type, output);
            output.u8(declared.required.into());
        });
    });
}

fn decode_schema(input: &mut Input<'_>) -> Result<Schema, Malformed> {
    let version = input.u64()?;
    let flags = input.u8()?;
    Malformed::unless(flags < 4, "a schema has unknown flags")?;
    let mode = if flags & 1 == 0 { SchemaMode::Open } else { SchemaMode::Strict };
    let vertices = input.list(6, |input| {
        let label = VertexLabelId(input.u16()?);
        Ok((label, VertexSchema { keys: input.list(12, decode_vertex_key)? }))
    })?;
    let edges = input.list(10, |input| {
        let (label, sort_key) = (EdgeLabelId(input.u16()?), decode_key(input)?);
        let keys = input.list(7, |input| {
            let key = KeyId(input.u16()?);
            Ok((key, EdgeKey { value_type: decode_type(input)?, required: input.u8()? != 0 }))
        })?;
        Ok((label, EdgeSchema { keys, sort_key, nodes: None }))
    })?;
    Ok(Schema { version, mode, allow_null_values: flags & 2 != 0, vertices, edges })
}

fn decode_nodes(schema: &mut Schema, input: &mut Input<'_>) -> Result<(), Malformed> {
    for _ in 0..input.count(10)? {
        let (label, min, max) = (EdgeLabelId(input.u16()?), input.u32()?, input.u32()?);
        let declared = schema.edges.get_mut(&label);
        let declared = declared.ok_or_else(|| Malformed::new("nodes are declared of a label that is not"))?;
        declared.nodes = Some(NodeBounds { min, max });
    }
    Ok(())
}

fn decode_vertex_key(input: &mut Input<'_>) -> Result<(KeyId, VertexKey), Malformed> {
    let (key, value_type) = (KeyId(input.u16()?), decode_type(input)?);
    let known = [Cardinality::Single, Cardinality::List, Cardinality::Set];
    let cardinality = input.one_of(known, |known| known as u8, "a key has an unknown cardinality")?;
    let required = input.u8()? != 0;
    let meta = input.list(6, |input| Ok((KeyId(input.u16()?), decode_type(input)?)))?;
    Ok((key, VertexKey { value_type, cardinality, required, meta }))
}

pub(crate) fn encode_type(value_type: Option<ValueType>, output: &mut Output) {
    output.block(value_type.map_or("", ValueType::as_str).as_bytes());
}

pub(crate) fn decode_type(input: &mut Input<'_>) -> Result<Option<ValueType>, Malformed> {
    match input.str()? {
        "" => Ok(None),
        name => {
            let found = ValueType::from_name(name);
            found.map(Some).ok_or_else(|| Malformed::new(format!("no type is called {name:?}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_a_sort_key_is_remembered_until_it_is_one_again() {
        let (a, b, label) = (KeyId(3), KeyId(4), EdgeLabelId(1));
        let schema = |sort_key| {
            let edge = EdgeSchema { sort_key, ..EdgeSchema::default() };
            Schema { edges: [(label, edge)].into(), ..Schema::default() }
        };
        let mut definitions = Definitions::default();
        let mut learn = |old, new| {
            definitions.learn_sort_keys(&schema(old), &schema(new));
            definitions.sorting.get(&label).cloned()
        };
        assert_eq!(learn(None, None), None);
        assert_eq!(learn(None, Some(a)), Some(vec![]));
        assert_eq!(learn(Some(a), Some(b)), Some(vec![a]));
        assert_eq!(learn(Some(b), None), Some(vec![a, b]));
        assert_eq!(learn(None, Some(a)), Some(vec![b]));
        assert_eq!(learn(Some(a), Some(a)), Some(vec![b]));
    }

    #[test]
    fn definitions_come_back_as_they_were_stored() {
        let key = VertexKey {
            value_type: Some(ValueType::Long),
            cardinality: Cardinality::Set,
            required: true,
            meta: [(KeyId(7), None), (KeyId(8), Some(ValueType::String))].into(),
        };
        let mut definitions = Definitions {
            revision: 9,
            schema: Schema {
                version: 3,
                mode: SchemaMode::Strict,
                allow_null_values: true,
                vertices: [(VertexLabelId(1), VertexSchema { keys: [(KeyId(2), key)].into() })].into(),
                edges: [(
                    EdgeLabelId(4),
                    EdgeSchema {
                        keys: [(KeyId(5), EdgeKey { value_type: None, required: false })].into(),
                        sort_key: Some(KeyId(5)),
                        nodes: Some(NodeBounds { min: 7, max: 70 }),
                    },
                )]
                .into(),
            },
            sorting: [(EdgeLabelId(4), vec![KeyId(6), KeyId(2)]), (EdgeLabelId(5), Vec::new())].into(),
            ..Definitions::default()
        };
        for (kind, state) in
            [(IndexKind::Unique, IndexState::Ready), (IndexKind::Range, IndexState::Building)]
        {
            let keys = [KeyId(2), KeyId(5)].into();
            definitions.add_index(IndexDefinition { label: VertexLabelId(1), keys, kind }, state);
        }
        let mut output = Output::default();
        definitions.encode(&mut output);
        let mut input = Input::new(&output.bytes);
        assert_eq!(Definitions::decode(&mut input, 6).unwrap(), definitions);
        input.end().unwrap();
        for end in 0..output.bytes.len() {
            assert!(Definitions::decode(&mut Input::new(&output.bytes[..end]), 6).is_err(), "cut at {end}");
        }
    }
}
