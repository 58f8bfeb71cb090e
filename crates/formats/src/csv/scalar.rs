//! The types that a CSV column can have, and how their values are written.

use values::{BigDecimal, BigInt, DateTime, Duration, Uuid, Value};

use crate::columns::Cell;
use crate::numbers::fraction;
use graph::{BulkStrings, BulkValues};

/// The type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ScalarType {
    String,
    Char,
    Bool,
    Byte,
    Short,
    Int,
    Long,
    BigInteger,
    Float,
    Double,
    BigDecimal,
    Uuid,
    DateTime,
    Duration,
}

impl ScalarType {
    /// What to say when a type was expected.
    pub(super) const EXPECTED: &'static str = "a type expected: string, char, boolean, byte, short, int, long, biginteger, \
                                               float, double, bigdecimal, uuid, date, datetime or duration";

    /// The type of that name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "string" => Self::String,
            "char" => Self::Char,
            "boolean" | "bool" => Self::Bool,
            "byte" => Self::Byte,
            "short" => Self::Short,
            "int" | "integer" => Self::Int,
            "long" => Self::Long,
            "biginteger" | "bigint" => Self::BigInteger,
            "float" => Self::Float,
            "double" => Self::Double,
            "bigdecimal" | "decimal" => Self::BigDecimal,
            "uuid" => Self::Uuid,
            "date" | "datetime" | "localdatetime" => Self::DateTime,
            "duration" => Self::Duration,
            _ => return None,
        })
    }

    /// What it is called in headers.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Char => "char",
            Self::Bool => "boolean",
            Self::Byte => "byte",
            Self::Short => "short",
            Self::Int => "int",
            Self::Long => "long",
            Self::BigInteger => "biginteger",
            Self::Float => "float",
            Self::Double => "double",
            Self::BigDecimal => "bigdecimal",
            Self::Uuid => "uuid",
            Self::DateTime => "datetime",
            Self::Duration => "duration",
        }
    }

    /// The type of a value; none if no column has it.
    pub(super) fn of_value(value: &Value) -> Option<Self> {
        Some(match value {
            Value::String(_) => Self::String,
            Value::Char(_) => Self::Char,
            Value::Bool(_) => Self::Bool,
            Value::Byte(_) => Self::Byte,
            Value::Short(_) => Self::Short,
            Value::Int(_) => Self::Int,
            Value::Long(_) => Self::Long,
            Value::BigInteger(_) => Self::BigInteger,
            Value::Float(_) => Self::Float,
            Value::Double(_) => Self::Double,
            Value::BigDecimal(_) => Self::BigDecimal,
            Value::Uuid(_) => Self::Uuid,
            Value::DateTime(_) => Self::DateTime,
            Value::Duration(_) => Self::Duration,
            _ => return None,
        })
    }

    /// The type of that name, if ids can have it.
    pub(super) fn of_id(name: &str) -> Option<Self> {
        Self::named(name).filter(|found| {
            use ScalarType::{BigInteger, Byte, Int, Long, Short, String, Uuid};
            matches!(found, String | Byte | Short | Int | Long | BigInteger | Uuid)
        })
    }

    /// What a value is called in messages.
    pub(super) fn description(self) -> &'static str {
        match self {
            Self::String => "a text",
            Self::Char => "one character",
            Self::Bool => "`true` or `false`",
            Self::Byte => "an integer of 8 bits",
            Self::Short => "an integer of 16 bits",
            Self::Int => "an integer of 32 bits",
            Self::Long => "an integer of 64 bits",
            Self::BigInteger => "an integer of at most 65536 digits",
            Self::Float => "a number of 32 bits",
            Self::Double => "a number of 64 bits",
            Self::BigDecimal => "a number of at most 65536 digits",
            Self::Uuid => "a UUID",
            Self::DateTime => "a date or date-time in ISO 8601",
            Self::Duration => "a duration in ISO 8601",
        }
    }

    /// The value that a text stands for; none if it is not of this type.
    pub(super) fn value(self, text: &str) -> Option<Value> {
        Some(match self {
            Self::String => Value::str(text),
            Self::Char => {
                let mut letters = text.chars();
                let letter = letters.next().filter(|_| letters.as_str().is_empty())?;
                Value::Char(letter)
            }
            Self::Bool => Value::Bool(boolean(text)?),
            Self::Byte => Value::Byte(text.parse().ok()?),
            Self::Short => Value::Short(text.parse().ok()?),
            Self::Int => Value::Int(text.parse().ok()?),
            Self::Long => Value::Long(text.parse().ok()?),
            Self::BigInteger => Value::BigInteger(std::sync::Arc::new(digits::<BigInt>(text)?)),
            Self::Float => Value::Float(fraction(text)?),
            Self::Double => Value::Double(fraction(text)?),
            Self::BigDecimal => Value::BigDecimal(std::sync::Arc::new(digits::<BigDecimal>(text)?)),
            Self::Uuid => Value::Uuid(Uuid::parse_str(text).ok()?),
            Self::DateTime => Value::DateTime(text.parse::<DateTime>().ok()?),
            Self::Duration => Value::Duration(text.parse::<Duration>().ok()?),
        })
    }

    /// The cell that a text becomes in a column made by [`ScalarType::column`].
    pub(super) fn cell(self, text: &str) -> Option<Cell<'_>> {
        Some(match self {
            Self::String => Cell::Str(text),
            Self::Long => Cell::Long(text.parse().ok()?),
            Self::Int => Cell::Int(text.parse().ok()?),
            Self::Double => Cell::Double(fraction(text)?),
            Self::Bool => Cell::Bool(boolean(text)?),
            Self::DateTime => Cell::DateTime(text.parse().ok()?),
            other => Cell::Any(other.value(text)?),
        })
    }

    /// An empty column for values of this type.
    pub(super) fn column(self) -> BulkValues {
        match self {
            Self::String => BulkValues::Str(BulkStrings::new()),
            Self::Long => BulkValues::Long(Vec::new()),
            Self::Int => BulkValues::Int(Vec::new()),
            Self::Double => BulkValues::Double(Vec::new()),
            Self::Bool => BulkValues::Bool(Vec::new()),
            Self::DateTime => BulkValues::DateTime(Vec::new()),
            _ => BulkValues::Any(Vec::new()),
        }
    }
}

/// Most characters of a number of any size: to make binary ones of them takes their number squared.
const MOST_DIGITS: usize = 1 << 16;

fn digits<T: std::str::FromStr>(text: &str) -> Option<T> {
    Some(text).filter(|text| text.len() <= MOST_DIGITS)?.parse().ok()
}

fn boolean(text: &str) -> Option<bool> {
    match text {
        _ if text.eq_ignore_ascii_case("true") => Some(true),
        _ if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_size_have_a_bound() {
        for scalar in [ScalarType::BigInteger, ScalarType::BigDecimal] {
            assert!(scalar.value(&"9".repeat(MOST_DIGITS)).is_some());
            assert!(scalar.value(&"9".repeat(MOST_DIGITS + 1)).is_none());
            assert!(scalar.description().contains(&MOST_DIGITS.to_string()));
        }
    }
}
