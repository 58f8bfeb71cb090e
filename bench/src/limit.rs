//! Traversals beside the same traversals hand-written over CSR arrays, in one process, one executor each; and what two
//! executors gain ([`limit_clients`]).
//!
//! All starts are run some rounds before anything is measured. Then each start is run several times in a row, and so the
//! processor learns which branches it takes. What it is like when it cannot, since every query starts somewhere else than
//! the one before, is measured too: `rotating`.

use std::path::Path;

use mangrove::Database;
use serde_json::{Value as Json, json};
use values::Value;

use crate::csr::Csr;
use crate::graph_under_test::{open, run};
use crate::limit_clients;
use crate::measure::{Latencies, micros, time};
use crate::report::{Report, rounded};

/// Persons that are measured, spread over the graph.
const STARTS: usize = 50;
/// Runs per person, after one to warm up.
const RUNS: usize = 5;
/// Times that all persons are run before anything is measured: what is kept for queries that come again is there then.
const WARM_UP: usize = 3;
/// 1985-01-01, which about a third of the persons were born before.
const BORN_BEFORE: i64 = 473_385_600_000;

type Loop = fn(&mut Csr, u32) -> u64;
/// Name, traversal, loop.
pub type Query = (&'static str, &'static str, Loop);

/// All but the path count start at one person. Counting the paths from one person takes the loop
/// 40 ns, a fiftieth of what it takes to read the text of the query and find its plan; so it is measured from everybody,
/// where the walking counts, and from one person too, where the rest does.
pub const QUERIES: [Query; 5] = [
    ("2-hop distinct", "g.V().has('Person','id',p).out('knows').out('knows').dedup().count()", |csr, p| {
        csr.distinct(p, 2)
    }),
    (
        "3-hop distinct",
        "g.V().has('Person','id',p).out('knows').out('knows').out('knows').dedup().count()",
        |csr, p| csr.distinct(p, 3),
    ),
    (
        "2-hop path count, one person",
        "g.V().has('Person','id',p).out('knows').out('knows').count()",
        |csr, p| csr.paths(p),
    ),
    ("2-hop path count", "g.V().hasLabel('Person').out('knows').out('knows').count()", |csr, _| {
        csr.all_paths()
    }),
    (
        "2-hop filtered",
        "g.V().has('Person','id',p).out('knows').out('knows').has('birthday',lt(473385600000L)).count()",
        |csr, p| csr.paths_born_before(p, BORN_BEFORE),
    ),
];

/// Measures and writes `limit.json`.
///
/// # Errors
/// If the graph cannot be opened or queried, has no persons, or an answer differs from the loop's.
pub fn bench(graph: &Path, only: Option<&str>, report: &Report) -> Result<(), Box<dyn std::error::Error>> {
    let (mut rows, mut clients) = (Vec::new(), Vec::new());
    for executors in [1, 2] {
        let database = open(graph, executors)?;
        let mut csr =
            Csr::extract(&database.snapshot()).ok_or("the graph has no persons who know each other")?;
        let step = (csr.ids.len() / STARTS).max(1);
        let starts: Vec<u32> = (0..csr.ids.len() as u32).step_by(step).take(STARTS).collect();
        for (name, text, by_hand) in QUERIES.into_iter().filter(|q| only.is_none_or(|only| q.0 == only)) {
            let stays = |n: usize| (n / (RUNS + 1), n % (RUNS + 1));
            let goes_round = |n: usize| (n % starts.len(), n / starts.len());
            let query = (name, text, by_hand);
            for _ in 0..WARM_UP {
                measure(&database, &mut csr, query, &starts, goes_round)?;
            }
            let staying = measure(&database, &mut csr, query, &starts, stays)?;
            let rotating = measure(&database, &mut csr, query, &starts, goes_round)?;
            rows.push(row(name, executors, &staying, &rotating));
            if executors == 2 {
                clients.push(limit_clients::compare(&database, &csr, query, &starts)?);
            }
        }
    }
    report.rows("limit", &rows)?;
    report.rows("limit_clients", &clients)?;
    Ok(())
}

/// Our latencies and the loop's, of as many runs as there are of all starts; `turn` says which start is run in the nth, and
/// how often it was before.
fn measure(
    database: &Database,
    csr: &mut Csr,
    (name, text, by_hand): Query,
    starts: &[u32],
    turn: impl Fn(usize) -> (usize, usize),
) -> Result<(Latencies, Latencies), Box<dyn std::error::Error>> {
    let (mut ours, mut theirs) = (Latencies::default(), Latencies::default());
    for (start, round) in (0..starts.len() * (RUNS + 1)).map(turn) {
        let start = starts[start];
        let bindings = vec![("p".into(), Value::Long(csr.ids[start as usize]))];
        let (fast, expected) = time(|| std::hint::black_box(by_hand(csr, start)));
        let (slow, got) = time(|| run(database, text, &bindings));
        let got = got?;
        if got != [Value::Long(expected as i64)] {
            return Err(format!("{name} from {start}: expected {expected}, got {got:?}").into());
        }
        if round > 0 {
            ours.add(slow);
            theirs.add(fast);
        }
    }
    Ok((ours, theirs))
}

fn row(
    name: &str,
    executors: usize,
    staying: &(Latencies, Latencies),
    rotating: &(Latencies, Latencies),
) -> Json {
    let medians = |(ours, theirs): &(Latencies, Latencies)| (micros(ours.median()), micros(theirs.median()));
    let ((median, csr), (rotating, rotating_csr)) = (medians(staying), medians(rotating));
    json!({
        "name": name, "executors": executors,
        "median_us": rounded(median), "csr_median_us": rounded(csr), "ratio": rounded(median / csr),
        "rotating_us": rounded(rotating), "csr_rotating_us": rounded(rotating_csr),
        "rotating_ratio": rounded(rotating / rotating_csr),
    })
}
