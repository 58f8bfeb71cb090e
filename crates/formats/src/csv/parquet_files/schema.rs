//! What the columns of a Parquet file hold, as its schema says.
//!
//! | schema | type |
//! |---|---|
//! | `INT` of 8, 16, 32 or 64 bits | `byte short int long`; without a sign the next larger one |
//! | `BOOLEAN FLOAT DOUBLE` | `boolean float double` |
//! | `STRING ENUM JSON` | `string` |
//! | `DECIMAL UUID` | `bigdecimal uuid` |
//! | `DATE TIMESTAMP INT96` | `datetime`, in UTC |
//! | `LIST` of these, or one of them repeated | many values |

use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::schema::types::{SchemaDescriptor, Type};

use super::super::scalar::ScalarType;

/// A column of a file, as it is named there.
pub(super) struct Field {
    pub(super) name: String,
    /// What it holds; else what that is called, and cannot be a property.
    pub(super) kind: Result<Kind, &'static str>,
    /// Whether a row may have many values.
    pub(super) is_list: bool,
    /// The number of the leaf that it is.
    pub(super) leaf: usize,
}

/// What values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    /// A whole number, with a sign or without.
    Int {
        bits: i8,
        is_signed: bool,
    },
    Float,
    Double,
    Text,
    /// Bytes of which nobody says that they are a text.
    Bytes,
    Decimal {
        scale: i32,
    },
    Date,
    /// A point in time, so many of which units make a second.
    Timestamp {
        per_second: i64,
    },
    /// A point in time as Impala and Spark had it.
    Int96,
    Uuid,
    /// Nothing but null.
    Nothing,
}

impl Field {
    /// The columns of a schema.
    pub(super) fn all_of(schema: &SchemaDescriptor) -> Vec<Self> {
        let mut leaf = 0;
        let mut fields = Vec::new();
        for column in schema.root_schema().get_fields() {
            let (kind, is_list) = match value_of(column) {
                Ok((value, is_list)) => (Kind::of(value), is_list),
                Err(what) => (Err(what), false),
            };
            fields.push(Self { name: column.name().to_owned(), kind, is_list, leaf });
            leaf += leaves(column);
        }
        fields
    }

    /// The type that its values have, if it is one that a property can have.
    pub(super) fn scalar(&self) -> Option<ScalarType> {
        self.kind.ok().and_then(Kind::scalar)
    }
}

/// What the values of a column are, and whether there may be many of them in a row.
fn value_of(column: &Type) -> Result<(&Type, bool), &'static str> {
    let is_repeated = column.get_basic_info().repetition() == Repetition::REPEATED;
    if column.is_primitive() {
        return Ok((column, is_repeated));
    }
    let info = column.get_basic_info();
    let is = |logical: LogicalType, converted: &[ConvertedType]| {
        info.logical_type_ref() == Some(&logical) || converted.contains(&info.converted_type())
    };
    if is(LogicalType::Map, &[ConvertedType::MAP, ConvertedType::MAP_KEY_VALUE]) {
        return Err("a MAP");
    }
    if is_repeated || !is(LogicalType::List, &[ConvertedType::LIST]) {
        return Err("a STRUCT");
    }
    let [repeated] = column.get_fields() else { return Err("a LIST that is none") };
    if repeated.get_basic_info().repetition() != Repetition::REPEATED {
        return Err("a LIST that is none");
    }
    if repeated.is_primitive() {
        return Ok((repeated, true));
    }
    match repeated.get_fields() {
        [value] if value.is_primitive() && value.get_basic_info().repetition() != Repetition::REPEATED => {
            Ok((value, true))
        }
        _ => Err("a LIST of what is no single value"),
    }
}

/// How many leaves a column has. The schema is no deeper than what was looked at.
fn leaves(column: &Type) -> usize {
    if column.is_primitive() { 1 } else { column.get_fields().iter().map(|inner| leaves(inner)).sum() }
}

impl Kind {
    fn of(value: &Type) -> Result<Self, &'static str> {
        let info = value.get_basic_info();
        let physical = value.get_physical_type();
        let kind = match info.logical_type_ref() {
            Some(logical) => Self::of_logical(logical)?,
            None => Self::of_converted(info.converted_type(), value.get_scale())?,
        };
        let is_told = kind.unwrap_or(match physical {
            Physical::BOOLEAN => Self::Bool,
            Physical::INT32 => Self::Int { bits: 32, is_signed: true },
            Physical::INT64 => Self::Int { bits: 64, is_signed: true },
            Physical::INT96 => Self::Int96,
            Physical::FLOAT => Self::Float,
            Physical::DOUBLE => Self::Double,
            Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY => Self::Bytes,
        });
        if is_told.can_be(physical) { Ok(is_told) } else { Err("of a type that its values cannot have") }
    }

    /// What a logical type says; nothing, if it leaves that to the physical one.
    fn of_logical(logical: &LogicalType) -> Result<Option<Self>, &'static str> {
        Ok(Some(match logical {
            LogicalType::String | LogicalType::Enum | LogicalType::Json => Self::Text,
            LogicalType::Decimal(decimal) => Self::Decimal { scale: decimal.scale },
            LogicalType::Date => Self::Date,
            LogicalType::Timestamp(timestamp) => Self::Timestamp {
                per_second: match timestamp.unit {
                    TimeUnit::MILLIS => 1_000,
                    TimeUnit::MICROS => 1_000_000,
                    TimeUnit::NANOS => 1_000_000_000,
                },
            },
            LogicalType::Integer(int) => Self::Int { bits: int.bit_width, is_signed: int.is_signed },
            LogicalType::Uuid => Self::Uuid,
            LogicalType::Unknown => Self::Nothing,
            LogicalType::Time(_) => return Err("a TIME of day"),
            LogicalType::Bson => return Err("BSON"),
            LogicalType::Float16 => return Err("a FLOAT16"),
            LogicalType::Variant(_) => return Err("a VARIANT"),
            LogicalType::Geometry(_) | LogicalType::Geography(_) => return Err("a geometry"),
            _ => return Err("of a logical type that is not known"),
        }))
    }

    /// The same of what there was before logical types.
    fn of_converted(converted: ConvertedType, scale: i32) -> Result<Option<Self>, &'static str> {
        let int = |bits, is_signed| Self::Int { bits, is_signed };
        Ok(Some(match converted {
            ConvertedType::NONE => return Ok(None),
            ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON => Self::Text,
            ConvertedType::DECIMAL => Self::Decimal { scale },
            ConvertedType::DATE => Self::Date,
            ConvertedType::TIMESTAMP_MILLIS => Self::Timestamp { per_second: 1_000 },
            ConvertedType::TIMESTAMP_MICROS => Self::Timestamp { per_second: 1_000_000 },
            ConvertedType::UINT_8 => int(8, false),
            ConvertedType::UINT_16 => int(16, false),
            ConvertedType::UINT_32 => int(32, false),
            ConvertedType::UINT_64 => int(64, false),
            ConvertedType::INT_8 => int(8, true),
            ConvertedType::INT_16 => int(16, true),
            ConvertedType::INT_32 => int(32, true),
            ConvertedType::INT_64 => int(64, true),
            ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS => return Err("a TIME of day"),
            ConvertedType::BSON => return Err("BSON"),
            ConvertedType::INTERVAL => return Err("an INTERVAL"),
            ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE | ConvertedType::LIST => {
                return Err("of a type that its values cannot have");
            }
        }))
    }

    /// Whether values of a physical type can be this.
    fn can_be(self, physical: Physical) -> bool {
        use Physical::{BOOLEAN, BYTE_ARRAY, DOUBLE, FIXED_LEN_BYTE_ARRAY, FLOAT, INT32, INT64, INT96};
        match self {
            Self::Bool => physical == BOOLEAN,
            Self::Int { bits: 64, .. } | Self::Timestamp { .. } => physical == INT64,
            Self::Int { bits: 8 | 16 | 32, .. } | Self::Date => physical == INT32,
            Self::Int { .. } => false,
            Self::Float => physical == FLOAT,
            Self::Double => physical == DOUBLE,
            Self::Text => physical == BYTE_ARRAY,
            Self::Bytes => matches!(physical, BYTE_ARRAY | FIXED_LEN_BYTE_ARRAY),
            Self::Decimal { scale } => {
                // A scale that no number has digits for is none.
                (0..=1 << 10).contains(&scale)
                    && matches!(physical, INT32 | INT64 | BYTE_ARRAY | FIXED_LEN_BYTE_ARRAY)
            }
            Self::Int96 => physical == INT96,
            Self::Uuid => physical == FIXED_LEN_BYTE_ARRAY,
            Self::Nothing => true,
        }
    }

    /// The type of such values; none if nobody says it.
    fn scalar(self) -> Option<ScalarType> {
        Some(match self {
            Self::Bool => ScalarType::Bool,
            Self::Int { bits: 8, is_signed: true } => ScalarType::Byte,
            Self::Int { bits: 8, is_signed: false } | Self::Int { bits: 16, is_signed: true } => {
                ScalarType::Short
            }
            Self::Int { bits: 16, is_signed: false } | Self::Int { bits: 32, is_signed: true } => {
                ScalarType::Int
            }
            Self::Int { bits: 32, is_signed: false } | Self::Int { is_signed: true, .. } => ScalarType::Long,
            Self::Int { .. } => ScalarType::BigInteger,
            Self::Float => ScalarType::Float,
            Self::Double => ScalarType::Double,
            Self::Text | Self::Nothing => ScalarType::String,
            Self::Bytes => return None,
            Self::Decimal { .. } => ScalarType::BigDecimal,
            Self::Date | Self::Timestamp { .. } | Self::Int96 => ScalarType::DateTime,
            Self::Uuid => ScalarType::Uuid,
        })
    }
}
