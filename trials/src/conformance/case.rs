//! The scenarios, read from feature files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use gherkin::{Feature, GherkinEnv, Scenario, Step};

use crate::Problem;

/// One scenario.
#[derive(Clone, Debug)]
pub struct Case {
    /// The feature file, relative to the folder of all.
    pub file: String,
    /// The scenario's name; with `#2` at its end if it is the second of that name in its file.
    pub name: String,
    /// The line of the file at which it begins.
    pub line: usize,
    /// Its tags and its feature's, without `@`.
    pub tags: Vec<String>,
    /// Its lines.
    pub steps: Vec<Step>,
}

impl Case {
    /// Whether it or its feature has this tag.
    pub fn is(&self, tag: &str) -> bool {
        self.tags.iter().any(|own| own == tag)
    }

    /// What tells it from all others: file and name.
    pub fn key(&self) -> String {
        format!("{}: {}", self.file, self.name)
    }
}

/// Every scenario of a folder of feature files and of the folders in it, in the order of their paths.
///
/// # Errors
/// If a file cannot be read or is not Gherkin.
pub fn cases(folder: &Path) -> Result<Vec<Case>, Problem> {
    let mut files = Vec::new();
    feature_files(folder, &mut files).map_err(|error| format!("{}: {error}", folder.display()))?;
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let name = file.strip_prefix(folder).unwrap_or(&file).display().to_string();
        let feature = Feature::parse_path(&file, GherkinEnv::default())?;
        cases.extend(of(&name, feature));
    }
    Ok(cases)
}

fn feature_files(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            feature_files(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "feature") {
            found.push(path);
        }
    }
    Ok(())
}

/// The scenarios of one file.
pub(crate) fn of(file: &str, feature: Feature) -> Vec<Case> {
    let mut earlier = HashMap::<String, usize>::new();
    let case = |scenario: Scenario| {
        let count = earlier.entry(scenario.name.clone()).or_default();
        *count += 1;
        let name = if *count == 1 { scenario.name } else { format!("{} #{count}", scenario.name) };
        let tags = feature.tags.iter().chain(&scenario.tags).cloned().collect();
        Case { file: file.to_owned(), name, line: scenario.position.line, tags, steps: scenario.steps }
    };
    feature.scenarios.into_iter().map(case).collect()
}
