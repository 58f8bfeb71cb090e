//! Histories with anomalies: kept, and checked again.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::Deserialize;
use serde_json::json;

use super::Problem;
use super::checker::{Anomaly, check};
use super::conditions::Conditions;
use super::history::{History, Transaction};

/// The part of a file that is needed again.
#[derive(Deserialize)]
struct Kept {
    history: History,
}

/// Leaves a history with its anomalies beside the figures.
pub(crate) fn keep(
    out: &Path,
    number: u64,
    conditions: &Conditions,
    history: &History,
    anomalies: &[Anomaly],
) -> Result<(), Problem> {
    let folder = out.join("histories");
    fs::create_dir_all(&folder)?;
    let file = folder.join(format!("{}-{number}.json", conditions.seed));
    let kept = json!({ "conditions": conditions.to_json(), "anomalies": anomalies, "history": history });
    fs::write(&file, kept.to_string())?;
    println!("  kept as {}", file.display());
    Ok(())
}

/// Checks a history that was kept, and tells of each anomaly what its transactions sent and saw; whether there is none.
pub(crate) fn check_again(file: &Path) -> Result<bool, Problem> {
    let Kept { history } = serde_json::from_slice(&fs::read(file)?)?;
    let anomalies = check(&history);
    match tell_all(&history, &anomalies) {
        // Whoever reads has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        told => told?,
    }
    Ok(anomalies.is_empty())
}

fn tell_all(history: &History, anomalies: &[Anomaly]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for anomaly in anomalies {
        writeln!(out, "{anomaly}")?;
        for number in &anomaly.transactions {
            tell(&mut out, *number, &history.transactions[*number])?;
        }
    }
    writeln!(out, "{} transactions, {} anomalies", history.transactions.len(), anomalies.len())
}

fn tell(out: &mut impl Write, number: usize, transaction: &Transaction) -> io::Result<()> {
    let Transaction { client, invoked, completed, outcome, request, operations, .. } = transaction;
    let (from, to) = (*invoked as f64 / 1e6, *completed as f64 / 1e6);
    writeln!(out, "  T{number}, client {client}, {from:.3} to {to:.3} ms, {outcome:?}: {request}")?;
    writeln!(out, "    {operations:?}")
}
