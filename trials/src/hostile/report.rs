//! What goes into `hostile.json`, and which promises did not hold.

use std::io;
use std::path::Path;
use std::time::Duration;

use serde_json::{Map as JsonMap, Value as Json, json};

use super::prober::Slow;
use super::tally::{Finding, KindTally, Tally};

/// By how much deadlines may be late, of a hundred queries but one, in milliseconds.
pub(crate) const LATE_P99_MS: f64 = 50.0;
/// And at worst.
pub(crate) const LATE_MAX_MS: f64 = 250.0;
/// How long point reads may take, of a hundred but one, in milliseconds.
const POINT_P99_MS: f64 = 10.0;
/// What the process may have left ten seconds after the load, in megabytes beyond what it had before.
const LEFT_MB: f64 = 256.0;
/// Which promises count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strict {
    /// All.
    Full,
    /// Those that do not need a machine that does nothing else.
    Short,
}

/// What was measured of the process and beside it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    /// The most memory that the process had.
    pub peak_mb: f64,
    /// What it may have.
    pub bound_mb: f64,
    /// What it had before the first query, and ten seconds after the last.
    pub before_mb: f64,
    /// See above.
    pub after_mb: f64,
    /// Processors that others than the trial and its server took, on average: whether the machine was idle otherwise.
    pub others: f64,
    /// Point reads, in microseconds.
    pub points: Vec<u32>,
    /// The slowest of them.
    pub slow_points: Vec<Slow>,
    /// What everything random came from.
    pub seed: u64,
    /// How long it took.
    pub seconds: f64,
}

fn slow_point(slow: &Slow) -> Json {
    json!({ "ms": rounded(f64::from(slow.micros) / 1_000.0), "beside": slow.beside })
}

impl Tally {
    /// What goes into `hostile.json`.
    pub fn to_json(&self, measured: &Measured) -> Json {
        let points: Vec<f64> = measured.points.iter().map(|micros| f64::from(*micros) / 1_000.0).collect();
        let known = self.queries() - self.vanished;
        let at_a_bound: u64 = self.kinds.values().filter_map(|kind| kind.fates.get("at_a_bound")).sum();
        json!({
            "queries": self.queries(),
            "late_p99_ms": rounded(percentile(&self.late, 0.99)),
            "late_max_ms": rounded(percentile(&self.late, 1.0)),
            "peak_mb": rounded(measured.peak_mb),
            "bound_mb": rounded(measured.bound_mb),
            "stuck": self.stuck,
            "point_p99_ms": rounded(percentile(&points, 0.99)),
            "point_max_ms": rounded(percentile(&points, 1.0)),
            "points": points.len(),
            "would_pass": share(self.would_pass, known),
            "at_a_bound": share(at_a_bound, known),
            "overrated": self.overrated,
            "at_their_deadline": self.late.len(),
            "crashes": self.crashes,
            "killed_for_memory": self.killed,
            "restarts": self.restarts,
            "vanished": self.vanished,
            "lingered": self.lingered,
            "gone_max_ms": rounded(self.gone_ms),
            "before_mb": rounded(measured.before_mb),
            "after_mb": rounded(measured.after_mb),
            "others_cores": rounded(measured.others),
            "seed": measured.seed,
            "seconds": rounded(measured.seconds),
            "kinds": self.kinds.iter().map(|(name, kind)| ((*name).to_owned(), kind.to_json())).collect::<JsonMap<_, _>>(),
            "slow_points": measured.slow_points.iter().map(slow_point).collect::<Vec<_>>(),
            "findings": self.findings.iter().map(Finding::to_json).collect::<Vec<_>>(),
        })
    }

    /// What does not hold of what is promised.
    pub fn broken(&self, measured: &Measured, strict: Strict) -> Vec<String> {
        let points: Vec<f64> = measured.points.iter().map(|micros| f64::from(*micros) / 1_000.0).collect();
        let known = (self.queries() - self.vanished).max(1);
        let always = [
            ("stuck", self.stuck as f64, 0.0),
            ("killed for memory", self.killed as f64, 0.0),
            ("MB of the process", measured.peak_mb, measured.bound_mb),
            ("MB left afterwards, beyond those before", measured.after_mb - measured.before_mb, LEFT_MB),
            ("share that would pass no bound", 1.0 - self.would_pass as f64 / known as f64, 0.5),
        ];
        let of_an_idle_machine = [
            ("ms late at p99", percentile(&self.late, 0.99), LATE_P99_MS),
            ("ms late at worst", percentile(&self.late, 1.0), LATE_MAX_MS),
            ("ms for a point read at p99", percentile(&points, 0.99), POINT_P99_MS),
        ];
        let counted = if strict == Strict::Full { &of_an_idle_machine[..] } else { &[] };
        (always.iter().chain(counted))
            .filter(|(_, is, most)| is > most)
            .map(|(what, is, most)| format!("{what}: {is:.2}, and at most {most:.2} is promised"))
            .collect()
    }

    /// Prints what was found, and the kinds.
    pub fn print(&self) {
        for finding in &self.findings {
            println!("{} {}: {}", finding.what, finding.kind, finding.detail);
            for query in finding.queries.iter().take(8) {
                println!("    {query}");
            }
        }
        println!();
        for (name, kind) in &self.kinds {
            let fates: Vec<String> =
                kind.fates.iter().map(|(fate, count)| format!("{fate} {count}")).collect();
            println!(
                "{name:>12}: {} queries, {} would pass a bound, late {:.0} ms at most │ {}",
                kind.queries,
                kind.would_pass,
                kind.late_max,
                fates.join(", ")
            );
        }
    }
}

impl KindTally {
    fn to_json(&self) -> Json {
        let mut kind = json!({
            "queries": self.queries, "would_pass": self.would_pass, "late_max_ms": rounded(self.late_max),
        });
        for (fate, count) in &self.fates {
            kind[*fate] = json!(count);
        }
        kind["errors"] = json!(self.errors);
        kind
    }
}

impl Finding {
    fn to_json(&self) -> Json {
        json!({ "what": self.what, "kind": self.kind, "detail": self.detail, "queries": self.queries })
    }
}

/// Writes the report into a folder.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn write(report: &Json, folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("hostile.json"), format!("{report:#}\n"))
}

/// The value that such a part of some does not exceed; 0 of none.
pub(crate) fn percentile(values: &[f64], part: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (sorted.len() as f64 * part).ceil() as usize;
    sorted.get(place.saturating_sub(1)).copied().unwrap_or(0.0)
}

/// Milliseconds.
pub(crate) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn share(part: u64, of: u64) -> Json {
    rounded(part as f64 / of.max(1) as f64)
}

/// Two digits behind the point.
fn rounded(value: f64) -> Json {
    json!((value * 100.0).round() / 100.0)
}

#[cfg(test)]
mod tests {
    use super::super::verdict::{Fate, Verdict};
    use super::*;

    fn verdict(fate: Fate, late: Option<u64>, passes: Option<&'static str>) -> Verdict {
        let late = late.map(Duration::from_millis);
        Verdict { kind: "loops", number: 1, shown: "g.V()".into(), fate, late, passes }
    }

    fn measured() -> Measured {
        Measured { bound_mb: 100.0, points: vec![1_000; 100], ..Measured::default() }
    }

    #[test]
    fn a_tally_in_which_all_is_well_breaks_no_promise() {
        let mut tally = Tally::default();
        tally.add(verdict(Fate::Bound("late".into()), Some(10), Some("time")));
        tally.add(verdict(Fate::Done, None, None));
        assert_eq!(tally.broken(&measured(), Strict::Full), Vec::<String>::new());
        assert_eq!(tally.to_json(&measured())["late_max_ms"], json!(10.0));
    }

    #[test]
    fn each_broken_promise_is_named() {
        let mut tally = Tally::default();
        tally.add(verdict(Fate::Bound("late".into()), Some(300), Some("time")));
        tally.add(verdict(Fate::Stuck, None, Some("time")));
        let measured = Measured { peak_mb: 101.0, points: vec![11_000; 100], after_mb: 300.0, ..measured() };
        let broken = tally.broken(&measured, Strict::Full);
        assert_eq!(broken.len(), 6, "{broken:?}");
        let broken = tally.broken(&measured, Strict::Short);
        assert_eq!(broken.len(), 3, "{broken:?}");
    }

    #[test]
    fn a_query_that_is_said_to_pass_a_bound_and_is_done_is_overrated() {
        let mut tally = Tally::default();
        tally.add(verdict(Fate::Done, None, Some("memory")));
        assert_eq!(tally.to_json(&measured())["overrated"], json!(1));
    }

    #[test]
    fn the_share_that_a_percentile_names_does_not_exceed_it() {
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(
            (percentile(&values, 0.99), percentile(&values, 1.0), percentile(&[], 0.5)),
            (99.0, 100.0, 0.0)
        );
    }
}
