//! A list that is long enough is cut into pieces of whole edge nodes, and executors share them.

mod eager;

use std::sync::Arc;
use std::time::{Duration, Instant};

use dataflow::detach::Detail;
use dataflow::{Access, Caller, Counting, Engine, QuerySpec, QueryState};
use graph::{Graph, GraphOptions, TreeBounds};
use planner::physical::{OpKind, Plan, ScopeKind};
use planner::{Known, Options};
use store::MemoryStore;
use values::Value;

const EDGES: i64 = 20_000;

/// Vertex 0 has edges to itself and to 999 others.
fn hub() -> Graph {
    let options =
        GraphOptions { tree: TreeBounds { min: 50, max: 100, fan_out: 50 }, ..GraphOptions::default() };
    let graph = Graph::open(Arc::new(MemoryStore::new()), options).expect("an empty store opens");
    let tx = graph.begin();
    let all: Vec<_> =
        (0..1_000).map(|n| tx.add_vertex(Some(Value::Long(n)), "v").expect("a new id")).collect();
    for n in 0..EDGES {
        let edge = tx.add_edge(None, "e", all[0], all[(n % 1_000) as usize]).expect("a valid edge");
        tx.set_edge_property(edge, "n", Value::Long(n)).expect("a valid property");
    }
    tx.commit().expect("no conflict");
    graph
}

fn plan(graph: &Graph, text: &str) -> Arc<Plan> {
    let snapshot = graph.snapshot();
    let traversal = gremlin::parse_traversal(text, &Default::default()).expect("valid Gremlin");
    let options = Options { executors: 4, ..Options::default() };
    let planned = planner::plan(&traversal, snapshot.catalog(), &Known::new(&snapshot, &[]), &options);
    planned.expect("a plan").plan
}

/// The results of a plan, and what was counted.
fn run(engine: &Engine, graph: &Graph, plan: &Arc<Plan>) -> (Vec<Value>, Arc<QueryState>) {
    let spec = QuerySpec {
        plan: plan.clone(),
        params: Vec::new(),
        access: Access::Read(graph.snapshot()),
        caller: Caller::Application,
        timeout: None,
        spent: Duration::ZERO,
        memory: 1 << 30,
        tenant: None,
        counting: Counting::On,
        detail: Detail::Tokens,
        files: None,
    };
    let mut query = engine.run_here(spec);
    let state = query.state().expect("running").clone();
    let mut results = Vec::new();
    while let Some(batch) = query.next_batch().expect("the query succeeds") {
        results.extend(batch.into_iter().map(|(value, _)| value));
    }
    (results, state)
}

/// How many pieces the first expansion inside an exchange got, and how many of them other executors ran.
fn pieces(plan: &Plan, state: &QueryState) -> (u64, u64) {
    let count = |counter: &std::sync::atomic::AtomicU64| counter.load(std::sync::atomic::Ordering::Relaxed);
    let mut exchanges = plan.root.ops.iter().filter_map(|op| match &op.kind {
        OpKind::Scope(scope) => match &scope.kind {
            ScopeKind::Exchange { child } => Some((op.id, child.ops[0].id)),
            _ => None,
        },
        _ => None,
    });
    let (exchange, first) = exchanges.next_back().expect("the plan has an exchange");
    let of = |op: u32| state.profile.of(op).expect("counted");
    (count(&of(first).batches), count(&of(exchange).shipped))
}

#[test]
fn one_list_is_shared_by_several_executors() {
    let graph = hub();
    let engine = eager::engine();
    for text in [
        "g.V(0).outE('e').has('n', gte(10000L)).values('n')",
        "g.V(0).out('e').id()",
        "g.V(0).out('e').in('e').count()",
        "g.V(0).outE('e').values('n').sum()",
    ] {
        let plan = plan(&graph, text);
        let alone = Plan { parallelism: Some(1), ..(*plan).clone() };
        let (expected, _) = run(&engine, &graph, &Arc::new(alone));
        let (mut most, mut helped) = (0, 0);
        for _ in 0..100 {
            // They fall asleep a moment after they have helped.
            let until = Instant::now() + Duration::from_secs(60);
            while engine.idle() < 4 {
                assert!(Instant::now() < until, "{} of 4 executors are idle after a minute", engine.idle());
                std::thread::sleep(Duration::from_micros(100));
            }
            let (results, state) = run(&engine, &graph, &plan);
            assert_eq!(results, expected, "{text}");
            let (pieces, shipped) = pieces(&plan, &state);
            (most, helped) = (most.max(pieces), helped + shipped);
        }
        assert!(most >= 8, "{text}: the list was cut into {most} pieces");
        assert!(helped > 0, "{text}: in a hundred runs nobody helped");
    }
}
