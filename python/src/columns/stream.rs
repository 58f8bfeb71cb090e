//! Arrow's C interface: a capsule that any library takes over.

use arrow_array::{RecordBatch, RecordBatchIterator, ffi_stream::FFI_ArrowArrayStream};
use pyo3::{prelude::*, types::PyCapsule};

/// The name that the interface gives a capsule with a stream.
pub(crate) const NAME: &std::ffi::CStr = c"arrow_array_stream";

/// A stream of one batch. Whoever takes it over has the columns as they are, and lets go of them; nobody copies.
pub(crate) fn capsule<'py>(py: Python<'py>, batch: RecordBatch) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = batch.schema();
    // A batch without columns has rows all the same, but readers count none.
    let batches = RecordBatchIterator::new([Ok(batch)], schema);
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), NAME)
}
