//! What a run came to: for people, and as `differential.json`.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::coverage::Coverage;
use super::faults::FAULTS;
use super::steps::supported;
use super::verdict::Verdict;

/// Counts of verdicts, and what the compared cases had in them.
#[derive(Default)]
pub struct Tally {
    /// The seeds that were run.
    pub seeds: Vec<u64>,
    /// What was covered.
    pub coverage: Coverage,
    same: BTreeMap<String, u64>,
    both_fail: u64,
    unexplained: u64,
    explained: BTreeMap<&'static str, u64>,
    undetermined: u64,
    refused: u64,
    late: u64,
    unparsed: u64,
}

/// Cases in which every step must have been compared, and a third of them with the step in a child over a bulk above 1.
const WANTED: (u64, u64) = (500, 167);

impl Tally {
    /// Counts a verdict.
    pub fn add(&mut self, verdict: &Verdict) {
        let count = match verdict {
            Verdict::Same(detail) => self.same.entry(format!("{detail:?}").to_lowercase()).or_default(),
            Verdict::BothFail => &mut self.both_fail,
            Verdict::Different(_) => &mut self.unexplained,
            Verdict::Explained(fault) => self.explained.entry(fault).or_default(),
            Verdict::Undetermined => &mut self.undetermined,
            Verdict::Refused => &mut self.refused,
            Verdict::Late => &mut self.late,
            Verdict::Unparsed => &mut self.unparsed,
        };
        *count += 1;
    }

    /// How often a known fault has explained a difference.
    pub fn times(&self, fault: &str) -> u64 {
        self.explained.get(fault).copied().unwrap_or(0)
    }

    /// How many cases there were.
    pub fn cases(&self) -> u64 {
        let aside = self.undetermined + self.refused + self.late + self.unparsed;
        self.compared() + aside
    }

    /// How many of them were compared.
    fn compared(&self) -> u64 {
        let same: u64 = self.same.values().sum();
        let explained: u64 = self.explained.values().sum();
        same + explained + self.both_fail + self.unexplained
    }

    fn json(&self) -> Json {
        let faults: Vec<Json> = FAULTS
            .iter()
            .map(|fault| {
                let cases = self.explained.get(fault.name).copied().unwrap_or(0);
                json!({"name": fault.name, "cases": cases, "evidence": fault.evidence})
            })
            .collect();
        json!({
            "cases": self.cases(),
            "seeds": self.seeds,
            "compared": self.compared(),
            "unexplained": self.unexplained,
            "same": self.same,
            "both_fail": self.both_fail,
            "undetermined": self.undetermined,
            "refused": self.refused,
            "late": self.late,
            "unparsed": self.unparsed,
            "faults_of_the_reference": faults,
            "rare": self.rare(),
            "coverage": self.coverage.json(),
        })
    }

    /// Supported steps that were compared less often than is wanted, or too seldom in a child over a bulk above 1.
    fn rare(&self) -> Vec<String> {
        let (often, deep) = WANTED;
        let Ok(supported) = supported() else { return Vec::new() };
        let seen = supported.into_iter().map(|name| (name, self.coverage.of_step(name)));
        seen.filter(|(_, (cases, over_bulk))| *cases < often || *over_bulk < deep)
            .map(|(name, (cases, over_bulk))| format!("{name}: {cases}, {over_bulk} over a bulk"))
            .collect()
    }

    /// Prints it.
    pub fn print(&self) {
        self.coverage.print();
        let mut figures = self.json();
        if let Some(figures) = figures.as_object_mut() {
            figures.remove("coverage");
        }
        println!("\n{figures:#}");
    }

    /// Leaves it in a folder, as `differential.json`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join("differential.json"), format!("{:#}\n", self.json()))
    }
}
