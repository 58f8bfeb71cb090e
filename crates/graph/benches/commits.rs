//! Durable commits a second: small transactions on disk, with one writer and with many that share the log's fsyncs.
//!
//! `cargo bench -p graph --bench commits`

use std::sync::Arc;
use std::time::{Duration, Instant};

use graph::{Cardinality, Graph, GraphOptions, Value, VertexRef};
use store::{FjallOptions, FjallStore, Store};

const VERTICES: usize = 10_000;
const TIME: Duration = Duration::from_secs(3);

fn main() {
    for writers in [1, 4, 16] {
        let directory = tempfile::tempdir().expect("there is a temporary directory");
        let store: Arc<dyn Store> =
            Arc::new(FjallStore::open(directory.path(), FjallOptions::default()).expect("a new store opens"));
        let graph = Graph::open(store, GraphOptions::default()).expect("an empty store opens");
        let setup = graph.begin();
        let vertices: Vec<VertexRef> =
            (0..VERTICES).map(|_| setup.add_vertex(None, "person").expect("there is room")).collect();
        setup.commit().expect("nobody else writes");
        let begun = Instant::now();
        let commits: usize = std::thread::scope(|scope| {
            let write = |writer: usize| {
                let (graph, vertices) = (&graph, &vertices);
                scope.spawn(move || write_until(graph, vertices, writer, begun + TIME))
            };
            let threads: Vec<_> = (0..writers).map(write).collect();
            threads.into_iter().map(|thread| thread.join().expect("a writer does not panic")).sum()
        });
        println!(
            "{writers:>2} writers: {:>8.0} durable commits a second",
            commits as f64 / begun.elapsed().as_secs_f64()
        );
    }
}

/// Commits one edge and one property at a time; how many.
fn write_until(graph: &Graph, vertices: &[VertexRef], writer: usize, end: Instant) -> usize {
    let mut commits = 0;
    while Instant::now() < end {
        let n = commits * 31 + writer * 7919;
        let (from, to) = (vertices[n % VERTICES], vertices[(n * 7 + 1) % VERTICES]);
        let transaction = graph.begin();
        transaction.add_edge(None, "knows", from, to).expect("the ends exist");
        transaction
            .set_vertex_property(from, Cardinality::Single, "last", Value::Long(n as i64), &[])
            .expect("the vertex exists");
        commits += usize::from(transaction.commit().is_ok());
    }
    commits
}
