//! Concurrent clients, and whether some serial order explains what they saw.
//!
//! ```text
//! workloads ─▶ clients ─▶ server (a process of its own, killed in a tenth of the rounds)
//!                 │
//!                 └─▶ history: sent when, answered when, and what ─▶ checker ─▶ anomalies
//! ```
//!
//! A round has a fresh server and a few of the [`workloads`], under conditions that its number and a seed choose: a tiny
//! cache, small nodes of edge-trees, indexes that come and go, tries or none after a conflict. The [checker](check)
//! looks only at what clients saw. A history with an anomaly is kept beside the figures, and can be checked again:
//! `trials histories --again FILE`.

mod checker;
pub(crate) mod client;
mod conditions;
mod history;
mod kept;
mod operator;
mod recorder;
mod round;
mod tally;
mod workloads;

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use tokio::runtime::{Builder, Runtime};

pub use checker::{Anomaly, AnomalyKind, check};
pub use history::{Element, History, Object, Operation, Outcome, Transaction};

use conditions::Conditions;
use round::RoundOutcome;
use tally::{RoundTally, Tally};

/// The arguments of `trials histories`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// How many rounds
    #[arg(long, default_value_t = 20)]
    rounds: u64,
    /// How many transactions commit in each, at least
    #[arg(long, default_value_t = 2_000)]
    transactions: u64,
    /// Clients that send at the same time
    #[arg(long, default_value_t = 10)]
    clients: usize,
    /// How many workloads a round has
    #[arg(long, default_value_t = 3)]
    mix: usize,
    /// Only these workloads
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// What everything random comes from; a random one by default
    #[arg(long)]
    seed: Option<u64>,
    /// The mangrove program
    #[arg(long, default_value = "target/release/mangrove")]
    program: PathBuf,
    /// Folder that the figures and the histories with anomalies go to
    #[arg(long, default_value = "target/bench")]
    out: PathBuf,
    /// Check a history that was kept, and nothing else
    #[arg(long, value_name = "FILE")]
    again: Option<PathBuf>,
}

/// Why the trial itself could not be done.
type Problem = Box<dyn std::error::Error>;

/// Runs the trial; whether nothing was wrong.
///
/// # Errors
/// If a file cannot be read or written, or there is no such workload.
pub fn run(arguments: &Arguments) -> Result<bool, Problem> {
    if let Some(file) = &arguments.again {
        return kept::check_again(file);
    }
    let program = &arguments.program;
    let program = program.canonicalize().map_err(|error| format!("{}: {error}", program.display()))?;
    let seed = arguments.seed.unwrap_or_else(|| fastrand::u64(..));
    println!("seed {seed}");
    fs::create_dir_all(&arguments.out)?;
    // The clients are many and do little.
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let mut tally = Tally::default();
    for number in 0..arguments.rounds {
        let conditions = Conditions::of(seed, number, arguments.clients);
        round(arguments, &program, &runtime, number, &conditions, &mut tally)?;
    }
    let figures = tally.to_json();
    fs::write(arguments.out.join("histories.json"), format!("{figures:#}\n"))?;
    println!("{figures:#}");
    Ok(tally.is_clean())
}

/// Runs one round, checks its history, and keeps that if it shows an anomaly.
fn round(
    arguments: &Arguments,
    program: &Path,
    runtime: &Runtime,
    number: u64,
    conditions: &Conditions,
    tally: &mut Tally,
) -> Result<(), Problem> {
    let workloads = workloads::of_round(number, arguments.mix, &arguments.only);
    if workloads.is_empty() {
        return Err("there is no such workload".into());
    }
    let names: Vec<&str> = workloads.iter().map(|workload| workload.name()).collect();
    let names = names.join(" ");
    let folder = tempfile::tempdir()?;
    let round = round::run(program, folder.path(), conditions, workloads, arguments.transactions);
    match runtime.block_on(round) {
        Ok(RoundOutcome { history, tally: mut round }) => {
            round.anomalies = check(&history);
            tally.add(number, &round);
            print(number, &names, conditions, &round);
            if !round.anomalies.is_empty() {
                kept::keep(&arguments.out, number, conditions, &history, &round.anomalies)?;
            }
        }
        Err(error) => {
            tally.fail(number, &error.to_string());
            println!("round {number}: {names}: {error}");
        }
    }
    Ok(())
}

/// Most anomalies and errors of a round that are printed.
const MOST_PRINTED: usize = 5;

fn print(number: u64, names: &str, conditions: &Conditions, round: &RoundTally) {
    let (fates, seconds) = (round.fates(), round.seconds);
    println!("round {number}: {fates} in {seconds:.1} s │ {names} │ {}", conditions.to_json());
    for anomaly in round.anomalies.iter().take(MOST_PRINTED) {
        println!("  {anomaly}");
    }
    if round.anomalies.len() > MOST_PRINTED {
        println!("  … {} anomalies in all", round.anomalies.len());
    }
    for error in round.errors.iter().take(MOST_PRINTED) {
        println!("  error: {error}");
    }
}
