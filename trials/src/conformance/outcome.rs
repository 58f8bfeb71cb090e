//! What became of a scenario.

use serde_json::{Value as Json, json};

/// What became of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It is as TinkerPop says.
    Passed,
    /// TinkerPop has no way to try it, or it is not meant for a graph like Mangrove's.
    Skipped(String),
    /// Mangrove says that it does not do something that the scenario needs.
    Refused {
        /// What it is.
        what: String,
        /// The whole message.
        message: String,
    },
    /// It is not as TinkerPop says.
    Failed(Difference),
}

/// How what happened differs from what should have.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The traversal.
    pub traversal: String,
    /// What should have happened.
    pub expected: String,
    /// What happened.
    pub got: String,
}

impl Outcome {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Skipped(_) => "skipped",
            Self::Refused { .. } => "refused",
            Self::Failed(_) => "failed",
        }
    }

    /// All that is known of it.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Passed => json!("passed"),
            Self::Skipped(why) => json!({ "skipped": why }),
            Self::Refused { what, message } => json!({ "refused": what, "message": message }),
            Self::Failed(Difference { traversal, expected, got }) => {
                json!({ "failed": { "traversal": traversal, "expected": expected, "got": got } })
            }
        }
    }
}
