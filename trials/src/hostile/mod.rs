//! Traversals that explode, against a server with small bounds, with somebody beside them who notices.
//!
//! ```text
//! kinds ─▶ clients ─▶ server (a process of its own) ◀─ prober: point reads, /health
//!   │         │            ▲
//!   │         │            └─ watch: memory, processor time
//!   └─ needs ─┴─▶ tally ─▶ hostile.json
//! ```
//!
//! | file | what |
//! |---|---|
//! | `kinds/` | what explodes, one file a kind |
//! | `needs.rs` | what a query would need if nothing stopped it: at least half of them would pass a bound |
//! | `ground.rs`, `gardener.rs` | the graph that is read, and the one that is written to |
//! | `query.rs` | one query, and the forms that it is sent in |
//! | `client.rs`, `connection.rs`, `vanish.rs` | clients: those that wait for their answers, and those that vanish |
//! | `prober.rs` | somebody else |
//! | `server.rs`, `watch.rs`, `alarm.rs` | the process, its bounds, what it takes, and when it is given up |
//! | `round.rs` | so many queries, then some whose clients vanish |
//! | `verdict.rs`, `tally.rs`, `report.rs` | what became of them |
//!
//! A query is stuck if it has not ended five seconds after its deadline; the server is, if it does not answer a point read or
//! `/health` within two seconds, or if a query still runs a second after its client has vanished. Then it is killed, started
//! again, and the trial goes on.

mod alarm;
mod client;
pub(crate) mod connection;
pub(crate) mod gardener;
pub(crate) mod ground;
pub(crate) mod kinds;
mod needs;
mod prober;
pub(crate) mod query;
mod report;
mod round;
mod server;
mod tally;
mod vanish;
mod verdict;
pub(crate) mod watch;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use alarm::Alarm;
use client::Source;
use kinds::{ALL, Kind};
use prober::Prober;
use report::{Measured, Strict};
use round::Trial;
use server::Attacked;

use crate::Problem;

/// What the command is told.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// How many queries
    #[arg(long, default_value_t = 10_000)]
    pub queries: u64,
    /// Clients that ask at the same time
    #[arg(long, default_value_t = 8)]
    pub clients: usize,
    /// Only these kinds
    #[arg(long, value_delimiter = ',')]
    pub only: Vec<String>,
    /// Only this traversal, again and again
    #[arg(long, value_name = "GREMLIN")]
    pub query: Option<String>,
    /// The number of the first query; with `--queries 1` and the seed, one is asked again
    #[arg(long, default_value_t = 0)]
    pub first: u64,
    /// What everything random comes from; a random one by default
    #[arg(long)]
    pub seed: Option<u64>,
    /// The mangrove program
    #[arg(long, default_value = "target/release/mangrove")]
    pub program: PathBuf,
    /// Folder that `hostile.json` goes to
    #[arg(long, default_value = "target/bench")]
    pub out: PathBuf,
    /// A minute of it, on a machine that does other things: only what is stuck, and memory, count
    #[arg(long)]
    pub short: bool,
    /// Prints the queries with what they would pass, and asks nobody
    #[arg(long)]
    pub list: bool,
}

/// Queries of a short run.
const SHORT: u64 = 700;

/// What a run has come to.
#[derive(Debug)]
pub struct Outcome {
    /// What goes into `hostile.json`.
    pub report: serde_json::Value,
    /// The promises that did not hold.
    pub broken: Vec<String>,
}

/// Runs the trial, prints and writes what became of it, and says whether all promises held.
///
/// # Errors
/// If the server cannot be started, or there is no such kind.
pub fn run(arguments: &Arguments) -> Result<bool, Problem> {
    if arguments.list {
        list(&source(arguments)?, arguments);
        return Ok(true);
    }
    let outcome = attack(arguments)?;
    report::write(&outcome.report, &arguments.out)?;
    for broken in &outcome.broken {
        println!("broken: {broken}");
    }
    Ok(outcome.broken.is_empty())
}

/// Runs the trial and prints what became of it.
///
/// # Errors
/// If the server cannot be started, or there is no such kind.
pub fn attack(arguments: &Arguments) -> Result<Outcome, Problem> {
    let source = source(arguments)?;
    let program =
        arguments.program.canonicalize().map_err(|e| format!("{}: {e}", arguments.program.display()))?;
    println!("seed {}", source.seed);
    let folder = tempfile::tempdir()?;
    let began = Instant::now();
    let server = Attacked::start(&program, folder.path())?;
    let alarm = Arc::new(Alarm::default());
    let prober = Prober::start(&alarm)?;
    let mut trial = Trial::new(server, prober, Arc::clone(&alarm), source.clone(), arguments.clients);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let queries = if arguments.short { arguments.queries.min(SHORT) } else { arguments.queries };
    runtime.block_on(trial.run(arguments.first, queries))?;
    let measured = Measured {
        bound_mb: server::bound_mb(),
        seed: source.seed,
        seconds: began.elapsed().as_secs_f64(),
        ..trial.measured
    };
    trial.tally.print();
    let report = trial.tally.to_json(&measured);
    println!("\n{}", trial.tally.line());
    let broken = trial.tally.broken(&measured, if arguments.short { Strict::Short } else { Strict::Full });
    Ok(Outcome { report, broken })
}

fn source(arguments: &Arguments) -> Result<Source, Problem> {
    let wanted =
        |kind: &Kind| arguments.only.is_empty() || arguments.only.iter().any(|name| name == kind.name);
    let kinds: Vec<Kind> = ALL.into_iter().filter(wanted).collect();
    if kinds.is_empty() {
        let names: Vec<&str> = ALL.iter().map(|kind| kind.name).collect();
        return Err(format!("there is no such kind; there are {}", names.join(", ")).into());
    }
    let seed = arguments.seed.unwrap_or_else(|| fastrand::u64(..));
    Ok(Source { seed, kinds, only_text: arguments.query.clone() })
}

/// Prints queries, and how many would pass a bound.
fn list(source: &Source, arguments: &Arguments) {
    let bounds = server::bounds(Duration::from_millis(300));
    let mut passing = 0;
    for number in arguments.first..arguments.first + arguments.queries {
        let (query, _) = source.query(number);
        let passes = verdict::passes(&query, query.text().len(), &bounds);
        passing += u64::from(passes.is_some());
        println!("{number:6} {:>12} {:>16}  {}", query.kind, passes.unwrap_or("-"), query.shown());
    }
    println!("{passing} of {} would pass a bound", arguments.queries);
}
