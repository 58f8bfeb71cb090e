//! What all connections share.

use std::sync::Arc;

use crate::{
    Graphs, ServerOptions,
    permits::{Permit, Permits},
    request::Refusal,
};

/// The graphs, the bounds, and the count of what is in use.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) graphs: Graphs,
    pub(crate) options: ServerOptions,
    pub(crate) requests: Permits,
    pub(crate) connections: Permits,
}

impl Host {
    pub(crate) fn new(graphs: Graphs, options: ServerOptions) -> Arc<Self> {
        let (requests, connections) =
            (Permits::new(options.max_requests), Permits::new(options.max_connections));
        Arc::new(Self { graphs, options, requests, connections })
    }

    /// A place for one more request on the server as a whole.
    pub(crate) fn admit(&self) -> Result<Permit, Refusal> {
        self.requests.take().ok_or_else(|| {
            Refusal::too_many(format!(
                "this server has {} requests in flight, as many as server.max_requests allows; try again later",
                self.requests.bound()
            ))
        })
    }

    /// The names of the traversal sources, for messages.
    pub(crate) fn source_names(&self) -> String {
        self.graphs.sources().collect::<Vec<_>>().join(", ")
    }
}
