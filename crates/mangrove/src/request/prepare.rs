//! From a traversal to something the engine can run.

use std::{sync::Arc, time::Duration};

use dataflow::{Access, Counting, QuerySpec, detach::Detail};
use graph::{Snapshot, Turn};
use gremlin::{Shape, Traversal};
use planner::{For, Known, Options, PlanCache, Planned, physical::Plan, plan};
use server::{Work, aside};
use values::Value;

use super::wishes::Wishes;
use crate::{Error, database::Inner, time_limit::TimeLimit};

/// Plans traversals, and keeps plans by the traversals' shapes.
pub(crate) struct Preparer {
    plans: PlanCache,
    options: Options,
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
    pub(crate) detail: Option<Detail>,
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
    pub(crate) fn new(plans: usize, executors: usize) -> Self {
        let executors = u16::try_from(executors).unwrap_or(u16::MAX);
        Self { plans: PlanCache::new(plans), options: Options { executors, ..Options::default() } }
    }

    /// Plans a traversal for the graph as a snapshot sees it.
    pub(crate) fn prepare(
        &self,
        mut traversal: Traversal,
        snapshot: Snapshot,
        time: &TimeLimit,
    ) -> Result<Preparation, Error> {
        let shape = time.spend(|| gremlin::parameterize(&mut traversal))?;
        let lifted = Arc::new(Lifted { traversal, shape });
        let planned = self.planned(&lifted, &snapshot, time)?;
        if planned.explains {
            return Ok(Preparation::Explanation(text(&planned)));
        }
        let prepared = Prepared::new(&planned, lifted.shape.literals.clone(), snapshot)?;
        Ok(Preparation::Run(prepared, lifted))
    }

    /// Plans what was planned before for another snapshot.
    pub(crate) fn plan_again(
        &self,
        lifted: &Lifted,
        snapshot: Snapshot,
        time: &TimeLimit,
    ) -> Result<Prepared, Error> {
        let planned = self.planned(lifted, &snapshot, time)?;
        Prepared::new(&planned, lifted.shape.literals.clone(), snapshot)
    }

    fn planned(&self, lifted: &Lifted, snapshot: &Snapshot, time: &TimeLimit) -> Result<Arc<Planned>, Error> {
        let Lifted { traversal, shape } = lifted;
        let catalog = snapshot.catalog();
        let known = Known::new(snapshot, &shape.literals);
        let plan = || time.spend(|| plan(traversal, catalog, &known, &self.options));
        let make = || Ok::<_, Error>(aside(Work::Plan(shape.key.bytes()), time.deadline(), plan)??);
        let for_it = For { schema: catalog, statistics: &known };
        self.plans.get_or_plan(&shape.key, for_it, &self.options, make)
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
    pub(crate) fn explain(
        &self,
        traversal: &Traversal,
        snapshot: &Snapshot,
        time: &TimeLimit,
    ) -> Result<String, Error> {
        let options = Options { explain: true, ..self.options.clone() };
        let known = Known::new(snapshot, &[]);
        let bytes = time.spend(|| gremlin::parameterize(&mut traversal.clone()).key.bytes())?;
        let explain =
            || time.spend(|| plan(traversal, snapshot.catalog(), &known, &options).map(|it| text(&it)));
        Ok(aside(Work::Plan(bytes), time.deadline(), explain)??)
    }
}

impl Prepared {
    fn new(planned: &Planned, params: Vec<Value>, snapshot: Snapshot) -> Result<Self, Error> {
        let detail = match planned.setting("materializeProperties").and_then(Value::as_str) {
            None => None,
            Some("tokens") => Some(Detail::Tokens),
            Some(_) => Some(Detail::Properties),
        };
        Ok(Self { plan: planned.plan.clone(), snapshot, params, timeout: timeout(planned)?, detail })
    }

    /// What the engine is told to run: on the snapshot, or in a transaction that begins there. `turn` is that of a request that
    /// writes.
    pub(super) fn into_spec(
        self,
        inner: &Inner,
        wishes: &Wishes,
        turn: Option<&Arc<Turn>>,
        counting: Counting,
    ) -> QuerySpec {
        let snapshot = self.snapshot.clone();
        let access = match turn {
            Some(turn) => Access::Write(Arc::new(inner.graph.begin_in(snapshot, turn))),
            None => Access::Read(snapshot),
        };
        self.spec(inner, wishes, access, counting)
    }

    /// The same within a transaction, whose snapshot it was planned for.
    pub(crate) fn into_spec_within(self, inner: &Inner, wishes: &Wishes, access: Access) -> QuerySpec {
        let counting = if self.plan.profile { Counting::Timed } else { Counting::Off };
        self.spec(inner, wishes, access, counting)
    }

    fn spec(self, inner: &Inner, wishes: &Wishes, access: Access, counting: Counting) -> QuerySpec {
        let detail = self.detail();
        QuerySpec {
            plan: self.plan,
            params: self.params,
            access,
            caller: wishes.caller,
            timeout: self.timeout.or(inner.options.timeout),
            spent: wishes.spent(),
            memory: inner.options.memory_per_query,
            tenant: wishes.tenant_budget(inner),
            counting,
            detail,
            files: Some(wishes.files(inner)),
        }
    }

    /// Elements leave as references, unless the traversal says otherwise.
    pub(crate) fn references_only(&mut self) {
        self.detail.get_or_insert(Detail::Tokens);
    }

    /// How complete elements leave.
    pub(crate) fn detail(&self) -> Detail {
        self.detail.unwrap_or(Detail::Properties)
    }
}

fn text(planned: &Planned) -> String {
    planned.explanation.as_ref().map_or_else(String::new, ToString::to_string)
}

fn timeout(planned: &Planned) -> Result<Option<Duration>, Error> {
    // The second is TinkerPop 4's name for it.
    let mut names = ["evaluationTimeout", "timeoutMillis"].into_iter();
    let said = names.find_map(|name| Some((name, planned.setting(name)?.as_i64()?)));
    let Some((name, millis)) = said else { return Ok(None) };
    match u64::try_from(millis) {
        // Gremlin Server's way to say "for ever".
        Ok(0) => Ok(Some(Duration::MAX)),
        Ok(millis) => Ok(Some(Duration::from_millis(millis))),
        Err(_) => Err(Error::Script(format!("{name} must not be negative, but is {millis}"))),
    }
}
