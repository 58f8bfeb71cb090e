//! Reads beside their limit: the same loops over plain CSR arrays, in the same process.
//!
//! `cargo bench -p graph` prints, for a random graph of 10,000 vertices with 36 edges each, the median time of each
//! loop through a [`graph::Reader`] and over the arrays, and their ratio.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use graph::{
    BulkColumn, BulkStrings, BulkValues, Dir, EdgeLabelId, Graph, GraphOptions, IndexDescription, IndexKind,
    KeyId, Place, RangeQuery, Reader, Run, ScanCursor, Value, VertexLabelId, VertexRef,
};
use store::{MemoryStore, Store};

const VERTICES: usize = 10_000;
const DEGREE: usize = 36;
const STARTS: usize = 50;
const ROUNDS: usize = 21;

/// The limit: offsets and neighbours.
struct Csr {
    offsets: Vec<u32>,
    neighbours: Vec<u32>,
    ages: Vec<i64>,
}

impl Csr {
    fn list(&self, v: u32) -> &[u32] {
        &self.neighbours[self.offsets[v as usize] as usize..self.offsets[v as usize + 1] as usize]
    }
}

/// A bit per vertex, cleared between queries.
struct BitSet(Vec<u64>);

impl BitSet {
    fn insert(&mut self, n: u32) -> bool {
        let (word, bit) = (n as usize / 64, 1 << (n % 64));
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }
}

fn edges() -> (Vec<u32>, Vec<u32>) {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize
    };
    (0..VERTICES * DEGREE).map(|_| ((random() % VERTICES) as u32, (random() % VERTICES) as u32)).unzip()
}

fn csr(src: &[u32], dst: &[u32]) -> Csr {
    let mut offsets = vec![0u32; VERTICES + 1];
    src.iter().for_each(|&v| offsets[v as usize + 1] += 1);
    (1..offsets.len()).for_each(|i| offsets[i] += offsets[i - 1]);
    let mut next = offsets.clone();
    let mut neighbours = vec![0; src.len()];
    for (&from, &to) in src.iter().zip(dst) {
        neighbours[next[from as usize] as usize] = to;
        next[from as usize] += 1;
    }
    Csr { offsets, neighbours, ages: (0..VERTICES as i64).map(|n| n % 90).collect() }
}

fn load(graph: &Graph, src: &[u32], dst: &[u32]) -> Vec<VertexRef> {
    let mut bulk = graph.bulk_load().expect("the graph is new");
    let ages = (0..VERTICES as i64).map(|n| Some(n % 90)).collect();
    let numbers = (0..VERTICES as i64).map(Some).collect();
    let names: Vec<String> = (0..VERTICES).map(|n| format!("person number {n}")).collect();
    let names: BulkStrings = names.iter().map(|name| Some(name.as_str())).collect();
    let column = |key: &str, values| BulkColumn { key: key.into(), values };
    let columns = vec![
        column("age", BulkValues::Long(ages)),
        column("number", BulkValues::Long(numbers)),
        column("name", BulkValues::Str(names)),
    ];
    let refs = bulk.vertices("person", None, columns).expect("the columns fit");
    let at = |ends: &[u32]| ends.iter().map(|&n| refs[n as usize]).collect::<Vec<_>>();
    bulk.edges("knows", &at(src), &at(dst), None, vec![]).expect("the ends exist");
    bulk.index("person", "number").expect("the names are fine");
    bulk.finish(&|_| {}).expect("memory does not fail");
    refs
}

/// Median microseconds of a loop.
fn median(mut f: impl FnMut() -> u64) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            black_box(f());
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

fn report(name: &str, per: f64, unit: &str, graph: f64, limit: f64) {
    println!(
        "{name:<28} {:>10.2} {unit}   limit {:>10.2} {unit}   ratio {:.2}",
        graph / per,
        limit / per,
        graph / limit
    );
}

fn run<'r>(reader: &'r Reader<'_>, knows: EdgeLabelId, v: VertexRef) -> Run<'r> {
    reader.run(v, knows, Dir::Out, &mut Place::default())
}

fn two_hops(reader: &Reader<'_>, knows: EdgeLabelId, start: VertexRef, seen: &mut BitSet) -> u64 {
    seen.0.fill(0);
    let mut count = 0;
    for &middle in run(reader, knows, start).neighbours() {
        for &end in run(reader, knows, middle).neighbours() {
            count += u64::from(seen.insert(end.0));
        }
    }
    count
}

fn two_hops_csr(csr: &Csr, start: u32, seen: &mut BitSet) -> u64 {
    seen.0.fill(0);
    let mut count = 0;
    for &middle in csr.list(start) {
        for &end in csr.list(middle) {
            count += u64::from(seen.insert(end));
        }
    }
    count
}

fn main() {
    let (src, dst) = edges();
    let csr = csr(&src, &dst);
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = Graph::open(store, GraphOptions::default()).expect("an empty store opens");
    let refs = load(&graph, &src, &dst);
    let ordered =
        IndexDescription { label: "person".into(), keys: vec!["number".into()], kind: IndexKind::Range };
    graph.declare_index(&ordered).and_then(|()| graph.await_index(&ordered)).expect("memory does not fail");
    let snapshot = graph.snapshot();
    let reader = snapshot.reader();
    let knows = snapshot.catalog().edge_label("knows").expect("loaded");
    let key = |name| snapshot.catalog().key(name).expect("loaded");
    let (age, number, name) = (key("age"), key("number"), key("name"));
    let person = snapshot.catalog().vertex_label("person").expect("loaded");

    let mut seen = BitSet(vec![0; 1 << 11]);
    let starts: Vec<u32> = (0..STARTS as u32).map(|n| n * 199).collect();
    let mine = median(|| starts.iter().map(|&n| two_hops(&reader, knows, refs[n as usize], &mut seen)).sum());
    let limit = median(|| starts.iter().map(|&n| two_hops_csr(&csr, n, &mut seen)).sum());
    report("2-hop distinct", STARTS as f64, "us", mine, limit);

    let paths = |n: &u32| {
        let list = run(&reader, knows, refs[*n as usize]);
        let len = |v: &VertexRef| run(&reader, knows, *v).total() as u64;
        list.neighbours().iter().map(len).sum::<u64>()
    };
    let mine = median(|| starts.iter().map(paths).sum());
    let limit = median(|| {
        starts.iter().map(|&n| csr.list(n).iter().map(|&v| csr.list(v).len() as u64).sum::<u64>()).sum()
    });
    report("2-hop path count", STARTS as f64, "us", mine, limit);

    let mine = median(|| dst.iter().map(|&n| long(&reader, refs[n as usize], age)).sum());
    let limit = median(|| dst.iter().map(|&n| csr.ages[n as usize] as u64).sum());
    report("value_ref, Long", dst.len() as f64 / 1e3, "ns", mine, limit);
    let text = |n: &u32| {
        reader.value_ref(refs[*n as usize], name).and_then(|v| v.as_str()).map_or(0, str::len) as u64
    };
    let mine = median(|| dst.iter().map(text).sum());
    println!("{:<28} {:>10.2} ns", "value_ref, Str", mine * 1e3 / dst.len() as f64);
    lookups(&reader, person, number);
    ranges(&reader, person, number);
}

/// Vertices with a value in a range of a hundred, beside a sorted array of all values and vertices.
fn ranges(reader: &Reader<'_>, person: VertexLabelId, number: KeyId) {
    let mut all = Vec::new();
    reader.scan_vertices(Some(person), &mut ScanCursor::default(), VERTICES, &mut all);
    let mut sorted: Vec<(i64, VertexRef)> =
        all.iter().map(|&v| (long(reader, v, number) as i64, v)).collect();
    sorted.sort_unstable();
    let mut found = Vec::new();
    let start = |n: usize| (n * 7919 % VERTICES) as i64;
    let mine = median(|| {
        let mut count = 0;
        for n in 0..VERTICES / 100 {
            found.clear();
            let (low, high) = (Value::Long(start(n)), Value::Long(start(n) + 99));
            let query =
                RangeQuery { label: person, keys: &[number], equal: &[], low: Some(&low), high: Some(&high) };
            reader.range_lookup(query, &mut found);
            count += found.len() as u64;
        }
        count
    });
    let limit = median(|| {
        let mut count = 0;
        for n in 0..VERTICES / 100 {
            found.clear();
            let from = sorted.partition_point(|(value, _)| *value < start(n));
            let to = sorted.partition_point(|(value, _)| *value <= start(n) + 99);
            found.extend(sorted[from..to].iter().map(|(_, v)| *v));
            count += found.len() as u64;
        }
        count
    });
    report("range_lookup, 100 found", VERTICES as f64 / 100.0, "µs", mine, limit);
}

fn long(reader: &Reader<'_>, v: VertexRef, key: KeyId) -> u64 {
    reader.value_ref(v, key).and_then(|value| value.as_i64()).unwrap_or(0) as u64
}

fn lookups(reader: &Reader<'_>, person: VertexLabelId, number: KeyId) {
    let mut found = Vec::new();
    let lookup = |n: usize, found: &mut Vec<VertexRef>| {
        found.clear();
        reader.index_lookup(person, number, &Value::Long((n * 7919 % VERTICES) as i64), found);
        found.len() as u64
    };
    let time = median(|| (0..VERTICES).map(|n| lookup(n, &mut found)).sum());
    println!("{:<28} {:>10.2} ns", "index_lookup", time * 1e3 / VERTICES as f64);
}
