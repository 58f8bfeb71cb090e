//! Values that must be unique: those of rows are compared with each other, for what refuses a whole load or transaction says of no row.

use graph::{BulkColumn, BulkValues, Catalog, IndexKind};
use rustc_hash::FxHashSet;
use values::Value;

use super::value_of;
use crate::error::{Fault, quoted};

/// See the module. It keeps each value, once for each index that it is in; a graph without unique indexes has none.
#[derive(Default)]
pub(super) struct Uniques {
    /// Labels of vertices and keys.
    places: Vec<(String, String)>,
    /// Values by the number of the place.
    seen: FxHashSet<(usize, Value)>,
}

impl Uniques {
    /// The values of which the graph with this catalog wants none twice.
    pub(super) fn of(catalog: &Catalog) -> Self {
        let unique = catalog.indexes().iter().filter(|index| index.definition.kind == IndexKind::Unique);
        let named = unique.filter_map(|index| {
            let key = index.definition.keys.first()?;
            let label = catalog.vertex_label_name(index.definition.label);
            Some((label.to_string(), catalog.key_name(*key).to_string()))
        });
        Self { places: named.collect(), seen: FxHashSet::default() }
    }

    /// Whether there are none.
    pub(super) fn are_none(&self) -> bool {
        self.places.is_empty()
    }

    /// Takes what a vertex has, unless an earlier one has some of it.
    pub(super) fn take(&mut self, label: &str, columns: &[BulkColumn], row: usize) -> Result<(), Fault> {
        let Self { places, seen } = self;
        let mut new = Vec::new();
        for (number, (_, key)) in places.iter().enumerate().filter(|(_, (of, _))| of == label) {
            for value in columns.iter().filter(|column| column.key == *key).flat_map(|it| values_of(it, row))
            {
                let entry = (number, value.id_key());
                if seen.contains(&entry) {
                    return Err(twice(label, key, &value));
                }
                new.push(entry);
            }
        }
        // Several of one vertex may be alike.
        seen.extend(new);
        Ok(())
    }

    /// What must be unique of a vertex with this label, with the key.
    pub(super) fn values<'c>(
        &'c self,
        label: &'c str,
        columns: &'c [BulkColumn],
        row: usize,
    ) -> impl Iterator<Item = (&'c str, Value)> + 'c {
        let keys = self.places.iter().filter(move |(of, _)| of == label).map(|(_, key)| key.as_str());
        keys.flat_map(move |key| {
            let columns = columns.iter().filter(move |column| column.key == key);
            columns.flat_map(move |column| values_of(column, row)).map(move |value| (key, value))
        })
    }
}

fn values_of(column: &BulkColumn, row: usize) -> Vec<Value> {
    match &column.values {
        BulkValues::Multi(rows) => rows[row].iter().map(|cell| cell.value.clone()).collect(),
        values => value_of(values, row).into_iter().collect(),
    }
}

fn twice(label: &str, key: &str, value: &Value) -> Fault {
    let value = value.as_str().map_or_else(|| value.to_string(), quoted);
    let problem =
        format!("values of {key:?} are unique among vertices {label:?}, and an earlier row has {value}, too");
    Fault { column: 0, field: Some(key.to_owned()), problem }
}
