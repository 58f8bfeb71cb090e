//! What the checker has found so far.

use super::super::history::{History, Outcome, Transaction};
use super::anomaly::{Anomaly, AnomalyKind};
use super::dependencies::Dependencies;

/// Most anomalies of one class that are kept: a checker of a broken store must not drown.
const MOST_OF_A_KIND: usize = 1_000;

/// Dependencies and anomalies.
pub(crate) struct Findings<'h> {
    pub history: &'h History,
    pub dependencies: Dependencies,
    pub anomalies: Vec<Anomaly>,
    kept: [usize; AnomalyKind::ALL.len()],
}

impl<'h> Findings<'h> {
    pub fn new(history: &'h History) -> Self {
        let dependencies = Dependencies::new(history.transactions.len());
        Self { history, dependencies, anomalies: Vec::new(), kept: [0; AnomalyKind::ALL.len()] }
    }

    /// A transaction by its place.
    pub fn transaction(&self, number: usize) -> &'h Transaction {
        &self.history.transactions[number]
    }

    /// Whether the first was answered with success before the second was sent.
    pub fn is_before(&self, first: usize, second: usize) -> bool {
        self.transaction(first).is_before(self.transaction(second))
    }

    /// Whether a transaction is known to have committed.
    pub fn has_committed(&self, number: usize) -> bool {
        self.transaction(number).outcome == Outcome::Committed
    }

    /// Notes an anomaly that shows without a cycle.
    pub fn report(
        &mut self,
        kind: AnomalyKind,
        object: &str,
        transactions: impl Into<Vec<usize>>,
        about: String,
    ) {
        let kept = &mut self.kept[kind as usize];
        *kept += 1;
        if *kept <= MOST_OF_A_KIND {
            let (object, transactions) = (object.to_owned(), transactions.into());
            self.anomalies.push(Anomaly { kind, object, transactions, about });
        }
    }
}
