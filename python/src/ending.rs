//! Whether what runs is to end, since somebody has closed it or what it is a part of.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use mangrove::{Error, ErrorKind, Interrupt};
use pyo3::PyErr;

use crate::{errors, guard};

/// The end of something: of a database, or of a query or transaction in it. Clones are the same end.
#[derive(Clone, Default)]
pub(crate) struct Ending {
    own: Arc<AtomicBool>,
    /// That of the whole.
    of_all: Option<Arc<AtomicBool>>,
}

impl Ending {
    /// That of a part, which ends with the whole.
    pub(crate) fn of_part(&self) -> Self {
        Self { own: Arc::default(), of_all: Some(Arc::clone(&self.own)) }
    }

    /// Ends it: what runs notices within some 50 ms.
    pub(crate) fn end(&self) {
        self.own.store(true, Ordering::Relaxed);
    }

    /// Whether it has ended.
    pub(crate) fn has_come(&self) -> bool {
        self.own.load(Ordering::Relaxed) || self.whole_has_come()
    }

    /// Whether the whole has ended.
    pub(crate) fn whole_has_come(&self) -> bool {
        self.of_all.as_ref().is_some_and(|whole| whole.load(Ordering::Relaxed))
    }

    /// What the engine asks.
    pub(crate) fn interrupt(&self) -> Interrupt {
        let ending = self.clone();
        Arc::new(move || ending.has_come() || guard::is_interrupted())
    }

    /// What Python is told of a failure, which may be this end.
    pub(crate) fn told(&self, error: &Error) -> PyErr {
        match error.kind() {
            ErrorKind::Cancelled if self.whole_has_come() => {
                errors::closed("the database was closed, and the query has ended")
            }
            ErrorKind::Cancelled if self.has_come() => {
                errors::closed("it was closed, and the query has ended")
            }
            _ => errors::of(error),
        }
    }
}
