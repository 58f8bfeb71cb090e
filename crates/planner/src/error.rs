//! Why a traversal has no plan.

use gremlin::{Position, StepName};
use values::Str;

/// What is wrong with a modulator of a step that takes none.
pub(crate) const MODULATES_NOTHING: &str = "it modulates nothing here: the step before it does not take it";

/// Why a traversal has no plan: which step, what is wrong with it, and where it stands in the text.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// Something Gremlin has and Mangrove does not, yet.
    #[error("{what} is not supported yet{}", Place(*at))]
    Unsupported {
        /// What it is, such as "step `match`".
        what: String,
        /// Where it stands.
        at: Option<Position>,
    },
    /// A step that cannot mean anything as it is written.
    #[error("step `{}`: {problem}{}", step.as_str(), Place(*at))]
    Invalid {
        /// The step.
        step: StepName,
        /// What is wrong with it, and what would be right.
        problem: String,
        /// Where it stands.
        at: Option<Position>,
    },
    /// A `with(key, value)` that is understood but whose value is not.
    #[error("option `{key}`: {problem}")]
    BadOption {
        /// The key.
        key: Str,
        /// What is wrong with the value, and which values there are.
        problem: String,
    },
    /// A graph computer, under `VertexProgramRestrictionStrategy`.
    #[error("The TraversalSource does not allow the use of a GraphComputer")]
    NoComputer,
    /// A step that writes, under `ReadOnlyStrategy`.
    #[error("The provided traversal has a mutating step and thus is not read only: `{}`{}", step.as_str(), Place(*at))]
    ReadOnly {
        /// The step.
        step: StepName,
        /// Where it stands.
        at: Option<Position>,
    },
    /// A traversal beyond one of the planner's bounds.
    #[error(
        "the traversal has too many {what}: at most {limit} can be planned; split it into several requests"
    )]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How many there may be.
        limit: usize,
    },
}

impl PlanError {
    /// A step that is refused by name.
    pub(crate) fn step(name: StepName, at: Option<Position>) -> Self {
        Self::Unsupported { what: format!("step `{}`", name.as_str()), at }
    }

    /// A form of a step that is refused.
    pub(crate) fn form(what: impl Into<String>, at: Option<Position>) -> Self {
        Self::Unsupported { what: what.into(), at }
    }

    /// A step that is wrong.
    pub(crate) fn invalid(step: StepName, problem: impl Into<String>, at: Option<Position>) -> Self {
        Self::Invalid { step, problem: problem.into(), at }
    }
}

/// A position as the end of a sentence; nothing where there is none.
struct Place(Option<Position>);

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(Position { line, column }) => write!(f, " (line {line}, column {column})"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_which_step_and_where() {
        let at = Some(Position { line: 2, column: 7 });
        assert_eq!(
            PlanError::step(StepName::Match, at).to_string(),
            "step `match` is not supported yet (line 2, column 7)"
        );
        assert_eq!(
            PlanError::invalid(StepName::Times, "has no repeat()", None).to_string(),
            "step `times`: has no repeat()"
        );
    }
}
