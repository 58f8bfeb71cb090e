//! What is printed and written.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde_json::{Map as JsonMap, Value as Json, json};

use super::case::Case;
use super::outcome::{Difference, Outcome};

/// What became of every scenario, door by door.
#[derive(Debug)]
pub struct Report<'a> {
    cases: &'a [Case],
    doors: Vec<(&'static str, Vec<Outcome>)>,
}

impl<'a> Report<'a> {
    /// A report of these scenarios, through no door yet.
    pub fn new(cases: &'a [Case]) -> Self {
        Self { cases, doors: Vec::new() }
    }

    /// Adds what became of each of the scenarios through a door.
    pub fn add(&mut self, door: &'static str, outcomes: Vec<Outcome>) {
        self.doors.push((door, outcomes));
    }

    /// How many failed, all doors together.
    pub fn failed(&self) -> usize {
        self.doors.iter().map(|(_, outcomes)| count(outcomes, "failed")).sum()
    }

    /// The scenarios that failed through some door, with what happened there.
    pub fn failures(&self) -> impl Iterator<Item = (String, String)> {
        let failure = |case: &Case, at: usize| {
            let got = self.doors.iter().find_map(|(_, outcomes)| match &outcomes[at] {
                Outcome::Failed(difference) => Some(one_line(&difference.got)),
                _ => None,
            });
            Some((case.key(), got?))
        };
        self.cases.iter().enumerate().filter_map(move |(at, case)| failure(case, at))
    }

    /// What is refused, each with the number of scenarios that need it, most needed first:
    /// "step `mergeV`: 66 scenarios".
    pub fn refusals(&self) -> Vec<String> {
        self.needed().into_iter().map(|(what, scenarios)| format!("{what}: {scenarios} scenarios")).collect()
    }

    fn needed(&self) -> Vec<(&str, usize)> {
        let mut needed = BTreeMap::<&str, usize>::new();
        for at in 0..self.cases.len() {
            let refused = self.doors.iter().find_map(|(_, outcomes)| match &outcomes[at] {
                Outcome::Refused { what, .. } => Some(what.as_str()),
                _ => None,
            });
            if let Some(what) = refused {
                *needed.entry(what).or_default() += 1;
            }
        }
        let mut needed: Vec<_> = needed.into_iter().collect();
        needed.sort_by_key(|(_, scenarios)| std::cmp::Reverse(*scenarios));
        needed
    }

    /// Prints what failed, what is refused, and the counts of every door.
    pub fn print(&self) {
        for (at, case) in self.cases.iter().enumerate() {
            let mut printed = Vec::new();
            for (door, outcomes) in &self.doors {
                let Outcome::Failed(difference) = &outcomes[at] else { continue };
                // Doors that do the same wrong thing are one failure to whoever reads this.
                if !printed.contains(&difference) {
                    print_failure(case, door, difference);
                    printed.push(difference);
                }
            }
        }
        println!("\nrefused, with the number of scenarios that need it:");
        for (what, scenarios) in self.needed() {
            println!("{scenarios:6}  {what}");
        }
        println!();
        for (door, outcomes) in &self.doors {
            let counts = OUTCOMES.map(|name| format!("{name} {}", count(outcomes, name)));
            println!("{door:>10}: {}", counts.join(", "));
        }
    }

    /// Writes `conformance.json` into a folder.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join("conformance.json"), format!("{:#}\n", self.to_json()))
    }

    fn to_json(&self) -> Json {
        let mut report = JsonMap::new();
        for (door, outcomes) in &self.doors {
            let counts = OUTCOMES.map(|name| (name.to_owned(), json!(count(outcomes, name))));
            report.insert((*door).to_owned(), JsonMap::from_iter(counts).into());
        }
        let refusals = self.needed().into_iter().map(|(what, scenarios)| (what.to_owned(), json!(scenarios)));
        report.insert("refusals".to_owned(), JsonMap::from_iter(refusals).into());
        let scenarios = self.cases.iter().enumerate().map(|(at, case)| self.scenario(case, at));
        report.insert("scenarios".to_owned(), scenarios.collect());
        report.into()
    }

    fn scenario(&self, case: &Case, at: usize) -> Json {
        let mut scenario = JsonMap::new();
        scenario.insert("feature".to_owned(), json!(case.file));
        scenario.insert("scenario".to_owned(), json!(case.name));
        scenario.insert("line".to_owned(), json!(case.line));
        for (door, outcomes) in &self.doors {
            scenario.insert((*door).to_owned(), outcomes[at].to_json());
        }
        scenario.into()
    }
}

fn print_failure(case: &Case, door: &str, difference: &Difference) {
    let Difference { traversal, expected, got } = difference;
    println!("failed, {door}: {} (line {})", case.key(), case.line);
    println!("    {}", one_line(traversal));
    println!("    expected {}", one_line(expected));
    println!("    got      {}", one_line(got));
}

const OUTCOMES: [&str; 4] = ["passed", "refused", "failed", "skipped"];

fn count(outcomes: &[Outcome], name: &str) -> usize {
    outcomes.iter().filter(|outcome| outcome.name() == name).count()
}

/// A text without its line breaks.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
