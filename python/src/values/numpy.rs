//! Scalars and arrays of numpy. Points in time and spans of it are taken here: what numpy makes of those below a microsecond is an int.

use mangrove::values::{DateKind, DateTime, Duration, Value};
use pyo3::{
    IntoPyObjectExt,
    prelude::*,
    types::{PyString, PyTuple},
};

use super::from_python::from_python;
use crate::errors;

const A_SECOND: i128 = 1_000_000_000;
const A_DAY: i128 = 86_400 * A_SECOND;

/// A value of numpy's. None: Python has nothing for it.
///
/// # Errors
/// If the engine has none like it.
pub(super) fn value(given: &Bound<'_, PyAny>, depth: usize) -> PyResult<Option<Value>> {
    let Some(of) = given.getattr_opt("dtype")? else { return plain(given, depth) };
    let kind: String = of.getattr("kind")?.extract()?;
    let fields = of.getattr("names")?;
    match kind.as_str() {
        "M" | "m" => time(given, &of, kind == "M", depth).map(Some),
        // Of records each field by itself, since one may be a time.
        "V" if !fields.is_none() && !has_items(given)? => {
            let fields =
                fields.try_iter()?.map(|field| given.get_item(field?)).collect::<PyResult<Vec<_>>>()?;
            from_python(PyTuple::new(given.py(), fields)?.as_any(), depth).map(Some)
        }
        "V" if !fields.is_none() => items(given, depth).map(Some),
        _ => plain(given, depth),
    }
}

/// As Python has it: a scalar of its own, or lists.
fn plain(given: &Bound<'_, PyAny>, depth: usize) -> PyResult<Option<Value>> {
    let Some(made) = given.getattr_opt("tolist")? else { return Ok(None) };
    let made = made.call0()?;
    if made.get_type().is(given.get_type()) {
        return Ok(None);
    }
    from_python(&made, depth).map(Some)
}

/// Whether it is an array with dimensions, and no scalar.
fn has_items(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(given.getattr("ndim")?.extract::<usize>()? > 0)
}

/// What is in an array, one by one.
fn items(given: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    let items = given.try_iter()?.collect::<PyResult<Vec<_>>>()?;
    from_python(items.into_bound_py_any(given.py())?.as_any(), depth)
}

/// `datetime64` or `timedelta64`, of whatever unit.
fn time(given: &Bound<'_, PyAny>, of: &Bound<'_, PyAny>, is_point: bool, depth: usize) -> PyResult<Value> {
    if has_items(given)? {
        return items(given, depth);
    }
    let numpy = given.py().import("numpy")?;
    if numpy.call_method1("isnat", (given,))?.is_truthy()? {
        return Ok(Value::Null);
    }
    let (unit, step): (String, i128) = numpy.call_method1("datetime_data", (of,))?.extract()?;
    // Of points these are days; as spans they are of no certain length.
    if is_point && matches!(unit.as_str(), "Y" | "M") {
        let days = given.call_method1("astype", ("datetime64[D]",))?;
        return time(&days, &days.getattr("dtype")?, is_point, depth);
    }
    let count: i128 = given.call_method1("astype", ("int64",))?.call_method0("item")?.extract()?;
    let nanos = nanos(count * step, &unit).and_then(|nanos| {
        let seconds = i64::try_from(nanos.div_euclid(A_SECOND)).ok()?;
        Some((seconds, nanos.rem_euclid(A_SECOND) as u32))
    });
    let Some((seconds, nanos)) = nanos else {
        let told = given.repr()?;
        let told = told.cast::<PyString>()?.to_string();
        return Err(errors::conversion(format!(
            "{told} has no certain length, or is too long; convert it with .astype('timedelta64[s]')"
        )));
    };
    Ok(match is_point {
        // It has no zone, as a datetime without one.
        true => DateTime::new(seconds, nanos, 0).of_kind(DateKind::Date).into(),
        false => Duration { seconds, nanos }.into(),
    })
}

/// So many of a unit in nanoseconds, cut down to whole ones.
fn nanos(count: i128, unit: &str) -> Option<i128> {
    Some(match unit {
        "W" => count * 7 * A_DAY,
        "D" => count * A_DAY,
        "h" => count * 3_600 * A_SECOND,
        "m" => count * 60 * A_SECOND,
        "s" => count * A_SECOND,
        "ms" => count * 1_000_000,
        "us" | "μs" => count * 1_000,
        "ns" => count,
        "ps" => count.div_euclid(1_000),
        "fs" => count.div_euclid(1_000_000),
        "as" => count.div_euclid(A_SECOND),
        _ => return None,
    })
}
