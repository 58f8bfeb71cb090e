//! Moves vertices in indexes as commits change their properties.

use values::{EdgeRef, Value, VertexRef};

use super::writer::Application;
use crate::error::{GraphError, Result};
use crate::model::{
    Index, IndexDefinition, IndexKind, KeyId, PropertyState, Tick, index_hash, order_key, slot_of,
};
use crate::sections::{
    Column, EDGE_IDS, EdgeIdEntry, FIRST_INDEX, OrderedPartition, PARTITIONS, SectionKey, SectionName,
};

impl Application<'_> {
    /// Puts an edge with an id of the user into the index, or takes it out.
    pub(super) fn change_edge_id(&mut self, id: &Value, e: EdgeRef, added: bool) -> Result<()> {
        let entry = EdgeIdEntry::new(id, e);
        self.change_ordered((EDGE_IDS, entry.partition()), entry.key().into(), e.src, added)
    }

    /// Takes a vertex out of an index under the values it had, and puts it in under those it gets.
    pub(crate) fn maintain(
        &mut self,
        index: &Index,
        v: VertexRef,
        key: KeyId,
        state: &PropertyState,
    ) -> Result<()> {
        // Replaying, a column may be ahead of this change. What it holds is then not what was there before, and
        // taking that out of the index could hide it for good; leaving a stale entry in is harmless.
        let before = match self.column(v, key)? {
            Some(column) if column.settled >= self.tick => None,
            column => Some(column.map_or_else(Vec::new, |column| values_of(column, v))),
        };
        let after: Vec<Value> = state.to_cells().into_iter().map(|cell| cell.value).collect();
        match index.definition.kind {
            IndexKind::Range => self.move_in_order(index, v, key, before, after),
            IndexKind::Equality | IndexKind::Unique => {
                let hashes = |values: &[Value]| values.iter().map(index_hash).collect();
                self.move_by_hash(index, v, hashes(&before.unwrap_or_default()), hashes(&after))
            }
        }
    }

    fn move_by_hash(&mut self, index: &Index, v: VertexRef, before: Vec<u32>, after: Vec<u32>) -> Result<()> {
        let number = FIRST_INDEX + index.number as usize;
        for &hash in before.iter().filter(|hash| !after.contains(hash)) {
            self.change_index(number, hash, v, false)?;
        }
        for &hash in after.iter().filter(|hash| !before.contains(hash)) {
            self.change_index(number, hash, v, true)?;
        }
        Ok(())
    }

    /// Only the values of `key` change, from those before if they are known; those of the index's other keys are what the
    /// sections have. Replaying, they may be what comes later: whichever of the keys changes last finds the last values of all
    /// of them.
    fn move_in_order(
        &mut self,
        index: &Index,
        v: VertexRef,
        key: KeyId,
        before: Option<Vec<Value>>,
        after: Vec<Value>,
    ) -> Result<()> {
        let mut values = Vec::with_capacity(index.definition.keys.len());
        for &other in &index.definition.keys {
            let other = if other == key { None } else { self.column(v, other)? };
            values.push(other.map_or_else(Vec::new, |column| values_of(column, v)));
        }
        let changed = index.definition.keys.iter().position(|known| *known == key).unwrap_or(0);
        // No values are a key as well, if not of the first one, so that is not what is known of unknown ones.
        let before = before.map_or_else(Vec::new, |before| {
            values[changed] = before;
            order_keys(&values)
        });
        values[changed] = after;
        let after = order_keys(&values);
        let place = (FIRST_INDEX + index.number as usize, v.tablet() as usize);
        for gone in before.iter().filter(|key| !after.contains(key)) {
            self.change_ordered(place, gone.clone(), v, false)?;
        }
        for new in after.iter().filter(|key| !before.contains(key)) {
            self.change_ordered(place, new.clone(), v, true)?;
        }
        Ok(())
    }

    fn change_ordered(
        &mut self,
        (index, partition): (usize, usize),
        key: Box<[u8]>,
        v: VertexRef,
        added: bool,
    ) -> Result<()> {
        let cell = self.memory.ordered.get_or_grow(index * PARTITIONS + partition);
        let (name, tick) = (SectionKey::ordered(index, partition), self.tick);
        self.change(cell, name, key.len(), OrderedPartition::empty, |section: &OrderedPartition| {
            section.push(tick, (key, v), added)
        })
    }

    fn column(&self, v: VertexRef, key: KeyId) -> Result<Option<&Column>> {
        let Some(cell) = self.block(v)?.columns.get(key.index()) else { return Ok(None) };
        self.memory.section(cell, || SectionKey::of(v, SectionName::Column(key)), self.guard)
    }
}

/// All values of a vertex in a column, as they are now.
fn values_of(column: &Column, v: VertexRef) -> Vec<Value> {
    column.cells(slot_of(v), Tick::MAX).into_iter().map(|cell| cell.value).collect()
}

/// Refuses values of one vertex that would put it into a range index under too many keys.
pub(crate) fn check_combinations(values: &[Vec<Value>]) -> Result<()> {
    let combinations = values.iter().map(|values| values.len().max(1)).fold(1, usize::saturating_mul);
    if combinations > IndexDefinition::MAX_COMBINATIONS {
        return Err(GraphError::LimitExceeded {
            what: "the combinations of values of one vertex in a range index",
            limit: IndexDefinition::MAX_COMBINATIONS as u64,
            advice: "give it fewer values, or do without the index",
        });
    }
    Ok(())
}

/// The keys under which a vertex with these values is in a range index, for each of whose keys there is a list: every
/// combination. None if it has no value of the first key; where it has none of another, that counts as a value.
pub(crate) fn order_keys(values: &[Vec<Value>]) -> Vec<Box<[u8]>> {
    if values.first().is_none_or(Vec::is_empty) {
        return Vec::new();
    }
    let mut keys: Vec<Vec<u8>> = vec![Vec::new()];
    for values in values {
        let mut longer = Vec::with_capacity(keys.len() * values.len().max(1));
        for key in &keys {
            let mut extend = |value: Option<&Value>| {
                let mut key = key.clone();
                order_key::push(&mut key, value);
                longer.push(key);
            };
            if values.is_empty() { extend(None) } else { values.iter().for_each(|value| extend(Some(value))) }
        }
        keys = longer;
    }
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter().map(Vec::into_boxed_slice).collect()
}
