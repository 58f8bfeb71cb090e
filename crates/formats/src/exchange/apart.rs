//! A writer of one file whose elements are written apart, into memory.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use values::{Direction, Edge, Vertex};

use super::error::Result;
use super::{GraphFileWriter, Made, Stretch, StretchWriter};

/// Bytes that a writer has written, and that somebody takes.
#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Buffer {
    fn with<R>(&self, work: impl FnOnce(&mut Vec<u8>) -> R) -> R {
        // Bytes are whole whatever has panicked.
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.with(|written| written.extend_from_slice(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// See the module.
pub(super) struct Apart<W> {
    writer: W,
    written: Buffer,
}

impl<W: GraphFileWriter + 'static> Apart<W> {
    /// Lets a writer, which is made of where it writes to, write into memory.
    pub(super) fn boxed(make: impl FnOnce(Box<dyn Write + Send>) -> W) -> Box<dyn StretchWriter> {
        let written = Buffer::default();
        Box::new(Self { writer: make(Box::new(written.clone())), written })
    }
}

impl<W: GraphFileWriter> StretchWriter for Apart<W> {
    fn vertex(&mut self, vertex: &Vertex) -> Result<()> {
        self.writer.vertex(vertex)
    }

    fn edge(&mut self, direction: Direction, edge: &Edge) -> Result<()> {
        self.writer.edge(direction, edge)
    }

    fn end_vertex(&mut self) -> Result<()> {
        self.writer.end_vertex()
    }

    fn bytes(&self) -> usize {
        self.written.with(|written| written.len())
    }

    fn take(&mut self) -> Stretch {
        Stretch(Made::Text(self.written.with(std::mem::take)))
    }
}
