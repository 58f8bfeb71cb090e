//! The graph as one query sees it.

use std::sync::Arc;
use std::time::Instant;

use graph::{Computed, GraphError, Request, Snapshot, Transaction};
use values::Str;

/// The graph as one query sees it.
pub enum Access {
    /// A consistent view; reads never block and never abort.
    Read(Snapshot),
    /// A transaction, whose uncommitted writes the query sees too, and which is committed when the query ends.
    Write(Arc<Transaction>),
    /// A transaction that goes on when the query ends: what the query wrote and read is a part of it.
    Within(Arc<Transaction>),
}

impl Access {
    /// Makes the reads those of a request of their own, over at `deadline` at the latest; the request.
    pub(crate) fn serve(&mut self, deadline: Option<Instant>) -> Arc<Request> {
        match self {
            Self::Read(snapshot) => {
                let request = snapshot.new_request(deadline);
                *snapshot = snapshot.clone().on_behalf_of(&request);
                request
            }
            Self::Write(transaction) | Self::Within(transaction) => transaction.new_request(deadline),
        }
    }

    /// Makes room for properties that the query computes, which its reads see from the moment on when they are there.
    ///
    /// # Errors
    /// If one of them cannot be a key's name, or there are too many names.
    pub(crate) fn compute(&mut self, keys: &[Str]) -> Result<Option<Arc<Computed>>, GraphError> {
        if keys.is_empty() {
            return Ok(None);
        }
        let keys = keys.iter().map(|key| &**key);
        match self {
            Self::Read(snapshot) => {
                let computed = snapshot.computes(keys)?;
                *snapshot = snapshot.with_computed(&computed);
                Ok(Some(computed))
            }
            Self::Write(transaction) | Self::Within(transaction) => transaction.computes(keys).map(Some),
        }
    }

    /// The transaction, if there is one.
    pub(crate) fn transaction(&self) -> Option<&Arc<Transaction>> {
        match self {
            Self::Read(_) => None,
            Self::Write(transaction) | Self::Within(transaction) => Some(transaction),
        }
    }
}
