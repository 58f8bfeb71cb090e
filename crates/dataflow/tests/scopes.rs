//! What scopes promise, shown on counters: plans are built by hand and stepped on one thread with a clock of the
//! test's own, so every run is the same.

mod eager;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use dataflow::detach::Detail;
use dataflow::{
    Access, Caller, CancelToken, Clock, MemoryMeter, Profile, Progress, QuerySpec, QueryState, Quota,
    RunningQuery, SideEffects, Waker,
};
use graph::{Graph, GraphOptions, Snapshot};
use gremlin::PredicateOp;
use planner::physical::{
    Aggregation, By, Child, Condition, Control, EdgeLabels, ElementKind, ExpandTo, Formula, Grain,
    InterPolicy, IntraPolicy, Op, OpKind, Operand, Pipeline, Plan, Policy, Predicate, Scope, ScopeKind, Test,
    op,
};
use store::MemoryStore;
use values::{Direction, Value, VertexRef};

/// A clock that advances by one microsecond each time it is read.
#[derive(Default)]
struct TickingClock(AtomicU64);

impl Clock for TickingClock {
    fn now(&self) -> Duration {
        Duration::from_micros(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// `hubs` vertices `hub`, each with `leaves` vertices `leaf`. The first leaf of every even hub and the last leaf of
/// every odd one is `good`. Hubs are also linked in a ring (`next`).
fn hubs(hubs: i64, leaves: i64) -> Graph {
    let graph =
        Graph::open(Arc::new(MemoryStore::new()), GraphOptions::default()).expect("an empty store opens");
    let tx = graph.begin();
    let all: Vec<VertexRef> = (0..hubs)
        .map(|n| vertex(&tx, "hub", &[("n", Value::Long(n)), ("good", Value::Bool(false))]))
        .collect();
    for (h, &hub) in all.iter().enumerate() {
        tx.add_edge(None, "next", hub, all[(h + 1) % all.len()]).expect("a valid edge");
        for n in 0..leaves {
            let good = n == if h % 2 == 0 { 0 } else { leaves - 1 };
            let leaf = vertex(&tx, "leaf", &[("n", Value::Long(n)), ("good", Value::Bool(good))]);
            tx.add_edge(None, "has", hub, leaf).expect("a valid edge");
        }
    }
    tx.commit().expect("no conflict");
    graph
}

fn vertex(tx: &graph::Transaction, label: &str, properties: &[(&str, Value)]) -> VertexRef {
    let v = tx.add_vertex(None, label).expect("a valid label");
    for (key, value) in properties {
        tx.set_vertex_property(v, graph::Cardinality::Single, key, value.clone(), &[])
            .expect("a valid property");
    }
    v
}

/// Builds plans for a snapshot; operators are numbered as they are made.
struct Builder {
    snapshot: Snapshot,
    ops: u32,
}

impl Builder {
    fn new(graph: &Graph) -> Self {
        Self { snapshot: graph.snapshot(), ops: 0 }
    }

    fn op(&mut self, step: &str, kind: OpKind) -> Op {
        self.ops += 1;
        Op { id: self.ops - 1, kind, step: step.into(), labels: Vec::new(), moves: false, rows: 0.0 }
    }

    fn scan(&mut self, label: &str) -> Op {
        let labels = self.snapshot.catalog().vertex_label(label).into_iter().collect();
        let kind = ElementKind::Vertex;
        self.op("V", OpKind::Scan(op::Scan { kind, vertex_labels: Some(labels), edge_labels: None }))
    }

    fn out(&mut self, label: &str) -> Op {
        let labels = EdgeLabels::Only(self.snapshot.catalog().edge_label(label).into_iter().collect());
        self.op(
            "out",
            OpKind::Expand(op::Expand {
                direction: Direction::Out,
                labels,
                to: ExpandTo::Vertices,
                edge_test: None,
                end_test: None,
                fetch: Vec::new(),
                distinct: false,
                sorted: None,
                secondary: Vec::new(),
            }),
        )
    }

    fn has(&mut self, key: &str, value: Value) -> Op {
        let key = self.snapshot.catalog().key(key).expect("a known key");
        let equal = Predicate::Compare(PredicateOp::Eq, Operand::Const(value));
        self.op("has", OpKind::Filter(Test::Has(key, equal)))
    }

    fn scope(&mut self, step: &str, kind: ScopeKind, grain: Grain, policy: Policy) -> Op {
        let child = match &kind {
            ScopeKind::Repeat { .. } | ScopeKind::Group { .. } | ScopeKind::Exchange { .. } => Child::Stream,
            _ => Child::Each,
        };
        self.op(step, OpKind::Scope(Box::new(Scope { kind, child, grain, policy, reads: None })))
    }

    /// `where(out('has').has('good', true))`, and the identifiers of the scope and of its expansion.
    fn where_good(&mut self, grain: Grain, max_instances: u32) -> (Op, u32, u32) {
        let out = self.out("has");
        let expansion = out.id;
        let good = self.has("good", Value::Bool(true));
        let kind = ScopeKind::Filter {
            branches: vec![Pipeline::new(vec![out, good])],
            formula: Formula::All,
            mark: None,
        };
        let scope = self.scope("where", kind, grain, policy(InterPolicy::BreadthFirst, max_instances));
        let id = scope.id;
        (scope, id, expansion)
    }

    fn count(&mut self) -> Op {
        self.op("count", OpKind::Aggregate(Aggregation::Count))
    }

    fn limit(&mut self, n: u64) -> Op {
        self.op("limit", OpKind::Range(op::Range { low: 0, high: Some(n) }))
    }

    fn plan(&self, ops: Vec<Op>) -> Arc<Plan> {
        Arc::new(Plan { root: Pipeline::new(ops), ops: self.ops, ..Plan::default() })
    }
}

fn policy(inter: InterPolicy, max_instances: u32) -> Policy {
    Policy { inter, intra: IntraPolicy::DepthFirst, max_instances, ordered: false }
}

fn state(plan: &Arc<Plan>, snapshot: Snapshot, memory: u64) -> Arc<QueryState> {
    Arc::new(QueryState {
        files: None,
        shareable: Default::default(),
        side_effects: SideEffects::new(plan),
        plan: plan.clone(),
        params: Vec::new(),
        access: Access::Read(snapshot),
        memory: Arc::new(MemoryMeter::new(memory)),
        profile: Profile::new(plan.ops, false),
        cancel: CancelToken::default(),
        deadline: None,
        clock: Arc::new(TickingClock::default()),
        helpers: None,
        waker: Waker::new(|| {}),
        seed: 1,
        computed: None,
        draws: Default::default(),
        caller: Caller::Application,
    })
}

/// Steps a query to its end in turns of `turn` clock readings; its results and what it counted.
fn run(plan: &Arc<Plan>, snapshot: Snapshot, turn: u64) -> (Vec<Value>, Arc<QueryState>) {
    let state = state(plan, snapshot, 1 << 30);
    let mut query = RunningQuery::new(state.clone(), Detail::Tokens);
    let mut results = Vec::new();
    loop {
        let quota = Quota::new(&*state.clock, Duration::from_micros(turn));
        let (progress, batch) = query.run(quota).expect("the query succeeds");
        results.extend(batch.into_iter().flat_map(|(value, bulk)| (0..bulk).map(move |_| value.clone())));
        if progress == Progress::Complete {
            return (results, state);
        }
        assert_ne!(progress, Progress::Idle, "a query that is not complete has work");
    }
}

fn count_of(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

#[test]
fn a_where_that_matches_early_cancels_its_own_instance_and_no_other() {
    let graph = hubs(10, 5_000);
    let mut plan = Builder::new(&graph);
    let (filter, scope, expansion) = plan.where_good(Grain::Traverser, 4);
    let ops = vec![plan.scan("hub"), filter, plan.count()];
    let (results, state) = run(&plan.plan(ops), graph.snapshot(), 1_000_000);
    assert_eq!(results, [Value::Long(10)], "every hub has a good leaf");
    let counters = state.profile.of(scope).expect("counted");
    assert_eq!(count_of(&counters.opened), 10);
    assert_eq!(
        count_of(&counters.cancelled),
        5,
        "the even hubs' first leaf decides; the odd hubs look at all theirs"
    );
    let scanned = count_of(&state.profile.of(expansion).expect("counted").rows_out);
    assert!((25_000..25_000 + 5 * 1_000).contains(&scanned), "{scanned} of 50,000 leaves looked at");
}

#[test]
fn turned_off_the_scope_gives_the_same_answer_with_more_work() {
    let graph = hubs(10, 5_000);
    let answer = |grain| {
        let mut plan = Builder::new(&graph);
        let (filter, scope, expansion) = plan.where_good(grain, 4);
        let ops = vec![plan.scan("hub"), filter];
        let (mut results, state) = run(&plan.plan(ops), graph.snapshot(), 50);
        results.sort_by(values::compare::order);
        let opened = count_of(&state.profile.of(scope).expect("counted").opened);
        (results, opened, count_of(&state.profile.of(expansion).expect("counted").rows_out))
    };
    let (on, instances_on, work_on) = answer(Grain::Traverser);
    let (off, instances_off, work_off) = answer(Grain::Batch);
    assert_eq!(on, off);
    assert_eq!((instances_on, instances_off), (10, 1));
    assert!(work_on < work_off, "{work_on} against {work_off}");
}

#[test]
fn no_more_than_max_si_instances_are_open_at_once_whatever_the_turns() {
    let graph = hubs(30, 300);
    for max_instances in [1, 2, 7] {
        for turn in [1, 3, 10, 1_000] {
            let mut plan = Builder::new(&graph);
            let (filter, scope, _) = plan.where_good(Grain::Traverser, max_instances);
            let ops = vec![plan.scan("hub"), filter, plan.count()];
            let (results, state) = run(&plan.plan(ops), graph.snapshot(), turn);
            assert_eq!(results, [Value::Long(30)]);
            let counters = state.profile.of(scope).expect("counted");
            let concurrent = count_of(&counters.concurrent);
            assert!(
                concurrent <= u64::from(max_instances),
                "{concurrent} instances with MAX_SI {max_instances}"
            );
            assert_eq!(count_of(&counters.opened), 30);
        }
    }
}

/// `V('hub').repeat(out('next')).emit().times(times)`, and the loop's identifier.
fn ring_walk(plan: &mut Builder, times: i64, inter: InterPolicy, max_instances: u32) -> (Vec<Op>, u32) {
    let start = plan.scan("hub");
    let first = plan.has("n", Value::Long(0));
    let body = Pipeline::new(vec![plan.out("next")]);
    let tail =
        Control { tests: Pipeline::default(), until: Condition::Times(times), emit: Condition::Always };
    let kind = ScopeKind::Repeat { head: Vec::new(), body, tail: vec![tail] };
    let scope = plan.scope("repeat", kind, Grain::Iteration, policy(inter, max_instances));
    let id = scope.id;
    (vec![start, first, scope], id)
}

#[test]
fn a_breadth_first_loop_with_a_limit_opens_no_iteration_it_does_not_need() {
    let graph = hubs(100, 1);
    let mut plan = Builder::new(&graph);
    let (mut ops, id) = ring_walk(&mut plan, 50, InterPolicy::BreadthFirst, 8);
    ops.push(plan.limit(3));
    let (results, state) = run(&plan.plan(ops), graph.snapshot(), 1_000_000);
    assert_eq!(results.len(), 3);
    let opened = count_of(&state.profile.of(id).expect("counted").opened);
    assert!(opened <= 4, "3 results need 3 iterations, {opened} were opened");
}

#[test]
fn a_loop_gives_the_same_results_under_every_policy_bound_and_turn() {
    let graph = hubs(20, 1);
    for inter in [InterPolicy::BreadthFirst, InterPolicy::DepthFirst] {
        for max_instances in [1, 2, 5, 100] {
            for turn in [1, 7, 1_000] {
                let mut plan = Builder::new(&graph);
                let (mut ops, id) = ring_walk(&mut plan, 33, inter, max_instances);
                ops.push(plan.count());
                let (results, state) = run(&plan.plan(ops), graph.snapshot(), turn);
                assert_eq!(results, [Value::Long(33)], "{inter:?}, MAX_SI {max_instances}, turn {turn}");
                let counters = state.profile.of(id).expect("counted");
                assert_eq!(count_of(&counters.opened), 33);
                assert!(count_of(&counters.concurrent) <= u64::from(max_instances));
            }
        }
    }
}

/// `V().repeat(repeat(…innermost…).times(times)).times(times).count()`, so many loops inside one another.
fn nested(graph: &Graph, innermost: impl Fn(&mut Builder) -> Op, depth: u32, times: i64) -> Arc<Plan> {
    let mut plan = Builder::new(graph);
    let mut body = innermost(&mut plan);
    for _ in 0..depth {
        let tail =
            Control { tests: Pipeline::default(), until: Condition::Times(times), emit: Condition::Never };
        let kind = ScopeKind::Repeat { head: Vec::new(), body: Pipeline::new(vec![body]), tail: vec![tail] };
        body = plan.scope("repeat", kind, Grain::Iteration, policy(InterPolicy::BreadthFirst, 64));
    }
    let ops = vec![plan.scan("hub"), body, plan.count()];
    plan.plan(ops)
}

/// The results of a query that may hold so much memory, and what it has held at most after a turn.
fn peak(plan: &Arc<Plan>, graph: &Graph, memory: u64) -> Result<(Vec<Value>, u64), dataflow::QueryError> {
    let state = state(plan, graph.snapshot(), memory);
    let mut query = RunningQuery::new(state.clone(), Detail::Tokens);
    let (mut results, mut peak) = (Vec::new(), 0);
    loop {
        let (progress, batch) = query.run(Quota::new(&*state.clock, Duration::from_micros(100)))?;
        results.extend(batch.into_iter().map(|(value, _)| value));
        peak = peak.max(state.memory.used());
        if progress == Progress::Complete {
            return Ok((results, peak));
        }
    }
}

#[test]
fn loops_inside_one_another_hold_one_instance_each_and_not_one_for_each_iteration() {
    let graph = hubs(3, 1);
    let plan = nested(&graph, |plan| plan.out("next"), 5, 6);
    let (results, peak) = peak(&plan, &graph, 1 << 30).unwrap();
    assert_eq!(results, [Value::Long(3)]);
    assert!(peak < 64 << 10, "{peak} bytes for five loops");
}

#[test]
fn iterations_that_must_be_remembered_count_as_memory() {
    let graph = hubs(3, 1);
    let dedup = |plan: &mut Builder| {
        let by = vec![By::Current];
        plan.op("dedup", OpKind::Dedup(op::Dedup { by, across_iterations: false, in_pieces: false }))
    };
    let (results, peak_of_few) = peak(&nested(&graph, dedup, 2, 3), &graph, 1 << 30).unwrap();
    assert_eq!(results, [Value::Long(3)]);
    let (_, peak_of_many) = peak(&nested(&graph, dedup, 2, 30), &graph, 1 << 30).unwrap();
    assert!(peak_of_many > 50 * peak_of_few, "{peak_of_many} for 900 iterations, {peak_of_few} for 9");
    let refused = peak(&nested(&graph, dedup, 5, 6), &graph, 1 << 20);
    assert!(matches!(refused, Err(dataflow::QueryError::MemoryExceeded { .. })));
}

#[test]
fn a_loop_inside_a_where_ends_with_its_own_instance() {
    let graph = hubs(8, 1);
    let mut plan = Builder::new(&graph);
    let body = Pipeline::new(vec![plan.out("next")]);
    let tail = Control { tests: Pipeline::default(), until: Condition::Never, emit: Condition::Always };
    let kind = ScopeKind::Repeat { head: Vec::new(), body, tail: vec![tail] };
    let endless = plan.scope("repeat", kind, Grain::Iteration, policy(InterPolicy::BreadthFirst, 4));
    let third = plan.has("n", Value::Long(3));
    let kind = ScopeKind::Filter {
        branches: vec![Pipeline::new(vec![endless, third])],
        formula: Formula::All,
        mark: None,
    };
    let filter = plan.scope("where", kind, Grain::Traverser, policy(InterPolicy::BreadthFirst, 2));
    let ops = vec![plan.scan("hub"), filter, plan.count()];
    let (results, state) = run(&plan.plan(ops), graph.snapshot(), 100);
    assert_eq!(
        results,
        [Value::Long(8)],
        "the loop is endless, and each instance's copy of it ends with the match"
    );
    drop(results);
    assert_eq!(state.memory.used(), 0);
}

#[test]
fn count_owes_a_zero_to_every_traverser_of_a_shared_instance() {
    let graph = hubs(5, 3);
    for grain in [Grain::Traverser, Grain::Batch] {
        let mut plan = Builder::new(&graph);
        let (out, good, count) = (plan.out("has"), plan.has("n", Value::Long(77)), plan.count());
        let child = Pipeline::new(vec![out, good, count]);
        let kind = ScopeKind::Apply { child, from: By::Current, into: None, required: true };
        let map = plan.scope("map", kind, grain, policy(InterPolicy::BreadthFirst, 2));
        let ops = vec![plan.scan("hub"), map];
        let (results, _) = run(&plan.plan(ops), graph.snapshot(), 1_000);
        assert_eq!(results, vec![Value::Long(0); 5], "{grain:?}");
    }
}

#[test]
fn groups_of_one_instance_keep_their_traversers_apart() {
    let graph = hubs(4, 6);
    let mut plan = Builder::new(&graph);
    let hub = plan.scan("hub");
    let value = Pipeline::new(vec![plan.out("has"), plan.count()]);
    let kind = ScopeKind::Group { key: By::Current, value, side_effect: None };
    let group = plan.scope("group", kind, Grain::Stream, policy(InterPolicy::BreadthFirst, 1));
    let (results, _) = run(&plan.plan(vec![hub, group]), graph.snapshot(), 1_000);
    let [Value::Map(map)] = &results[..] else { panic!("one map, not {results:?}") };
    assert_eq!(map.len(), 4);
    assert!(map.iter().all(|(_, count)| *count == Value::Long(6)));
}

#[test]
fn many_groups_are_the_same_in_many_turns() {
    let graph = hubs(1, 5_000);
    let groups = |turn| {
        let mut plan = Builder::new(&graph);
        let leaf = plan.scan("leaf");
        let value = Pipeline::new(vec![plan.count()]);
        let kind = ScopeKind::Group { key: By::Current, value, side_effect: None };
        let group = plan.scope("group", kind, Grain::Stream, policy(InterPolicy::BreadthFirst, 1));
        run(&plan.plan(vec![leaf, group]), graph.snapshot(), turn).0
    };
    let [Value::Map(map)] = &groups(1_000_000)[..] else { panic!("one map") };
    assert_eq!(map.len(), 5_000);
    for turn in [1, 2, 9] {
        assert_eq!(groups(turn), [Value::Map(map.clone())], "turns of {turn}");
    }
}

#[test]
fn memory_beyond_the_bound_ends_the_query_and_is_given_back() {
    let graph = hubs(3, 20_000);
    let mut plan = Builder::new(&graph);
    let ops = vec![
        plan.scan("hub"),
        plan.out("has"),
        plan.op("barrier", OpKind::Barrier(op::Barrier { first_passes: false, compares_paths: false })),
        plan.count(),
    ];
    let plan = plan.plan(ops);
    let state = state(&plan, graph.snapshot(), 10_000);
    let mut query = RunningQuery::new(state.clone(), Detail::Tokens);
    let error = loop {
        match query.run(Quota::new(&*state.clock, Duration::from_secs(1))) {
            Ok((Progress::Complete, _)) => panic!("60,000 rows do not fit into 10,000 bytes"),
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert!(matches!(error, dataflow::QueryError::MemoryExceeded { limit: 10_000 }), "{error}");
    drop(query);
    assert_eq!(state.memory.used(), 0);
}

#[test]
fn pieces_on_several_executors_give_what_one_executor_gives() {
    let graph = hubs(2_000, 20);
    for ordered in [false, true] {
        let mut plan = Builder::new(&graph);
        let start = plan.scan("hub");
        let child = Pipeline::new(vec![plan.out("has"), plan.has("good", Value::Bool(true))]);
        let kind = ScopeKind::Exchange { child };
        let exchange = plan.scope(
            "exchange",
            kind,
            Grain::Stream,
            Policy { ordered, ..policy(InterPolicy::BreadthFirst, 1) },
        );
        let exchange_id = exchange.id;
        let plan = plan.plan(vec![start, exchange]);
        let (expected, _) = run(&plan, graph.snapshot(), 1_000_000);
        assert_eq!(expected.len(), 2_000);
        let engine = eager::engine();
        let mut shipped = 0;
        for _ in 0..50 {
            let spec = QuerySpec {
                plan: plan.clone(),
                params: Vec::new(),
                access: Access::Read(graph.snapshot()),
                caller: Caller::Application,
                timeout: None,
                spent: Duration::ZERO,
                memory: 1 << 30,
                tenant: None,
                counting: dataflow::Counting::On,
                detail: Detail::Tokens,
                files: None,
            };
            let mut query = engine.run_here(spec);
            let state = query.state().expect("running").clone();
            let mut results = Vec::new();
            while let Some(batch) = query.next_batch().expect("the query succeeds") {
                results.extend(batch.into_iter().map(|(value, _)| value));
            }
            shipped += count_of(&state.profile.of(exchange_id).expect("counted").shipped);
            if ordered {
                assert_eq!(results, expected);
            } else {
                let sort = |mut values: Vec<Value>| {
                    values.sort_by(values::compare::order);
                    values
                };
                assert_eq!(sort(results), sort(expected.clone()));
            }
        }
        assert!(shipped > 0, "in fifty runs somebody helped");
    }
}
