//! A request that is one traversal, and a transaction of its own, on the executors.

use std::{sync::Arc, time::Instant};

use dataflow::{Counting, detach::Detail};

use values::Value;

use super::{
    answer::{ServerSink, only},
    attempts::Attempts,
    life::{Life, Way},
    origin::Origin,
    prepare::Prepared,
    ready::Runnable,
    wishes::Wishes,
};
use crate::{Error, database::Inner, time_limit::TimeLimit};

/// See the module.
pub(crate) struct Job {
    /// No result at all would be an error.
    needs_one: bool,
    /// How complete elements leave.
    detail: Detail,
    /// How long it may take, all attempts together.
    time: TimeLimit,
    /// If it writes: what is planned for every further attempt.
    origin: Option<Origin>,
}

impl Job {
    /// Starts a request; what the server holds of it.
    pub(crate) fn start(
        inner: &Arc<Inner>,
        run: Runnable,
        wishes: Wishes,
        sink: ServerSink,
    ) -> Box<dyn server::Running> {
        let Runnable { prepared, needs_one, origin } = run;
        let (time, detail) = (wishes.time_of(inner, prepared.timeout), prepared.detail());
        let attempts = origin.as_ref().map(|_| Attempts::new(inner, time.clone()));
        let life = Life::new(inner, wishes, sink, attempts, Self { needs_one, detail, time, origin });
        Self::attempt(&life, prepared);
        life.handle()
    }

    fn attempt(life: &Arc<Life<Self>>, prepared: Prepared) {
        let counting = if prepared.plan.profile { Counting::Timed } else { Counting::Off };
        let turn = life.attempts().map(|attempts| &attempts.turn);
        let spec = prepared.into_spec(&life.inner, &life.wishes, turn, counting);
        life.submit(spec, life.way.needs_one, ());
    }
}

impl Way for Job {
    type Step = ();

    fn done(life: &Arc<Life<Self>>, (): (), report: Option<Value>) {
        life.finish(report.map(only));
    }

    fn again(life: &Arc<Life<Self>>) -> Result<(), Error> {
        if let (Some(attempts), Some(origin)) = (life.attempts(), &life.way.origin) {
            Self::attempt(life, attempts.prepare(&life.inner, origin, &life.wishes)?);
        }
        Ok(())
    }

    fn detail(&self) -> Option<Detail> {
        Some(self.detail)
    }

    fn deadline(&self) -> Option<Instant> {
        self.time.deadline()
    }
}
