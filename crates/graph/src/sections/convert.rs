//! Sections whose values are read as other types.
//!
//! A section in memory always has the types of the schema in force: it is converted when it is loaded, and if the schema
//! changes while it is in memory, then. So whoever reads a value asks for no version. The values are the same numbers, so order
//! and positions stay.

use values::Value;

use super::adjacency::{Adjacency, EdgeChange, EdgeChangeKind};
use super::column::Column;
use super::index::IndexPartition;
use super::order::Order;
use super::ordered::OrderedPartition;
use super::presence::Presence;
use super::values::{Rows, Values};
use super::values_builder::ValuesBuilder;
use crate::model::{
    Conversions, EdgeCells, KeyId, PropertyCell, PropertyState, ValueRef, ValueType, retype, under_key,
};

impl Conversions {
    /// Properties by key, if one of them changes.
    fn of_entries(&self, entries: &[(KeyId, Value)]) -> Option<Vec<(KeyId, Value)>> {
        let changed = |(key, value): &(KeyId, Value)| other(value, *under_key(&self.keyed, *key)?);
        entries.iter().any(|entry| changed(entry).is_some()).then(|| {
            entries.iter().map(|entry| (entry.0, changed(entry).unwrap_or_else(|| entry.1.clone()))).collect()
        })
    }

    /// The properties of an edge, if one of them changes.
    pub(crate) fn of_cells(&self, cells: &EdgeCells) -> Option<EdgeCells> {
        self.of_entries(cells).map(Into::into)
    }

    /// A change of an edge, if it has properties that change.
    pub(crate) fn of_kind(&self, kind: &EdgeChangeKind) -> Option<EdgeChangeKind> {
        match kind {
            EdgeChangeKind::Insert(cells) => self.of_cells(cells).map(EdgeChangeKind::Insert),
            EdgeChangeKind::Update(cells) => self.of_cells(cells).map(EdgeChangeKind::Update),
            EdgeChangeKind::Delete => None,
        }
    }

    fn of_cell(&self, cell: &PropertyCell) -> Option<PropertyCell> {
        let value = self.value.and_then(|to| other(&cell.value, to));
        let meta = self.of_entries(&cell.meta);
        (value.is_some() || meta.is_some()).then(|| PropertyCell {
            place: cell.place,
            value: value.unwrap_or_else(|| cell.value.clone()),
            meta: meta.unwrap_or_else(|| cell.meta.clone()),
        })
    }

    fn of_property_cells(&self, cells: &[PropertyCell]) -> Option<Vec<PropertyCell>> {
        let changes = cells.iter().any(|cell| self.of_cell(cell).is_some());
        let converted = |cell: &PropertyCell| self.of_cell(cell).unwrap_or_else(|| cell.clone());
        changes.then(|| cells.iter().map(converted).collect())
    }

    fn of_state(&self, state: &PropertyState) -> Option<PropertyState> {
        match state {
            PropertyState::Absent => None,
            PropertyState::One(value) => other(value, self.value?).map(PropertyState::One),
            PropertyState::Many(cells) => {
                self.of_property_cells(cells).map(|cells| PropertyState::Many(cells.into()))
            }
        }
    }

    /// A column of these values, if one of them changes.
    fn of_values(&self, values: &Values) -> Option<Values> {
        let rows = match (values.rows(), self.value) {
            // The usual ones, without a look at each value. First of all those of the declared type already.
            (Rows::Int(_), Some(ValueType::Int)) | (Rows::Long(_), Some(ValueType::Long)) => return None,
            (Rows::Int(v), Some(ValueType::Long)) => Rows::Long(v.iter().map(|v| i64::from(*v)).collect()),
            (Rows::Int(v), Some(ValueType::Double)) => {
                Rows::Double(v.iter().map(|v| f64::from(*v)).collect())
            }
            (Rows::Int(_) | Rows::Long(_) | Rows::Any(_), Some(_)) | (Rows::Many { .. }, _) => {
                return self.of_rows(values);
            }
            _ => return None,
        };
        Some(Values::new(values.present().clone(), rows))
    }

    fn of_rows(&self, values: &Values) -> Option<Values> {
        let (mut builder, mut changed) = (ValuesBuilder::new(), false);
        for row in 0..values.rows().len().unwrap_or(0) {
            match (values.cells(row), values.get(row)) {
                ([], None) => builder.push_absent(),
                ([], Some(value)) => {
                    let converted = self.value.and_then(|to| other(&value.to_value(), to));
                    changed |= converted.is_some();
                    builder.push(converted.as_ref().map_or(value, ValueRef::of));
                }
                (cells, _) => {
                    let converted = self.of_property_cells(cells);
                    changed |= converted.is_some();
                    builder.push_cells(converted.as_deref().unwrap_or(cells));
                }
            }
        }
        changed.then(|| builder.finish())
    }
}

/// The value as another type; nothing if it is of the type, or cannot be: nobody sees it then.
fn other(value: &Value, to: ValueType) -> Option<Value> {
    if to.contains(value) { None } else { retype(value, to) }
}

/// A section that may have values of declared types.
pub(crate) trait Convert: Sized {
    /// The section with values of other types, base and versions; nothing if none changes, as where none has a declared type.
    fn converted(&self, _to: &Conversions) -> Option<Self> {
        None
    }

    /// A section that was loaded, if lists: in the order that they are to have, or, where an older snapshot may read them as
    /// they lie, between orders.
    fn turned(self, _to: KeyId, _old_may_read: bool) -> Self {
        self
    }
}

impl Convert for Column {
    fn converted(&self, to: &Conversions) -> Option<Self> {
        let values = to.of_values(self.base());
        let delta = self.delta.converted(|state| to.of_state(state));
        if values.is_none() && delta.is_none() {
            return None;
        }
        let mut column = Self::new(self.settled, values.unwrap_or_else(|| self.base().clone()));
        column.delta = delta.unwrap_or_else(|| self.delta.newer_than(0, None));
        Some(column)
    }
}

impl Convert for Adjacency {
    fn converted(&self, to: &Conversions) -> Option<Self> {
        let of_column = |(key, values): &(KeyId, Values)| {
            Conversions { value: under_key(&to.keyed, *key).copied(), keyed: Vec::new() }
                .some()?
                .of_values(values)
        };
        let converted: Vec<Option<Values>> = self.columns().iter().map(of_column).collect();
        let of_change =
            |change: &EdgeChange| to.of_kind(&change.kind).map(|kind| EdgeChange { kind, ..change.clone() });
        let delta = self.delta.converted(of_change);
        if delta.is_none() && converted.iter().all(Option::is_none) {
            return None;
        }
        let columns = self.columns().iter().zip(converted);
        let columns = columns.map(|((key, values), other)| (*key, other.unwrap_or_else(|| values.clone())));
        Some(self.with_values(columns.collect(), delta.unwrap_or_else(|| self.delta.newer_than(0, None))))
    }

    fn turned(self, to: KeyId, old_may_read: bool) -> Self {
        if old_may_read {
            self.part_from_order();
            return self;
        }
        if self.order == Order::Key(to) { self } else { self.sorted(self.settled, to) }
    }
}

impl Convert for Presence {}
impl Convert for IndexPartition {}
impl Convert for OrderedPartition {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Tick;
    use crate::sections::adjacency_builder::AdjacencyBuilder;
    use values::VertexRef;

    fn to(value: ValueType) -> Conversions {
        Conversions { value: Some(value), keyed: vec![(KeyId(4), value)] }
    }

    fn column(rows: &[Option<Value>]) -> Column {
        let mut builder = ValuesBuilder::new();
        rows.iter().for_each(|row| builder.push_any(row.as_ref().map(ValueRef::of)));
        Column::new(3, builder.finish())
    }

    fn read(column: &Column, rows: usize, tick: Tick) -> Vec<String> {
        (0..rows).map(|row| format!("{:?}", column.cells(row, tick))).collect()
    }

    #[test]
    fn base_and_versions_of_a_column_become_the_type() {
        let rows = [Some(Value::Int(7)), None, Some(Value::Int(-1))];
        let ints = column(&rows);
        ints.delta.push(crate::model::SLOTS, 1, 5, PropertyState::One(Value::Int(4)));
        ints.delta.push(crate::model::SLOTS, 1, 6, PropertyState::Absent);
        for (value_type, make) in [
            (ValueType::Long, (|n| Value::Long(n)) as fn(i64) -> Value),
            (ValueType::Double, |n| Value::Double(n as f64)),
            (ValueType::BigInt, |n| values::BigInt::from(n).into()),
        ] {
            let expected = column(&[Some(make(7)), None, Some(make(-1))]);
            let converted = ints.converted(&to(value_type)).unwrap();
            assert_eq!(read(&converted, 3, 4), read(&expected, 3, 4));
            assert_eq!(converted.get(1, 5).map(ValueRef::to_value), Some(make(4)));
            assert!(converted.get(1, 6).is_none());
            assert_eq!((converted.settled, converted.delta.len()), (3, 2));
            assert!(converted.converted(&to(value_type)).is_none(), "once is enough");
        }
        assert!(ints.converted(&Conversions { value: None, ..to(ValueType::Long) }).is_none());
    }

    #[test]
    fn several_values_and_their_meta_properties_become_the_type_and_what_cannot_stays() {
        let mut builder = ValuesBuilder::new();
        builder.push(ValueRef::Str("text"));
        let meta = vec![(KeyId(4), Value::Int(1)), (KeyId(5), Value::Int(2))];
        builder.push_cells(&[
            PropertyCell { place: 3, value: Value::Int(9), meta },
            PropertyCell { place: 5, value: Value::Long(8), meta: Vec::new() },
        ]);
        let converted = Column::new(1, builder.finish()).converted(&to(ValueType::Long)).unwrap();
        let cells = converted.cells(1, 9);
        assert_eq!(cells.iter().map(|cell| cell.place).collect::<Vec<_>>(), [3, 5]);
        assert_eq!((&cells[0].value, &cells[1].value), (&Value::Long(9), &Value::Long(8)));
        assert_eq!(cells[0].meta, [(KeyId(4), Value::Long(1)), (KeyId(5), Value::Int(2))]);
        assert_eq!(converted.get(0, 9).and_then(ValueRef::as_str), Some("text"));
    }

    #[test]
    fn the_properties_of_edges_become_the_type_and_nothing_else_of_them_changes() {
        let mut builder = AdjacencyBuilder::new(Order::Key(KeyId(4)), 2);
        let cells = |n| [(KeyId(4), Value::Int(n)), (KeyId(5), Value::Int(n))];
        builder.push(VertexRef(7), 1, cells(1).iter());
        builder.push(VertexRef(9), 0, cells(2).iter());
        builder.end_slot();
        let node = builder.finish(4).into_node();
        node.push(0, 6, VertexRef(8), 3, EdgeChangeKind::Insert(cells(3).into()));
        let converted = node.converted(&to(ValueType::Long)).unwrap();
        assert!(converted.is_node() && converted.order == node.order && converted.settled == 4);
        assert_eq!((converted.neighbours(), converted.seqs()), (node.neighbours(), node.seqs()));
        assert_eq!(*converted.base_cells(1), [(KeyId(4), Value::Long(2)), (KeyId(5), Value::Int(2))]);
        let EdgeChangeKind::Insert(inserted) = &converted.delta.head(0).unwrap().change().kind else {
            panic!()
        };
        assert_eq!(**inserted, [(KeyId(4), Value::Long(3)), (KeyId(5), Value::Int(3))]);
        assert_eq!((converted.degree(0, 5), converted.degree(0, 6)), (2, 3));
        assert!(converted.converted(&to(ValueType::Long)).is_none());
    }
}
