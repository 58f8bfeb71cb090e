//! What is written into a file, packed or as it is.

use std::{
    fs::File,
    io::{Result, Write},
    sync::Arc,
};

use flate2::{Compression, write::GzEncoder};
use parking_lot::Mutex;

/// A file that is written, many bytes at a time: the format's writer has one handle, and whoever ends the file another.
#[derive(Clone, Debug)]
pub(super) struct Packing(Arc<Mutex<Into>>);

#[derive(Debug)]
enum Into {
    Plain(File),
    Gzip(GzEncoder<File>),
}

impl Packing {
    pub(super) fn new(file: File, gzip: bool) -> Self {
        let into = match gzip {
            true => Into::Gzip(GzEncoder::new(file, Compression::fast())),
            false => Into::Plain(file),
        };
        Self(Arc::new(Mutex::new(into)))
    }

    /// Nothing more is written: whatever is held goes into the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn finish(&self) -> Result<()> {
        match &mut *self.0.lock() {
            Into::Plain(file) => file.flush(),
            Into::Gzip(packed) => packed.try_finish(),
        }
    }
}

impl Write for Packing {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        match &mut *self.0.lock() {
            Into::Plain(file) => file.write(bytes),
            Into::Gzip(packed) => packed.write(bytes),
        }
    }

    fn flush(&mut self) -> Result<()> {
        match &mut *self.0.lock() {
            Into::Plain(file) => file.flush(),
            // Whole blocks pack better; finish() writes what is left.
            Into::Gzip(_) => Ok(()),
        }
    }
}
