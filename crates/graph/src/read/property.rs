//! Reads of properties.

use values::{EdgeRef, Value, VertexRef, compare};

use super::reader::Reader;
use crate::model::{EDGE_ID_KEY, KeyId, PropertyCell, PropertyEntry, PropertyId, Single, ValueRef, slot_of};
use crate::sections::{Column, SectionKey, SectionName};

impl Reader<'_> {
    /// The first value of a vertex under a key.
    #[inline]
    pub fn value(&self, v: VertexRef, key: KeyId) -> Option<Value> {
        self.value_ref(v, key).map(ValueRef::to_value)
    }

    /// The first value of a vertex under a key, borrowed.
    #[inline]
    pub fn value_ref(&self, v: VertexRef, key: KeyId) -> Option<ValueRef<'_>> {
        if let Some(own) = self.own
            && let Some(first) = own.first(v, key)
        {
            return first;
        }
        self.column(v, key)?.get(slot_of(v), self.tick)
    }

    /// What a vertex has under a key. For many vertices, [`Reader::property_column`] is faster.
    #[inline]
    pub fn single(&self, v: VertexRef, key: KeyId) -> Single<'_> {
        if let Some(own) = self.own
            && let Some(single) = own.single(v, key)
        {
            return single;
        }
        self.column(v, key).map_or(Single::Absent, |column| column.single(slot_of(v), self.tick))
    }

    /// What a vertex has under a key, if that is at most one value and nothing more.
    fn plain(&self, v: VertexRef, key: KeyId) -> Single<'_> {
        if let Some(own) = self.own
            && let Some(plain) = own.plain(v, key)
        {
            return plain;
        }
        self.column(v, key).map_or(Single::Absent, |column| column.plain(slot_of(v), self.tick))
    }

    /// Whether the vertex has a value equal to `value` (`P.eq`) under `key`, whichever of several.
    pub fn has_value(&self, v: VertexRef, key: KeyId, value: &Value) -> bool {
        match self.value_ref(v, key) {
            None => false,
            Some(first) if first.equals(value) => true,
            Some(_) => self.cells(v, key).iter().skip(1).any(|cell| ValueRef::of(&cell.value).equals(value)),
        }
    }

    /// Appends all properties of a vertex under `keys` (all, when empty), in the order of `keys` (of the key ids).
    pub fn vertex_properties(&self, v: VertexRef, keys: &[KeyId], out: &mut Vec<PropertyEntry>) {
        if keys.is_empty() {
            self.each_key(v, |key| self.append_properties(v, key, out));
        } else {
            keys.iter().for_each(|&key| self.append_properties(v, key, out));
        }
    }

    fn append_properties(&self, v: VertexRef, key: KeyId, out: &mut Vec<PropertyEntry>) {
        match self.plain(v, key) {
            Single::Absent => {}
            Single::Value(value) => out.push(PropertyEntry::plain(v, key, value.to_value())),
            Single::Several => {
                out.extend(self.cells(v, key).into_iter().map(|cell| PropertyEntry::new(v, key, cell)));
            }
        }
    }

    /// The property of a vertex under a key with this id, as users see ids; if it has that now.
    pub fn vertex_property(&self, v: VertexRef, key: KeyId, id: &Value) -> Option<PropertyEntry> {
        let mut cells = self.cells(v, key);
        let place = Self::place_among(&cells, PropertyId::of(v, key, id), id)?;
        let at = cells.iter().position(|cell| cell.place == place)?;
        Some(PropertyEntry::new(v, key, cells.swap_remove(at)))
    }

    /// The place among some values of the one with this id: an id that it came with, or its own.
    fn place_among(cells: &[PropertyCell], own: Option<PropertyId>, id: &Value) -> Option<u16> {
        match cells.iter().find(|cell| cell.kept_id().is_some_and(|kept| compare::equals(kept, id))) {
            Some(cell) => Some(cell.place),
            // What is at its place may be a property that came with another id.
            None => own
                .map(PropertyId::place)
                .filter(|own| !cells.iter().any(|cell| cell.place == *own && cell.kept_id().is_some())),
        }
    }

    /// Where a vertex has, or had, the property of a key with this id, as users see ids.
    pub fn place_of_property(&self, v: VertexRef, key: KeyId, id: &Value) -> Option<PropertyId> {
        let own = PropertyId::of(v, key, id);
        if !matches!(self.plain(v, key), Single::Several) {
            return own;
        }
        let place = Self::place_among(&self.cells(v, key), own, id)?;
        Some(PropertyId::new(v, key, place))
    }

    /// All values of a vertex under a key.
    pub(crate) fn cells(&self, v: VertexRef, key: KeyId) -> Vec<PropertyCell> {
        if let Some(own) = self.own
            && let Some(cells) = own.cells(v, key)
        {
            return cells;
        }
        self.column(v, key).map_or_else(Vec::new, |column| column.cells(slot_of(v), self.tick))
    }

    /// The value of an edge under a key. Inside a list, [`crate::read::Run::value`] is faster.
    pub fn edge_value(&self, e: EdgeRef, key: KeyId) -> Option<Value> {
        self.edge_value_ref(e, key).map(ValueRef::to_value)
    }

    /// The value of an edge under a key, borrowed. Inside a list, [`crate::read::Run::value_ref`] is faster.
    pub fn edge_value_ref(&self, e: EdgeRef, key: KeyId) -> Option<ValueRef<'_>> {
        if key == EDGE_ID_KEY {
            return None;
        }
        self.edge_place(e)?.value(key)
    }

    /// Appends all properties of an edge under `keys` (all, when empty), in the order of `keys` (of the key ids).
    pub fn edge_properties(&self, e: EdgeRef, keys: &[KeyId], out: &mut Vec<(KeyId, Value)>) {
        let Some(place) = self.edge_place(e) else { return };
        if keys.is_empty() {
            out.extend(place.cells().iter().filter(|(key, _)| *key != EDGE_ID_KEY).cloned());
        } else {
            let value = |&key: &KeyId| Some((key, place.value(key)?.to_value()));
            out.extend(keys.iter().filter(|&&key| key != EDGE_ID_KEY).filter_map(value));
        }
    }

    #[inline]
    pub(crate) fn column(&self, v: VertexRef, key: KeyId) -> Option<&Column> {
        let cell = self.memory.blocks.block(v)?.columns.get(key.index())?;
        self.resolve(cell, || SectionKey::of(v, SectionName::Column(key)))
    }
}
