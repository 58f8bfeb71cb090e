//! Whether what was sampled stays flat: the median of the last quarter beside that of the second one.
//!
//! ```text
//! │ first │ second │ third │ last │
//!   warm-up  ▲                ▲
//!            └─ median ───────┴─ median: at most so much more, by a share or by an amount, whichever allows more
//! ```
//!
//! | | by a share | by an amount |
//! |---|---|---|
//! | memory | a tenth | 32 MB |
//! | disk, without the stores' logs | a quarter | 64 MB |
//! | the stores' logs | a quarter | 192 MB: they are cut by 64 MB at a time, and each graph has one |
//! | p99 of point reads | a half | 5 ms |
//! | threads | none | 4 |
//! | open files | none | 16 |
//! | vertices, edges | a twentieth | 4,000 |
//! | versions that wait to be merged | a half | 20,000 |
//! | connections, sessions, open transactions | none | 8 |
//!
//! To become less is no fault.

use serde_json::{Value as Json, json};

use super::sample::Sample;

/// A number of a sample.
type Of = fn(&Sample) -> f64;

/// What is judged, and how much it may grow.
struct Bound {
    name: &'static str,
    of: Of,
    share: f64,
    amount: f64,
}

const BOUNDS: [Bound; 12] = [
    Bound { name: "rss_mb", of: |sample| sample.rss_mb, share: 0.10, amount: 32.0 },
    Bound { name: "tables_mb", of: |sample| sample.tables_mb, share: 0.25, amount: 64.0 },
    Bound { name: "journals_mb", of: |sample| sample.journals_mb, share: 0.25, amount: 192.0 },
    Bound { name: "p99_ms", of: |sample| sample.p99_ms, share: 0.5, amount: 5.0 },
    Bound { name: "threads", of: |sample| sample.threads, share: 0.0, amount: 4.0 },
    Bound { name: "files", of: |sample| sample.files, share: 0.0, amount: 16.0 },
    Bound { name: "versions", of: |sample| sample.versions, share: 0.5, amount: 20_000.0 },
    Bound { name: "vertices", of: |sample| sample.vertices, share: 0.05, amount: 4_000.0 },
    Bound { name: "edges", of: |sample| sample.edges, share: 0.05, amount: 4_000.0 },
    Bound { name: "connections", of: |sample| sample.connections, share: 0.0, amount: 8.0 },
    Bound { name: "sessions", of: |sample| sample.sessions, share: 0.0, amount: 8.0 },
    Bound { name: "transactions", of: |sample| sample.transactions, share: 0.0, amount: 8.0 },
];

/// What is shown beside it, and not judged.
const SHOWN: [(&str, Of); 8] = [
    ("peak_mb", |sample| sample.peak_mb),
    ("p50_ms", |sample| sample.p50_ms),
    ("requests", |sample| sample.requests),
    ("served", |sample| sample.served),
    ("others", |sample| sample.others),
    ("in_flight", |sample| sample.in_flight),
    ("cache_mb", |sample| sample.cache_mb),
    ("log_mb", |sample| sample.log_mb),
];

/// One number over the run.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub name: &'static str,
    /// The medians of the four quarters.
    pub quarters: [f64; 4],
    /// The most of all samples.
    pub most: f64,
    /// What the last quarter may have at most; none if it is not judged.
    pub allowed: Option<f64>,
}

impl Line {
    /// Whether it has not grown beyond what it may.
    pub fn is_flat(&self) -> bool {
        self.allowed.is_none_or(|allowed| self.quarters[3] <= allowed)
    }

    /// For figures.
    pub fn to_json(&self) -> Json {
        let Self { name, quarters, most, allowed } = self;
        json!({ "name": name, "quarters": quarters, "most": most, "allowed": allowed, "flat": self.is_flat() })
    }
}

/// The lines of a run; those that are judged first.
pub(crate) fn lines(samples: &[Sample]) -> Vec<Line> {
    let judged = BOUNDS.iter().map(|bound| {
        let line = line(bound.name, samples, bound.of);
        let second = line.quarters[1];
        let allowed = (second * (1.0 + bound.share)).max(second + bound.amount);
        Line { allowed: Some(allowed), ..line }
    });
    judged.chain(SHOWN.iter().map(|(name, of)| line(name, samples, *of))).collect()
}

fn line(name: &'static str, samples: &[Sample], of: Of) -> Line {
    let values: Vec<f64> = samples.iter().map(of).collect();
    let quarter = |number: usize| median(&values[values.len() * number / 4..values.len() * (number + 1) / 4]);
    let most = values.iter().copied().fold(0.0, f64::max);
    Line { name, quarters: [0, 1, 2, 3].map(quarter), most, allowed: None }
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(rss: impl Fn(usize) -> f64, p99: impl Fn(usize) -> f64) -> Vec<Line> {
        let sample = |n| Sample { rss_mb: rss(n), p99_ms: p99(n), ..Sample::default() };
        lines(&(0..400).map(sample).collect::<Vec<_>>())
    }

    fn grown(lines: &[Line]) -> Vec<&'static str> {
        lines.iter().filter(|line| !line.is_flat()).map(|line| line.name).collect()
    }

    #[test]
    fn what_grows_only_in_the_first_quarter_is_flat() {
        let lines = run(|n| if n < 100 { n as f64 } else { 500.0 }, |_| 3.0);
        assert!(grown(&lines).is_empty());
    }

    #[test]
    fn what_goes_on_growing_is_not() {
        assert_eq!(grown(&run(|n| 500.0 + n as f64, |_| 3.0)), ["rss_mb"]);
        assert_eq!(grown(&run(|_| 500.0, |n| 10.0 + n as f64 / 20.0)), ["p99_ms"]);
    }

    #[test]
    fn a_little_of_a_little_and_a_single_peak_are_no_growth() {
        assert!(grown(&run(|n| 50.0 + n as f64 / 20.0, |n| 1.0 + n as f64 / 200.0)).is_empty());
        assert!(grown(&run(|n| if n == 390 { 9_000.0 } else { 500.0 }, |_| 3.0)).is_empty());
    }

    #[test]
    fn a_run_without_samples_has_lines_too() {
        assert!(grown(&lines(&[])).is_empty());
    }
}
