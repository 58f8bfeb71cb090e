//! Functions of dates.

use planner::physical::op::DateFunction;
use values::{DateKind, DateTime, Duration, Value, excerpt};

use super::Around;
use crate::error::QueryError;

/// The functions of the family.
pub(super) fn apply(
    function: DateFunction,
    object: &Value,
    args: &[Value],
    around: Around<'_>,
) -> Result<Value, QueryError> {
    match function {
        DateFunction::AsDate => as_date(object, around),
        DateFunction::DateAdd => add(object, args, around),
        DateFunction::DateDiff => difference(object, args, around),
    }
}

/// `asDate()`: from ISO 8601 text or from milliseconds since 1970.
fn as_date(object: &Value, around: Around<'_>) -> Result<Value, QueryError> {
    match object {
        Value::DateTime(at) => Ok(Value::DateTime(at.of_kind(DateKind::OffsetDateTime))),
        Value::String(text) => text
            .parse()
            .map(Value::DateTime)
            .map_err(|e| around.error(format!("Can't parse {} as OffsetDateTime: {e}", excerpt(text)))),
        Value::BigInteger(millis) => i64::try_from(&**millis)
            .map(|millis| Value::DateTime(DateTime::from_epoch_millis(millis)))
            .map_err(|_| around.error(format!("Can't parse {} as OffsetDateTime.", excerpt(object)))),
        Value::Null => Err(around.error("Can't parse null as OffsetDateTime.")),
        other => match other.as_i64() {
            Some(millis) => Ok(Value::DateTime(DateTime::from_epoch_millis(millis))),
            None => Err(around.error(format!("Can't parse {} as OffsetDateTime.", other.type_name()))),
        },
    }
}

/// `dateAdd(unit, count)`.
fn add(object: &Value, args: &[Value], around: Around<'_>) -> Result<Value, QueryError> {
    let Value::DateTime(at) = object else {
        return Err(around.error(format!("dateAdd() needs a date, found {}", object.type_name())));
    };
    let (Some(unit), Some(count)) =
        (args.first().and_then(Value::as_str), args.get(1).and_then(Value::as_i64))
    else {
        return Err(around.error("dateAdd() needs a unit of time and a whole number"));
    };
    let later = Duration::of(count, unit).and_then(|span| at.plus(span));
    later.map(Value::DateTime).map_err(|e| around.error(e.to_string()))
}

/// `dateDiff(other)`: milliseconds from the other date to this one; null counts as 1970-01-01.
fn difference(object: &Value, args: &[Value], around: Around<'_>) -> Result<Value, QueryError> {
    let Value::DateTime(at) = object else {
        return Err(around.error(format!("dateDiff() needs a date, found {}", object.type_name())));
    };
    match args.first().unwrap_or(&Value::Null) {
        Value::Null => Ok(Value::Long(at.epoch_millis())),
        Value::DateTime(other) => Ok(Value::Long(at.since(other).as_millis())),
        other => {
            Err(around.error(format!("dateDiff() needs a date as its argument, found {}", other.type_name())))
        }
    }
}
