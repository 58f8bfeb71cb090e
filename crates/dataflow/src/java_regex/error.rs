//! Why a pattern cannot be compiled.

/// What is wrong with a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PatternError {
    /// Java would not take it either.
    #[error("malformed regular expression: {problem} near index {at}")]
    Malformed {
        /// What is wrong.
        problem: &'static str,
        /// The character.
        at: usize,
    },
    /// Java would take it.
    #[error(
        "the regular expression uses {what} near index {at}, which is not supported; see docs/text-predicates.md"
    )]
    Unsupported {
        /// What it is called.
        what: &'static str,
        /// The character.
        at: usize,
    },
    /// It would take too much memory, or nests too deeply.
    #[error("the regular expression has more than {limit} {what}; simplify it")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How many there may be.
        limit: usize,
    },
}
