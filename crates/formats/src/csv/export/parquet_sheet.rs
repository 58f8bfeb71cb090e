//! A file of Parquet that is written: rows become columns in memory, and those row groups.
//!
//! ```text
//! vertices-person.parquet                       edges-knows.parquet
//! :ID INT32 | :LABEL STRING | name STRING …     :START_ID INT32 | :END_ID INT32 | :TYPE STRING | :ID INT32 | weight DOUBLE …
//! ```
//!
//! A column has the type of its values, and its name is their key. What Parquet has no type for is a text, and its type is in the name of
//! the column (`key:duration`); so is that of a key which would say something else as a name.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};
use values::{Str, Value};

use super::super::header::split;
use super::super::neptune;
use super::super::scalar::ScalarType;
use super::cells::Row;
use super::sheet::Column;
use crate::exchange::FileError;

/// Most rows of a row group, and bytes of them in memory, or so.
const MOST_ROWS: usize = 1 << 17;
const MOST_BYTES: usize = 16 << 20;
/// Bytes of a page before it is packed.
const PAGE: usize = 1 << 20;

/// See the module.
pub(super) struct ParquetSheet {
    writer: SerializedFileWriter<Box<dyn Write + Send>>,
    columns: Vec<Written>,
    rows: usize,
    bytes: usize,
}

/// A column that is written.
struct Written {
    of: Of,
    is_list: bool,
    /// Whether a row may have nothing in it.
    is_optional: bool,
    values: Values,
    /// Levels of repetition and of definition.
    levels: [Vec<i16>; 2],
}

/// What of a row is in a column.
enum Of {
    Id(ScalarType),
    Label,
    /// An end, by its number.
    End(usize, ScalarType),
    Key(Str),
}

/// Values as they lie in a file.
enum Values {
    Bool(Vec<bool>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Text(Vec<ByteArray>),
}

impl ParquetSheet {
    /// A file with columns for ids, ends and labels, and for keys.
    pub(super) fn new(
        id: Option<ScalarType>,
        ends: Option<ScalarType>,
        keys: impl Iterator<Item = (Str, Column)>,
        file: Box<dyn Write + Send>,
    ) -> Result<Self, FileError> {
        let mut fields = Vec::new();
        let mut columns = Vec::new();
        let mut add = |name: &str, of: Of, (scalar, as_text): (ScalarType, bool), manner: (bool, bool)| {
            let (is_list, is_optional) = manner;
            fields.push(field(name, (scalar, as_text), manner)?);
            let values = Values::of(physical(scalar, as_text));
            columns.push(Written { of, is_list, is_optional, values, levels: Default::default() });
            Ok::<_, ParquetError>(())
        };
        let required = (false, false);
        let own = id.map(|scalar| (id_name(scalar), scalar));
        let special = || -> Result<(), ParquetError> {
            if let Some(scalar) = ends {
                add(":START_ID", Of::End(0, scalar), (scalar, false), required)?;
                add(":END_ID", Of::End(1, scalar), (scalar, false), required)?;
                add(":TYPE", Of::Label, (ScalarType::String, false), required)?;
            }
            if let Some((name, scalar)) = &own {
                add(name, Of::Id(*scalar), (*scalar, false), required)?;
            }
            if ends.is_none() {
                add(":LABEL", Of::Label, (ScalarType::String, false), required)?;
            }
            for (key, column) in keys {
                let name = key_name(&key, &column);
                add(&name, Of::Key(key), (column.scalar, column.as_text), (column.is_array, true))?;
            }
            Ok(())
        };
        special().map_err(failed)?;
        let schema = Type::group_type_builder("graph").with_fields(fields).build().map_err(failed)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_data_page_size_limit(PAGE)
            .set_created_by(concat!("mangrove version ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let writer =
            SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties)).map_err(failed)?;
        Ok(Self { writer, columns, rows: 0, bytes: 0 })
    }

    /// Takes a row.
    pub(super) fn append(&mut self, row: &Row) -> Result<(), FileError> {
        for column in &mut self.columns {
            column.append(row)?;
        }
        self.rows += 1;
        self.bytes += row.weight();
        if self.rows >= MOST_ROWS || self.bytes >= MOST_BYTES { self.write_rows() } else { Ok(()) }
    }

    /// Bytes of rows in memory, or so.
    pub(super) fn held(&self) -> usize {
        self.bytes
    }

    /// Writes the rows in memory as a row group.
    pub(super) fn write_rows(&mut self) -> Result<(), FileError> {
        if self.rows == 0 {
            return Ok(());
        }
        (self.rows, self.bytes) = (0, 0);
        let mut group = self.writer.next_row_group().map_err(failed)?;
        for column in &mut self.columns {
            let Some(mut into) = group.next_column().map_err(failed)? else { break };
            column.write(&mut into).map_err(failed)?;
            into.close().map_err(failed)?;
        }
        group.close().map(drop).map_err(failed)
    }

    /// Ends the file.
    pub(super) fn finish(&mut self) -> Result<(), FileError> {
        self.write_rows()?;
        self.writer.finish().map_err(failed)?;
        Ok(self.writer.inner_mut().flush()?)
    }
}

impl Written {
    fn append(&mut self, row: &Row) -> Result<(), FileError> {
        match &self.of {
            Of::Label => self.values.push(&Value::String(row.label.clone())),
            Of::Id(scalar) => {
                let id = row.id.as_ref().map(|(_, id)| id.as_str());
                self.values.push_id(*scalar, id.unwrap_or_default())
            }
            Of::End(which, scalar) => {
                let id = row.ends.as_ref().map(|ends| ends[*which].as_str());
                self.values.push_id(*scalar, id.unwrap_or_default())
            }
            Of::Key(key) => {
                let values = row.cells.get(key).map(|cell| cell.values()).unwrap_or_default();
                let [repetition, definition] = &mut self.levels;
                if values.is_empty() {
                    repetition.push(0);
                    definition.push(0);
                }
                // A list that is there has a level, and so has each member of it.
                let is_there = if self.is_list { 2 } else { 1 };
                values.iter().enumerate().try_for_each(|(number, value)| {
                    repetition.push(i16::from(number > 0));
                    definition.push(is_there);
                    self.values.push(value)
                })
            }
        }
    }

    /// Writes the values, and begins anew.
    fn write(&mut self, into: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let [repetition, definition] = &mut self.levels;
        let definition_of = self.is_optional.then_some(definition.as_slice());
        let repetition_of = self.is_list.then_some(repetition.as_slice());
        match &mut self.values {
            Values::Bool(values) => {
                into.typed::<BoolType>().write_batch(values, definition_of, repetition_of)?;
                values.clear();
            }
            Values::Int32(values) => {
                into.typed::<Int32Type>().write_batch(values, definition_of, repetition_of)?;
                values.clear();
            }
            Values::Int64(values) => {
                into.typed::<Int64Type>().write_batch(values, definition_of, repetition_of)?;
                values.clear();
            }
            Values::Float(values) => {
                into.typed::<FloatType>().write_batch(values, definition_of, repetition_of)?;
                values.clear();
            }
            Values::Double(values) => {
                into.typed::<DoubleType>().write_batch(values, definition_of, repetition_of)?;
                values.clear();
            }
            Values::Text(values) => {
                into.typed::<ByteArrayType>().write_batch(values, definition_of, repetition_of)?;
                values.clear();
            }
        }
        repetition.clear();
        definition.clear();
        Ok(())
    }
}

impl Values {
    fn of(physical: Physical) -> Self {
        match physical {
            Physical::BOOLEAN => Self::Bool(Vec::new()),
            Physical::INT32 => Self::Int32(Vec::new()),
            Physical::INT64 => Self::Int64(Vec::new()),
            Physical::FLOAT => Self::Float(Vec::new()),
            Physical::DOUBLE => Self::Double(Vec::new()),
            _ => Self::Text(Vec::new()),
        }
    }

    /// Adds a value of the column's type.
    fn push(&mut self, value: &Value) -> Result<(), FileError> {
        match (self, value) {
            (Self::Bool(values), Value::Bool(value)) => values.push(*value),
            (Self::Int32(values), Value::Byte(value)) => values.push((*value).into()),
            (Self::Int32(values), Value::Short(value)) => values.push((*value).into()),
            (Self::Int32(values), Value::Int(value)) => values.push(*value),
            (Self::Int64(values), Value::Long(value)) => values.push(*value),
            (Self::Int64(values), Value::DateTime(time)) => {
                values.push(time.seconds * 1_000_000 + i64::from(time.nanos / 1_000));
            }
            (Self::Float(values), Value::Float(value)) => values.push(*value),
            (Self::Double(values), Value::Double(value)) => values.push(*value),
            (Self::Text(values), Value::String(text)) => values.push(text.as_str().into()),
            (Self::Text(values), other) => values.push(other.to_string().as_str().into()),
            (_, other) => {
                let problem = format!("{other} has come into a column of another type");
                return Err(FileError::Unwritable(problem));
            }
        }
        Ok(())
    }

    /// Adds an id, which is a text here.
    fn push_id(&mut self, scalar: ScalarType, id: &str) -> Result<(), FileError> {
        if let Self::Text(values) = self {
            values.push(id.into());
            return Ok(());
        }
        match scalar.value(id) {
            Some(value) => self.push(&value),
            None => Err(FileError::Unwritable(format!("the id {id:?} is not {}", scalar.description()))),
        }
    }
}

/// How values of a type lie in a file.
fn physical(scalar: ScalarType, as_text: bool) -> Physical {
    match scalar {
        _ if as_text => Physical::BYTE_ARRAY,
        ScalarType::Bool => Physical::BOOLEAN,
        ScalarType::Byte | ScalarType::Short | ScalarType::Int => Physical::INT32,
        ScalarType::Long | ScalarType::DateTime => Physical::INT64,
        ScalarType::Float => Physical::FLOAT,
        ScalarType::Double => Physical::DOUBLE,
        _ => Physical::BYTE_ARRAY,
    }
}

/// What the schema says of values of a type.
fn logical(scalar: ScalarType, as_text: bool) -> Option<LogicalType> {
    match scalar {
        ScalarType::Byte => Some(LogicalType::integer(8, true)),
        ScalarType::Short => Some(LogicalType::integer(16, true)),
        ScalarType::DateTime if !as_text => Some(LogicalType::timestamp(true, TimeUnit::MICROS)),
        _ if physical(scalar, as_text) == Physical::BYTE_ARRAY => Some(LogicalType::String),
        _ => None,
    }
}

/// Whether the schema says the type.
fn is_said(scalar: ScalarType, as_text: bool) -> bool {
    scalar == ScalarType::String || physical(scalar, as_text) != Physical::BYTE_ARRAY
}

/// A column in the schema.
fn field(
    name: &str,
    (scalar, as_text): (ScalarType, bool),
    (is_list, is_optional): (bool, bool),
) -> Result<TypePtr, ParquetError> {
    let value = |name, repetition| {
        let value = Type::primitive_type_builder(name, physical(scalar, as_text));
        let value = value.with_repetition(repetition).with_logical_type(logical(scalar, as_text));
        value.build().map(Arc::new)
    };
    let repetition = if is_optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    if !is_list {
        return value(name, repetition);
    }
    let list = Type::group_type_builder("list").with_repetition(Repetition::REPEATED);
    let list = list.with_fields(vec![value("element", Repetition::REQUIRED)?]).build()?;
    let column = Type::group_type_builder(name).with_repetition(repetition);
    let column = column.with_logical_type(Some(LogicalType::List)).with_fields(vec![Arc::new(list)]);
    column.build().map(Arc::new)
}

fn id_name(scalar: ScalarType) -> String {
    if is_said(scalar, false) { ":ID".into() } else { format!(":ID{{id-type:{}}}", scalar.name()) }
}

/// What the column of a key is called: as the key, if that is read again as it is.
fn key_name(key: &str, column: &Column) -> String {
    let is_plain = split(key).is_ok_and(|parts| {
        let says_nothing = parts.keyword.is_empty() && parts.options.is_empty() && !parts.is_array;
        says_nothing && !key.contains([':', '{', '(']) && key.trim() == key && !neptune::is_special(key)
    });
    if is_plain && is_said(column.scalar, column.as_text) {
        return key.to_owned();
    }
    let array = if column.is_array { "[]" } else { "" };
    format!("{key}:{}{array}", column.scalar.name())
}

fn failed(error: ParquetError) -> FileError {
    match error {
        ParquetError::External(error) => match error.downcast::<std::io::Error>() {
            Ok(error) => FileError::Io(*error),
            Err(other) => FileError::Unwritable(other.to_string()),
        },
        other => FileError::Unwritable(other.to_string()),
    }
}
