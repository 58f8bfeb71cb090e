//! From a traversal to something the engine can run.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use dataflow::{QueryError, detach::Detail};
use graph::Snapshot;
use gremlin::{Shape, Traversal};
use planner::{For, Known, Options, PlanCache, PlanError, Planned, physical::Plan, plan};
use values::{Value, watch};

use crate::Error;

/// Plans traversals, and keeps plans by the traversals' shapes.
pub(crate) struct Preparer {
    plans: PlanCache,
    options: Options,
    /// How long it may take where nobody says otherwise.
    timeout: Option<Duration>,
}

/// Ends planning at a deadline: a plan for thousands of steps takes a while, and its client does not wait for ever.
struct Until(Option<Instant>);

impl watch::Watch for Until {
    fn must_end(&self) -> bool {
        self.0.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// A traversal without its literals, and these: what can be planned again.
#[derive(Debug)]
pub(crate) struct Lifted {
    traversal: Traversal,
    shape: Shape,
}

/// A request that is ready to run, on the snapshot that it was planned for and on no other: the plan knows the names, the schema
/// and the indexes of that moment.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) plan: Arc<Plan>,
    pub(crate) snapshot: Snapshot,
    /// The values of the plan's parameters.
    pub(crate) params: Vec<Value>,
    /// The time-out that the traversal asks for.
    pub(crate) timeout: Option<Duration>,
    /// How complete the elements among the results are.
    pub(crate) detail: Detail,
}

/// What became of a traversal.
pub(crate) enum Preparation {
    /// It is to be run; and what to plan again if it must be tried again.
    Run(Prepared, Arc<Lifted>),
    /// It asked for this explanation instead.
    Explanation(String),
}

impl Preparer {
    /// A preparer that keeps up to `plans` plans for an engine with so many executors.
    pub(crate) fn new(plans: usize, executors: usize, timeout: Option<Duration>) -> Self {
        let executors = u16::try_from(executors).unwrap_or(u16::MAX);
        Self { plans: PlanCache::new(plans), options: Options { executors, ..Options::default() }, timeout }
    }

    /// Plans a traversal for the graph as a snapshot sees it.
    pub(crate) fn prepare(&self, traversal: Traversal, snapshot: Snapshot) -> Result<Preparation, Error> {
        self.prepare_within(None, traversal, snapshot)
    }

    /// The same, in so much time at most, if the client has said so.
    pub(crate) fn prepare_within(
        &self,
        timeout: Option<Duration>,
        mut traversal: Traversal,
        snapshot: Snapshot,
    ) -> Result<Preparation, Error> {
        let shape = gremlin::parameterize(&mut traversal);
        let lifted = Arc::new(Lifted { traversal, shape });
        let planned = self.planned(timeout, &lifted, &snapshot)?;
        if planned.explains {
            return Ok(Preparation::Explanation(text(&planned)));
        }
        let prepared = Prepared::new(&planned, lifted.shape.literals.clone(), snapshot)?;
        Ok(Preparation::Run(prepared, lifted))
    }

    /// Plans what was planned before for another snapshot.
    pub(crate) fn plan_again(&self, lifted: &Lifted, snapshot: Snapshot) -> Result<Prepared, Error> {
        let planned = self.planned(None, lifted, &snapshot)?;
        Prepared::new(&planned, lifted.shape.literals.clone(), snapshot)
    }

    fn planned(
        &self,
        timeout: Option<Duration>,
        lifted: &Lifted,
        snapshot: &Snapshot,
    ) -> Result<Arc<Planned>, Error> {
        let Lifted { traversal, shape } = lifted;
        let catalog = snapshot.catalog();
        let known = Known::new(snapshot, &shape.literals);
        let make = || self.in_time(timeout, || plan(traversal, catalog, &known, &self.options));
        let for_it = For { schema: catalog, statistics: &known };
        self.plans.get_or_plan(&shape.key, for_it, &self.options, make)
    }

    /// Plans until the time is over.
    fn in_time(
        &self,
        timeout: Option<Duration>,
        plan: impl FnOnce() -> Result<Planned, PlanError>,
    ) -> Result<Planned, Error> {
        let timeout = timeout.or(self.timeout);
        let until = Until(timeout.and_then(|timeout| Instant::now().checked_add(timeout)));
        match watch::watched(Arc::new(until), plan) {
            Ok(planned) => Ok(planned?),
            Err(watch::Ended) => Err(QueryError::TimedOut(timeout.unwrap_or_default()).into()),
        }
    }

    /// A traversal of which the shape is known, if there is a plan for it.
    pub(crate) fn prepare_again(&self, shape: Shape, snapshot: &Snapshot) -> Result<Option<Prepared>, Error> {
        let known = Known::new(snapshot, &shape.literals);
        let for_it = For { schema: snapshot.catalog(), statistics: &known };
        match self.plans.get(&shape.key, for_it, &self.options) {
            Some(planned) if !planned.explains => {
                Prepared::new(&planned, shape.literals, snapshot.clone()).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Every stage of planning, in words.
    pub(crate) fn explain(&self, traversal: &Traversal, snapshot: &Snapshot) -> Result<String, Error> {
        self.explain_within(None, traversal, snapshot)
    }

    /// The same, in so much time at most, if the client has said so.
    pub(crate) fn explain_within(
        &self,
        timeout: Option<Duration>,
        traversal: &Traversal,
        snapshot: &Snapshot,
    ) -> Result<String, Error> {
        let options = Options { explain: true, ..self.options.clone() };
        let known = Known::new(snapshot, &[]);
        let make = || plan(traversal, snapshot.catalog(), &known, &options);
        Ok(text(&self.in_time(timeout, make)?))
    }
}

impl Prepared {
    fn new(planned: &Planned, params: Vec<Value>, snapshot: Snapshot) -> Result<Self, Error> {
        let detail = match planned.setting("materializeProperties").and_then(Value::as_str) {
            Some("tokens") => Detail::Tokens,
            _ => Detail::Properties,
        };
        Ok(Self { plan: planned.plan.clone(), snapshot, params, timeout: timeout(planned)?, detail })
    }

    /// Elements leave as references, whatever the traversal says.
    pub(crate) fn references_only(&mut self) {
        self.detail = Detail::Tokens;
    }
}

fn text(planned: &Planned) -> String {
    planned.explanation.as_ref().map_or_else(String::new, ToString::to_string)
}

fn timeout(planned: &Planned) -> Result<Option<Duration>, Error> {
    let Some(millis) = planned.setting("evaluationTimeout").and_then(Value::as_i64) else { return Ok(None) };
    match u64::try_from(millis) {
        // Gremlin Server's way to say "for ever".
        Ok(0) => Ok(Some(Duration::MAX)),
        Ok(millis) => Ok(Some(Duration::from_millis(millis))),
        Err(_) => Err(Error::Script(format!("evaluationTimeout must not be negative, but is {millis}"))),
    }
}
