//! What a request comes to: read, its service called, and planned.

use std::sync::Arc;

use dataflow::QueryError;
use graph::Snapshot;
use gremlin::Bindings;

use super::{
    once::refuse_key,
    origin::Origin,
    parameters::first_result,
    plot::Plot,
    prepare::{Preparation, Prepared},
    script::{Mode, Request, several},
    scripts::Script,
    wishes::Wishes,
};
use crate::{
    Error,
    database::Inner,
    services::{self, Setting, Within},
};

/// What a request comes to.
pub(crate) enum Ready {
    /// It is to be run.
    Run(Runnable),
    /// It asked for this text, and nothing is to be run.
    Text(String),
    /// It says nothing.
    Nothing,
}

/// A script that is read.
pub(crate) enum Asked {
    /// It has come before, and is ready to run.
    Run(Runnable),
    /// One traversal, or nothing.
    Read(Request),
    /// Several statements, or one that does something else.
    Several(Plot, Bindings),
}

impl Asked {
    /// Where one traversal is wanted: it is ready, or to be planned.
    ///
    /// # Errors
    /// If it is something else.
    pub(crate) fn one(self) -> Result<Result<Runnable, Request>, Error> {
        match self {
            Self::Run(run) => Ok(Ok(run)),
            Self::Read(request) => Ok(Err(request)),
            Self::Several(plot, _) => Err(several(&plot)),
        }
    }
}

/// A request that is to be run.
pub(crate) struct Runnable {
    pub(crate) prepared: Prepared,
    /// No result at all would be an error.
    pub(crate) needs_one: bool,
    /// What to plan for every further attempt, of a request that writes: others lose against nobody.
    pub(super) origin: Option<Origin>,
}

/// From where a request sees the graph.
#[derive(Clone, Copy)]
pub(crate) enum Seen<'a> {
    /// As it is now.
    Now,
    /// As a transaction over several requests sees it.
    Within(&'a graph::Transaction),
}

impl Seen<'_> {
    pub(crate) fn snapshot(self, inner: &Inner) -> Snapshot {
        match self {
            Self::Now => inner.snapshot(),
            Self::Within(transaction) => transaction.snapshot(),
        }
    }

    fn within(self, mode: Mode, wishes: &Wishes) -> Within {
        match self {
            _ if mode == Mode::Explain => Within::Explanation,
            Self::Within(_) => Within::Transaction,
            Self::Now => wishes.within(),
        }
    }
}

impl Ready {
    /// Reads a script whose statements begin with `source`: it is ready if it has come before. No snapshot is kept of one that is
    /// not: it may call a service that waits for snapshots to go.
    pub(crate) fn of_script(
        inner: &Inner,
        (text, source): (&str, &str),
        bindings: Bindings,
        seen: Seen<'_>,
        wishes: &Wishes,
    ) -> Result<Asked, Error> {
        // What the text says of its own time is not known yet.
        let time = wishes.time(inner);
        let read = || -> Result<Script, Error> {
            time.spend(|| inner.read(text, source, &bindings, &seen.snapshot(inner)))?
        };
        match wishes.part("read", read)? {
            Script::Read(request) => Ok(Asked::Read(request)),
            Script::Several(plot) => Ok(Asked::Several(plot, bindings)),
            Script::Prepared(prepared, mode) => {
                let origin = || Origin::Script { text: text.into(), source: source.into(), bindings };
                Runnable::new(prepared, mode, origin, wishes).map(Asked::Run)
            }
        }
    }

    /// Calls the service that a request begins with, if it does, which may take its time; then plans it.
    pub(crate) fn of_request(
        inner: &Inner,
        request: Request,
        seen: Seen<'_>,
        wishes: &Wishes,
    ) -> Result<Self, Error> {
        let Request { traversal, mode } = request;
        refuse_key(&traversal)?;
        wishes.check_reading()?;
        let writes = !traversal.is_read_only();
        let compute = |child: &_| first_result(inner, child, (seen, writes), wishes);
        let time = wishes.time(inner);
        let setting = Setting { within: seen.within(mode, wishes), asker: wishes.asker(), time: &time };
        let traversal = services::substitute(inner, traversal, setting, compute)?;
        check_wanted(wishes)?;
        match mode {
            Mode::Nothing => return Ok(Self::Nothing),
            Mode::Explain => {
                let text = inner.preparer.explain(&traversal, &seen.snapshot(inner), &time)?;
                return Ok(Self::Text(text));
            }
            Mode::Run | Mode::RunForOne => {}
        }
        let prepare = || inner.preparer.prepare(traversal, seen.snapshot(inner), &time);
        match wishes.part("plan", prepare)? {
            Preparation::Run(prepared, lifted) => {
                let origin = || Origin::Traversal(Arc::clone(&lifted));
                Runnable::new(prepared, mode, origin, wishes).map(Self::Run)
            }
            Preparation::Explanation(text) => Ok(Self::Text(text)),
        }
    }
}

/// Whether somebody still waits for a request: it may have been stopped while it was read.
fn check_wanted(wishes: &Wishes) -> Result<(), QueryError> {
    match wishes.interrupt() {
        Some(interrupt) if interrupt() => Err(QueryError::Cancelled),
        _ => Ok(()),
    }
}

impl Ready {
    /// How a script would be run, in words.
    pub(crate) fn explanation(inner: &Inner, text: &str, seen: Seen<'_>) -> Result<String, Error> {
        Self::explanation_with(inner, text, &Bindings::new(), seen)
    }

    /// The same of a script with variables.
    pub(crate) fn explanation_with(
        inner: &Inner,
        text: &str,
        bindings: &Bindings,
        seen: Seen<'_>,
    ) -> Result<String, Error> {
        let request = Request { mode: Mode::Explain, ..Request::parse(text, "g", bindings)? };
        match Self::of_request(inner, request, seen, &Wishes::of_application())? {
            Self::Text(text) => Ok(text),
            Self::Run(_) | Self::Nothing => Ok(String::new()),
        }
    }
}

impl Runnable {
    fn new(
        prepared: Prepared,
        mode: Mode,
        origin: impl FnOnce() -> Origin,
        wishes: &Wishes,
    ) -> Result<Self, Error> {
        let origin = prepared.plan.writes.then(origin);
        Ok(Self { prepared: wishes.granted(prepared)?, needs_one: mode == Mode::RunForOne, origin })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use server::{Client, Input, Query};

    use super::*;
    use crate::Database;

    fn query() -> Query {
        let client = Client { user: None, tenant: None, address: [127, 0, 0, 1].into(), connection: 1 };
        let input = Input::Text { script: "g.V()".into(), source: "g".into(), bindings: Vec::new() };
        Query::unbounded(client, input)
    }

    #[test]
    fn what_nobody_wants_any_more_is_neither_read_nor_planned() {
        let db = Database::in_memory().unwrap();
        let query = query();
        let wishes = Wishes::of_client(&db.inner, &query).unwrap();
        let read = || Ready::of_script(&db.inner, ("g.V()", "g"), Bindings::new(), Seen::Now, &wishes);
        let planned = || {
            let request = Request::parse("g.V()", "g", &Bindings::new()).unwrap();
            Ready::of_request(&db.inner, request, Seen::Now, &wishes)
        };
        assert!(matches!(read(), Ok(Asked::Read(_))) && matches!(planned(), Ok(Ready::Run(_))));
        query.unwanted.store(true, Ordering::Release);
        assert!(matches!(read(), Err(Error::Query(QueryError::Cancelled))));
        assert!(matches!(planned(), Err(Error::Query(QueryError::Cancelled))));
    }
}
