//! What happens to queries, and to the executor, while something is loaded. The store's reads can be held up; the engines
//! have one executor.

use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use dataflow::detach::Detail;
use dataflow::{
    Access, Caller, Counting, Engine, EngineOptions, QueryError, QueryHandle, QuerySpec, ResultSink, Results,
    Summary,
};
use graph::{Cardinality, Graph, GraphOptions, PoolOptions};
use gremlin::PredicateOp;
use planner::physical::{
    Aggregation, ElementKind, Op, OpKind, Operand, Pipeline, Plan, Predicate, Test as PlanTest, op,
};
use store::{MemoryStore, ObservedStore, Store};
use values::Value;

/// What a read of the store does.
#[derive(Clone, Copy, PartialEq)]
enum Reads {
    Pass,
    Wait,
    Panic,
}

/// Holds up the reads of a store.
struct Gate {
    state: Mutex<(Reads, usize)>,
    changed: Condvar,
}

impl Gate {
    fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        state.1 += 1;
        // Not for ever, so that a test that fails ends.
        let began = Instant::now();
        while state.0 == Reads::Wait && began.elapsed() < PATIENCE * 2 {
            state = self.changed.wait_timeout(state, PATIENCE).unwrap().0;
        }
        state.1 -= 1;
        if state.0 == Reads::Panic {
            drop(state);
            panic!("a store that panics");
        }
    }

    fn set(&self, reads: Reads) {
        self.state.lock().unwrap().0 = reads;
        self.changed.notify_all();
    }

    fn waiting(&self) -> usize {
        self.state.lock().unwrap().1
    }
}

const EACH: i64 = 4_000;
const LABELS: [&str; 4] = ["a", "b", "c", "d"];

/// A graph of which nothing is in memory: vertices of four labels, with a number each.
fn cold(pools: PoolOptions) -> (Graph, Arc<Gate>) {
    let memory: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let written = Graph::open(Arc::clone(&memory), GraphOptions::default()).unwrap();
    for label in LABELS {
        let transaction = written.begin();
        for n in 0..EACH {
            let v = transaction.add_vertex(None, label).unwrap();
            transaction.set_vertex_property(v, Cardinality::Single, "n", Value::Long(n), &[]).unwrap();
        }
        transaction.commit().unwrap();
    }
    written.flush().unwrap();
    drop(written);
    let gate = Arc::new(Gate { state: Mutex::new((Reads::Pass, 0)), changed: Condvar::new() });
    let passed = Arc::clone(&gate);
    let store: Arc<dyn Store> = Arc::new(ObservedStore::new(memory, move || passed.pass()));
    let graph = Graph::open(store, GraphOptions { pools, keeper: false, ..GraphOptions::default() }).unwrap();
    (graph, gate)
}

fn engine(executors: usize) -> Engine {
    Engine::start(&EngineOptions { executors, pin: false, committers: 1, ..EngineOptions::default() })
        .unwrap()
}

/// How many vertices of a label have a small number: reads all their sections.
fn count(graph: &Graph, label: &str, timeout: Option<Duration>) -> QuerySpec {
    let snapshot = graph.snapshot();
    let labels = snapshot.catalog().vertex_label(label).into_iter().collect();
    let n = snapshot.catalog().key("n").unwrap();
    let small = Predicate::Compare(PredicateOp::Lt, Operand::Const(Value::Long(100)));
    let kinds = [
        OpKind::Scan(op::Scan { kind: ElementKind::Vertex, vertex_labels: Some(labels), edge_labels: None }),
        OpKind::Filter(PlanTest::Has(n, small)),
        OpKind::Aggregate(Aggregation::Count),
    ];
    let op = |(id, kind): (usize, OpKind)| Op {
        id: id as u32,
        kind,
        step: "step".into(),
        labels: Vec::new(),
        moves: false,
        rows: 0.0,
    };
    let ops: Vec<Op> = kinds.into_iter().enumerate().map(op).collect();
    QuerySpec {
        plan: Arc::new(Plan { ops: ops.len() as u32, root: Pipeline::new(ops), ..Plan::default() }),
        params: Vec::new(),
        access: Access::Read(snapshot),
        caller: Caller::Application,
        timeout,
        spent: Duration::ZERO,
        memory: 1 << 30,
        tenant: None,
        counting: Counting::Off,
        detail: Detail::Tokens,
        files: None,
    }
}

/// What a query came to.
#[derive(Default)]
struct Answer {
    results: Vec<Value>,
    outcome: Option<Result<Summary, QueryError>>,
}

#[derive(Clone, Default)]
struct Sink(Arc<(Mutex<Answer>, Condvar)>);

impl ResultSink for Sink {
    fn push(&mut self, results: Results) -> Result<(), Results> {
        self.0.0.lock().unwrap().results.extend(results.into_iter().map(|(value, _)| value));
        Ok(())
    }

    fn finish(&mut self, outcome: Result<Summary, QueryError>) {
        self.0.0.lock().unwrap().outcome = Some(outcome);
        self.0.1.notify_all();
    }
}

/// A query on the engine.
struct Asked {
    sink: Sink,
    handle: QueryHandle,
}

fn ask(engine: &Engine, spec: QuerySpec) -> Asked {
    let sink = Sink::default();
    Asked { handle: engine.submit(spec, Box::new(sink.clone())), sink }
}

impl Asked {
    /// Waits for the outcome.
    fn answer(&self, patience: Duration) -> Result<Vec<Value>, QueryError> {
        let (answer, changed) = &*self.sink.0;
        let (mut answer, waited) =
            changed.wait_timeout_while(answer.lock().unwrap(), patience, |a| a.outcome.is_none()).unwrap();
        assert!(!waited.timed_out(), "no answer");
        answer.outcome.take().unwrap().map(|_| std::mem::take(&mut answer.results))
    }

    fn is_answered(&self) -> bool {
        self.sink.0.0.lock().unwrap().outcome.is_some()
    }
}

const PATIENCE: Duration = Duration::from_secs(10);

fn until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn hundred() -> Vec<Value> {
    vec![Value::Long(100)]
}

#[test]
fn a_load_that_hangs_does_not_stop_another_query_on_the_same_executor() {
    let (graph, gate) = cold(PoolOptions::default());
    let engine = engine(1);
    assert_eq!(ask(&engine, count(&graph, "a", None)).answer(PATIENCE).unwrap(), hundred());
    gate.set(Reads::Wait);
    let stuck = ["b", "c", "d"].map(|label| ask(&engine, count(&graph, label, None)));
    until("all three load", || gate.waiting() == 3);
    for _ in 0..20 {
        assert_eq!(ask(&engine, count(&graph, "a", None)).answer(PATIENCE).unwrap(), hundred());
    }
    assert!(stuck.iter().all(|asked| !asked.is_answered()));
    gate.set(Reads::Pass);
    for asked in &stuck {
        assert_eq!(asked.answer(PATIENCE).unwrap(), hundred());
    }
    assert!(engine.handovers() >= 3, "{}", engine.handovers());
    until("all are gone", || engine.running() == 0);
}

#[test]
fn without_a_spare_thread_queries_wait_and_none_is_lost() {
    let (graph, gate) = cold(PoolOptions::default());
    let options =
        EngineOptions { executors: 1, pin: false, committers: 1, spares: 0, ..EngineOptions::default() };
    let engine = Engine::start(&options).unwrap();
    gate.set(Reads::Wait);
    let asked = LABELS.map(|label| ask(&engine, count(&graph, label, None)));
    until("one loads", || gate.waiting() == 1);
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!((gate.waiting(), engine.threads(), engine.handovers()), (1, 1, 0));
    gate.set(Reads::Pass);
    asked.iter().for_each(|asked| assert_eq!(asked.answer(PATIENCE).unwrap(), hundred()));
}

#[test]
fn a_query_that_waits_for_its_turn_leaves_when_it_is_cancelled_or_out_of_time() {
    let (graph, gate) = cold(PoolOptions { light: 1, ..PoolOptions::default() });
    let engine = engine(1);
    gate.set(Reads::Wait);
    let first = ask(&engine, count(&graph, "a", None));
    until("one loads", || gate.waiting() == 1);
    let cancelled = ask(&engine, count(&graph, "b", None));
    let late = ask(&engine, count(&graph, "c", Some(Duration::from_millis(300))));
    until("two wait", || graph.pool_stats().light.waiting == 2);
    cancelled.handle.cancel();
    assert!(matches!(cancelled.answer(PATIENCE), Err(QueryError::Cancelled)));
    assert!(matches!(late.answer(PATIENCE), Err(QueryError::TimedOut(_))));
    assert_eq!((gate.waiting(), graph.pool_stats().light.time_outs), (1, 1));
    let dropped = ask(&engine, count(&graph, "d", None));
    until("it waits", || graph.pool_stats().light.waiting == 1);
    drop(dropped.handle);
    until("it has left", || graph.pool_stats().light.waiting == 0);
    gate.set(Reads::Pass);
    assert_eq!(first.answer(PATIENCE).unwrap(), hundred());
    until("all are gone", || engine.running() == 0);
}

#[test]
fn queries_that_load_much_wait_without_a_thread_each() {
    let pools = PoolOptions { light: 4, heavy: 1, most_heavy: 1, heavy_after: 2, ..PoolOptions::default() };
    let (graph, gate) = cold(pools);
    let engine = engine(2);
    let many: Vec<Asked> =
        (0..200).map(|n| ask(&engine, count(&graph, LABELS[n % LABELS.len()], None))).collect();
    for asked in &many {
        assert_eq!(asked.answer(PATIENCE).unwrap(), hundred());
    }
    assert!(graph.pool_stats().heavy.loads > 0, "{:?}", graph.pool_stats());
    let stats = graph.pool_stats();
    assert_eq!((stats.heavy.running, stats.heavy.waiting, stats.light.waiting), (0, 0, 0));
    assert_eq!(gate.waiting(), 0);
}

#[test]
fn a_load_that_panics_ends_its_query_and_nothing_else() {
    let (graph, gate) = cold(PoolOptions { light: 1, ..PoolOptions::default() });
    let engine = engine(1);
    gate.set(Reads::Wait);
    let asked = ask(&engine, count(&graph, "a", None));
    until("it loads", || gate.waiting() == 1);
    let next = ask(&engine, count(&graph, "b", None));
    until("the next one waits for its turn", || graph.pool_stats().light.waiting == 1);
    gate.set(Reads::Panic);
    assert!(matches!(asked.answer(PATIENCE), Err(QueryError::Internal { .. })));
    assert!(matches!(next.answer(PATIENCE), Err(QueryError::Internal { .. })));
    gate.set(Reads::Pass);
    for label in LABELS {
        assert_eq!(ask(&engine, count(&graph, label, None)).answer(PATIENCE).unwrap(), hundred());
    }
    assert_eq!(graph.pool_stats().light.running, 0);
}

#[test]
fn an_engine_stops_while_queries_wait_for_their_turn() {
    let (graph, gate) = cold(PoolOptions { light: 1, ..PoolOptions::default() });
    let engine = engine(1);
    gate.set(Reads::Wait);
    let asked = LABELS.map(|label| ask(&engine, count(&graph, label, None)));
    until("three wait", || graph.pool_stats().light.waiting == 3);
    let stopping = std::thread::spawn(move || drop(engine));
    // Those who wait for their turn leave; who loads already must be waited for.
    until("nobody waits for a turn", || graph.pool_stats().light.waiting == 0);
    assert!(!stopping.is_finished());
    gate.set(Reads::Pass);
    stopping.join().unwrap();
    drop(asked);
    let again = self::engine(1);
    assert_eq!(ask(&again, count(&graph, "a", None)).answer(PATIENCE).unwrap(), hundred());
}
