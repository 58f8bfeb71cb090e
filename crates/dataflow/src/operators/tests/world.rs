//! The "modern" graph and a driver that steps one operator.

use std::sync::Arc;
use std::time::Duration;

use graph::{Cardinality, Graph, GraphOptions, Transaction};
use planner::physical::{History, Op, OpKind, Plan, SideEffect};
use values::{EdgeRef, Value, VertexRef};

use crate::batch::{Batch, Column, Paths, Tags};
use crate::entered::Entered;
use crate::error::QueryError;
use crate::memory::MemoryMeter;
use crate::operator::{Context, Operator, Output, Step};
use crate::query::Caller;
use crate::query::CancelToken;
use crate::query::Profile;
use crate::query::SideEffects;
use crate::query::Waker;
use crate::query::{Access, QueryState};
use crate::quota::{MonotonicClock, Quota};
use crate::scope_memory::ScopeMemory;
use crate::scope_tag::ScopeTag;

/// A graph and everything an operator may look at.
pub(super) struct World {
    pub(super) graph: Graph,
    pub(super) plan: Plan,
    pub(super) params: Vec<Value>,
    pub(super) memory: u64,
    pub(super) tags: u32,
    pub(super) loops: i64,
    /// How long an operator may work in one call.
    pub(super) turn: Duration,
}

/// A traverser as tests look at it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) tag: u32,
    pub(super) value: Option<Value>,
    pub(super) bulk: u64,
    pub(super) slots: Vec<Option<Value>>,
}

/// What became of an operator's input.
pub(super) struct Outcome {
    pub(super) batches: Vec<Batch>,
    pub(super) exits: Vec<Batch>,
    /// Whether the operator asked for completion.
    pub(super) done: bool,
    /// How often it was called.
    pub(super) calls: usize,
    pub(super) query: Arc<QueryState>,
}

impl World {
    /// TinkerPop's modern graph: ids 1 to 6 for vertices, 7 to 12 for edges.
    pub(super) fn modern() -> Self {
        let world = Self::empty();
        let tx = world.graph.begin();
        let person = |id: i64, name: &str, age: i32| {
            let v = tx.add_vertex(Some(id.into()), "person").unwrap();
            set(&tx, v, "name", name.into());
            set(&tx, v, "age", age.into());
            v
        };
        let software = |id: i64, name: &str| {
            let v = tx.add_vertex(Some(id.into()), "software").unwrap();
            set(&tx, v, "name", name.into());
            set(&tx, v, "lang", "java".into());
            v
        };
        let (marko, vadas) = (person(1, "marko", 29), person(2, "vadas", 27));
        let lop = software(3, "lop");
        let josh = person(4, "josh", 32);
        let ripple = software(5, "ripple");
        let peter = person(6, "peter", 35);
        let edge = |id: i64, from: VertexRef, label: &str, to: VertexRef, weight: f64| {
            let e = tx.add_edge(Some(id.into()), label, from, to).unwrap();
            tx.set_edge_property(e, "weight", weight.into()).unwrap();
        };
        edge(7, marko, "knows", vadas, 0.5);
        edge(8, marko, "knows", josh, 1.0);
        edge(9, marko, "created", lop, 0.4);
        edge(10, josh, "created", ripple, 1.0);
        edge(11, josh, "created", lop, 0.4);
        edge(12, peter, "created", lop, 0.2);
        tx.commit().unwrap();
        world
    }

    /// An empty graph.
    pub(super) fn empty() -> Self {
        let graph = Graph::open(Arc::new(store::MemoryStore::new()), GraphOptions::default()).unwrap();
        let plan = Plan { ops: 8, slots: 4, ..Plan::default() };
        Self {
            graph,
            plan,
            params: Vec::new(),
            memory: 1 << 30,
            tags: 1,
            loops: 0,
            turn: Duration::from_secs(3600),
        }
    }

    pub(super) fn with_tags(mut self, tags: u32) -> Self {
        self.tags = tags;
        self
    }

    pub(super) fn with_paths(mut self) -> Self {
        self.plan.history = History::Whole;
        self
    }

    pub(super) fn with_side_effect(mut self, name: &str) -> Self {
        self.plan.side_effects.push(SideEffect { name: name.into(), initial: None, reducer: None });
        self
    }

    /// The vertex with an id.
    pub(super) fn v(&self, id: i64) -> VertexRef {
        self.graph.snapshot().reader().vertex_by_id(&id.into()).unwrap()
    }

    /// The edge with an id.
    pub(super) fn e(&self, id: i64) -> EdgeRef {
        self.graph.snapshot().reader().edge_by_id(&id.into()).unwrap()
    }

    /// A batch of vertices, by id.
    pub(super) fn vertices(&self, ids: &[i64]) -> Batch {
        self.batch(Column::Vertices(ids.iter().map(|id| self.v(*id)).collect()), ids.len())
    }

    /// A batch of edges, by id.
    pub(super) fn edges(&self, ids: &[i64]) -> Batch {
        self.batch(Column::Edges(ids.iter().map(|id| self.e(*id)).collect()), ids.len())
    }

    /// A batch of values.
    pub(super) fn values<V: Into<Value> + Clone>(&self, values: &[V]) -> Batch {
        let values: Vec<Value> = values.iter().cloned().map(Into::into).collect();
        let len = values.len();
        self.batch(Column::from_values(values), len)
    }

    /// A batch with this current column; in a plan with paths each traverser has just arrived.
    pub(super) fn batch(&self, column: Column, len: usize) -> Batch {
        let mut batch = Batch::new(column, len);
        batch.slots = vec![None; self.plan.slots as usize];
        if self.plan.history.is_kept() {
            batch.path = Some(Arc::new(Paths::empty(len)));
            batch.extend_path(&[]);
        }
        batch
    }

    /// A running query on the latest state.
    pub(super) fn query(&self) -> Arc<QueryState> {
        self.query_on(Access::Read(self.graph.snapshot()))
    }

    pub(super) fn query_on(&self, access: Access) -> Arc<QueryState> {
        Arc::new(QueryState {
            files: None,
            shareable: Default::default(),
            plan: Arc::new(self.plan.clone()),
            params: self.params.clone(),
            access,
            side_effects: SideEffects::new(&self.plan),
            memory: Arc::new(MemoryMeter::new(self.memory)),
            profile: Profile::off(),
            cancel: CancelToken::default(),
            deadline: None,
            clock: Arc::new(MonotonicClock::default()),
            helpers: None,
            waker: Waker::new(|| ()),
            seed: 0x5eed,
            computed: None,
            draws: Default::default(),
            caller: Caller::Application,
        })
    }

    /// Sends batches through an operator, one after the other, then the end of the stream.
    pub(super) fn run(&self, kind: OpKind, input: Vec<Batch>) -> Outcome {
        self.try_run(kind, input).unwrap()
    }

    pub(super) fn try_run(&self, kind: OpKind, input: Vec<Batch>) -> Result<Outcome, QueryError> {
        self.run_in(&self.query(), &op(kind), input)
    }

    /// The same in a given query.
    pub(super) fn run_in(
        &self,
        query: &Arc<QueryState>,
        op: &Op,
        input: Vec<Batch>,
    ) -> Result<Outcome, QueryError> {
        let mut operator = super::super::create(op);
        let memory = ScopeMemory::default();
        let outcome = self.drive(operator.as_mut(), query, op, &memory, input);
        drop(operator);
        crate::raised::take().map_or(outcome, Err)
    }

    /// Sends the seed through an operator and looks at each batch before the operator goes on.
    pub(super) fn step_by_step(
        &self,
        operator: &mut dyn Operator,
        query: &Arc<QueryState>,
        op: &Op,
        memory: &ScopeMemory,
        look: &mut dyn FnMut(Batch),
    ) {
        let clock = MonotonicClock::default();
        let cx = self.context(query, op, memory, &clock);
        let mut next = Some(Batch::seed(self.plan.slots as usize, self.plan.history.is_kept()));
        loop {
            let mut out = Output::default();
            let step = operator.step(next.take(), &cx, &mut out).unwrap();
            out.batches.into_iter().for_each(&mut *look);
            if step != Step::More {
                return;
            }
        }
    }

    /// What an operator may look at.
    pub(super) fn context<'a>(
        &self,
        query: &'a Arc<QueryState>,
        op: &'a Op,
        memory: &'a ScopeMemory,
        clock: &'a MonotonicClock,
    ) -> Context<'a> {
        Context {
            query,
            op,
            tag: ScopeTag { loops: self.loops, ..ScopeTag::default() },
            loop_memory: Some(memory),
            piece_memory: None,
            single_tag: self.tags == 1,
            tags: self.tags,
            entered: Entered::All,
            alone: false,
            quota: Quota::new(clock, self.turn),
        }
    }

    /// The same with a given operator.
    pub(super) fn drive(
        &self,
        operator: &mut dyn Operator,
        query: &Arc<QueryState>,
        op: &Op,
        memory: &ScopeMemory,
        input: Vec<Batch>,
    ) -> Result<Outcome, QueryError> {
        let clock = MonotonicClock::default();
        let cx = self.context(query, op, memory, &clock);
        let mut outcome =
            Outcome { batches: Vec::new(), exits: Vec::new(), done: false, calls: 0, query: query.clone() };
        for batch in input {
            let mut next = Some(batch);
            loop {
                let mut out = Output::default();
                let step = operator.step(next.take(), &cx, &mut out)?;
                outcome.calls += 1;
                outcome.take(out);
                match step {
                    Step::More => {}
                    Step::Idle => break,
                    Step::Done => {
                        outcome.done = true;
                        break;
                    }
                    Step::Blocked => panic!("nothing outside to wait for"),
                }
            }
            if outcome.done {
                break;
            }
        }
        loop {
            let mut out = Output::default();
            let step = operator.complete(&cx, &mut out)?;
            outcome.calls += 1;
            outcome.take(out);
            if step != Step::More {
                return Ok(outcome);
            }
        }
    }
}

/// An operator that moves.
pub(super) fn op(kind: OpKind) -> Op {
    Op { id: 0, kind, step: "test".into(), labels: Vec::new(), moves: true, rows: 0.0 }
}

fn set(tx: &Transaction, v: VertexRef, key: &str, value: Value) {
    tx.set_vertex_property(v, Cardinality::Single, key, value, &[]).unwrap();
}

/// The same batch with a tag per row.
pub(super) fn tagged(mut batch: Batch, tags: &[u32]) -> Batch {
    assert_eq!(batch.len, tags.len());
    batch.tags = Tags::Rows(Arc::new(tags.to_vec()));
    batch
}

/// The same batch with a bulk per row.
pub(super) fn bulked(mut batch: Batch, bulks: &[u64]) -> Batch {
    assert_eq!(batch.len, bulks.len());
    batch.bulk = Some(Arc::new(bulks.to_vec()));
    batch
}

/// The same batch with a filled slot.
pub(super) fn slotted(mut batch: Batch, slot: u16, values: Vec<Option<Value>>) -> Batch {
    assert_eq!(batch.len, values.len());
    batch.set_slot(planner::physical::Slot(slot), Arc::new(Column::from_optional(values)));
    batch
}

/// All rows of some batches.
pub(super) fn rows(batches: &[Batch]) -> Vec<Row> {
    let of = |batch: &Batch| -> Vec<Row> {
        let slots = |row| batch.slots.iter().map(|s| s.as_ref().and_then(|c| c.get(row))).collect();
        let row = |row: usize| Row {
            tag: batch.tags.get(row),
            value: batch.current.get(row),
            bulk: batch.bulk(row),
            slots: slots(row),
        };
        (0..batch.len).map(row).collect()
    };
    batches.iter().flat_map(of).collect()
}

impl Outcome {
    fn take(&mut self, out: Output) {
        assert!(out.batches.iter().chain(&out.exits).all(|batch| batch.len > 0), "an empty batch was sent");
        self.batches.extend(out.batches);
        self.exits.extend(out.exits);
    }

    pub(super) fn rows(&self) -> Vec<Row> {
        rows(&self.batches)
    }

    /// The current objects.
    pub(super) fn values(&self) -> Vec<Value> {
        self.rows().into_iter().map(|row| row.value.expect("a current object")).collect()
    }

    /// The current objects as the console prints them, elements by their ids.
    pub(super) fn texts(&self) -> Vec<String> {
        let snapshot = self.query.snapshot();
        let reader = snapshot.reader();
        self.values().iter().map(|value| crate::detach::text(value, &reader)).collect()
    }

    /// As [`Outcome::texts`], sorted.
    pub(super) fn sorted(&self) -> Vec<String> {
        let mut texts = self.texts();
        texts.sort();
        texts
    }

    /// The paths as the console prints them.
    pub(super) fn paths(&self) -> Vec<String> {
        let snapshot = self.query.snapshot();
        let reader = snapshot.reader();
        let text = |path: values::Path| crate::detach::text(&path.into(), &reader);
        self.batches
            .iter()
            .flat_map(|b| {
                (0..b.len).map(|row| text(b.path.as_ref().expect("paths").to_path(row))).collect::<Vec<_>>()
            })
            .collect()
    }
}
