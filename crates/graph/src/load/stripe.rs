//! A stripe of vertices while it is filled.

use values::{Str, Value, VertexRef};

use super::column::{BulkCell, BulkColumn, BulkValues};
use crate::error::Result;
use crate::model::{
    KeyId, NameSpace, NewNames, PROPERTY_ID_KEY, PropertyCell, PropertyId, SLOTS, TABLETS, Tick, ValueRef,
    slot_of, under_key_or,
};
use crate::sections::{Bits, Column, Presence, SectionKey, SectionName, StoredSection, ValuesBuilder};

/// Columns per key and tablet, and the ids, of one stripe.
pub(super) struct StripeBuilder {
    number: usize,
    exists: Vec<Bits>,
    ids: Vec<ValuesBuilder>,
    columns: Vec<(KeyId, Vec<ValuesBuilder>)>,
}

/// An encoded section under its key.
pub(super) type Encoded = (SectionKey, Vec<u8>);

impl StripeBuilder {
    pub(super) fn new(number: usize) -> Self {
        Self { number, exists: vec![Bits::new(SLOTS); TABLETS], ids: builders(), columns: Vec::new() }
    }

    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// Adds vertices of this stripe and, where they have some, ids that users chose.
    pub(super) fn add(&mut self, refs: &[VertexRef], ids: Option<&[Value]>) {
        for (row, &v) in refs.iter().enumerate() {
            self.exists[v.tablet() as usize].set(slot_of(v));
            if let Some(id) = ids.map(|ids| &ids[row]) {
                self.ids[v.tablet() as usize].put(slot_of(v), ValueRef::of(id));
            }
        }
    }

    /// Adds the rows from `first` on of a column to the vertices `refs`.
    pub(super) fn add_column(
        &mut self,
        names: &NewNames,
        key: KeyId,
        refs: &[VertexRef],
        values: &BulkValues,
        first: usize,
    ) -> Result<()> {
        let builders = under_key_or(&mut self.columns, key, builders);
        for (row, &v) in (first..).zip(refs) {
            let builder = &mut builders[v.tablet() as usize];
            match values {
                BulkValues::Multi(rows) => {
                    let cells = multi_cells(names, (v, key), &rows[row])?;
                    if !cells.is_empty() {
                        builder.put_cells(slot_of(v), &cells);
                    }
                }
                values => {
                    if let Some(value) = values.get(row) {
                        builder.put(slot_of(v), value);
                    }
                }
            }
        }
        Ok(())
    }

    /// The finished sections, in the order of their keys, with the types of this version of the schema.
    pub(super) fn encode(mut self, settled: Tick, schema: u64) -> Vec<Encoded> {
        let stripe = self.number as u16;
        let key = |tablet: usize, name| SectionKey::Block { stripe, tablet: tablet as u8, name };
        let mut sections = Vec::new();
        for (tablet, (exists, ids)) in self.exists.into_iter().zip(self.ids).enumerate() {
            if exists.count() > 0 {
                let presence = Presence::new(settled, exists, ids.finish());
                sections.push((key(tablet, SectionName::Presence), presence.encode(schema)));
            }
        }
        self.columns.sort_by_key(|(column, _)| *column);
        for (column, builders) in self.columns {
            for (tablet, values) in builders.into_iter().enumerate().filter(|(_, values)| values.len() > 0) {
                let section = Column::new(settled, values.finish());
                sections.push((key(tablet, SectionName::Column(column)), section.encode(schema)));
            }
        }
        sections
    }
}

fn builders() -> Vec<ValuesBuilder> {
    (0..TABLETS).map(|_| ValuesBuilder::new()).collect()
}

/// Whether an id is what this graph may call a property of the same vertex under another key: who comes with such a one gets an id
/// of this graph, so that no two properties of a vertex are ever called the same.
fn is_of_another_key(id: &Value, (v, key): (VertexRef, KeyId)) -> bool {
    // The key that ids are kept under has no properties of its own.
    let is_other = |other: KeyId| other != key && other != PROPERTY_ID_KEY;
    id.as_i64().map(PropertyId).is_some_and(|id| id.0 >= 0 && id.vertex() == v && is_other(id.key()))
}

/// The values of a multi-property as they are stored.
fn multi_cells(
    names: &NewNames,
    (v, key): (VertexRef, KeyId),
    row: &[BulkCell],
) -> Result<Vec<PropertyCell>> {
    let mut cells = Vec::with_capacity(row.len());
    for (place, cell) in (0..).zip(row) {
        let entry =
            |(name, value): &(Str, Value)| Ok((KeyId(names.intern(NameSpace::Key, name)?.0), value.clone()));
        let kept = cell.id.iter().filter(|id| !is_of_another_key(id, (v, key)));
        let id = kept.map(|id| Ok((PROPERTY_ID_KEY, id.clone())));
        let meta = id.chain(cell.meta.iter().map(entry)).collect::<Result<_>>()?;
        cells.push(PropertyCell { place, value: cell.value.clone(), meta });
    }
    Ok(cells)
}

impl BulkValues {
    /// The value of element `row`; of a multi-property the first.
    pub(crate) fn get(&self, row: usize) -> Option<ValueRef<'_>> {
        match self {
            Self::Long(v) => v.get(row).copied().flatten().map(ValueRef::Long),
            Self::Int(v) => v.get(row).copied().flatten().map(ValueRef::Int),
            Self::Double(v) => v.get(row).copied().flatten().map(ValueRef::Double),
            Self::Bool(v) => v.get(row).copied().flatten().map(ValueRef::Bool),
            Self::Str(v) => v.get(row).map(ValueRef::Str),
            Self::DateTime(v) => v.get(row).copied().flatten().map(ValueRef::DateTime),
            Self::Any(v) => v.get(row).and_then(Option::as_ref).map(ValueRef::of),
            Self::Multi(v) => v.get(row).and_then(|row| row.first()).map(|cell| ValueRef::of(&cell.value)),
        }
    }
}

/// Checks that columns fit their elements, and what they hold can be stored; the ids of their keys.
pub(super) fn check_columns(
    names: &NewNames,
    what: &str,
    rows: usize,
    columns: &[BulkColumn],
) -> Result<Vec<KeyId>> {
    let bad = |problem: String| crate::error::GraphError::BadBulk { what: what.into(), problem };
    let mut keys = Vec::with_capacity(columns.len());
    for column in columns {
        if column.values.len() != rows {
            let len = column.values.len();
            return Err(bad(format!("the column {:?} has {len} values for {rows} elements", column.key)));
        }
        check_values(&column.key, &column.values)?;
        let key = KeyId(names.intern(NameSpace::Key, &column.key)?.0);
        if keys.contains(&key) {
            return Err(bad(format!("there are two columns {:?}", column.key)));
        }
        keys.push(key);
    }
    Ok(keys)
}

fn check_values(key: &str, values: &BulkValues) -> Result<()> {
    let check = |value: &Value| match crate::model::unstorable(value) {
        Some(type_name) => Err(crate::error::GraphError::BadValue { key: key.into(), type_name }),
        None => Ok(()),
    };
    match values {
        BulkValues::Any(rows) => rows.iter().flatten().try_for_each(check),
        BulkValues::Multi(rows) => rows.iter().try_for_each(|row| {
            if row.len() > crate::model::PropertyId::MAX_PLACES.into() {
                return Err(crate::error::GraphError::LimitExceeded {
                    what: "the values of one vertex under one key",
                    limit: crate::model::PropertyId::MAX_PLACES.into(),
                    advice: "keep them as vertices of their own",
                });
            }
            row.iter().try_for_each(|cell| {
                cell.id.as_ref().map_or(Ok(()), crate::model::check)?;
                check(&cell.value)?;
                cell.meta.iter().try_for_each(|(_, value)| check(value))
            })
        }),
        _ => Ok(()),
    }
}
