//! Point reads: embedded latency, and throughput over WebSocket.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use values::Value;

use crate::client::Client;
use crate::csr::Csr;
use crate::graph_under_test::{open, run};
use crate::measure::{Latencies, micros, time};
use crate::parameters::Bindings;
use crate::report::{Report, rounded};
use crate::served::Served;

/// Embedded reads that are timed, after a tenth as many to warm up.
const READS: usize = 20_000;
/// WebSocket connections.
const CONNECTIONS: usize = 16;
/// How long they ask.
const ASKING: Duration = Duration::from_secs(5);

/// Measures and writes `point.json`.
///
/// # Errors
/// If the graph cannot be opened, served or queried.
pub fn bench(graph: &Path, report: &Report) -> Result<(), Box<dyn std::error::Error>> {
    let (ids, embedded) = embedded(graph)?;
    let per_second = over_websocket(graph, &ids)?;
    report.figures(
        "point",
        &json!({
            "embedded_us": rounded(micros(embedded.median())),
            "embedded_p99_us": rounded(micros(embedded.quantile(0.99))),
            "websocket_per_second": per_second.round(),
            "connections": CONNECTIONS,
        }),
    )?;
    Ok(())
}

/// The literal is in the text, so every read is parsed; the plan is found by its shape.
fn embedded(graph: &Path) -> Result<(Vec<i64>, Latencies), Box<dyn std::error::Error>> {
    let database = open(graph, 1)?;
    let ids = Csr::extract(&database.snapshot()).ok_or("the graph has no persons")?.ids;
    let mut latencies = Latencies::default();
    for i in 0..READS + READS / 10 {
        let id = ids[i * 7919 % ids.len()];
        let text = format!("g.V().has('Person','id',{id}).values('firstName')");
        let (took, results) = time(|| run(&database, &text, &Bindings::new()));
        if results?.len() != 1 {
            return Err(format!("person {id} has not one first name").into());
        }
        if i >= READS / 10 {
            latencies.add(took);
        }
    }
    Ok((ids, latencies))
}

fn over_websocket(graph: &Path, ids: &[i64]) -> Result<f64, Box<dyn std::error::Error>> {
    let served = Served::start(graph, 2)?;
    let clients = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let address = served.address;
    let asked = clients.block_on(async {
        let deadline = Instant::now() + ASKING;
        let ask = |offset: usize| async move {
            let mut client = Client::connect(address).await?;
            let mut asked = 0usize;
            while Instant::now() < deadline {
                let id = ids[(offset + asked * CONNECTIONS) * 7919 % ids.len()];
                let bindings = vec![("p".into(), Value::Long(id))];
                client.ask("g.V().has('Person','id',p).values('firstName')", &bindings).await?;
                asked += 1;
            }
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>(asked)
        };
        let all = futures_util::future::join_all((0..CONNECTIONS).map(ask)).await;
        all.into_iter().sum::<Result<usize, _>>()
    });
    Ok(asked.map_err(|e| e.to_string())? as f64 / ASKING.as_secs_f64())
}
