//! An import that somebody may stop.

use std::sync::atomic::{AtomicBool, Ordering};

use graph::{BulkColumn, BulkProgress};
use values::{Value, VertexRef};

use super::{Outcome, Rows, Sink, Target};
use crate::error::ImportError;
use crate::rejects::BadRows;

/// A target that takes no more rows once `stop` is set: the import ends with [`ImportError::Stopped`]. What is being finished by then
/// is finished.
#[derive(Clone, Copy)]
pub struct Stoppable<'a> {
    /// What is imported into.
    pub target: &'a dyn Target,
    /// Whether it is to stop.
    pub stop: &'a AtomicBool,
}

impl Target for Stoppable<'_> {
    fn begin(&self) -> Result<Box<dyn Sink + '_>, ImportError> {
        Ok(Box::new(StoppableSink { sink: self.target.begin()?, stop: self.stop }))
    }
}

struct StoppableSink<'a> {
    sink: Box<dyn Sink + 'a>,
    stop: &'a AtomicBool,
}

impl StoppableSink<'_> {
    fn check(&self) -> Result<(), ImportError> {
        if self.stop.load(Ordering::Relaxed) { Err(ImportError::Stopped) } else { Ok(()) }
    }
}

impl Sink for StoppableSink<'_> {
    fn vertices(
        &mut self,
        label: &str,
        rows: Rows<'_>,
        ids: Option<Vec<Value>>,
        columns: Vec<BulkColumn>,
    ) -> Result<Vec<VertexRef>, ImportError> {
        self.check()?;
        self.sink.vertices(label, rows, ids, columns)
    }

    fn edges(
        &mut self,
        label: &str,
        ends: (&[VertexRef], &[VertexRef]),
        rows: Rows<'_>,
        ids: Option<Vec<Value>>,
        columns: Vec<BulkColumn>,
    ) -> Result<(), ImportError> {
        self.check()?;
        self.sink.edges(label, ends, rows, ids, columns)
    }

    fn index(&mut self, label: &str, key: &str) -> Result<(), ImportError> {
        self.sink.index(label, key)
    }

    fn has_others(&self) -> bool {
        self.sink.has_others()
    }

    fn elsewhere(&mut self, ids: &[Value]) -> Option<VertexRef> {
        self.sink.elsewhere(ids)
    }

    fn treat_bad_rows(&mut self, policy: BadRows) {
        self.sink.treat_bad_rows(policy);
    }

    fn null_values(&self) -> bool {
        self.sink.null_values()
    }

    fn finish(self: Box<Self>, progress: &dyn Fn(BulkProgress)) -> Result<Outcome, ImportError> {
        self.check()?;
        self.sink.finish(progress)
    }
}
