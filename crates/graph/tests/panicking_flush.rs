//! A flush that panics: what it was to write is in the log, and stays there.

mod hooked;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use graph::{Graph, GraphError, GraphOptions};
use hooked::Hooked;
use store::Store;

fn add(graph: &Graph) -> Result<(), GraphError> {
    let transaction = graph.begin();
    transaction.add_vertex(None, "person")?;
    transaction.commit().map(drop)
}

#[test]
fn what_a_flush_that_panicked_was_to_write_is_there_when_the_graph_is_opened_again() {
    let panics = Arc::new(AtomicBool::new(false));
    let next = Arc::clone(&panics);
    let panic_once = move || assert!(!next.swap(false, Ordering::SeqCst), "as the test wants it");
    let store = Arc::new(Hooked::new(panic_once));
    let open = || {
        let options = GraphOptions { keeper: false, ..GraphOptions::default() };
        Graph::open(Arc::clone(&store) as Arc<dyn Store>, options).unwrap()
    };
    let graph = open();
    add(&graph).unwrap();
    panics.store(true, Ordering::SeqCst);
    catch_unwind(AssertUnwindSafe(|| graph.flush())).unwrap_err();
    for refused in [graph.flush(), add(&graph)] {
        assert!(matches!(refused, Err(GraphError::LogFailed(_))), "{refused:?}");
    }
    assert_eq!(graph.snapshot().vertex_count(None), 1, "it is read");
    drop(graph);
    let graph = open();
    let snapshot = graph.snapshot();
    assert_eq!(snapshot.vertex_count(None), 1);
    snapshot.check().unwrap();
    add(&graph).unwrap();
}
