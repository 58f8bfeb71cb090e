//! What can be wrong with a traversal.

use std::fmt;

use crate::Position;

/// Why Gremlin text, or a traversal that came as bytecode, was refused.
///
/// Its message names the place, what was found there, what was expected, and, where there is one, the nearest
/// thing that would have been understood.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{kind}", Place(*.at))]
pub struct ParseError {
    /// Where in the text; `None` when there was no text (bytecode).
    pub at: Option<Position>,
    /// What was wrong.
    pub kind: ParseErrorKind,
}

/// What was wrong with Gremlin text or a traversal.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParseErrorKind {
    /// Something that cannot stand where it stands.
    #[error("found {found}, expected {expected}")]
    Unexpected {
        /// What stands there, in quotes, or `the end`.
        found: String,
        /// What could stand there.
        expected: String,
    },
    /// A call of something that is no step.
    #[error("unknown step `{name}`{}", Nearest(.nearest))]
    UnknownStep {
        /// The name in the text.
        name: String,
        /// The step most like it, if one is.
        nearest: Option<String>,
    },
    /// A step that exists but not at the start of a traversal.
    #[error(
        "`{name}` cannot start a traversal; start with V, E, addV, addE, mergeV, mergeE, inject, union, call or io"
    )]
    NotAStart {
        /// The step.
        name: String,
    },
    /// A traversal source that is not there.
    #[error("unknown traversal source `{name}`; this server has {known}")]
    UnknownSource {
        /// The name in the text.
        name: String,
        /// The names it could have been.
        known: String,
    },
    /// A name that is neither a token nor bound to a value.
    #[error("`{name}` is no token, and no value is bound to it{}", Nearest(.nearest))]
    UnknownVariable {
        /// The name in the text.
        name: String,
        /// The bound name most like it, if one is.
        nearest: Option<String>,
    },
    /// A token that its class does not have.
    #[error("`{class}` has no `{name}`; it has {known}")]
    UnknownToken {
        /// The class before the dot.
        class: String,
        /// The name after it.
        name: String,
        /// What the class has.
        known: String,
    },
    /// A step with arguments that none of its forms takes.
    #[error("`{call}` has no form ({given}); its forms are {forms}")]
    Arguments {
        /// The step, source instruction or predicate.
        call: String,
        /// The kinds of the arguments given.
        given: String,
        /// The forms there are.
        forms: String,
    },
    /// A literal that is well formed but means nothing.
    #[error("`{literal}` {problem}")]
    Literal {
        /// The literal, shortened when long.
        literal: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A string without its closing quote.
    #[error("this string has no closing {quote}")]
    UnfinishedString {
        /// The quote that is missing.
        quote: char,
    },
    /// A traversal from a source, as an argument: TinkerPop would run it while it reads the text.
    #[error("a traversal inside another starts with `__`, not with `{source_name}`")]
    NestedSource {
        /// The source's name.
        source_name: String,
    },
    /// A traversal without any step.
    #[error(
        "the traversal has no step; start with V, E, addV, addE, mergeV, mergeE, inject, union, call or io"
    )]
    NoStep,
    /// More than one statement, or another kind of statement, where one traversal was asked for.
    #[error("expected exactly one traversal")]
    NotOneTraversal,
    /// More text than the limits allow.
    #[error("the text has {bytes} bytes, more than the limit of {limit}")]
    TooLong {
        /// Bytes in the text.
        bytes: usize,
        /// The limit, in bytes.
        limit: usize,
    },
    /// Deeper nesting than the limits allow.
    #[error("nested deeper than the limit of {limit}")]
    TooDeep {
        /// The limit, in levels of nesting.
        limit: u32,
    },
    /// More elements in ranges and spread collections than the limits allow.
    #[error("ranges and collections make more than the limit of {limit} values")]
    TooMany {
        /// The limit, in values.
        limit: usize,
    },
}

/// Writes `line 1, column 7: `, or nothing.
struct Place(Option<Position>);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(at) => write!(f, "line {}, column {}: ", at.line, at.column),
            None => Ok(()),
        }
    }
}

/// Writes `; did you mean `x`?`, or nothing.
struct Nearest<'a>(&'a Option<String>);

impl fmt::Display for Nearest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, "; did you mean `{name}`?"),
            None => Ok(()),
        }
    }
}
