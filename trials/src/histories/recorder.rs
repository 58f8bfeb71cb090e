//! Sends what workloads think of, and writes down what clients see.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::client::{Answer, Client};
use super::history::{Outcome, Transaction};
use super::tally::Refusal;
use super::workloads::Step;

/// The clock of a round, and how many of its transactions have committed.
pub(crate) struct Recorder {
    began: Instant,
    committed: AtomicU64,
}

/// What a client has seen of one transaction.
pub(crate) struct Seen {
    pub transaction: Transaction,
    /// What it is counted as.
    pub kind: String,
    /// Why it was refused, if it was.
    pub refusal: Option<Refusal>,
    /// Whether the connection is of no use any more.
    pub is_silent: bool,
}

impl Recorder {
    pub fn new() -> Self {
        Self { began: Instant::now(), committed: AtomicU64::new(0) }
    }

    /// Transactions that have committed so far.
    pub fn committed(&self) -> u64 {
        self.committed.load(Ordering::Relaxed)
    }

    /// Sends one transaction, waits for its end, and records it.
    pub async fn run(&self, connection: &mut Client, client: usize, workload: &str, step: Step) -> Seen {
        let invoked = self.now();
        let answer = connection.ask(&step.request).await;
        let completed = self.now();
        let kind = step.kind.unwrap_or(workload).to_owned();
        let mut seen = Seen {
            kind,
            transaction: Transaction {
                client: client as u32,
                workload: workload.to_owned(),
                request: step.request.text(),
                invoked,
                completed,
                outcome: Outcome::Unknown,
                operations: step.intended,
                broken: None,
            },
            refusal: None,
            is_silent: false,
        };
        match answer {
            Answer::Results(results) => {
                self.committed.fetch_add(1, Ordering::Relaxed);
                match (step.decode)(&results) {
                    Ok(operations) => {
                        seen.transaction.outcome = Outcome::Committed;
                        seen.transaction.operations = operations;
                    }
                    // What it did nobody knows now.
                    Err(about) => seen.transaction.broken = Some(about),
                }
            }
            Answer::Error(code, message) => {
                let refusal = Refusal::of(code, message, step.is_blind);
                if refusal.is_certain() {
                    seen.transaction.outcome = Outcome::Refused;
                }
                seen.refusal = Some(refusal);
            }
            Answer::Silence => seen.is_silent = true,
        }
        seen
    }

    fn now(&self) -> u64 {
        self.began.elapsed().as_nanos() as u64
    }
}
