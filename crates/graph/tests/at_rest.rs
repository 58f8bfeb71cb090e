//! What a load leaves in memory goes when nothing is committed for a while.

use std::sync::Arc;
use std::time::{Duration, Instant};

use graph::{Graph, GraphOptions, Value};
use store::{FjallOptions, FjallStore, Store};

/// The store is told at the second look at which nothing has been committed since the first; looks are some seconds apart.
const SOON: Duration = Duration::from_secs(20);

#[test]
fn what_the_store_keeps_of_a_load_leaves_memory_behind_the_last_commit() {
    let directory = tempfile::tempdir().unwrap();
    let store = Arc::new(FjallStore::open(directory.path(), FjallOptions::default()).unwrap());
    let graph = Graph::open(Arc::clone(&store) as Arc<dyn Store>, GraphOptions::default()).unwrap();
    let transaction = graph.begin();
    for number in 0..400 {
        let v = transaction.add_vertex(Some(Value::Long(number)), "large").unwrap();
        let text = Value::str("x".repeat(10 << 10));
        transaction.set_vertex_property(v, None, "text", text, &[]).unwrap();
    }
    transaction.commit().unwrap();
    let after = store.buffered_bytes().unwrap();
    assert!(after > 3 << 20, "{after} bytes");
    let began = Instant::now();
    while store.buffered_bytes().unwrap() > 1 << 20 {
        assert!(began.elapsed() < SOON, "{} bytes are left of {after}", store.buffered_bytes().unwrap());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(graph.snapshot().vertex_count(None), 400);
}
