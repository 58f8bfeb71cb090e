//! Expansion and deduplication against their limit: a hand-written loop over a compressed sparse row.
//!
//! Two hops from a person to distinct people, in a random graph with a skewed degree distribution. The engine runs a
//! hand-built plan on one thread (source, two expansions, the second one distinct, count), so what is measured is the
//! operators and the instance around them, not the parser, the planner or the executors. And two hops to the people with
//! a small number, who are a third: tested where the expansion meets them, or by a filter behind it.
//!
//! Run with `cargo bench -p dataflow --bench expand`.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use dataflow::detach::Detail;
use dataflow::{
    Access, CancelToken, MemoryMeter, MonotonicClock, Profile, Progress, QueryState, Quota, RunningQuery,
    SideEffects, Waker,
};
use graph::{BulkColumn, BulkValues, EdgeLabelId, Graph, GraphOptions};
use gremlin::PredicateOp;
use planner::physical::{
    Aggregation, By, EdgeLabels, ElementKind, ExpandTo, Op, OpKind, Operand, Pipeline, Plan, Predicate,
    SourceIds, Test, op,
};
use values::{Direction, Value, VertexRef};

const VERTICES: usize = 100_000;
const EDGES: usize = 4_000_000;

/// What the numbers of a third of the ends are below.
const BOUND: i64 = 12_000;

/// The same graph twice: in the store, and as offsets and neighbours.
struct World {
    graph: Graph,
    offsets: Vec<u32>,
    neighbours: Vec<u32>,
    starts: Vec<VertexRef>,
}

impl World {
    fn new() -> Self {
        let graph = Graph::open(Arc::new(store::MemoryStore::new()), GraphOptions::default()).expect("opens");
        let mut load = graph.bulk_load().expect("empty");
        let numbers = BulkValues::Long((0..VERTICES as i64).map(Some).collect());
        let column = BulkColumn { key: "number".into(), values: numbers };
        let vertices = load.vertices("person", None, vec![column]).expect("loads");
        let mut random = 0x5eed_u64;
        let mut below = |n: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((random >> 33) as usize * n) >> 31
        };
        // The smaller of three draws: some vertices have many edges, most have few.
        let mut pick = || vertices[below(VERTICES).min(below(VERTICES)).min(below(VERTICES))];
        let (src, dst): (Vec<_>, Vec<_>) = (0..EDGES).map(|_| (pick(), pick())).unzip();
        load.edges("knows", &src, &dst, None, Vec::new()).expect("loads");
        load.finish(&|_| ()).expect("finishes");
        let (offsets, neighbours) = compress(&src, &dst);
        let starts = (0..64).map(|i| vertices[i * 900 + 7]).collect();
        Self { graph, offsets, neighbours, starts }
    }

    fn neighbours(&self, v: VertexRef) -> &[u32] {
        let (from, to) = (self.offsets[v.0 as usize], self.offsets[v.0 as usize + 1]);
        &self.neighbours[from as usize..to as usize]
    }

    /// Number of distinct vertices two hops away, by hand.
    fn by_hand(&self, start: VertexRef, seen: &mut Vec<u64>) -> u64 {
        seen.clear();
        seen.resize(self.offsets.len().div_ceil(64), 0);
        let mut count = 0;
        for &friend in self.neighbours(start) {
            for &n in self.neighbours(VertexRef(friend)) {
                let (word, bit) = (n as usize / 64, 1u64 << (n % 64));
                count += u64::from(seen[word] & bit == 0);
                seen[word] |= bit;
            }
        }
        count
    }

    /// Number of walks of two steps to a vertex with a number below the bound, by hand. (A vertex's number is its place.)
    fn filtered_by_hand(&self, start: VertexRef, numbers: &[i64]) -> u64 {
        let hits = |&friend: &u32| {
            let ends = self.neighbours(VertexRef(friend));
            ends.iter().filter(|&&n| numbers[n as usize] < BOUND).count() as u64
        };
        self.neighbours(start).iter().map(hits).sum()
    }

    /// The same by the engine.
    fn by_engine(&self, plan: &Arc<Plan>, start: VertexRef) -> u64 {
        let state = Arc::new(QueryState {
            files: None,
            shareable: Default::default(),
            side_effects: SideEffects::new(plan),
            plan: plan.clone(),
            params: vec![Value::VertexRef(start)],
            access: Access::Read(self.graph.snapshot()),
            memory: Arc::new(MemoryMeter::new(1 << 30)),
            profile: Profile::off(),
            cancel: CancelToken::default(),
            deadline: None,
            clock: Arc::new(MonotonicClock::default()),
            helpers: None,
            waker: Waker::new(|| ()),
            seed: 0,
            computed: None,
            draws: Default::default(),
            caller: dataflow::Caller::Application,
        });
        let clock = MonotonicClock::default();
        let mut query = RunningQuery::new(state, Detail::Tokens);
        loop {
            let quota = Quota::new(&clock, Duration::from_secs(60));
            let (progress, results) = query.run(quota).expect("runs");
            if let Some((Value::Long(count), _)) = results.first() {
                return *count as u64;
            }
            assert_ne!(progress, Progress::Complete, "a count has a result");
        }
    }
}

/// Offsets by reference and neighbours, of out-edges.
fn compress(src: &[VertexRef], dst: &[VertexRef]) -> (Vec<u32>, Vec<u32>) {
    let slots = src.iter().chain(dst).map(|v| v.0 as usize + 1).max().unwrap_or(0);
    let mut offsets = vec![0u32; slots + 1];
    src.iter().for_each(|v| offsets[v.0 as usize + 1] += 1);
    (0..slots).for_each(|i| offsets[i + 1] += offsets[i]);
    let (mut next, mut neighbours) = (offsets.clone(), vec![0; src.len()]);
    for (s, d) in src.iter().zip(dst) {
        let place = &mut next[s.0 as usize];
        neighbours[*place as usize] = d.0;
        *place += 1;
    }
    (offsets, neighbours)
}

fn expand(distinct: bool, end_test: Option<Test>) -> OpKind {
    OpKind::Expand(op::Expand {
        direction: Direction::Out,
        labels: EdgeLabels::Only(vec![EdgeLabelId(0)]),
        to: ExpandTo::Vertices,
        edge_test: None,
        end_test,
        fetch: Vec::new(),
        distinct,
        sorted: None,
        secondary: Vec::new(),
    })
}

/// `V(start).out('knows').out('knows').dedup().count()`, the dedup in the expansion or after it.
fn distinct(fused: bool) -> Arc<Plan> {
    let dedup =
        OpKind::Dedup(op::Dedup { by: vec![By::Current], across_iterations: false, in_pieces: false });
    let last = if fused { vec![expand(true, None)] } else { vec![expand(false, None), dedup] };
    two_hops_to(last)
}

/// `V(start).out('knows').out('knows').has('number', lt(bound)).count()`, the test in the expansion or after it.
fn filtered(world: &World, fused: bool) -> Arc<Plan> {
    let number = world.graph.snapshot().catalog().key("number").expect("it was loaded");
    let bound = Predicate::Compare(PredicateOp::Lt, Operand::Const(Value::Long(BOUND)));
    let test = Test::Has(number, bound);
    two_hops_to(match fused {
        true => vec![expand(false, Some(test))],
        false => vec![expand(false, None), OpKind::Filter(test)],
    })
}

/// The count of what these operators make of the ends of one hop.
fn two_hops_to(last: Vec<OpKind>) -> Arc<Plan> {
    let ids = SourceIds(vec![Operand::Param(0)]);
    let mut kinds = vec![OpKind::ById(op::ById { kind: ElementKind::Vertex, ids }), expand(false, None)];
    kinds.extend(last);
    kinds.push(OpKind::Aggregate(Aggregation::Count));
    let op = |(id, kind)| Op {
        id: id as u32,
        kind,
        step: "bench".into(),
        labels: Vec::new(),
        moves: false,
        rows: 0.0,
    };
    let ops: Vec<Op> = kinds.into_iter().enumerate().map(op).collect();
    Arc::new(Plan { ops: ops.len() as u32, root: Pipeline::new(ops), params: 1, ..Plan::default() })
}

fn two_hops(c: &mut Criterion) {
    let world = World::new();
    let mut seen = Vec::new();
    let (fused, separate) = (distinct(true), distinct(false));
    for &start in &world.starts {
        let expected = world.by_hand(start, &mut seen);
        assert_eq!(world.by_engine(&fused, start), expected);
        assert_eq!(world.by_engine(&separate, start), expected);
    }
    let mut group = c.benchmark_group("two distinct hops from 64 vertices");
    group.sample_size(20);
    group.bench_function(BenchmarkId::from_parameter("by hand"), |b| {
        b.iter(|| world.starts.iter().map(|&v| black_box(world.by_hand(v, &mut seen))).sum::<u64>());
    });
    for (name, plan) in [("fused", &fused), ("expand, then dedup", &separate)] {
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| world.starts.iter().map(|&v| black_box(world.by_engine(plan, v))).sum::<u64>());
        });
    }
    group.finish();
    filtered_hops(&world, c);
}

fn filtered_hops(world: &World, c: &mut Criterion) {
    let snapshot = world.graph.snapshot();
    let (reader, number) = (snapshot.reader(), snapshot.catalog().key("number").expect("it was loaded"));
    let slots = world.offsets.len() as u32 - 1;
    let value = |v| reader.value(VertexRef(v), number).and_then(|value| value.as_i64()).unwrap_or(i64::MAX);
    let numbers: Vec<i64> = (0..slots).map(value).collect();
    let (fused, separate) = (filtered(world, true), filtered(world, false));
    for &start in &world.starts {
        let expected = world.filtered_by_hand(start, &numbers);
        assert_eq!(world.by_engine(&fused, start), expected);
        assert_eq!(world.by_engine(&separate, start), expected);
    }
    let mut group = c.benchmark_group("two hops to small numbers from 64 vertices");
    group.sample_size(20);
    group.bench_function(BenchmarkId::from_parameter("by hand"), |b| {
        b.iter(|| world.starts.iter().map(|&v| black_box(world.filtered_by_hand(v, &numbers))).sum::<u64>());
    });
    for (name, plan) in [("fused", &fused), ("expand, then filter", &separate)] {
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| world.starts.iter().map(|&v| black_box(world.by_engine(plan, v))).sum::<u64>());
        });
    }
    group.finish();
}

criterion_group!(benches, two_hops);
criterion_main!(benches);
