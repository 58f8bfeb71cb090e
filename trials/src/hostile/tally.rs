//! What has become of all queries.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use super::alarm::Alert;
use super::report::{LATE_P99_MS, ms, percentile};
use super::verdict::{Fate, Verdict};

/// Different errors that are counted of each kind.
const ERRORS: usize = 12;
/// Of each sort of trouble so many examples of each kind are kept.
const EXAMPLES: usize = 4;

/// Everything that is counted.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// By kind.
    pub kinds: BTreeMap<&'static str, KindTally>,
    /// By how much answers were late that came at the deadline or after it, in milliseconds.
    pub late: Vec<f64>,
    /// Would pass a bound, by their generators' account.
    pub would_pass: u64,
    /// Said to pass a bound, and answered in full.
    pub overrated: u64,
    /// Queries and servers that were stuck, and what went on after its client had vanished.
    pub stuck: u64,
    /// Servers that ended of themselves.
    pub crashes: u64,
    /// Servers that were killed, since they took far too much memory.
    pub killed: u64,
    /// Clients that vanished.
    pub vanished: u64,
    /// Times that something of these was left.
    pub lingered: u64,
    /// The longest that it took until nothing was left, in milliseconds.
    pub gone_ms: f64,
    /// Times that the server was started again.
    pub restarts: u64,
    /// What should not be.
    pub findings: Vec<Finding>,
}

/// What is counted of one kind.
#[derive(Debug, Default)]
pub(crate) struct KindTally {
    /// Queries.
    pub queries: u64,
    /// Of these, those that would pass a bound.
    pub would_pass: u64,
    /// How they ended.
    pub fates: BTreeMap<&'static str, u64>,
    /// The errors that are no bounds, by the beginnings of their messages.
    pub errors: BTreeMap<String, u64>,
    /// The most by which one was late, in milliseconds.
    pub late_max: f64,
}

/// Something that should not be.
#[derive(Debug, Default)]
pub(crate) struct Finding {
    /// The sort of trouble.
    pub what: &'static str,
    /// The kind of the query, if it is one query's fault.
    pub kind: String,
    /// Whether it is the one to look at.
    worth: Worth,
    /// What happened.
    pub detail: String,
    /// The query, or those that ran at the time.
    pub queries: Vec<String>,
}

/// The latest are the ones to look at, and the shortest of those that are no later than others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Worth {
    late: Duration,
    short: Reverse<usize>,
}

impl Tally {
    /// Counts what became of a query.
    pub fn add(&mut self, verdict: Verdict) {
        let kind = self.kinds.entry(verdict.kind).or_default();
        kind.queries += 1;
        *kind.fates.entry(verdict.fate.name()).or_default() += 1;
        if verdict.passes.is_some() {
            kind.would_pass += 1;
            self.would_pass += 1;
        }
        if let Fate::Failed(message) | Fate::Refused(message) = &verdict.fate {
            let beginning: String = message.chars().take(80).collect();
            if kind.errors.len() < ERRORS || kind.errors.contains_key(&beginning) {
                *kind.errors.entry(beginning).or_default() += 1;
            }
        }
        let judged = !matches!(verdict.fate, Fate::Left | Fate::Stuck | Fate::Lost | Fate::Closed(_));
        if let Some(late) = verdict.late.filter(|_| judged) {
            let late = ms(late);
            kind.late_max = kind.late_max.max(late);
            self.late.push(late);
            if late > LATE_P99_MS {
                self.find("late", &verdict, format!("{late:.0} ms after its deadline"));
            }
        }
        match &verdict.fate {
            Fate::Done => {
                if let Some(bound) = verdict.passes {
                    self.overrated += 1;
                    self.find("overrated", &verdict, format!("said to pass the bound of {bound}, and done"));
                }
            }
            Fate::Stuck => {
                self.stuck += 1;
                self.find("stuck", &verdict, "not ended 5 s after its deadline".into());
            }
            Fate::Closed(code) => self.find("closed", &verdict, format!("{code:?}")),
            Fate::Failed(message) if message.is_empty() => self.find("failed", &verdict, "no message".into()),
            _ => {}
        }
    }

    /// Notes that a process was lost, or that it does not answer.
    pub fn lose(&mut self, alert: Option<Alert>, ended: Option<String>, killed: bool) {
        self.restarts += 1;
        let (what, detail) = match (&ended, killed) {
            (_, true) => {
                self.killed += 1;
                ("memory", "killed, since it took far too much".to_owned())
            }
            (Some(ended), false) => {
                self.crashes += 1;
                self.stuck += 1;
                ("crash", ended.clone())
            }
            // A query that is stuck has been counted as such.
            (None, false) => {
                let what = alert.as_ref().map(|alert| alert.what.clone()).unwrap_or_default();
                if !what.contains("has not ended") {
                    self.stuck += 1;
                }
                ("silence", what)
            }
        };
        let queries = alert.map(|alert| alert.beside).unwrap_or_default();
        self.findings.push(Finding { what, queries, detail, ..Finding::default() });
    }

    /// Notes that the process has more memory than it may have.
    pub fn exceed(&mut self, mb: f64, beside: Vec<String>) {
        if self.findings.iter().filter(|finding| finding.what == "beyond memory").count() < 20 {
            let detail = format!("{mb:.0} MB");
            self.findings.push(Finding {
                what: "beyond memory",
                detail,
                queries: beside,
                ..Finding::default()
            });
        }
    }

    /// Counts clients that vanished, and how long it took until their queries were gone.
    pub fn vanish(&mut self, count: u64, gone: Result<Duration, String>, queries: Vec<String>) {
        self.vanished += count;
        match gone {
            Ok(took) => self.gone_ms = self.gone_ms.max(ms(took)),
            Err(why) => {
                self.lingered += 1;
                self.stuck += 1;
                self.findings.push(Finding { what: "lingers", detail: why, queries, ..Finding::default() });
            }
        }
    }

    fn find(&mut self, what: &'static str, verdict: &Verdict, detail: String) {
        let query = format!("{}: {}", verdict.number, verdict.shown);
        let worth = Worth { late: verdict.late.unwrap_or_default(), short: Reverse(query.len()) };
        let finding = Finding { what, kind: verdict.kind.to_owned(), worth, detail, queries: vec![query] };
        let alike = self.findings.iter_mut().filter(|known| known.what == what && known.kind == verdict.kind);
        let mut alike: Vec<&mut Finding> = alike.collect();
        if alike.len() < EXAMPLES {
            self.findings.push(finding);
        } else if let Some(least) = alike.iter_mut().min_by_key(|known| known.worth)
            && least.worth < finding.worth
        {
            **least = finding;
        }
    }

    /// How many queries there were.
    pub fn queries(&self) -> u64 {
        self.kinds.values().map(|kind| kind.queries).sum::<u64>() + self.vanished
    }

    /// A line of how it goes.
    pub fn line(&self) -> String {
        let Self { stuck, crashes, killed, lingered, .. } = self;
        let (p99, most) = (percentile(&self.late, 0.99), percentile(&self.late, 1.0));
        format!(
            "{} queries, late {p99:.0} ms at p99 and {most:.0} at worst, stuck {stuck} (crashes {crashes}, lingered \
             {lingered}), killed for memory {killed}",
            self.queries()
        )
    }
}
