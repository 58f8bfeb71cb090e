//! What a request was read from, so that it can be planned again.

use std::sync::Arc;

use graph::Snapshot;
use gremlin::Bindings;
use values::Str;

use super::{
    prepare::{Lifted, Preparation, Prepared},
    script::several,
    scripts::Script,
};
use crate::{Error, database::Inner, time_limit::TimeLimit};

/// Where a request's plan comes from.
///
/// A plan is made for the names, the schema and the indexes of one snapshot, and runs on that snapshot. A request that is
/// tried again sees a later one, of which the plan may not know everything: a label that was not there finds nothing. So
/// every try begins with a snapshot and a plan for it, which the cache has, unless the catalog has changed.
pub(crate) enum Origin {
    /// A script that came before, so that nobody has read it.
    Script {
        /// Its text.
        text: Str,
        /// The name that its statements begin with.
        source: Str,
        /// The values of its variables.
        bindings: Bindings,
    },
    /// A traversal that was read or sent. What services it called is done.
    Traversal(Arc<Lifted>),
}

impl Origin {
    /// Plans the request for the graph as a snapshot sees it.
    pub(crate) fn prepare(
        &self,
        inner: &Inner,
        snapshot: Snapshot,
        time: &TimeLimit,
    ) -> Result<Prepared, Error> {
        match self {
            Self::Traversal(lifted) => inner.preparer.plan_again(lifted, snapshot, time),
            Self::Script { text, source, bindings } => match time
                .spend(|| inner.read(text, source, bindings, &snapshot))??
            {
                Script::Prepared(prepared, _) => Ok(prepared),
                Script::Several(plot) => Err(several(&plot)),
                Script::Read(request) => match inner.preparer.prepare(request.traversal, snapshot, time)? {
                    Preparation::Run(prepared, _) => Ok(prepared),
                    Preparation::Explanation(_) => {
                        Err(Error::Script("it asks for an explanation now".into()))
                    }
                },
            },
        }
    }
}
