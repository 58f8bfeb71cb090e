//! Frames, and what their columns are called.

use arrow_array::{
    RecordBatch,
    ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader},
};
use pyo3::{prelude::*, types::PyCapsule};

use crate::{columns, errors};

/// What the columns are called that are no properties.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// The ids of vertices and of edges.
    pub(crate) id: String,
    /// The labels of rows, in frames that are not of one label.
    pub(crate) label: String,
    /// Where edges come from: ids of vertices.
    pub(crate) source: String,
    /// Where they lead.
    pub(crate) target: String,
}

/// A frame with the rows of one label, or with a column of labels.
pub(crate) struct Frame {
    /// What it is called in messages.
    pub(crate) name: String,
    /// The label of all rows.
    pub(crate) label: Option<String>,
    object: Py<PyAny>,
}

/// What is loaded at once.
pub(crate) struct Frames {
    pub(crate) nodes: Vec<Frame>,
    pub(crate) edges: Vec<Frame>,
    pub(crate) names: Names,
}

impl Frame {
    /// A frame that Python has.
    ///
    /// # Errors
    /// If it does not speak Arrow's C interface.
    pub(crate) fn new(what: &str, label: Option<String>, object: Bound<'_, PyAny>) -> PyResult<Self> {
        let name = label.as_ref().map_or_else(|| what.to_owned(), |label| format!("{what}[{label:?}]"));
        if !object.hasattr("__arrow_c_stream__")? {
            return Err(errors::conversion(format!(
                "{name}: a {} is no frame that Arrow's interface gives rows of; take a pyarrow.Table, a polars.DataFrame or a \
                 pandas.DataFrame (with pyarrow installed)",
                object.get_type().fully_qualified_name()?
            )));
        }
        Ok(Self { name, label, object: object.unbind() })
    }

    /// Its rows, from the first.
    ///
    /// # Errors
    /// If it does not hand them over.
    pub(crate) fn batches(&self) -> PyResult<RecordBatchStreamReader> {
        Python::attach(|py| {
            let capsule = self.object.bind(py).call_method0("__arrow_c_stream__")?;
            let capsule = capsule.cast::<PyCapsule>().map_err(PyErr::from)?;
            let stream = capsule.pointer_checked(Some(columns::NAME))?;
            // SAFETY: a capsule of this name has a stream of Arrow's C interface, which the interface lets whoever gets it take
            // over: it is moved out, and what stays says that it is gone, so that the capsule's end does not release it.
            let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.cast().as_ptr()) };
            RecordBatchStreamReader::try_new(stream).map_err(|error| self.unreadable(&error))
        })
    }

    /// It cannot be read.
    pub(crate) fn unreadable(&self, error: &dyn std::fmt::Display) -> PyErr {
        errors::conversion(format!("{}: {error}", self.name))
    }

    /// The number of a column, if it has it.
    pub(crate) fn column(batch: &RecordBatch, name: &str) -> Option<usize> {
        batch.schema_ref().fields().iter().position(|field| field.name() == name)
    }
}
