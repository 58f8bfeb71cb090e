//! Whether the values under a unique index are unique.

use std::sync::Arc;

use values::{Value, VertexRef};

use crate::error::Result;
use crate::model::{IndexDefinition, KeyId, SchemaError, ValueRef};
use crate::read::{Reader, Snapshot};
use crate::resident::Memory;
use crate::sections::{FIRST_INDEX, PARTITIONS};

impl Memory {
    /// Refuses the first value that two vertices have, as of now.
    pub(crate) fn find_duplicate(self: &Arc<Self>, definition: &IndexDefinition, number: u32) -> Result<()> {
        let Some(&key) = definition.keys.first() else { return Ok(()) };
        let snapshot = Snapshot::latest(self);
        for partition in 0..PARTITIONS {
            let reader = snapshot.reader();
            let guard = crossbeam_epoch::pin();
            let index = FIRST_INDEX + number as usize;
            let Some(section) = self.index_partition(None, index, partition, &guard)? else { continue };
            for vertices in section.sharing_a_hash() {
                if let Some((value, holder)) = duplicate(&reader, key, &vertices) {
                    let catalog = snapshot.catalog();
                    let label = catalog.vertex_label_name(definition.label).clone();
                    let key = catalog.key_name(key).clone();
                    return Err(SchemaError::NotUnique { label, key, value, holder }.into());
                }
            }
        }
        snapshot.check()
    }
}

/// A value that two of the vertices have, and the id of the first of them.
fn duplicate(reader: &Reader<'_>, key: KeyId, vertices: &[VertexRef]) -> Option<(Value, Value)> {
    let mut seen: Vec<(Value, VertexRef)> = Vec::new();
    for &v in vertices.iter().filter(|v| reader.exists(**v)) {
        for cell in reader.cells(v, key) {
            let same = |(value, holder): &&(Value, VertexRef)| {
                *holder != v && ValueRef::of(value).equals(&cell.value)
            };
            if let Some((value, holder)) = seen.iter().find(same) {
                return Some((value.clone(), reader.id(*holder)));
            }
            seen.push((cell.value, v));
        }
    }
    None
}
