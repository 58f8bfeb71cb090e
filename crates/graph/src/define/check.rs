//! Whether the elements that exist obey a schema that is to be.

use std::collections::BTreeMap;

use values::{EdgeRef, VertexRef, watch};

use crate::error::{GraphError, Result};
use crate::model::{
    Cardinality, Catalog, EdgeKey, EdgeLabelId, EdgeSchema, KeyId, LabelOf, NameSpace, Rules, Schema,
    SchemaError, SchemaMode, ValueType, VertexKey, VertexLabelId, VertexSchema, embeds, under_key,
};
use crate::read::{Reader, ScanCursor, Snapshot};

/// Elements that are looked at between two pins of the memory-reclamation epoch.
const BATCH: usize = 1024;

/// Ticks of the caller's watch for an element.
const TICKS: usize = 8;

/// Looks at the elements of every label of which `new` says something else than `old`, unless what `old` says is proof enough;
/// the first that breaks it. `catalog` has the names of `new`.
pub(crate) fn check_existing(
    snapshot: &Snapshot,
    catalog: &Catalog,
    old: &Schema,
    new: &Schema,
) -> Result<()> {
    let strict = new.mode == SchemaMode::Strict;
    let stricter = strict && old.mode == SchemaMode::Open;
    let rules = Rules::of_stored(new, catalog);
    for (label, name) in catalog.vertex_labels() {
        let admitted = || admits_vertices(old.vertex(label), new.vertex(label), strict);
        if (stricter || !admitted()) && snapshot.vertex_count(Some(label)) > 0 {
            rules.admit_label(NameSpace::VertexLabel, name).map_err(broken)?;
            check_all(
                snapshot,
                |reader, cursor, found| reader.scan_vertices(Some(label), cursor, BATCH, found),
                |reader, v| check_vertex(reader, v, label, rules),
            )?;
        }
    }
    for (label, name) in catalog.edge_labels() {
        let edges = snapshot.edge_count(Some(label));
        let admitted = || admits_edges(old.edge(label), new.edge(label), strict);
        if (stricter || !admitted()) && edges > 0 {
            rules.admit_label(NameSpace::EdgeLabel, name).map_err(broken)?;
            check_all(
                snapshot,
                |reader, cursor, found| reader.scan_edges(Some(label), cursor, BATCH, found),
                |reader, e| check_edge(reader, e, label, rules),
            )?;
        }
    }
    snapshot.check()
}

/// Whether every value of one declared type can be read as one of another.
fn admits_type(old: Option<ValueType>, new: Option<ValueType>) -> bool {
    new.is_none_or(|new| old.is_some_and(|old| embeds(old, new)))
}

/// Whether what is declared of some names still is.
fn keeps<K: Ord, A, B>(old: &BTreeMap<K, A>, new: &BTreeMap<K, B>) -> bool {
    old.keys().all(|name| new.contains_key(name))
}

/// Whether all vertices that obey what was declared of a label also obey what is to be. Under a strict schema nothing may
/// be missing.
fn admits_vertices(old: Option<&VertexSchema>, new: Option<&VertexSchema>, strict: bool) -> bool {
    let (Some(old), Some(new)) = (old, new) else { return new.is_none() && (old.is_none() || !strict) };
    let key = |(key, new): (&KeyId, &VertexKey)| {
        let Some(old) = old.keys.get(key) else { return false };
        let meta = |(meta, new): (&KeyId, &Option<ValueType>)| {
            admits_type(old.meta.get(meta).copied().flatten(), *new)
        };
        admits_type(old.value_type, new.value_type)
            && (old.cardinality == new.cardinality || new.cardinality == Cardinality::List)
            && (old.required || !new.required)
            && new.meta.iter().all(meta)
            && (!strict || keeps(&old.meta, &new.meta))
    };
    new.keys.iter().all(key) && (!strict || keeps(&old.keys, &new.keys))
}

/// Whether all edges that obey what was declared of a label also obey what is to be.
fn admits_edges(old: Option<&EdgeSchema>, new: Option<&EdgeSchema>, strict: bool) -> bool {
    let (Some(old), Some(new)) = (old, new) else {
        // A declaration without keys says how lists lie, and nothing of edges.
        let says_nothing = new.is_none_or(|new| new.keys.is_empty() && !strict);
        return says_nothing && (old.is_none() || !strict);
    };
    let key = |(key, new): (&KeyId, &EdgeKey)| {
        let Some(old) = old.keys.get(key) else { return false };
        admits_type(old.value_type, new.value_type) && (old.required || !new.required)
    };
    new.keys.iter().all(key) && (!strict || keeps(&old.keys, &new.keys))
}

fn broken(error: SchemaError) -> GraphError {
    SchemaError::Broken(Box::new(error)).into()
}

/// Checks all elements that `scan` finds, which says whether there are more.
fn check_all<E>(
    snapshot: &Snapshot,
    scan: impl Fn(&Reader<'_>, &mut ScanCursor, &mut Vec<E>) -> bool,
    check: impl Fn(&Reader<'_>, E) -> Result<(), SchemaError>,
) -> Result<()> {
    let (mut cursor, mut more) = (ScanCursor::default(), true);
    while more {
        let reader = snapshot.reader();
        let mut elements = Vec::with_capacity(BATCH);
        more = scan(&reader, &mut cursor, &mut elements);
        for element in elements {
            watch::ticks(TICKS);
            check(&reader, element).map_err(broken)?;
        }
    }
    Ok(())
}

fn check_vertex(
    reader: &Reader<'_>,
    v: VertexRef,
    label: VertexLabelId,
    rules: Rules<'_>,
) -> Result<(), SchemaError> {
    let catalog = reader.snapshot().catalog();
    let mut properties = Vec::new();
    reader.vertex_properties(v, &[], &mut properties);
    for values in properties.chunk_by(|a, b| a.key == b.key) {
        let key = (Some(values[0].key), catalog.key_name(values[0].key).as_str());
        let mut stored = Vec::with_capacity(values.len());
        for property in values {
            stored.push(rules.vertex_value(label, key, property.value.clone())?);
            for (meta, value) in &property.meta {
                let meta = (Some(*meta), catalog.key_name(*meta).as_str());
                rules.meta_value(label, key, meta, value.clone())?;
            }
        }
        rules.cardinality(label, key, Some(Cardinality::needed(&stored, |value| value)))?;
    }
    let has = |key: KeyId| properties.iter().any(|property| property.key == key);
    rules.require(LabelOf::Vertices(label), || reader.id(v), has)
}

fn check_edge(
    reader: &Reader<'_>,
    e: EdgeRef,
    label: EdgeLabelId,
    rules: Rules<'_>,
) -> Result<(), SchemaError> {
    let catalog = reader.snapshot().catalog();
    let mut properties = Vec::new();
    reader.edge_properties(e, &[], &mut properties);
    for (key, value) in &properties {
        let name = (Some(*key), catalog.key_name(*key).as_str());
        rules.edge_value(label, name, value.clone())?;
    }
    let has = |key: KeyId| under_key(&properties, key).is_some();
    rules.require(LabelOf::Edges(label), || reader.edge_id(e), has)
}
