//! The graph as one query sees it.

use std::sync::Arc;
use std::time::Instant;

use graph::{Request, Snapshot, Transaction};

/// The graph as one query sees it.
pub enum Access {
    /// A consistent view; reads never block and never abort.
    Read(Snapshot),
    /// A transaction, whose uncommitted writes the query sees too.
    Write(Arc<Transaction>),
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
            Self::Write(transaction) => transaction.new_request(deadline),
        }
    }
}
