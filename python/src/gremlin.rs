//! gremlinpython's traversals and results, as it writes and reads them: GraphBinary, without a wire.

use mangrove::{
    gremlin::{Argument, Traversal},
    values::Value,
};
use pyo3::{PyErr, PyResult};
use wire::{Properties, WireValue, graphbinary};

use crate::errors;

/// The traversal that bytecode in GraphBinary says.
///
/// # Errors
/// If it is none.
pub(crate) fn traversal(bytecode: &[u8]) -> PyResult<Traversal> {
    let refuse = |problem: String| errors::new("QuerySyntaxError", format!("the bytecode: {problem}"));
    match graphbinary::decode(bytecode).map_err(|error| refuse(error.to_string()))? {
        WireValue::Argument(argument) if matches!(*argument, Argument::Traversal(_)) => match *argument {
            Argument::Traversal(traversal) => Ok(traversal),
            _ => Err(refuse("a traversal is expected".into())),
        },
        _ => Err(refuse("a traversal is expected; tx() is begun with g.tx().begin()".into())),
    }
}

/// Results as a list of traversers, each with how often it stands there.
///
/// # Errors
/// If one cannot be said in GraphBinary.
pub(crate) fn traversers(rows: &[(Value, u64)]) -> Result<Vec<u8>, PyErr> {
    let refuse = |error: wire::EncodeError| errors::conversion(error.to_string());
    let mut out = Vec::with_capacity(16 + 16 * rows.len());
    graphbinary::encode_traversers(rows, Properties::All, &mut out).map_err(refuse)?;
    Ok(out)
}
