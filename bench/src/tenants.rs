//! Tenants: whether they get the processor by their weights, and what a third one and their bounds are worth beside that.
//!
//! ```text
//! ada    weight 1, 8 connections, one heavy query after the other ─┐
//! grace  weight 3, 8 connections, one heavy query after the other ─┼─▶ server process
//! bob    weight 1, one point read after the other ─────────────────┤
//! eve    2 queries at a time, 64 MiB; 16 connections that sort ────┘
//! ```
//!
//! The queries of ada and grace are the same, so how many each has done says how much of the processor they got.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use data_encoding::BASE64;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use values::Value;

use crate::client::Client;
use crate::commits::copy_folder;
use crate::graph_under_test::open;
use crate::measure::{Latencies, millis};
use crate::parameters::Bindings;
use crate::report::{Report, rounded};
use crate::server_process::ServerProcess;

/// Connections of ada and of grace.
const CROWD: usize = 8;
/// Connections of eve.
const SORTERS: usize = 16;
/// How long all of them run before anything is counted.
const BEFORE: Duration = Duration::from_secs(2);
/// Time-out of the heavy queries, in milliseconds.
const FOR_LONG: i64 = 600_000;

const PASSWORD: &str = "a password of all";

/// Tens of milliseconds that nothing is looked up in.
const HEAVY: &str = "g.V().hasLabel('Person').limit(10).repeat(both('knows').simplePath()).times(3).count()";
const SORT: &str = "g.V().hasLabel('Comment').values('content').order().tail(1)";
const POINT: &str = "g.V().has('Person','id',p).values('firstName')";

/// What the tenants have.
const CONFIG: &str = "
[tenants.one]
users = ['ada']
weight = 1
[tenants.three]
users = ['grace']
weight = 3
[tenants.bounded]
users = ['eve']
max_queries = 2
max_memory = 67108864
[tenant]
max_wait = 60000
";

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;
type Problem = Box<dyn std::error::Error + Send + Sync>;

/// Measures and writes `tenants.json`.
///
/// # Errors
/// If the graph cannot be copied or served, or a query fails.
pub fn bench(program: &Path, graph: &Path, time: Duration, report: &Report) -> Outcome<()> {
    let persons: Vec<Value> =
        open(graph, 1)?.query("g.V().hasLabel('Person').values('id')")?.collect::<Result<_, _>>()?;
    let folder = std::env::temp_dir().join(format!("mangrove-tenants-{}", std::process::id()));
    copy_folder(graph, &folder).map_err(|e| e.to_string())?;
    let figures = measured(program, &folder, &persons, time);
    std::fs::remove_dir_all(&folder)?;
    let figures = figures?;
    println!("{figures}");
    report.figures("tenants", &figures)?;
    Ok(())
}

fn measured(program: &Path, folder: &Path, persons: &[Value], time: Duration) -> Outcome<serde_json::Value> {
    for (user, role) in
        [("root", "admin"), ("ada", "read"), ("grace", "read"), ("bob", "read"), ("eve", "read")]
    {
        let mut add = Command::new(program);
        add.arg("--data").arg(folder).args(["user", "add", user, "--role", role]);
        let status = add.env("MANGROVE_PASSWORD", PASSWORD).stdout(Stdio::null()).status()?;
        if !status.success() {
            return Err(format!("{user} could not be added").into());
        }
    }
    let config = folder.join("tenants.toml");
    std::fs::write(&config, CONFIG)?;
    let config = config.display().to_string();
    let server = ServerProcess::start_with(program, folder, &["--config", &config])?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let shares = runtime.block_on(shares(server.address, persons, time)).map_err(|e| e.to_string())?;
    let bounds = runtime.block_on(bounds(server.address, time / 2)).map_err(|e| e.to_string())?;
    Ok(json!({ "shares": shares, "bounds": bounds }))
}

/// Ada and grace beside bob.
async fn shares(
    address: SocketAddr,
    persons: &[Value],
    time: Duration,
) -> Result<serde_json::Value, Problem> {
    let (ada, grace) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let over = Arc::new(AtomicBool::new(false));
    let mut crowd = Vec::new();
    for (user, done) in [("ada", &ada), ("grace", &grace)] {
        for _ in 0..CROWD {
            crowd.push(tokio::spawn(one_after_the_other(address, user, HEAVY, done.clone(), over.clone())));
        }
    }
    let mut probe = Client::connect(address).await?;
    probe.log_in("bob", PASSWORD).await?;
    tokio::time::sleep(BEFORE).await;
    let before = [&ada, &grace].map(|done| done.load(Ordering::Relaxed));
    let (mut reads, began, mut n) = (Latencies::default(), Instant::now(), 0);
    while began.elapsed() < time {
        n += 1;
        let bindings = vec![("p".into(), persons[n * 7919 % persons.len()].clone())];
        let asked = Instant::now();
        probe.ask(POINT, &bindings).await?;
        reads.add(asked.elapsed());
        // A reader who asks a hundred times a second takes next to nothing himself.
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let done =
        [(&ada, before[0]), (&grace, before[1])].map(|(done, before)| done.load(Ordering::Relaxed) - before);
    over.store(true, Ordering::Relaxed);
    for one in crowd {
        one.await??;
    }
    Ok(json!({
        "weights": [1, 3], "done": done, "ratio": rounded(done[1] as f64 / done[0].max(1) as f64),
        "point_p50_ms": rounded(millis(reads.quantile(0.5))), "point_p99_ms": rounded(millis(reads.quantile(0.99))),
        "point_max_ms": rounded(millis(reads.quantile(1.0))), "points": reads.len(),
    }))
}

async fn one_after_the_other(
    address: SocketAddr,
    user: &'static str,
    script: &'static str,
    done: Arc<AtomicUsize>,
    over: Arc<AtomicBool>,
) -> Result<(), Problem> {
    let mut client = Client::connect(address).await?;
    client.log_in(user, PASSWORD).await?;
    while !over.load(Ordering::Relaxed) {
        client.send(script, &Bindings::new(), Some(FOR_LONG)).await?;
        match client.finish().await? {
            (200 | 204, _) => done.fetch_add(1, Ordering::Relaxed),
            (code, _) => return Err(format!("{user}: status {code}").into()),
        };
    }
    Ok(())
}

/// Eve alone: how many of her queries run, and what they hold.
async fn bounds(address: SocketAddr, time: Duration) -> Result<serde_json::Value, Problem> {
    let over = Arc::new(AtomicBool::new(false));
    let (done, refused) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut crowd = Vec::new();
    for _ in 0..SORTERS {
        crowd.push(tokio::spawn(sort(address, done.clone(), refused.clone(), over.clone())));
    }
    let (mut running, mut memory, began) = (0.0f64, 0.0f64, Instant::now());
    while began.elapsed() < time {
        let seen = metrics(address).await?;
        let of_eve = |name: &str| {
            let line =
                seen.lines().find(|line| line.starts_with(&format!("mangrove_{name}{{tenant=\"bounded\"}}")));
            line.and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).unwrap_or(0.0)
        };
        running = running.max(of_eve("tenant_queries_running"));
        memory = memory.max(of_eve("tenant_memory_bytes"));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    over.store(true, Ordering::Relaxed);
    for one in crowd {
        one.await??;
    }
    let [done, refused] = [done, refused].map(|count| count.load(Ordering::Relaxed));
    Ok(json!({
        "max_queries": 2, "most_running": running, "max_memory": 64 << 20, "most_memory": memory,
        "done": done, "refused": refused,
    }))
}

async fn sort(
    address: SocketAddr,
    done: Arc<AtomicUsize>,
    refused: Arc<AtomicUsize>,
    over: Arc<AtomicBool>,
) -> Result<(), Problem> {
    let mut client = Client::connect(address).await?;
    client.log_in("eve", PASSWORD).await?;
    while !over.load(Ordering::Relaxed) {
        client.send(SORT, &Bindings::new(), Some(FOR_LONG)).await?;
        match client.finish().await? {
            (200, _) => done.fetch_add(1, Ordering::Relaxed),
            _ => refused.fetch_add(1, Ordering::Relaxed),
        };
    }
    Ok(())
}

/// The page of metrics, as an admin sees it.
async fn metrics(address: SocketAddr) -> Result<String, Problem> {
    let mut stream = TcpStream::connect(address).await?;
    let credentials = BASE64.encode(format!("root:{PASSWORD}").as_bytes());
    let request = format!(
        "GET /metrics HTTP/1.1\r\nhost: localhost\r\nauthorization: Basic {credentials}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut page = String::new();
    stream.read_to_string(&mut page).await?;
    Ok(page)
}
