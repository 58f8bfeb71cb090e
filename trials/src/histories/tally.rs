//! Figures over all rounds.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

use serde_json::{Value as Json, json};

use super::checker::{Anomaly, AnomalyKind};
use super::history::{Outcome, Transaction};

/// Why a transaction was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Refusal {
    /// It lost against others, as often as the server tries.
    Conflict,
    /// Somebody else has the id, or the value of a unique key, and nobody had looked.
    Taken,
    /// The same although somebody had looked: it lost a race that nobody should lose.
    Raced,
    /// It took too long; it may have happened all the same.
    TimeOut,
    /// What nobody should have been told.
    Unexpected(String),
}

impl Refusal {
    /// From a status code and its message, and whether the transaction wrote without looking.
    pub fn of(code: u16, message: String, is_blind: bool) -> Self {
        let is_taken = message.contains("already exists") || message.contains("is unique");
        match code {
            596 => Self::Conflict,
            597 if is_taken && is_blind => Self::Taken,
            597 if is_taken => Self::Raced,
            598 => Self::TimeOut,
            _ => Self::Unexpected(format!("{code}: {message}")),
        }
    }

    /// Whether nothing of the transaction has happened for certain.
    pub fn is_certain(&self) -> bool {
        matches!(self, Self::Conflict | Self::Taken | Self::Raced)
    }
}

/// The share of transactions that must conflict, of all in rounds of which the server does not try again.
const LEAST_CONFLICTS: f64 = 0.05;
/// So many rounds have enough of those.
const ENOUGH_ROUNDS: u64 = 20;

/// What became of transactions.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Fates {
    pub committed: u64,
    pub conflicts: u64,
    pub raced: u64,
    pub taken: u64,
    pub unknown: u64,
}

impl Fates {
    /// All of them.
    pub fn all(&self) -> u64 {
        self.committed + self.conflicts + self.raced + self.taken + self.unknown
    }

    fn share(&self, part: u64) -> f64 {
        (part as f64 / self.all().max(1) as f64 * 1e5).round() / 1e5
    }
}

impl fmt::Display for Fates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { committed, conflicts, raced, taken, unknown } = self;
        write!(
            f,
            "{committed} committed, {conflicts} conflicts, {raced} raced, {taken} taken, {unknown} unknown"
        )
    }
}

impl AddAssign for Fates {
    fn add_assign(&mut self, other: Self) {
        self.committed += other.committed;
        self.conflicts += other.conflicts;
        self.raced += other.raced;
        self.taken += other.taken;
        self.unknown += other.unknown;
    }
}

/// What the server counted, of what shows that a round was what it was meant to be.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Coverage {
    pub evictions: f64,
    pub tree_nodes_read: f64,
    pub tree_nodes_changed: f64,
    pub indexes_built: u64,
}

impl AddAssign for Coverage {
    fn add_assign(&mut self, other: Self) {
        self.evictions += other.evictions;
        self.tree_nodes_read += other.tree_nodes_read;
        self.tree_nodes_changed += other.tree_nodes_changed;
        self.indexes_built += other.indexes_built;
    }
}

/// The outcome of one round.
pub(crate) struct RoundTally {
    /// Whether the server tries again by itself.
    pub retries: bool,
    pub kills: usize,
    /// By kind of transaction.
    pub fates: BTreeMap<String, Fates>,
    pub anomalies: Vec<Anomaly>,
    /// Errors that nobody should have been told, and what else went wrong.
    pub errors: Vec<String>,
    pub coverage: Coverage,
    pub seconds: f64,
}

impl RoundTally {
    /// Of a round in which nothing has happened yet.
    pub fn new(retries: bool, kills: usize) -> Self {
        let (fates, coverage) = (BTreeMap::new(), Coverage::default());
        Self { retries, kills, fates, anomalies: Vec::new(), errors: Vec::new(), coverage, seconds: 0.0 }
    }

    /// Counts what became of a transaction.
    pub fn count(&mut self, kind: &str, transaction: &Transaction, refusal: Option<Refusal>) {
        let fates = self.fates.entry(kind.to_owned()).or_default();
        *match (&refusal, transaction.outcome) {
            (Some(Refusal::Conflict), _) => &mut fates.conflicts,
            (Some(Refusal::Raced), _) => &mut fates.raced,
            (Some(Refusal::Taken), _) => &mut fates.taken,
            (None, Outcome::Committed) => &mut fates.committed,
            _ => &mut fates.unknown,
        } += 1;
        match refusal {
            Some(Refusal::Unexpected(error)) => {
                self.errors.push(format!("{error} (to {})", transaction.request));
            }
            Some(Refusal::TimeOut) => self.errors.push(format!("time-out of {}", transaction.request)),
            _ => {}
        }
    }

    /// Over all kinds.
    pub fn fates(&self) -> Fates {
        let mut all = Fates::default();
        self.fates.values().for_each(|fates| all += *fates);
        all
    }
}

/// The outcome of all rounds.
#[derive(Default)]
pub(crate) struct Tally {
    rounds: u64,
    killed: u64,
    kills: usize,
    fewest: Option<u64>,
    all: Fates,
    /// In rounds of which the server does not try again: there every conflict is refused.
    untried: Fates,
    /// In the others, by kind of transaction.
    tried: BTreeMap<String, Fates>,
    anomalies: BTreeMap<AnomalyKind, u64>,
    /// The first round with an anomaly of a class at objects of a workload.
    first: BTreeMap<String, u64>,
    anomalous: Vec<u64>,
    errors: Vec<String>,
    coverage: Coverage,
    seconds: f64,
}

impl Tally {
    /// Adds a round.
    pub fn add(&mut self, number: u64, round: &RoundTally) {
        let fates = round.fates();
        self.rounds += 1;
        self.killed += u64::from(round.kills > 0);
        self.kills += round.kills;
        self.fewest = Some(self.fewest.unwrap_or(u64::MAX).min(fates.committed));
        self.all += fates;
        if round.retries {
            round
                .fates
                .iter()
                .for_each(|(name, fates)| *self.tried.entry(name.clone()).or_default() += *fates);
        } else {
            self.untried += fates;
        }
        for anomaly in &round.anomalies {
            *self.anomalies.entry(anomaly.kind).or_default() += 1;
            let workload = anomaly.object.split(':').next().unwrap_or_default();
            self.first.entry(format!("{} at {workload}", anomaly.kind.name())).or_insert(number);
        }
        if !round.anomalies.is_empty() {
            self.anomalous.push(number);
        }
        self.errors.extend(round.errors.iter().map(|error| format!("round {number}: {error}")));
        self.coverage += round.coverage;
        self.seconds += round.seconds;
    }

    /// Adds a round that did not get to its end.
    pub fn fail(&mut self, number: u64, error: &str) {
        self.rounds += 1;
        self.errors.push(format!("round {number}: {error}"));
    }

    /// Whether nothing is wrong, and the rounds were such that something could have been.
    pub fn is_clean(&self) -> bool {
        self.anomalies.is_empty() && self.errors.is_empty() && !self.is_tame()
    }

    /// Whether there were enough rounds to tell how often transactions conflict, and they did so too seldom.
    fn is_tame(&self) -> bool {
        self.rounds >= ENOUGH_ROUNDS && self.untried.share(self.untried.conflicts) < LEAST_CONFLICTS
    }

    /// The figures.
    pub fn to_json(&self) -> Json {
        let mut tried = Fates::default();
        self.tried.values().for_each(|fates| tried += *fates);
        let by_kind = |kind: &AnomalyKind| self.anomalies.get(kind).copied().unwrap_or_default();
        let anomalies: BTreeMap<&str, u64> =
            AnomalyKind::ALL.iter().map(|kind| (kind.name(), by_kind(kind))).collect();
        let refused: BTreeMap<&String, Json> =
            self.tried.iter().map(|(name, fates)| (name, shares(fates))).collect();
        json!({
            "rounds": self.rounds,
            "rounds_with_kills": self.killed,
            "kills": self.kills,
            "transactions": self.all.all(),
            "committed": self.all.committed,
            "fewest_committed_in_a_round": self.fewest,
            "unknown": self.all.unknown,
            "anomalies": self.anomalies.values().sum::<u64>(),
            "anomalies_by_kind": anomalies,
            "first_round_with": self.first,
            "rounds_with_anomalies": self.anomalous,
            "errors": self.errors,
            "too_few_conflicts": self.is_tame(),
            "conflict_share": self.untried.share(self.untried.conflicts),
            "refused_share": tried.share(tried.conflicts + tried.raced),
            "refused_by_kind": refused,
            "evictions": self.coverage.evictions,
            "tree_nodes_read": self.coverage.tree_nodes_read,
            "tree_nodes_changed": self.coverage.tree_nodes_changed,
            "indexes_built": self.coverage.indexes_built,
            "seconds": self.seconds.round(),
        })
    }
}

fn shares(fates: &Fates) -> Json {
    json!({
        "transactions": fates.all(),
        "refused": fates.share(fates.conflicts + fates.raced),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(retries: bool, fates: Fates) -> RoundTally {
        let fates = BTreeMap::from([("append".to_owned(), fates)]);
        RoundTally { fates, ..RoundTally::new(retries, 0) }
    }

    #[test]
    fn conflicts_are_counted_where_the_server_does_not_try_again_and_refusals_where_it_does() {
        let mut tally = Tally::default();
        tally.add(0, &round(false, Fates { committed: 60, conflicts: 40, ..Fates::default() }));
        tally.add(1, &round(true, Fates { committed: 90, conflicts: 3, raced: 7, ..Fates::default() }));
        let figures = tally.to_json();
        assert_eq!(figures["transactions"], 200);
        assert_eq!(figures["conflict_share"], 0.4);
        assert_eq!(figures["refused_share"], 0.1);
        assert_eq!(figures["refused_by_kind"]["append"]["refused"], 0.1);
        assert_eq!(figures["fewest_committed_in_a_round"], 60);
        assert!(tally.is_clean());
    }

    #[test]
    fn rounds_in_which_hardly_anybody_conflicts_prove_nothing() {
        let mut tally = Tally::default();
        for number in 0..ENOUGH_ROUNDS {
            tally.add(number, &round(false, Fates { committed: 99, conflicts: 1, ..Fates::default() }));
        }
        assert!(!tally.is_clean());
    }

    #[test]
    fn anomalies_are_told_by_class_and_by_the_round_that_showed_them_first() {
        let mut tally = Tally::default();
        let mut torn = round(true, Fates { committed: 1, ..Fates::default() });
        let kind = AnomalyKind::TornRead;
        let (object, about) = ("torn:gen".to_owned(), String::new());
        torn.anomalies.push(Anomaly { kind, object, transactions: vec![0], about });
        (3..5).for_each(|number| tally.add(number, &torn));
        let figures = tally.to_json();
        assert_eq!(figures["anomalies_by_kind"]["torn_read"], 2);
        assert_eq!(figures["first_round_with"]["torn_read at torn"], 3);
        assert_eq!(figures["rounds_with_anomalies"], json!([3, 4]));
        assert!(!tally.is_clean());
    }

    #[test]
    fn an_id_that_is_taken_is_a_lost_race_for_whoever_had_looked() {
        let message = || "a vertex with id \"a\" already exists".to_owned();
        assert_eq!(Refusal::of(597, message(), true), Refusal::Taken);
        assert_eq!(Refusal::of(597, message(), false), Refusal::Raced);
        assert!(!Refusal::of(598, message(), false).is_certain());
    }
}
