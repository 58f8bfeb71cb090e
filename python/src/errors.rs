//! What Python is told when something fails: exceptions of the package, by the kind of the failure.

use mangrove::{Error, ErrorKind};
use pyo3::{prelude::*, types::PyType};

/// The exception of a failure.
pub(crate) fn of(error: &Error) -> PyErr {
    let class = match error {
        Error::Open { .. } => "OpenError",
        _ => class_of(error.kind()),
    };
    new(class, in_python(error.to_string()))
}

/// Why Parquet is neither read nor written here.
pub(crate) const NO_PARQUET: &str = "this package reads and writes no Parquet files itself; db.load takes a table of pyarrow.parquet.read_table, \
    and to_arrow() gives one that pyarrow.parquet.write_table takes";

/// What the command's options are called here, the longer names first.
const OPTIONS: [(&str, &str); 7] = [
    ("--merge id", "merge=\"id\""),
    ("--new-ids", "new_ids=True"),
    ("--overwrite", "overwrite=True"),
    ("--format", "format=…"),
    ("--merge", "merge=…"),
    ("--again", "again=True"),
    ("--add", "add=True"),
];

/// A message with options of the command, as Python has them.
pub(crate) fn in_python(message: String) -> String {
    if !message.contains("--") {
        return message;
    }
    if let Some((file, _)) = message.split_once(": Parquet is not supported by this build") {
        return format!("{file}: {NO_PARQUET}");
    }
    OPTIONS.iter().fold(message, |message, (option, here)| message.replace(option, here))
}

/// The same without advice that names options, which whatever failed does not have.
pub(crate) fn of_advised(error: &Error) -> PyErr {
    let message = error.to_string();
    let end = message.find("; --").unwrap_or(message.len());
    new(class_of(error.kind()), in_python(message[..end].to_owned()))
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
