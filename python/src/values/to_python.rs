//! Values of the engine as Python's.
//!
//! | Gremlin | Python |
//! |---|---|
//! | byte, short, int, long, biginteger | `int` |
//! | float, double | `float` |
//! | bigdecimal | `decimal.Decimal` |
//! | string, char | `str` |
//! | uuid | `uuid.UUID` |
//! | datetime | `datetime.datetime`, with its offset, or without one if it came so |
//! | duration | `datetime.timedelta` |
//! | binary | `bytes` |
//! | list, bulk set | `list` |
//! | set | `set` |
//! | map, entry, tree | `dict` |
//! | what `profile()` makes | `mangrove.Metrics`, a `dict` that notebooks show as a tree |
//! | vertex, edge, path … | the classes of `elements.rs` |
//!
//! What is a key of a `dict` or a member of a `set` has a hash: lists are tuples there, sets frozen, maps tuples of pairs.

use mangrove::values::{Map, MapKind, Metrics, Value};
use pyo3::{
    IntoPyObjectExt,
    prelude::*,
    types::{PyBytes, PyDict, PyFrozenSet, PyList, PySet, PyString, PyTuple},
};

use super::{elements, known, times};

/// A value as Python has it.
///
/// # Errors
/// If Python has none like it, such as a year beyond 9999.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::List(items) => list(py, items.iter()),
        Value::Set(members) => {
            let set = PySet::empty(py)?;
            members.iter().try_for_each(|member| set.add(hashable(py, member)?))?;
            Ok(set.into_any())
        }
        Value::BulkSet(members) => list(py, members.repeated_from(0)),
        Value::Map(map) if map.kind() == MapKind::Graph => elements::graph(py, map),
        Value::Map(map) if map.kind() == MapKind::Metrics => {
            known::metrics(py)?.call1((dict(py, map)?, Metrics::of(map).to_string()))
        }
        Value::Map(map) => dict(py, map),
        Value::Entry(entry) => {
            let dict = PyDict::new(py);
            dict.set_item(hashable(py, &entry.0)?, to_python(py, &entry.1)?)?;
            Ok(dict.into_any())
        }
        value => scalar(py, value),
    }
}

/// The same with a hash.
pub(crate) fn hashable<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    let pair = |(key, value): (&Value, &Value)| PyTuple::new(py, [hashable(py, key)?, hashable(py, value)?]);
    match value {
        Value::List(items) => tuple(py, items.iter()),
        Value::BulkSet(members) => tuple(py, members.repeated_from(0)),
        Value::Set(members) => {
            let members = members.iter().map(|member| hashable(py, member)).collect::<PyResult<Vec<_>>>()?;
            Ok(PyFrozenSet::new(py, &members)?.into_any())
        }
        Value::Map(map) => {
            let pairs = map.iter().map(pair).collect::<PyResult<Vec<_>>>()?;
            PyTuple::new(py, pairs).map(Bound::into_any)
        }
        Value::Entry(entry) => pair((&entry.0, &entry.1)).map(Bound::into_any),
        value => scalar(py, value),
    }
}

fn list<'py, 'v>(py: Python<'py>, items: impl Iterator<Item = &'v Value>) -> PyResult<Bound<'py, PyAny>> {
    let items = items.map(|item| to_python(py, item)).collect::<PyResult<Vec<_>>>()?;
    PyList::new(py, items).map(Bound::into_any)
}

fn tuple<'py, 'v>(py: Python<'py>, items: impl Iterator<Item = &'v Value>) -> PyResult<Bound<'py, PyAny>> {
    let items = items.map(|item| hashable(py, item)).collect::<PyResult<Vec<_>>>()?;
    PyTuple::new(py, items).map(Bound::into_any)
}

fn dict<'py>(py: Python<'py>, map: &Map) -> PyResult<Bound<'py, PyAny>> {
    let dict = PyDict::new(py);
    for (key, value) in map.iter() {
        dict.set_item(hashable(py, key)?, to_python(py, value)?)?;
    }
    Ok(dict.into_any())
}

/// A value that has no others in it, as far as Python sees.
fn scalar<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Bool(v) => v.into_bound_py_any(py),
        Value::Byte(v) => v.into_bound_py_any(py),
        Value::Short(v) => v.into_bound_py_any(py),
        Value::Int(v) => v.into_bound_py_any(py),
        Value::Long(v) => v.into_bound_py_any(py),
        Value::BigInteger(v) => {
            let bytes = PyBytes::new(py, &v.to_signed_bytes_le());
            let named = PyDict::new(py);
            named.set_item("signed", true)?;
            py.get_type::<pyo3::types::PyInt>().call_method("from_bytes", (bytes, "little"), Some(&named))
        }
        Value::Float(v) => f64::from(*v).into_bound_py_any(py),
        Value::Double(v) => v.into_bound_py_any(py),
        Value::BigDecimal(v) => known::decimal(py)?.call1((v.to_scientific_notation(),)),
        Value::Char(v) => v.into_bound_py_any(py),
        Value::String(v) => Ok(PyString::new(py, v).into_any()),
        Value::Uuid(v) => times::uuid(py, v.as_bytes()),
        Value::DateTime(v) => times::date_time(py, v),
        Value::Duration(v) => times::time_delta(py, v),
        Value::Binary(v) => Ok(PyBytes::new(py, v).into_any()),
        Value::T(v) => known::t(py)?.getattr(v.as_str()),
        Value::Direction(v) => known::direction(py)?.getattr(v.as_str()),
        value => elements::element(py, value),
    }
}
