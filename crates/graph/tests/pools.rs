//! Loads of requests: in their turn, shared, and given up when the request is over.

use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use graph::{Cardinality, Graph, GraphError, GraphOptions, PoolOptions, Request, Value, VertexRef};
use store::{MemoryStore, ObservedStore, Store};

/// Holds up the reads of a store while it is closed.
#[derive(Default)]
struct Gate {
    /// Whether it is closed, and how many wait.
    state: Mutex<(bool, usize)>,
    changed: Condvar,
}

impl Gate {
    fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        state.1 += 1;
        while state.0 {
            state = self.changed.wait(state).unwrap();
        }
        state.1 -= 1;
    }

    fn set(&self, closed: bool) {
        self.state.lock().unwrap().0 = closed;
        self.changed.notify_all();
    }

    fn waiting(&self) -> usize {
        self.state.lock().unwrap().1
    }
}

const PERSONS: usize = 6_000;

/// A graph of which nothing is in memory, over a store whose reads can be held up; and its vertices.
fn cold(pools: PoolOptions) -> (Graph, Arc<Gate>, Vec<VertexRef>) {
    let memory: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let written = Graph::open(Arc::clone(&memory), GraphOptions::default()).unwrap();
    let transaction = written.begin();
    let all: Vec<VertexRef> = (0..PERSONS)
        .map(|n| {
            let v = transaction.add_vertex(None, "person").unwrap();
            transaction.set_vertex_property(v, Cardinality::Single, "n", Value::Long(n as i64), &[]).unwrap();
            v
        })
        .collect();
    transaction.commit().unwrap();
    written.flush().unwrap();
    drop(written);
    let gate = Arc::new(Gate::default());
    let passed = Arc::clone(&gate);
    let store: Arc<dyn Store> = Arc::new(ObservedStore::new(memory, move || passed.pass()));
    let options = GraphOptions { pools, keeper: false, ..GraphOptions::default() };
    let graph = Graph::open(store, options).unwrap();
    (graph, gate, all)
}

fn one_at_a_time() -> PoolOptions {
    PoolOptions { light: 1, heavy: 1, most_heavy: 1, heavy_after: 3, ..PoolOptions::default() }
}

/// Reads a number on a thread of its own.
fn read(
    graph: &Graph,
    request: &Arc<Request>,
    v: VertexRef,
) -> JoinHandle<(Option<Value>, Result<(), GraphError>)> {
    let snapshot = graph.snapshot().on_behalf_of(request);
    std::thread::spawn(move || {
        let n = snapshot.catalog().key("n").unwrap();
        let value = snapshot.reader().value(v, n);
        (value, snapshot.check())
    })
}

/// Waits until it is so.
fn until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(20), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn who_needs_what_is_being_loaded_waits_for_that_load() {
    let (graph, gate, all) = cold(PoolOptions::default());
    gate.set(true);
    let requests: Vec<_> = (0..5).map(|_| graph.request(None)).collect();
    let reads: Vec<_> = requests.iter().map(|request| read(&graph, request, all[7])).collect();
    until("all ask", || requests.iter().all(|request| request.asked() == 1));
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(gate.waiting(), 1, "one loads");
    assert_eq!(graph.pool_stats().light.running, 1, "and one takes a turn");
    gate.set(false);
    for read in reads {
        let (value, outcome) = read.join().unwrap();
        outcome.unwrap();
        assert_eq!(value, Some(Value::Long(7)));
    }
    assert_eq!(graph.stats().loads, 1);
}

#[test]
fn loads_wait_for_their_turn_and_leave_when_their_request_is_over() {
    let (graph, gate, all) = cold(one_at_a_time());
    gate.set(true);
    let first = graph.request(None);
    let loading = read(&graph, &first, all[0]);
    until("one loads", || gate.waiting() == 1);
    let patient = graph.request(None);
    let cancelled = graph.request(None);
    let late = graph.request(Some(Instant::now() + Duration::from_millis(500)));
    let waiting: Vec<_> = [(&patient, 1), (&cancelled, 2), (&late, 3)]
        .into_iter()
        .map(|(request, n)| {
            let read = read(&graph, request, all[n]);
            until("it waits", || graph.pool_stats().light.waiting == n);
            read
        })
        .collect();
    cancelled.end();
    until("one is left", || graph.pool_stats().light.waiting == 1);
    assert_eq!(gate.waiting(), 1, "nobody else has begun");
    gate.set(false);
    let outcomes: Vec<_> = waiting.into_iter().map(|read| read.join().unwrap()).collect();
    assert_eq!(outcomes[0].0, Some(Value::Long(1)));
    for (value, outcome) in &outcomes[1..] {
        assert_eq!(*value, None);
        assert!(matches!(outcome, Err(GraphError::Interrupted)), "{outcome:?}");
    }
    assert_eq!(loading.join().unwrap().0, Some(Value::Long(0)));
    let stats = graph.pool_stats().light;
    assert_eq!((stats.running, stats.waiting), (0, 0));
}

#[test]
fn who_waits_for_the_load_of_another_leaves_when_its_request_is_over() {
    let (graph, gate, all) = cold(PoolOptions::default());
    gate.set(true);
    let (first, second) = (graph.request(None), graph.request(None));
    let loading = read(&graph, &first, all[0]);
    until("one loads", || gate.waiting() == 1);
    let sharing = read(&graph, &second, all[0]);
    until("the other asks", || second.asked() == 1);
    std::thread::sleep(Duration::from_millis(10));
    second.end();
    assert!(matches!(sharing.join().unwrap(), (None, Err(GraphError::Interrupted))));
    gate.set(false);
    assert_eq!(loading.join().unwrap().0, Some(Value::Long(0)));
}

#[test]
fn a_request_that_loads_much_goes_to_the_heavy_pool_and_leaves_the_light_one_to_others() {
    let (graph, gate, all) = cold(one_at_a_time());
    let heavy = graph.request(None);
    for &v in &all[..4] {
        read(&graph, &heavy, v).join().unwrap().1.unwrap();
    }
    assert!(heavy.is_heavy());
    assert_eq!((graph.pool_stats().light.loads, graph.pool_stats().heavy.loads), (3, 1));
    gate.set(true);
    let loading = read(&graph, &heavy, all[10]);
    until("it loads", || gate.waiting() == 1);
    let scans = [11, 12].map(|n| read(&graph, &heavy, all[n]));
    until("two wait", || graph.pool_stats().heavy.waiting == 2);
    // What a heavy request waits for its turn to load, a light one that needs it loads meanwhile.
    let light = graph.request(None);
    let point = read(&graph, &light, all[12]);
    until("both load", || gate.waiting() == 2);
    gate.set(false);
    assert_eq!(point.join().unwrap().0, Some(Value::Long(12)));
    loading.join().unwrap().1.unwrap();
    scans.into_iter().for_each(|scan| scan.join().unwrap().1.unwrap());
}

/// With a budget of nothing each load evicts what others have just loaded, and what they wait for.
#[test]
fn what_is_evicted_as_soon_as_it_is_loaded_is_read_all_the_same() {
    let memory: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let tree = graph::TreeBounds { min: 50, max: 100, fan_out: 8 };
    let written = Graph::open(Arc::clone(&memory), GraphOptions { tree, ..GraphOptions::default() }).unwrap();
    let transaction = written.begin();
    let hub = transaction.add_vertex(None, "hub").unwrap();
    let all: Vec<VertexRef> = (0..400)
        .map(|n| {
            let v = transaction.add_vertex(None, "person").unwrap();
            transaction.set_vertex_property(v, Cardinality::Single, "n", Value::Long(n), &[]).unwrap();
            transaction.add_edge(None, "has", hub, v).unwrap();
            v
        })
        .collect();
    transaction.commit().unwrap();
    written.flush().unwrap();
    drop(written);
    let pools = PoolOptions { light: 2, heavy: 1, most_heavy: 3, heavy_after: 500, ..PoolOptions::default() };
    let options = GraphOptions { pools, tree, cache_bytes: 0, ..GraphOptions::default() };
    let graph = Graph::open(memory, options).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let (graph, all) = (&graph, &all);
            scope.spawn(move || {
                for round in 0..40 {
                    let request = graph.request(None);
                    let snapshot = graph.snapshot();
                    let snapshot = if thread == 0 { snapshot } else { snapshot.on_behalf_of(&request) };
                    let n = snapshot.catalog().key("n").unwrap();
                    let has = snapshot.catalog().edge_label("has").unwrap();
                    for i in (round % 7..all.len()).step_by(29) {
                        assert_eq!(snapshot.reader().value(all[i], n), Some(Value::Long(i as i64)));
                    }
                    let listed: Vec<VertexRef> =
                        snapshot.reader().list(hub, has, graph::Dir::Out).neighbours().collect();
                    snapshot.check().unwrap();
                    assert!(listed == *all, "{} of {}", listed.len(), all.len());
                }
            });
        }
    });
    // How many depends on who reads what at the same time: what is read again stays for a while.
    assert!(graph.stats().evictions > 0, "{:?}", graph.stats());
}
