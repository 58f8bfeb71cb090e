//! The outcome, for people and for figures.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::flat::Line;
use super::sample::Sample;
use crate::Problem;

/// A line about the moment.
pub(crate) fn progress(sample: &Sample, wrong: u64) -> String {
    let Sample { seconds, rss_mb, threads, files, tables_mb, journals_mb, p50_ms, p99_ms, requests, .. } =
        sample;
    let Sample { peak_mb, served, others, sessions, transactions, .. } = sample;
    format!(
        "{seconds:5.0} s │ {requests:4.0} requests/s │ points {p50_ms:5.2} / {p99_ms:6.2} ms │ {rss_mb:4.0} MB, at most {peak_mb:.0} │ {threads} threads, \
         {files} files │ disk {tables_mb:.0} + {journals_mb:.0} MB │ {sessions} sessions, {transactions} transactions │ \
         server {:.0} %, others {:.0} % │ {wrong} wrong",
        served * 100.0,
        others * 100.0,
    )
}

/// The numbers by quarters.
pub(crate) fn table(lines: &[Line]) {
    println!(
        "\n{:14} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "medians", "first", "second", "third", "last", "allowed", "most"
    );
    for line in lines {
        let [first, second, third, last] = line.quarters;
        let allowed = line.allowed.map_or("-".to_owned(), |allowed| format!("{allowed:.2}"));
        let said = if line.is_flat() { "" } else { "   grows" };
        println!(
            "{:14} {first:10.2} {second:10.2} {third:10.2} {last:10.2} {allowed:>10} {:10.2}{said}",
            line.name, line.most
        );
    }
}

/// Writes `soak.json`.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn write(
    out: &Path,
    mut figures: Json,
    lines: &[Line],
    samples: &[Sample],
) -> Result<(), Problem> {
    figures["lines"] = lines.iter().map(Line::to_json).collect();
    figures["samples"] = json!(samples);
    fs::create_dir_all(out)?;
    fs::write(out.join("soak.json"), format!("{figures:#}\n"))?;
    Ok(())
}
