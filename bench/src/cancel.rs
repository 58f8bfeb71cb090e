//! How fast an endless query ends when its client goes away or its time is up, and what it does to others meanwhile.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use values::Value;

use crate::client::Client;
use crate::csr::Csr;
use crate::measure::{Latencies, millis};
use crate::memory::resident_mb;
use crate::parameters::Bindings;
use crate::report::{Report, rounded};
use crate::served::Served;

/// Visits more paths than there are atoms.
const ENDLESS: &str = "g.V().repeat(both().simplePath()).times(12).path().count()";
/// Endings that are timed; every other one by time-out.
const TRIES: usize = 100;
/// Endings before anything is measured.
const WARM_UP: usize = 10;
/// How long the query runs before it is ended.
const RUNNING: Duration = Duration::from_millis(100);
/// Point reads beside it.
const READS: usize = 2_000;

/// Measures and writes `cancel.json`.
///
/// # Errors
/// If the graph cannot be served or queried, or an executor does not stop within ten seconds.
pub fn bench(graph: &Path, report: &Report) -> Result<(), Box<dyn std::error::Error>> {
    let served = Served::start(graph, 2)?;
    let clients = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ids = Csr::extract(&served.database.snapshot()).ok_or("the graph has no persons")?.ids;
    // The first queries fault in the sections they read and what the allocator keeps for the next.
    for attempt in 0..WARM_UP {
        clients.block_on(end_once(&served, attempt % 2 == 0)).map_err(|e| e.to_string())?;
    }
    let before = resident_mb()?;
    let mut endings = Latencies::default();
    for attempt in 0..TRIES {
        endings.add(clients.block_on(end_once(&served, attempt % 2 == 0)).map_err(|e| e.to_string())?);
    }
    let after = resident_mb()?;
    let beside = clients.block_on(reads_beside(&served, &ids)).map_err(|e| e.to_string())?;
    report.figures(
        "cancel",
        &json!({
            "p50_ms": rounded(millis(endings.median())), "p99_ms": rounded(millis(endings.quantile(0.99))),
            "tries": endings.len(),
            "resident_before_mb": rounded(before), "resident_after_mb": rounded(after),
            "point_beside_p50_ms": rounded(millis(beside.median())),
            "point_beside_p99_ms": rounded(millis(beside.quantile(0.99))),
        }),
    )?;
    Ok(())
}

type Problem = Box<dyn std::error::Error + Send + Sync>;

/// Starts the endless query and ends it; from the end of its right to run until all executors sleep.
async fn end_once(served: &Served, by_timeout: bool) -> Result<Duration, Problem> {
    let mut client = Client::connect(served.address).await?;
    let timeout = by_timeout.then_some(RUNNING.as_millis() as i64);
    client.send(ENDLESS, &Bindings::new(), timeout).await?;
    let ended = if by_timeout {
        let asked = Instant::now();
        let (code, _) = client.finish().await?;
        if code != 598 {
            return Err(format!("expected a time-out (598), got {code}").into());
        }
        asked + RUNNING
    } else {
        tokio::time::sleep(RUNNING).await;
        drop(client);
        Instant::now()
    };
    while !served.is_idle() {
        if ended.elapsed() > Duration::from_secs(10) {
            return Err("the executors are still busy after ten seconds".into());
        }
        tokio::time::sleep(Duration::from_micros(200)).await;
    }
    Ok(ended.elapsed())
}

/// Point reads while the endless query runs.
async fn reads_beside(served: &Served, ids: &[i64]) -> Result<Latencies, Problem> {
    let mut heavy = Client::connect(served.address).await?;
    heavy.send(ENDLESS, &Bindings::new(), Some(600_000)).await?;
    tokio::time::sleep(RUNNING).await;
    let mut light = Client::connect(served.address).await?;
    let mut latencies = Latencies::default();
    for i in 0..READS {
        let bindings = vec![("p".into(), Value::Long(ids[i * 7919 % ids.len()]))];
        let began = Instant::now();
        light.ask("g.V().has('Person','id',p).values('firstName')", &bindings).await?;
        latencies.add(began.elapsed());
    }
    Ok(latencies)
}
