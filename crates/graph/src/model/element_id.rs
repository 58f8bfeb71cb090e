//! What the id of an element may be: a text, an integer of up to 64 bits, or a UUID.
//!
//! They are what every client and every format can write down, and what can be told apart for sure: a floating-point number
//! may be equal to many integers, and `NaN` not even to itself. Graphs from before this was so open as they are.

use values::Value;

use crate::error::{GraphError, Result};

/// Refuses values that cannot be the ids of elements.
///
/// # Errors
/// [`GraphError::BadId`], which says what the value is.
pub fn check(id: &Value) -> Result<()> {
    let found = match id {
        Value::String(_) | Value::Uuid(_) => return Ok(()),
        Value::Byte(_) | Value::Short(_) | Value::Int(_) | Value::Long(_) => return Ok(()),
        Value::BigInteger(v) if i64::try_from(v.as_ref()).is_ok() => return Ok(()),
        Value::BigInteger(_) => "an integer of more than 64 bits",
        Value::Double(v) if v.is_nan() => "NaN",
        Value::Float(v) if v.is_nan() => "NaN",
        Value::Double(_) | Value::Float(_) => "a floating-point number",
        Value::BigDecimal(_) => "a decimal number",
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Char(_) => "a single character",
        Value::DateTime(_) => "a date",
        Value::Duration(_) => "a duration",
        Value::Binary(_) => "a value of bytes",
        Value::List(_)
        | Value::Set(_)
        | Value::BulkSet(_)
        | Value::Map(_)
        | Value::Entry(_)
        | Value::Path(_) => "a collection",
        Value::Vertex(_) | Value::VertexRef(_) | Value::Edge(_) | Value::EdgeRef(_) => "an element",
        Value::Property(_) | Value::VertexProperty(_) => "a property",
        Value::T(_) | Value::Direction(_) => "a token",
    };
    Err(GraphError::BadId(found))
}
