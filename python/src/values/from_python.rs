//! Python's values as the engine's: what the variables of a query are given.

use std::str::FromStr;

use mangrove::{
    gremlin,
    values::{BigDecimal, BigInt, Direction, Map, Set, Str, T, Uuid, Value},
};
use pyo3::{
    prelude::*,
    types::{
        PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple,
    },
};

use super::{elements, known, numpy, times};
use crate::errors;

/// Values for the variables of a query.
pub(crate) type Given = Vec<(Str, Value)>;

/// Deepest nesting of what is given: it bounds the stack.
const MAX_DEPTH: usize = 100;

/// The variables of a query: those of a mapping, and those that are named.
///
/// # Errors
/// If one has a value that the engine has none like.
pub(crate) fn given(params: Option<&Bound<'_, PyAny>>, named: Option<&Bound<'_, PyDict>>) -> PyResult<Given> {
    let mut given = Given::new();
    if let Some(params) = params {
        let params = params.cast::<PyDict>().map_err(|_| {
            errors::conversion(
                "variables are given by name: query(text, x=1), or in a dict: query(text, {'x': 1})",
            )
        })?;
        add(params, &mut given)?;
    }
    named.map_or(Ok(()), |named| add(named, &mut given))?;
    Ok(given)
}

fn add(variables: &Bound<'_, PyDict>, given: &mut Given) -> PyResult<()> {
    for (name, value) in variables {
        let name: String =
            name.extract().map_err(|_| errors::conversion("the name of a variable is a str"))?;
        if gremlin::is_own_word(&name) {
            return Err(errors::new(
                "QuerySyntaxError",
                format!(
                    "variable {name}: `{name}` is a word of Gremlin's own, and a text that has it means that word; call the variable otherwise, \
                 such as `{name}_` or `x`"
                ),
            ));
        }
        let value = from_python(&value, MAX_DEPTH)
            .map_err(|error| if named(&error) { of_variable(&name, &error) } else { error })?;
        given.push((name.into(), value));
    }
    Ok(())
}

fn named(error: &PyErr) -> bool {
    Python::attach(|py| error.get_type(py).name().is_ok_and(|name| name == "ConversionError"))
}

fn of_variable(name: &str, error: &PyErr) -> PyErr {
    let problem = Python::attach(|py| error.value(py).to_string());
    errors::conversion(format!("variable {name}: {problem}"))
}

/// A value of Python's as the engine has it. An `int` is an int where it fits, else a long, else a biginteger, as gremlinpython
/// writes it.
///
/// # Errors
/// If there is none like it.
pub(crate) fn from_python(given: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    let py = given.py();
    if given.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(text) = given.cast::<PyString>() {
        let text = text.to_cow().map_err(|error| errors::conversion(error.to_string()))?;
        return Ok(Value::str(&*text));
    }
    if let Ok(truth) = given.cast::<PyBool>() {
        return Ok(Value::Bool(truth.is_true()));
    }
    if let Ok(number) = given.cast::<PyInt>() {
        return whole(number);
    }
    if let Ok(number) = given.cast::<PyFloat>() {
        return Ok(Value::Double(number.value()));
    }
    if let Some(collection) = collection(given, depth)? {
        return Ok(collection);
    }
    if let Ok(bytes) = given.cast::<PyBytes>() {
        return Ok(Value::binary(bytes.as_bytes()));
    }
    if let Ok(bytes) = given.cast::<PyByteArray>() {
        return Ok(Value::binary(bytes.to_vec()));
    }
    if given.is_instance(known::date_time(py)?)? {
        return Ok(times::of_date_time(given)?.into());
    }
    if given.is_instance(known::date(py)?)? {
        return Ok(times::of_date(given)?.into());
    }
    if given.is_instance(known::time_delta(py)?)? {
        return Ok(times::of_time_delta(given)?.into());
    }
    if given.is_instance(known::decimal(py)?)? {
        return decimal(given);
    }
    if given.is_instance(known::uuid(py)?)? {
        let bytes: [u8; 16] = given.getattr("bytes")?.extract()?;
        return Ok(Uuid::from_bytes(bytes).into());
    }
    if let Some(element) = elements::of_element(given) {
        return Ok(element);
    }
    if given.is_instance(known::t(py)?)? {
        let name: String = given.getattr("value")?.extract()?;
        return T::from_name(&name)
            .map(Value::T)
            .ok_or_else(|| errors::conversion(format!("T has no {name}")));
    }
    if given.is_instance(known::direction(py)?)? {
        let name: String = given.getattr("value")?.extract()?;
        let found = Direction::from_name(&name).map(Value::Direction);
        return found.ok_or_else(|| errors::conversion(format!("Direction has no {name}")));
    }
    other(given, depth)
}

/// A list, tuple, set or dict.
fn collection(given: &Bound<'_, PyAny>, depth: usize) -> PyResult<Option<Value>> {
    let inner = |item: PyResult<Bound<'_, PyAny>>| -> PyResult<Value> {
        let deeper = depth.checked_sub(1);
        let deeper = deeper
            .ok_or_else(|| errors::conversion(format!("it is nested deeper than {MAX_DEPTH} collections")))?;
        from_python(&item?, deeper)
    };
    if given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>() {
        return Ok(Some(given.try_iter()?.map(inner).collect::<PyResult<Vec<_>>>()?.into()));
    }
    if given.is_instance_of::<PySet>() || given.is_instance_of::<PyFrozenSet>() {
        return Ok(Some(given.try_iter()?.map(inner).collect::<PyResult<Set>>()?.into()));
    }
    if let Ok(dict) = given.cast::<PyDict>() {
        let entry = |(key, value)| Ok((inner(Ok(key))?, inner(Ok(value))?));
        return Ok(Some(dict.iter().map(entry).collect::<PyResult<Map>>()?.into()));
    }
    Ok(None)
}

fn whole(number: &Bound<'_, PyInt>) -> PyResult<Value> {
    if let Ok(number) = number.extract::<i64>() {
        return Ok(i32::try_from(number).map_or(Value::Long(number), Value::Int));
    }
    let bits: usize = number.call_method0("bit_length")?.extract()?;
    let named = PyDict::new(number.py());
    named.set_item("signed", true)?;
    let bytes = number.call_method("to_bytes", (bits / 8 + 1, "little"), Some(&named))?;
    Ok(BigInt::from_signed_bytes_le(bytes.cast::<PyBytes>()?.as_bytes()).into())
}

fn decimal(given: &Bound<'_, PyAny>) -> PyResult<Value> {
    let text = given.str()?.to_string();
    let number = BigDecimal::from_str(&text).map_err(|_| {
        errors::conversion(format!("Decimal('{text}') is no number that a bigdecimal can be"))
    })?;
    Ok(number.into())
}

/// A scalar of numpy's as Python's own; gremlinpython's tokens by their names.
fn other(given: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    let class = given.get_type();
    let module = class.module().map(|module| module.to_string()).unwrap_or_default();
    let Some(deeper) = depth.checked_sub(1) else {
        return Err(errors::conversion(format!("it is nested deeper than {MAX_DEPTH} collections")));
    };
    if module == "numpy"
        && let Some(value) = numpy::value(given, deeper)?
    {
        return Ok(value);
    }
    if module.starts_with("pandas") && class.name()?.to_string().starts_with("NA") {
        return Ok(Value::Null);
    }
    Err(errors::conversion(format!(
        "a {} cannot be given to a query; numbers, str, bytes, datetime, timedelta, Decimal, UUID, lists, sets and dicts of these, and \
         what a query returns can",
        class.fully_qualified_name()?
    )))
}
