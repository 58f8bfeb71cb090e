//! One round: a fresh server, clients that write and read beside each other, and what they saw.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fastrand::Rng;
use tokio::sync::watch;
use tokio::time::sleep;

use super::client::{Answer, Client, Request};
use super::conditions::Conditions;
use super::history::History;
use super::operator::{self, Places, declare_nodes};
use super::recorder::{Recorder, Seen};
use super::tally::{Coverage, RoundTally};
use super::workloads::Workload;
use crate::process::ServerProcess;

/// How long a round may take before it counts as stuck.
const LONGEST: Duration = Duration::from_secs(120);

/// Of so many transactions of a client one is of another workload than the one whose turn it is.
const STRANGERS: u32 = 4;

/// What a round leaves behind.
pub(crate) struct RoundOutcome {
    pub history: History,
    /// Without anomalies yet.
    pub tally: RoundTally,
}

/// Where the clients find the server, and when to stop.
struct Field {
    recorder: Recorder,
    workloads: Vec<Box<dyn Workload>>,
    transactions: u64,
    address: watch::Receiver<SocketAddr>,
    stop: AtomicBool,
}

/// Runs a round of at least so many committed transactions in `folder`, which is empty.
///
/// # Errors
/// If the server cannot be started, ends of itself, or does not get on.
pub(crate) async fn run(
    program: &Path,
    folder: &Path,
    conditions: &Conditions,
    workloads: Vec<Box<dyn Workload>>,
    transactions: u64,
) -> io::Result<RoundOutcome> {
    let began = Instant::now();
    let mut rng = Rng::with_seed(conditions.seed);
    let mut server = ServerProcess::start(program, folder, conditions.settings())?;
    prepare(server.address(), conditions, &workloads).await?;
    let (moved, address) = watch::channel(server.address());
    let recorder = Recorder::new();
    let stop = AtomicBool::new(false);
    let field = Arc::new(Field { recorder, workloads, transactions, address, stop });
    let clients: Vec<_> =
        (0..conditions.clients).map(|client| tokio::spawn(act(field.clone(), client, rng.fork()))).collect();
    let operator = tokio::spawn(look_after(field.clone(), conditions.builds, rng.fork()));
    let all_act = || clients.iter().all(|client| !client.is_finished());
    let watched = watch_over(&field, &mut server, &moved, conditions.kills, all_act, &mut rng).await;
    field.stop.store(true, Ordering::Relaxed);
    watched?;
    let mut seen = Vec::new();
    for client in clients {
        seen.extend(client.await.map_err(io::Error::other)?);
    }
    let operated = operator.await.map_err(io::Error::other)?;
    seen.extend(read_all(&field, server.address()).await?);
    server.check()?;
    let mut outcome = sum_up(seen, conditions);
    outcome.tally.errors.extend(operated.errors.into_iter().map(|error| format!("operator: {error}")));
    outcome.tally.coverage = coverage(&server, operated.indexes)?;
    outcome.tally.seconds = began.elapsed().as_secs_f64();
    Ok(outcome)
}

/// Declares and writes what the workloads begin with.
async fn prepare(
    address: SocketAddr,
    conditions: &Conditions,
    workloads: &[Box<dyn Workload>],
) -> io::Result<()> {
    let mut client = Client::connect(address).await.ok_or_else(|| io::Error::other("no connection"))?;
    let hubs = hubs(workloads);
    let declared = conditions.nodes.filter(|_| !hubs.is_empty()).map(|nodes| declare_nodes(&hubs, nodes));
    let first: Vec<Request> = workloads.iter().flat_map(|workload| workload.prepare()).collect();
    for request in declared.into_iter().chain(first) {
        match client.ask(&request).await {
            Answer::Results(results) if !results.is_empty() => {}
            answer => return Err(io::Error::other(format!("{}: {answer:?}", request.text()))),
        }
    }
    Ok(())
}

fn hubs(workloads: &[Box<dyn Workload>]) -> Vec<&'static str> {
    workloads.iter().flat_map(|workload| workload.hubs()).collect()
}

/// One client: transaction after transaction, until there are enough.
async fn act(field: Arc<Field>, client: usize, mut rng: Rng) -> Vec<Seen> {
    let mut all = Vec::new();
    let mut connection = None;
    while !field.stop.load(Ordering::Relaxed) {
        let Some(open) = &mut connection else {
            let address = *field.address.borrow();
            connection = Client::connect(address).await;
            if connection.is_none() {
                sleep(Duration::from_millis(5)).await;
            }
            continue;
        };
        let workload = &field.workloads[field.whose_turn(&mut rng)];
        let step = workload.next(client, &mut rng);
        let seen = field.recorder.run(open, client, workload.name(), step).await;
        if seen.is_silent {
            connection = None;
        }
        all.push(seen);
    }
    all
}

impl Field {
    /// Most clients are at one workload at a time, so that they meet; the others take turns with it.
    fn whose_turn(&self, rng: &mut Rng) -> usize {
        let count = self.workloads.len();
        let turn = self.recorder.committed() * count as u64 / self.transactions.max(1);
        if rng.u32(..STRANGERS) == 0 { rng.usize(..count) } else { (turn as usize).min(count - 1) }
    }
}

/// The operator, if there is one.
async fn look_after(field: Arc<Field>, builds: bool, mut rng: Rng) -> operator::Done {
    let mut all = operator::Done::default();
    let places = Places {
        indexed: field.workloads.iter().flat_map(|workload| workload.indexed()).collect(),
        hubs: hubs(&field.workloads),
        sorted: field.workloads.iter().filter_map(|workload| workload.sorted()).collect(),
    };
    while builds && !field.stop.load(Ordering::Relaxed) {
        let address = *field.address.borrow();
        if let Some(connection) = Client::connect(address).await {
            let done = operator::work(connection, &places, &mut rng, &field.stop).await;
            all.indexes += done.indexes;
            all.errors.extend(done.errors);
        }
        sleep(Duration::from_millis(5)).await;
    }
    all
}

/// Waits until enough has committed, and kills the server at random moments before.
async fn watch_over(
    field: &Field,
    server: &mut ServerProcess,
    moved: &watch::Sender<SocketAddr>,
    kills: usize,
    all_act: impl Fn() -> bool,
    rng: &mut Rng,
) -> io::Result<()> {
    let began = Instant::now();
    let mut moments: Vec<u64> = (0..kills).map(|_| rng.u64(..field.transactions)).collect();
    moments.sort_unstable_by_key(|moment| std::cmp::Reverse(*moment));
    while field.recorder.committed() < field.transactions {
        if moments.last().is_some_and(|moment| *moment <= field.recorder.committed()) {
            moments.pop();
            server.kill()?;
            server.start_again()?;
            // Somebody listens: the field.
            let _ = moved.send(server.address());
        }
        server.check()?;
        if !all_act() {
            return Err(io::Error::other("a client ended before its time"));
        }
        if began.elapsed() > LONGEST {
            let committed = field.recorder.committed();
            return Err(io::Error::other(format!("only {committed} transactions in {LONGEST:?}")));
        }
        sleep(Duration::from_millis(2)).await;
    }
    Ok(())
}

/// Reads everything once more, when all clients have stopped.
async fn read_all(field: &Field, address: SocketAddr) -> io::Result<Vec<Seen>> {
    let mut connection = Client::connect(address).await.ok_or_else(|| io::Error::other("no connection"))?;
    let mut all = Vec::new();
    for workload in &field.workloads {
        for step in workload.last_reads() {
            let seen = field.recorder.run(&mut connection, usize::MAX, workload.name(), step).await;
            if let Seen { refusal: Some(refusal), transaction, .. } = &seen {
                return Err(io::Error::other(format!("{}: {refusal:?}", transaction.request)));
            }
            all.push(seen);
        }
    }
    Ok(all)
}

fn sum_up(seen: Vec<Seen>, conditions: &Conditions) -> RoundOutcome {
    let mut tally = RoundTally::new(conditions.retries > 0, conditions.kills);
    let silences = seen.iter().filter(|seen| seen.is_silent).count();
    if silences > conditions.kills * conditions.clients {
        tally.errors.push(format!("{silences} requests without an answer, and {} kills", conditions.kills));
    }
    let mut transactions = Vec::with_capacity(seen.len());
    for Seen { transaction, kind, refusal, .. } in seen {
        tally.count(&kind, &transaction, refusal);
        transactions.push(transaction);
    }
    RoundOutcome { history: History::new(transactions), tally }
}

fn coverage(server: &ServerProcess, indexes_built: u64) -> io::Result<Coverage> {
    let [evictions, tree_nodes_read, tree_nodes_changed] = server.metrics([
        "mangrove_evictions_total",
        "mangrove_tree_nodes_read_total",
        "mangrove_tree_nodes_changed_total",
    ])?;
    Ok(Coverage { evictions, tree_nodes_read, tree_nodes_changed, indexes_built })
}
