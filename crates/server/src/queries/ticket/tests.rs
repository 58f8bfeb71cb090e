//! Stopping what waits, or is being begun.

use std::{collections::BTreeMap, sync::mpsc};

use access::{TenantBounds, Tenants};

use super::*;
use crate::tenants::Desks;

/// Notes how a query ended.
struct Told(mpsc::Sender<Option<ErrorKind>>);

impl ResultSink for Told {
    fn push(&self, _: ResultBatch) -> Push {
        Push::Taken
    }
    fn finish(&self, outcome: Result<Summary, QueryError>) {
        let _ = self.0.send(outcome.err().map(|error| error.kind));
    }
}

/// Runs until it is told to end. It keeps its sink, and with that its place.
struct Endless {
    _sink: Arc<dyn ResultSink>,
    is_cancelled: Arc<AtomicBool>,
}

impl Running for Endless {
    fn resume(&self) {}
    fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Release);
    }
}

fn endless(_: Query, sink: Arc<dyn ResultSink>) -> Box<dyn Running> {
    Box::new(Endless { _sink: sink, is_cancelled: Arc::default() })
}

fn query() -> Query {
    let client = Client { user: None, tenant: None, address: [127, 0, 0, 1].into(), connection: 1 };
    Query::unbounded(client, Input::Text { script: "g.V()".into(), source: "g".into(), bindings: Vec::new() })
}

/// The desk of a tenant of whom one query runs at a time.
fn desk() -> Arc<Desk> {
    let bounds = TenantBounds { max_queries: 1, ..TenantBounds::default() };
    let tenants = Arc::new(Tenants::new(&BTreeMap::new(), bounds));
    Desks::new(tenants, Duration::from_secs(60)).of(&Arc::from("ada"))
}

type Ended = mpsc::Receiver<Option<ErrorKind>>;

fn ask(
    queries: &Queries,
    desk: Option<Arc<Desk>>,
    start: impl FnOnce(Query, Arc<dyn ResultSink>) -> Box<dyn Running> + Send + 'static,
) -> (Box<dyn Running>, Ended) {
    let (send, told) = mpsc::channel();
    let asking = Asking {
        id: "one".into(),
        source: "g".into(),
        said: Said::Text("g.V()".into()),
        desk,
        intake: Intake::new(1 << 20),
        parent: None,
    };
    (submit(queries, asking, query(), Arc::new(Told(send)), start), told)
}

#[tokio::test]
async fn one_that_is_stopped_while_it_waits_leaves_the_line() {
    let (queries, desk) = (Queries::default(), desk());
    let (first, _) = ask(&queries, Some(desk.clone()), endless);
    let (second, told) = ask(&queries, Some(desk.clone()), endless);
    assert_eq!(desk.queries(), (1, 1));
    assert_eq!(queries.stop("root", |query| query.phase == QueryPhase::Waiting).len(), 1);
    assert_eq!(told.try_recv(), Ok(Some(ErrorKind::Cancelled)));
    assert_eq!(desk.queries(), (1, 0), "nothing of it is kept");
    drop((first, second));
    assert_eq!(desk.queries(), (0, 0));
}

#[tokio::test]
async fn one_whose_client_goes_while_it_waits_leaves_the_line() {
    let (queries, desk) = (Queries::default(), desk());
    let (_first, _) = ask(&queries, Some(desk.clone()), endless);
    let (second, told) = ask(&queries, Some(desk.clone()), endless);
    drop(second);
    assert_eq!(desk.queries(), (1, 0));
    assert!(told.try_recv().is_err(), "nobody is there to be told");
}

#[tokio::test]
async fn one_that_is_stopped_while_it_begins_ends() {
    let queries = Queries::default();
    let (stopper, is_cancelled) = (queries.clone(), Arc::<AtomicBool>::default());
    let seen = is_cancelled.clone();
    let start = move |query: Query, sink| -> Box<dyn Running> {
        assert!(!query.unwanted.load(Ordering::Acquire));
        assert_eq!(stopper.stop("root", |_| true).len(), 1);
        assert!(query.unwanted.load(Ordering::Acquire), "whatever reads it is told at once");
        assert!(!is_cancelled.load(Ordering::Acquire));
        Box::new(Endless { _sink: sink, is_cancelled })
    };
    let (_running, _) = ask(&queries, None, start);
    assert!(seen.load(Ordering::Acquire), "what was begun all the same is stopped");
    assert!(queries.stop("root", |_| true).is_empty(), "once is enough");
}
