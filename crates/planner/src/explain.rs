//! Plans in words.

use std::fmt;

use gremlin::Traversal;

/// The stages of a plan, in words: the traversal as written, the logical plan, what each rule made of it that changed
/// anything, and the physical plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    stages: Vec<(&'static str, String)>,
}

impl Explanation {
    pub(crate) fn of(traversal: &Traversal) -> Self {
        Self { stages: vec![("traversal", format!("{traversal}\n"))] }
    }

    pub(crate) fn add(&mut self, stage: &'static str, text: String) {
        self.stages.push((stage, text));
    }

    /// The stages: the name of each (of a rule, or `traversal`, `logical plan`, `physical plan`), and the plan then.
    pub fn stages(&self) -> impl Iterator<Item = (&str, &str)> {
        self.stages.iter().map(|(stage, text)| (*stage, text.as_str()))
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (stage, text) in &self.stages {
            writeln!(f, "== {stage}")?;
            f.write_str(text)?;
        }
        Ok(())
    }
}
