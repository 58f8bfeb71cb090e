//! Rows that become columns.

use std::{collections::HashMap, sync::Arc};

use arrow_array::{RecordBatch, RecordBatchOptions, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{Field, Fields, Schema};
use mangrove::values::{self, MapKind, Value};

use super::{Misfit, column::Column};

/// A column, by what rows call it.
struct Named {
    key: Value,
    name: String,
    column: Column,
}

/// Rows, as columns.
#[derive(Default)]
pub(crate) struct Table {
    named: Vec<Named>,
    /// Where a key's column is, of tables with many.
    places: HashMap<Value, usize>,
    rows: usize,
    /// Whether a result was null: if all are, they are values.
    has_null: bool,
}

/// Columns beyond which they are found by a table rather than one by one.
const FEW: usize = 8;

/// The column of results that are no rows.
const VALUE: &str = "value";

impl Table {
    /// One whose first rows are null.
    pub(super) fn of_nulls(rows: usize) -> Self {
        Self { rows, ..Self::default() }
    }

    /// Appends a result of a query, whatever it is.
    pub(crate) fn push_result(&mut self, value: &Value) -> Result<(), Misfit> {
        let is_of_values = matches!(&self.named[..], [only] if only.key.is_null());
        if !is_of_values && self.push(value)? {
            return Ok(());
        }
        if value.is_null() {
            self.has_null = true;
            self.push_null();
            return Ok(());
        }
        if !is_of_values && !self.named.is_empty() {
            let problem = format!(
                "some results are maps or elements and one is a {}; ask for rows that are alike: project('a', 'b')",
                value.type_name()
            );
            return Err(Misfit(problem));
        }
        self.cell(0, &Value::Null, || VALUE.to_owned(), value)?;
        self.end_row();
        Ok(())
    }

    /// Appends a row, if the value is one; whether it is.
    pub(super) fn push(&mut self, value: &Value) -> Result<bool, Misfit> {
        match value {
            Value::Map(map) if map.kind() == MapKind::Map => {
                for (at, (key, value)) in map.iter().enumerate() {
                    self.cell(at, key, || name_of(key), value)?;
                }
            }
            Value::Entry(entry) => {
                self.named_cell(0, "key", &entry.0)?;
                self.named_cell(1, VALUE, &entry.1)?;
            }
            Value::Property(property) => {
                self.named_cell(0, "key", &property.key.clone().into())?;
                self.named_cell(1, VALUE, &property.value)?;
            }
            Value::VertexProperty(property) => {
                self.named_cell(0, "key", &property.key.clone().into())?;
                self.named_cell(1, VALUE, &property.value)?;
            }
            Value::Vertex(vertex) => self.vertex(vertex)?,
            Value::Edge(edge) => self.edge(edge)?,
            _ => return Ok(false),
        }
        self.end_row();
        Ok(true)
    }

    fn vertex(&mut self, vertex: &values::Vertex) -> Result<(), Misfit> {
        self.token(0, values::T::Id, &vertex.id)?;
        self.token(1, values::T::Label, &vertex.label.clone().into())?;
        for (at, property) in vertex.properties.iter().enumerate() {
            let before = &vertex.properties[..at];
            if before.iter().any(|other| other.key == property.key) {
                let problem =
                    format!("v[{}] has several values of it; ask for valueMap(), which has lists", vertex.id);
                return Err(Misfit::of(&property.key, problem));
            }
            self.named_cell(2 + at, &property.key, &property.value)?;
        }
        Ok(())
    }

    fn edge(&mut self, edge: &values::Edge) -> Result<(), Misfit> {
        self.token(0, values::T::Id, &edge.id)?;
        self.token(1, values::T::Label, &edge.label.clone().into())?;
        self.cell(2, &Value::Direction(values::Direction::Out), || "source".into(), &edge.out_v.id)?;
        self.cell(3, &Value::Direction(values::Direction::In), || "target".into(), &edge.in_v.id)?;
        for (at, property) in edge.properties.iter().enumerate() {
            self.named_cell(4 + at, &property.key, &property.value)?;
        }
        Ok(())
    }

    fn token(&mut self, at: usize, token: values::T, value: &Value) -> Result<(), Misfit> {
        self.cell(at, &Value::T(token), || token.as_str().to_owned(), value)
    }

    fn named_cell(&mut self, at: usize, name: &str, value: &Value) -> Result<(), Misfit> {
        self.cell(at, &Value::str(name), || name.to_owned(), value)
    }

    /// Sets a cell of the row that is being appended. `at`: where its column is, most likely.
    #[inline]
    fn cell(
        &mut self,
        at: usize,
        key: &Value,
        name: impl FnOnce() -> String,
        value: &Value,
    ) -> Result<(), Misfit> {
        let at = match self.named.get(at) {
            Some(named) if is_same(&named.key, key) => at,
            _ => self.place(key, name),
        };
        let Named { name, column, .. } = &mut self.named[at];
        if column.len() > self.rows {
            return Err(Misfit::of(name, "a row has it twice"));
        }
        column.push(name, value)
    }

    /// The number of a key's column, which is made if there is none.
    fn place(&mut self, key: &Value, name: impl FnOnce() -> String) -> usize {
        let found = match self.named.len() {
            ..=FEW => self.named.iter().position(|named| is_same(&named.key, key)),
            _ => self.places.get(key).copied(),
        };
        found.unwrap_or_else(|| {
            self.named.push(Named { key: key.clone(), name: name(), column: Column::of_nulls(self.rows) });
            self.places.insert(key.clone(), self.named.len() - 1);
            self.named.len() - 1
        })
    }

    fn end_row(&mut self) {
        self.rows += 1;
        for named in &mut self.named {
            if named.column.len() < self.rows {
                named.column.push_null();
            }
        }
    }

    pub(super) fn push_null(&mut self) {
        self.end_row();
    }

    /// Names that are each there once: a property keeps its own, and what is called so besides has `~` before it.
    fn names(&self) -> Vec<String> {
        let is_property = |named: &Named| matches!(named.key, Value::String(_));
        let mut taken: Vec<String> =
            self.named.iter().filter(|n| is_property(n)).map(|n| n.name.clone()).collect();
        let name = |named: &Named| {
            if is_property(named) {
                return named.name.clone();
            }
            let mut name = named.name.clone();
            while taken.contains(&name) {
                name.insert(0, '~');
            }
            taken.push(name.clone());
            name
        };
        self.named.iter().map(name).collect()
    }

    fn into_columns(self) -> Result<(Fields, Vec<arrow_array::ArrayRef>), Misfit> {
        let names = self.names();
        let mut fields = Vec::with_capacity(names.len());
        let mut columns = Vec::with_capacity(names.len());
        for (name, named) in names.into_iter().zip(self.named) {
            let column = named.column.into_array(&name)?;
            fields.push(Field::new(name, column.data_type().clone(), true));
            columns.push(column);
        }
        Ok((fields.into(), columns))
    }

    pub(super) fn into_struct(self, nulls: Option<NullBuffer>) -> Result<StructArray, Misfit> {
        let rows = self.rows;
        let (fields, columns) = self.into_columns()?;
        if fields.is_empty() {
            return Ok(StructArray::new_empty_fields(rows, nulls));
        }
        StructArray::try_new(fields, columns, nulls).map_err(|error| Misfit(error.to_string()))
    }

    /// As one batch of Arrow's.
    pub(crate) fn into_batch(mut self) -> Result<RecordBatch, Misfit> {
        if self.named.is_empty() && self.has_null {
            self.place(&Value::Null, || VALUE.to_owned());
        }
        let rows = RecordBatchOptions::new().with_row_count(Some(self.rows));
        let (fields, columns) = self.into_columns()?;
        let schema = Arc::new(Schema::new(fields));
        RecordBatch::try_new_with_options(schema, columns, &rows).map_err(|error| Misfit(error.to_string()))
    }
}

/// Whether two keys are the same, the likely ones first.
#[inline]
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::String(one), Value::String(other)) => one == other,
        (Value::T(one), Value::T(other)) => one == other,
        (Value::String(_) | Value::T(_), _) | (_, Value::String(_) | Value::T(_)) => false,
        (one, other) => one == other,
    }
}

fn name_of(key: &Value) -> String {
    match key {
        Value::String(name) => name.to_string(),
        Value::T(token) => token.as_str().to_owned(),
        Value::Direction(values::Direction::Out) => "source".to_owned(),
        Value::Direction(values::Direction::In) => "target".to_owned(),
        key => key.to_string(),
    }
}
