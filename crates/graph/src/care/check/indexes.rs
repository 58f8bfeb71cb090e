//! Whether the indexes find what an element has.

use values::{EdgeRef, Value, VertexRef, excerpt};

use super::Findings;
use crate::apply::order_keys;
use crate::error::Result;
use crate::model::{Index, IndexDescription, IndexKind, IndexState, KeyId, index_hash};
use crate::read::Reader;
use crate::sections::{EDGE_IDS, FIRST_INDEX, partition_of};

/// Whether an index by hash has an entry for a value of a vertex. (It may have more: of values that are no more.)
pub(super) fn has_hash(reader: &Reader<'_>, index: usize, value: &Value, v: VertexRef) -> Result<bool> {
    let (guard, hash) = (crossbeam_epoch::pin(), index_hash(value));
    let partition = reader.snapshot().memory().index_partition(None, index, partition_of(hash), &guard)?;
    Ok(partition.is_some_and(|partition| partition.contains(hash, v)))
}

/// Whether an edge is found by the id that a user gave it, in the index of this format or of those before 7.
pub(super) fn has_edge_id(reader: &Reader<'_>, id: &Value, e: EdgeRef) -> Result<bool> {
    Ok(reader.snapshot().memory().has_edge_id(id, e)? || has_hash(reader, EDGE_IDS, id, e.src)?)
}

/// Looks for everything that a vertex has in all indexes of its label.
pub(super) fn check_vertex(reader: &Reader<'_>, v: VertexRef, findings: &mut Findings) {
    let (catalog, label) = (reader.snapshot().catalog(), reader.label(v));
    let ready = |index: &&Index| index.definition.label == label && index.state == IndexState::Ready;
    for index in catalog.indexes().iter().filter(ready) {
        let missing = match index.definition.kind {
            IndexKind::Range => missing_key(reader, v, index),
            IndexKind::Equality | IndexKind::Unique => missing_value(reader, v, index),
        };
        let name = || IndexDescription::of(&index.definition, catalog);
        match missing {
            Err(error) => findings.add(name(), error),
            Ok(Some(what)) => {
                findings.add(format!("vertex {}", v.0), format!("{} does not have {what}", name()))
            }
            Ok(None) => {}
        }
        if index.definition.kind == IndexKind::Unique
            && let Some((value, other)) = shared_value(reader, v, index)
        {
            let value = excerpt(&value);
            let problem = format!("{} is unique, and vertex {} has its value {value}", name(), other.0);
            findings.add(format!("vertex {}", v.0), problem);
        }
    }
}

fn values(reader: &Reader<'_>, v: VertexRef, key: KeyId) -> Vec<Value> {
    reader.cells(v, key).into_iter().map(|cell| cell.value).collect()
}

fn missing_value(reader: &Reader<'_>, v: VertexRef, index: &Index) -> Result<Option<String>> {
    for value in values(reader, v, index.definition.keys[0]) {
        if !has_hash(reader, FIRST_INDEX + index.number as usize, &value, v)? {
            return Ok(Some(format!("its value {}", excerpt(&value))));
        }
    }
    Ok(None)
}

fn missing_key(reader: &Reader<'_>, v: VertexRef, index: &Index) -> Result<Option<String>> {
    let all: Vec<Vec<Value>> = index.definition.keys.iter().map(|key| values(reader, v, *key)).collect();
    let guard = crossbeam_epoch::pin();
    let number = FIRST_INDEX + index.number as usize;
    let partition =
        reader.snapshot().memory().ordered_partition(None, number, v.tablet() as usize, &guard)?;
    let has = |key: &[u8]| partition.is_some_and(|partition| partition.contains(key, v));
    let is_missing = order_keys(&all).iter().any(|key| !has(key));
    Ok(is_missing.then(|| format!("all combinations of its values {}", excerpt(&format_args!("{all:?}")))))
}

/// A value that another vertex has as well, which is named only at the later of the two.
fn shared_value(reader: &Reader<'_>, v: VertexRef, index: &Index) -> Option<(Value, VertexRef)> {
    let key = index.definition.keys[0];
    values(reader, v, key).into_iter().find_map(|value| {
        let mut holders = Vec::new();
        reader.look_up_in(index, key, &value, &mut holders);
        let other = holders.into_iter().find(|holder| *holder < v)?;
        Some((value, other))
    })
}
