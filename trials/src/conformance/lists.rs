//! What is known to fail or to be refused: lists that may only shrink.
//!
//! A line is something known, and perhaps `  # ` and a reason. Empty lines and lines that begin with `#` say nothing.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::report::Report;

/// What is known, with reasons.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct List(BTreeMap<String, String>);

/// Both lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lists {
    /// Scenarios that fail: `FILE: SCENARIO  # REASON`.
    pub failures: List,
    /// What is refused, with the number of scenarios that need it: "step `mergeV`: 66 scenarios".
    pub refusals: List,
}

const FAILURES: &str = "known-failures.txt";
const REFUSALS: &str = "known-refusals.txt";

const FAILURES_HEAD: &str = "\
# Scenarios of TinkerPop that fail, with the reason; one that no longer does must leave this list.
# `trials conformance --renew` writes it anew; reasons stay.
";

const REFUSALS_HEAD: &str = "\
# What Mangrove refuses by name, with the number of TinkerPop's scenarios that need it.
# `trials conformance --renew` writes it anew.
";

impl List {
    fn read(path: &Path) -> io::Result<Self> {
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(Self::parse(&text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }

    fn parse(text: &str) -> Self {
        let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
        let entry = |line: &str| {
            let (what, reason) = line.split_once("  # ").unwrap_or((line, ""));
            (what.trim().to_owned(), reason.trim().to_owned())
        };
        Self(lines.map(entry).collect())
    }

    fn print(&self, head: &str) -> String {
        let line = |(what, reason): (&String, &String)| match reason.as_str() {
            "" => format!("{what}\n"),
            reason => format!("{what}  # {reason}\n"),
        };
        head.to_owned() + &self.0.iter().map(line).collect::<String>()
    }

    /// How this list differs from what was found, in words: what it lacks, and what it should no longer have.
    pub fn differences(&self, found: impl IntoIterator<Item = String>) -> Vec<String> {
        let mut left: Vec<&str> = self.0.keys().map(String::as_str).collect();
        let mut differences = Vec::new();
        for what in found {
            match left.iter().position(|known| *known == what) {
                Some(at) => drop(left.remove(at)),
                None => differences.push(format!("new: {what}")),
            }
        }
        differences.extend(left.iter().map(|gone| format!("no longer, so take it from the list: {gone}")));
        differences
    }
}

impl Lists {
    /// Reads both lists from a folder. A list is empty where there is no file.
    ///
    /// # Errors
    /// If there is a file that cannot be read.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let list = |file| List::read(&folder.join(file));
        Ok(Self { failures: list(FAILURES)?, refusals: list(REFUSALS)? })
    }

    /// The lists that fit a report. Reasons stay; the reason of a new failure is what happened.
    #[must_use]
    pub fn renewed(&self, report: &Report<'_>) -> Self {
        /// Characters of a reason that nobody has written.
        const MOST: usize = 100;
        let renewed = |(key, got): (String, String)| {
            let reason = self.failures.0.get(&key).filter(|reason| !reason.is_empty());
            let reason = reason.cloned().unwrap_or_else(|| got.chars().take(MOST).collect());
            (key, reason)
        };
        Self {
            failures: List(report.failures().map(renewed).collect()),
            refusals: List(report.refusals().into_iter().map(|what| (what, String::new())).collect()),
        }
    }

    /// Writes both lists into a folder.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        std::fs::write(folder.join(FAILURES), self.failures.print(FAILURES_HEAD))?;
        std::fs::write(folder.join(REFUSALS), self.refusals.print(REFUSALS_HEAD))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_the_same() {
        let list = List::parse("# head\n\nmap/A.feature: g_V #2  # it is slow\nmap/B.feature: g_E\n");
        assert_eq!(list.0.len(), 2);
        assert_eq!(List::parse(&list.print("# head\n")), list);
    }

    #[test]
    fn a_list_must_have_what_was_found_and_nothing_else() {
        let list = List::parse("a  # why\nb");
        assert_eq!(list.differences(["a", "b"].map(str::to_owned)), [""; 0]);
        let differences = list.differences(["b", "c"].map(str::to_owned));
        assert_eq!(differences, ["new: c", "no longer, so take it from the list: a"]);
    }
}
