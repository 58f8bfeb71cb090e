//! What Python is told when something fails: exceptions of the package, by the kind of the failure.

use mangrove::{Error, ErrorKind};
use pyo3::{prelude::*, types::PyType};

/// The exception of a failure.
pub(crate) fn of(error: &Error) -> PyErr {
    let class = match error {
        Error::Open { .. } => "OpenError",
        _ => class_of(error.kind()),
    };
    new(class, error.to_string())
}

/// The class for a kind of failure; the names are those that the server gives them, but for two that Python has already.
fn class_of(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Syntax => "QuerySyntaxError",
        ErrorKind::Timeout => "QueryTimeoutError",
        kind => kind.name().strip_prefix("mangrove.").unwrap_or("Error"),
    }
}

/// A value that cannot become what was asked for.
pub(crate) fn conversion(problem: impl Into<String>) -> PyErr {
    new("ConversionError", problem.into())
}

/// Something is closed, or over.
pub(crate) fn closed(problem: &str) -> PyErr {
    new("ClosedError", problem.to_owned())
}

/// The engine has panicked, which it never should.
pub(crate) fn panicked(problem: &str) -> PyErr {
    new(
        "PanicError",
        format!("{problem}; this is a mistake in Mangrove, and the query has ended: please report it"),
    )
}

/// An exception of a class of `mangrove._errors`.
pub(crate) fn new(class: &str, message: String) -> PyErr {
    Python::attach(|py| {
        let made = py
            .import("mangrove._errors")
            .and_then(|errors| errors.getattr(class)?.cast_into::<PyType>().map_err(PyErr::from));
        match made {
            Ok(class) => PyErr::from_type(class, message),
            Err(error) => error,
        }
    })
}
