//! A request sees the graph, and the names in it, as of one moment.

mod clients;

use std::sync::atomic::{AtomicBool, Ordering};

use clients::ask;
use mangrove::Database;

/// A reader who is planned before a label is there must not meet the commit that brought the label.
#[test]
fn a_request_knows_the_names_of_everything_it_sees() {
    const ROUNDS: usize = 4_000;
    let db = Database::in_memory().unwrap();
    ask(&db, "g.addV('hub').property(id, 'hub').property('n', -1)").outcome().unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut n = 0;
                while !stop.load(Ordering::Relaxed) && n < ROUNDS {
                    let text = format!("g.V('hub').has('n', gte({n})).map(V().hasLabel('l{n}').count())");
                    let seen = ask(&db, &text);
                    seen.outcome().unwrap();
                    match seen.texts().as_slice() {
                        [] => {}
                        [one] if one == "1" => n += 1,
                        other => {
                            panic!("round {n}: the property is there, and vertices of the label: {other:?}")
                        }
                    }
                }
            });
        }
        for n in 0..ROUNDS {
            ask(&db, &format!("g.V('hub').property('n', {n}).addV('l{n}')")).outcome().unwrap();
        }
        stop.store(true, Ordering::Relaxed);
    });
}
