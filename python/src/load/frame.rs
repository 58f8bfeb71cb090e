//! Frames, and what their columns are called.

use arrow_array::{
    ArrayRef, RecordBatch,
    ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader},
};
use arrow_schema::{ArrowError, FieldRef};
use pyo3::{prelude::*, types::PyCapsule};

use crate::{columns, errors};

/// What the columns are called that are no properties.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// The ids of vertices and of edges.
    pub(crate) id: String,
    /// Whether somebody has said so, and frames of vertices must have them.
    pub(crate) id_is_given: bool,
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
    rows: Rows,
}

/// Where the rows of a frame are.
enum Rows {
    /// In an object of Python's, which may hand them over once only.
    There(Py<PyAny>),
    /// Here. Of a frame that is in memory these are its own columns, and no copies.
    Here(Vec<RecordBatch>),
}

/// Batches of rows, one after the other.
type Batches<'a> = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + 'a>;

/// A column of a batch.
#[derive(Clone, Copy)]
pub(crate) struct Cells<'a> {
    /// What it is called, and of what it is; some types are said here alone.
    pub(crate) field: &'a FieldRef,
    pub(crate) array: &'a ArrayRef,
}

/// What is loaded at once.
pub(crate) struct Frames {
    pub(crate) nodes: Vec<Frame>,
    pub(crate) edges: Vec<Frame>,
    pub(crate) names: Names,
}

impl Frames {
    /// The same with all rows at hand.
    ///
    /// # Errors
    /// If a frame does not hand them over.
    pub(crate) fn at_hand(self) -> PyResult<Self> {
        let all = |frames: Vec<Frame>| frames.into_iter().map(Frame::at_hand).collect::<PyResult<Vec<_>>>();
        Ok(Self { nodes: all(self.nodes)?, edges: all(self.edges)?, names: self.names })
    }
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
        Ok(Self { name, label, rows: Rows::There(object.unbind()) })
    }

    /// The same with its rows at hand, however often they are asked for.
    ///
    /// # Errors
    /// If it does not hand them over.
    pub(crate) fn at_hand(mut self) -> PyResult<Self> {
        let rows = self.batches()?.collect::<Result<_, _>>().map_err(|error| self.unreadable(&error))?;
        self.rows = Rows::Here(rows);
        Ok(self)
    }

    /// Its rows, from the first.
    ///
    /// # Errors
    /// If it does not hand them over.
    pub(crate) fn batches(&self) -> PyResult<Batches<'_>> {
        match &self.rows {
            Rows::Here(batches) => Ok(Box::new(batches.iter().cloned().map(Ok))),
            Rows::There(object) => Ok(Box::new(self.stream(object)?)),
        }
    }

    fn stream(&self, object: &Py<PyAny>) -> PyResult<RecordBatchStreamReader> {
        Python::attach(|py| {
            let capsule = object.bind(py).call_method0("__arrow_c_stream__")?;
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

    /// The same column, and of what it is.
    pub(crate) fn cells<'a>(batch: &'a RecordBatch, name: &str) -> Option<Cells<'a>> {
        let at = Self::column(batch, name)?;
        Some(Cells { field: &batch.schema_ref().fields()[at], array: batch.column(at) })
    }
}
