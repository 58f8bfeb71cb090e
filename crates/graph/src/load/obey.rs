//! The schema, as the columns of a bulk load meet it.

use std::borrow::Cow;

use values::{Str, Value};

use super::BulkLoad;
use super::column::{BulkCell, BulkColumn, BulkValues};
use super::feed::failed;
use crate::error::Result;
use crate::model::{Cardinality, Catalog, KeyId, LabelOf, NameSpace, Rules, SchemaError, VertexLabelId};

impl BulkLoad {
    /// The columns of some vertices, or of edges if the space is theirs, as the schema wants them.
    pub(super) fn obey<'c>(
        &self,
        (space, label): (NameSpace, &str),
        rows: usize,
        columns: &'c [BulkColumn],
    ) -> Result<Cow<'c, [BulkColumn]>> {
        let catalog = &self.catalog;
        if catalog.schema().is_empty() {
            return Ok(Cow::Borrowed(columns));
        }
        let rules = Rules::new(catalog.schema(), catalog);
        rules.admit_label(space, label)?;
        let of = match space {
            NameSpace::EdgeLabel => catalog.edge_label(label).map(LabelOf::Edges),
            _ => catalog.vertex_label(label).map(LabelOf::Vertices),
        };
        // A label without an id is not declared, and the schema is open: there is nothing to obey.
        let Some(of) = of else { return Ok(Cow::Borrowed(columns)) };
        let conformed = columns.iter().map(|column| conform_column(rules, catalog, of, column));
        let conformed: Vec<BulkColumn> = conformed.collect::<Result<_, SchemaError>>()?;
        for row in 0..rows {
            let has = |key: KeyId| has_value(&conformed, catalog, key, row);
            rules.require(of, || row_of(label, row), has)?;
        }
        Ok(Cow::Owned(conformed))
    }

    /// Whether the schema takes all of some vertices, or edges if the space is theirs; [`refused_rows`] says which it does not.
    ///
    /// # Errors
    /// What it refuses first.
    pub fn admit(&self, place: (NameSpace, &str), rows: usize, columns: &[BulkColumn]) -> Result<()> {
        self.obey(place, rows, columns).map(drop)
    }

    /// What the load knows by name, and the schema that it obeys.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The schema that the load obeys must still be in force when it ends.
    pub(super) fn check_schema(in_force: &Catalog, begun_with: &Catalog) -> Result<()> {
        let same = in_force.schema() == begun_with.schema() && in_force.pending().is_none();
        if same {
            return Ok(());
        }
        Err(failed("the graph", "the schema was changed while it went on; load again"))
    }
}

/// The rows of a chunk of vertices, or of edges if the space is theirs, that the schema of a catalog refuses by itself, each with why.
/// `are_whole`: they are elements of their own, which must have what the schema requires. Whether values are unique, and ids, is not
/// looked at.
pub fn refused_rows(
    catalog: &Catalog,
    (space, label): (NameSpace, &str),
    rows: usize,
    columns: &[BulkColumn],
    are_whole: bool,
) -> Vec<(usize, SchemaError)> {
    let rules = Rules::new(catalog.schema(), catalog);
    if catalog.schema().is_empty() {
        return Vec::new();
    }
    if let Err(error) = rules.admit_label(space, label) {
        return (0..rows).map(|row| (row, error.clone())).collect();
    }
    let of = match space {
        NameSpace::EdgeLabel => catalog.edge_label(label).map(LabelOf::Edges),
        _ => catalog.vertex_label(label).map(LabelOf::Vertices),
    };
    let Some(of) = of else { return Vec::new() };
    let refused = |row: usize| -> Result<(), SchemaError> {
        columns.iter().try_for_each(|column| admit_cell(rules, catalog, of, column, row))?;
        if are_whole {
            rules.require(of, || Value::from("of this row"), |key| has_value(columns, catalog, key, row))?;
        }
        Ok(())
    };
    (0..rows).filter_map(|row| Some((row, refused(row).err()?))).collect()
}

/// Puts what a row has in a column through the schema.
fn admit_cell(
    rules: Rules<'_>,
    catalog: &Catalog,
    of: LabelOf,
    column: &BulkColumn,
    row: usize,
) -> Result<(), SchemaError> {
    let key = (catalog.key(&column.key), column.key.as_str());
    match (of, &column.values) {
        (LabelOf::Vertices(label), BulkValues::Multi(rows)) => {
            conform_cells(rules, catalog, (label, key), &rows[row]).map(drop)
        }
        (_, values) => {
            let Some(value) = values.get(row) else { return Ok(()) };
            let value = value.to_value();
            match of {
                LabelOf::Vertices(label) => rules.vertex_value(label, key, value).map(drop),
                LabelOf::Edges(label) => rules.edge_value(label, key, value).map(drop),
            }
        }
    }
}

/// What stands for the id of an element of a load in messages: its label and row.
fn row_of(label: &str, row: usize) -> Value {
    Value::from(format!("in row {row} of a chunk of {label:?}"))
}

fn has_value(columns: &[BulkColumn], catalog: &Catalog, key: KeyId, row: usize) -> bool {
    let name = catalog.key_name(key);
    columns.iter().any(|column| column.key == name.as_str() && column.values.get(row).is_some())
}

fn conform_column(
    rules: Rules<'_>,
    catalog: &Catalog,
    of: LabelOf,
    column: &BulkColumn,
) -> Result<BulkColumn, SchemaError> {
    let key = (catalog.key(&column.key), column.key.as_str());
    let values = match (of, &column.values) {
        (LabelOf::Vertices(label), BulkValues::Multi(rows)) => {
            let cells = |row: &Vec<BulkCell>| conform_cells(rules, catalog, (label, key), row);
            BulkValues::Multi(rows.iter().map(cells).collect::<Result<_, SchemaError>>()?)
        }
        (LabelOf::Vertices(label), values) => conform(values, |value| rules.vertex_value(label, key, value))?,
        (LabelOf::Edges(label), values) => conform(values, |value| rules.edge_value(label, key, value))?,
    };
    Ok(BulkColumn { key: column.key.clone(), values })
}

/// What a vertex has under a key, which its cardinality allows as it is stored then.
fn conform_cells(
    rules: Rules<'_>,
    catalog: &Catalog,
    (label, key): (VertexLabelId, (Option<KeyId>, &str)),
    cells: &[BulkCell],
) -> Result<Vec<BulkCell>, SchemaError> {
    let cells: Vec<BulkCell> =
        cells.iter().map(|cell| conform_cell(rules, catalog, label, key, cell)).collect::<Result<_, _>>()?;
    if cells.len() > 1 {
        rules.cardinality(label, key, Some(Cardinality::needed(&cells, |cell| &cell.value)))?;
    }
    Ok(cells)
}

fn conform_cell(
    rules: Rules<'_>,
    catalog: &Catalog,
    label: VertexLabelId,
    key: (Option<KeyId>, &str),
    cell: &BulkCell,
) -> Result<BulkCell, SchemaError> {
    let entry = |(name, value): &(Str, Value)| {
        let named = (catalog.key(name), name.as_str());
        Ok((name.clone(), rules.meta_value(label, key, named, value.clone())?))
    };
    let meta = cell.meta.iter().map(entry).collect::<Result<_, SchemaError>>()?;
    let value = rules.vertex_value(label, key, cell.value.clone())?;
    Ok(BulkCell { value, meta, id: cell.id.clone() })
}

/// Puts each value through the schema. A typed column whose first value is right as it is needs no look at the others.
fn conform(
    values: &BulkValues,
    mut rule: impl FnMut(Value) -> Result<Value, SchemaError>,
) -> Result<BulkValues, SchemaError> {
    let value = |row: usize| values.get(row).map(crate::model::ValueRef::to_value);
    if !matches!(values, BulkValues::Any(_))
        && let Some(first) = (0..values.len()).find_map(value)
        && rule(first.clone())? == first
    {
        return Ok(values.clone());
    }
    let conformed = (0..values.len()).map(|row| value(row).map(&mut rule).transpose());
    Ok(BulkValues::Any(conformed.collect::<Result<_, SchemaError>>()?))
}
