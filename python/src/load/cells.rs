//! Columns of Arrow's as columns of a load.
//!
//! | Arrow | Gremlin |
//! |---|---|
//! | int8, int16, int32, uint8, uint16 | int |
//! | int64, uint32, uint64 | long (a biginteger, if it is beyond) |
//! | float, double | float, double |
//! | decimal128 | bigdecimal |
//! | bool | boolean |
//! | string in all forms, dictionaries of it | string |
//! | binary in all forms | binary |
//! | fixed-size binary that is said to be `arrow.uuid` | uuid |
//! | timestamp, date | datetime, in UTC |
//! | duration | duration |
//! | list | several values of a vertex's property; a list on an edge |

use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType,
    cast::AsArray,
    types::{
        Date32Type, Date64Type, Decimal128Type, DurationMicrosecondType, DurationMillisecondType,
        DurationNanosecondType, DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type,
        Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
        TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
    },
};
use arrow_schema::{DataType, Field, TimeUnit, extension::EXTENSION_TYPE_NAME_KEY};
use mangrove::{
    graph::{BulkCell, BulkStrings, BulkValues},
    values::{BigDecimal, BigInt, DateTime, Duration, Uuid, Value},
};

use super::{frame::Cells, labels::Pick};

/// The number in each row of a column of whole ones.
pub(super) struct Whole<'a>(pub(super) Box<dyn Fn(usize) -> Option<i64> + 'a>);

/// A column of whole numbers that are longs, whatever their width.
pub(super) fn whole(column: &ArrayRef) -> Option<Whole<'_>> {
    fn of<T: ArrowPrimitiveType>(column: &ArrayRef) -> Whole<'_>
    where
        T::Native: Into<i64>,
    {
        let cells = column.as_primitive::<T>();
        Whole(Box::new(|row| cells.is_valid(row).then(|| cells.value(row).into())))
    }
    Some(match column.data_type() {
        DataType::Int8 => of::<Int8Type>(column),
        DataType::Int16 => of::<Int16Type>(column),
        DataType::Int32 => of::<Int32Type>(column),
        DataType::Int64 => of::<Int64Type>(column),
        DataType::UInt8 => of::<UInt8Type>(column),
        DataType::UInt16 => of::<UInt16Type>(column),
        DataType::UInt32 => of::<UInt32Type>(column),
        _ => return None,
    })
}

/// The text in each row of a column of texts.
pub(super) fn texts<'a>(column: &'a ArrayRef) -> Option<Box<dyn Fn(usize) -> Option<&'a str> + 'a>> {
    Some(match column.data_type() {
        DataType::Utf8 => {
            let cells = column.as_string::<i32>();
            Box::new(|row| cells.is_valid(row).then(|| cells.value(row)))
        }
        DataType::LargeUtf8 => {
            let cells = column.as_string::<i64>();
            Box::new(|row| cells.is_valid(row).then(|| cells.value(row)))
        }
        DataType::Utf8View => {
            let cells = column.as_string_view();
            Box::new(|row| cells.is_valid(row).then(|| cells.value(row)))
        }
        DataType::Dictionary(_, _) => {
            let dictionary = column.as_any_dictionary_opt()?;
            if dictionary.values().is_empty() {
                return Some(Box::new(|_| None));
            }
            let words = texts(dictionary.values())?;
            let keys = dictionary.normalized_keys();
            Box::new(move |row| dictionary.keys().is_valid(row).then(|| keys[row]).and_then(&words))
        }
        _ => return None,
    })
}

/// How a row of a column of a type becomes a value. The row is not null. None: there is no such value.
type Cell = Box<dyn Fn(&ArrayRef, usize) -> Option<Value>>;

/// What a field is said to be that has UUIDs: the type alone says bytes.
const UUID: &str = "arrow.uuid";

/// How rows of a column become values.
pub(super) fn value_of(field: &Field) -> Option<Cell> {
    let is_uuid = field.metadata().get(EXTENSION_TYPE_NAME_KEY).is_some_and(|name| name == UUID);
    match field.data_type() {
        DataType::FixedSizeBinary(16) if is_uuid => Some(Box::new(|column, row| {
            Uuid::from_slice(column.as_fixed_size_binary().value(row)).ok().map(Value::Uuid)
        })),
        data_type => value_of_type(data_type),
    }
}

fn value_of_type(data_type: &DataType) -> Option<Cell> {
    fn number<T: ArrowPrimitiveType>(of: impl Fn(T::Native) -> Value + 'static) -> Cell {
        Box::new(move |column, row| Some(of(column.as_primitive::<T>().value(row))))
    }
    fn time<T: ArrowPrimitiveType<Native = i64>>(a_second: i64) -> Cell {
        number::<T>(move |count| point(count, a_second).into())
    }
    fn span<T: ArrowPrimitiveType<Native = i64>>(a_second: i64) -> Cell {
        number::<T>(move |count| {
            let nanos = (count.rem_euclid(a_second) * (1_000_000_000 / a_second)) as u32;
            Duration { seconds: count.div_euclid(a_second), nanos }.into()
        })
    }
    Some(match data_type {
        DataType::Boolean => Box::new(|column, row| Some(column.as_boolean().value(row).into())),
        DataType::Int8 => number::<Int8Type>(|v| Value::Int(v.into())),
        DataType::Int16 => number::<Int16Type>(|v| Value::Int(v.into())),
        DataType::Int32 => number::<Int32Type>(Value::Int),
        DataType::Int64 => number::<Int64Type>(Value::Long),
        DataType::UInt8 => number::<UInt8Type>(|v| Value::Int(v.into())),
        DataType::UInt16 => number::<UInt16Type>(|v| Value::Int(v.into())),
        DataType::UInt32 => number::<UInt32Type>(|v| Value::Long(v.into())),
        DataType::UInt64 => {
            number::<UInt64Type>(|v| i64::try_from(v).map_or_else(|_| BigInt::from(v).into(), Value::Long))
        }
        DataType::Float16 => number::<Float16Type>(|v| Value::Float(v.into())),
        DataType::Float32 => number::<Float32Type>(Value::Float),
        DataType::Float64 => number::<Float64Type>(Value::Double),
        DataType::Decimal128(_, scale) => {
            let scale = i64::from(*scale);
            number::<Decimal128Type>(move |v| BigDecimal::new(v.into(), scale).into())
        }
        DataType::Date32 => number::<Date32Type>(|days| DateTime::new(i64::from(days) * 86_400, 0, 0).into()),
        DataType::Date64 => time::<Date64Type>(1_000),
        DataType::Timestamp(TimeUnit::Second, _) => time::<TimestampSecondType>(1),
        DataType::Timestamp(TimeUnit::Millisecond, _) => time::<TimestampMillisecondType>(1_000),
        DataType::Timestamp(TimeUnit::Microsecond, _) => time::<TimestampMicrosecondType>(1_000_000),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => time::<TimestampNanosecondType>(1_000_000_000),
        DataType::Duration(TimeUnit::Second) => span::<DurationSecondType>(1),
        DataType::Duration(TimeUnit::Millisecond) => span::<DurationMillisecondType>(1_000),
        DataType::Duration(TimeUnit::Microsecond) => span::<DurationMicrosecondType>(1_000_000),
        DataType::Duration(TimeUnit::Nanosecond) => span::<DurationNanosecondType>(1_000_000_000),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            Box::new(|column, row| texts(column).and_then(|text| text(row).map(Value::str)))
        }
        DataType::Dictionary(_, of) => {
            let of = value_of_type(of)?;
            Box::new(move |column, row| {
                let dictionary = column.as_any_dictionary_opt()?;
                let key = dictionary.normalized_keys().get(row).copied()?;
                of(dictionary.values(), key)
            })
        }
        DataType::Binary => Box::new(|column, row| Some(Value::binary(column.as_binary::<i32>().value(row)))),
        DataType::LargeBinary => {
            Box::new(|column, row| Some(Value::binary(column.as_binary::<i64>().value(row))))
        }
        DataType::BinaryView => {
            Box::new(|column, row| Some(Value::binary(column.as_binary_view().value(row))))
        }
        DataType::FixedSizeBinary(_) => {
            Box::new(|column, row| Some(Value::binary(column.as_fixed_size_binary().value(row))))
        }
        DataType::List(of) | DataType::LargeList(of) | DataType::FixedSizeList(of, _) => {
            // Whether there are such values at all.
            drop(value_of(of)?);
            Box::new(|column, row| items(column, row).map(Value::from))
        }
        _ => return None,
    })
}

/// A point in time, counted in so many parts of a second.
fn point(count: i64, a_second: i64) -> DateTime {
    let nanos = (count.rem_euclid(a_second) * (1_000_000_000 / a_second)) as u32;
    DateTime::new(count.div_euclid(a_second), nanos, 0)
}

/// What is in the list of a row.
fn items(column: &ArrayRef, row: usize) -> Option<Vec<Value>> {
    let (items, of): (ArrayRef, _) = match column.data_type() {
        DataType::List(of) => (column.as_list::<i32>().value(row), of),
        DataType::LargeList(of) => (column.as_list::<i64>().value(row), of),
        DataType::FixedSizeList(of, _) => (column.as_fixed_size_list().value(row), of),
        _ => return None,
    };
    let value = value_of(of)?;
    (0..items.len()).map(|at| if items.is_null(at) { Some(Value::Null) } else { value(&items, at) }).collect()
}

/// Rows of a column as a load takes them. None: of a type that no property has.
pub(super) fn column(
    Cells { field, array: column }: Cells<'_>,
    pick: &Pick,
    is_of_edges: bool,
) -> Option<BulkValues> {
    let valid = |row| column.is_valid(row);
    if let Some(text) = texts(column) {
        let mut strings = BulkStrings::new();
        match pick {
            Pick::All(rows) => (0..*rows).for_each(|row| strings.push(text(row))),
            Pick::These(rows) => rows.iter().for_each(|row| strings.push(text(*row as usize))),
        }
        return Some(BulkValues::Str(strings));
    }
    Some(match column.data_type() {
        DataType::Int32 => {
            let cells = column.as_primitive::<Int32Type>();
            BulkValues::Int(pick.each(|row| valid(row).then(|| cells.value(row))))
        }
        DataType::Int64 => {
            let cells = column.as_primitive::<Int64Type>();
            BulkValues::Long(pick.each(|row| valid(row).then(|| cells.value(row))))
        }
        DataType::Float64 => {
            let cells = column.as_primitive::<Float64Type>();
            BulkValues::Double(pick.each(|row| valid(row).then(|| cells.value(row))))
        }
        DataType::Boolean => {
            let cells = column.as_boolean();
            BulkValues::Bool(pick.each(|row| valid(row).then(|| cells.value(row))))
        }
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => {
            let value = value_of(field)?;
            BulkValues::DateTime(pick.each(|row| match valid(row).then(|| value(column, row)) {
                Some(Some(Value::DateTime(point))) => Some(point),
                _ => None,
            }))
        }
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) if !is_of_edges => {
            drop(value_of(field)?);
            BulkValues::Multi(pick.each(|row| {
                let items = valid(row).then(|| items(column, row)).flatten().unwrap_or_default();
                items.into_iter().filter(|item| !item.is_null()).map(BulkCell::plain).collect()
            }))
        }
        _ => {
            let value = value_of(field)?;
            BulkValues::Any(pick.each(|row| valid(row).then(|| value(column, row)).flatten()))
        }
    })
}
