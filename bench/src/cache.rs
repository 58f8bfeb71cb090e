//! A graph larger than the memory it may use: the same answers, within the budget, and point reads beside a scan.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mangrove::{Database, DatabaseOptions};
use serde_json::json;
use values::Value;

use crate::csr::Csr;
use crate::graph_under_test::run;
use crate::measure::{Latencies, micros, time};
use crate::memory::resident_mb;
use crate::parameters::{Bindings, rows};
use crate::queries::set;
use crate::report::{Report, rounded};
use crate::watch::{Watch, allowed_mb};

/// Parameter rows per query.
const ROWS: usize = 10;
/// How long point reads are timed, alone and beside the scan.
const READING: Duration = Duration::from_secs(10);
/// The scan: every property of every vertex, which drives everything else out of a cache that is not resistant to scans.
const SCAN: &str = "g.V().properties().count()";

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Measures and writes `cache.json`.
///
/// # Errors
/// If the graph cannot be opened or queried, an answer differs from that with all the memory there is, or the process takes
/// more than the budget and the stated slack.
pub fn bench(graph: &Path, ldbc: &Path, megabytes: u64, report: &Report) -> Outcome<()> {
    let base = resident_mb()?;
    let database = open(graph, megabytes << 20)?;
    let watch = Watch::default();
    let (answered, most) = watch.during(&database, || answers(&database, ldbc))?;
    let ids = Csr::extract(&database.snapshot()).ok_or("the graph has no persons")?.ids;
    let alone = point_reads(&database, &ids)?;
    let (beside, scanned) = watch.during(&database, || beside_a_scan(&database, &ids))?;
    let stats = database.stats();
    drop(database);
    // Last, since the allocator keeps what this takes.
    let whole = answers(&open(graph, u64::MAX)?, ldbc)?;
    let differ = whole.iter().filter(|(name, rows)| answered.get(*name) != Some(rows)).count();
    for (name, _) in whole.iter().filter(|(name, rows)| answered.get(*name) != Some(rows)) {
        println!("{name} differs");
    }
    let resident = most.resident.max(scanned.resident) - base;
    let allowed = allowed_mb(megabytes);
    report.figures(
        "cache",
        &json!({
            "budget_mb": megabytes, "queries": whole.len(), "differ": differ,
            "most_cache_mb": mb(most.cache.max(scanned.cache)),
            "answering_resident_mb": rounded(most.resident - base), "most_resident_mb": rounded(resident),
            "allowed_resident_mb": rounded(allowed), "resident_before_mb": rounded(base),
            "loads": stats.loads, "evictions": stats.evictions,
            "point_reads": alone.len(), "point_p50_us": rounded(micros(alone.median())),
            "point_p99_us": rounded(micros(alone.quantile(0.99))),
            "beside_scan_reads": beside.len(), "beside_scan_p50_us": rounded(micros(beside.median())),
            "beside_scan_p99_us": rounded(micros(beside.quantile(0.99))),
        }),
    )?;
    if differ > 0 {
        return Err(format!("{differ} answers differ").into());
    }
    if resident > allowed {
        return Err(format!("the process took {resident:.0} MB; budget and slack are {allowed:.0} MB").into());
    }
    Ok(())
}

fn open(graph: &Path, bytes: u64) -> Outcome<Database> {
    Ok(Database::open_with(graph, DatabaseOptions::default().with_cache(bytes))?)
}

fn mb(bytes: u64) -> serde_json::Value {
    rounded(bytes as f64 / (1 << 20) as f64)
}

/// The answers of every query to every row of parameters, as sorted texts; of those that ask for any few of many, how many.
fn answers(database: &Database, ldbc: &Path) -> Outcome<BTreeMap<String, Vec<String>>> {
    let mut answers = BTreeMap::new();
    let all = ["walks", "ic", "cq"].into_iter().flat_map(set);
    // SF1 has no parameters for IS.
    for (name, text) in all {
        for (n, bindings) in rows(ldbc, name, ROWS)?.iter().enumerate() {
            let results = run(database, text, bindings).map_err(|error| format!("{name}: {error}"))?;
            let mut texts: Vec<String> = results.iter().map(Value::to_string).collect();
            texts.sort_unstable();
            if text.contains("limit") && !text.contains("order") {
                texts = vec![texts.len().to_string()];
            }
            answers.insert(format!("{name} {n}"), texts);
        }
    }
    Ok(answers)
}

fn point_reads(database: &Database, ids: &[i64]) -> Outcome<Latencies> {
    let mut latencies = Latencies::default();
    let began = Instant::now();
    let mut i = 0;
    while began.elapsed() < READING {
        let bindings: Bindings = vec![("person".into(), Value::Long(ids[i * 7919 % ids.len()]))];
        let (took, results) =
            time(|| run(database, "g.V().has('Person','id',person).values('firstName')", &bindings));
        if results?.len() != 1 {
            return Err("a person has not one first name".into());
        }
        latencies.add(took);
        i += 1;
    }
    Ok(latencies)
}

fn beside_a_scan(database: &Database, ids: &[i64]) -> Outcome<Latencies> {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let scan = scope.spawn(|| {
            let mut scans = 0;
            while !stop.load(Ordering::Relaxed) {
                run(database, SCAN, &Bindings::new()).map_err(|error| error.to_string())?;
                scans += 1;
            }
            Ok::<i32, String>(scans)
        });
        let latencies = point_reads(database, ids);
        stop.store(true, Ordering::Relaxed);
        let scans = scan.join().map_err(|_| "the scan panicked")??;
        println!("{scans} scans beside the point reads");
        latencies
    })
}
