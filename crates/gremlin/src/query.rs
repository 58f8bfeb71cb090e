//! What one request asks for: statements, each a traversal with what to do with its results.

use values::{Str, Value};

use crate::{Instruction, ParseError, ParseErrorKind, SourceName, Traversal};

/// Gremlin text, read: its statements in order. The answer is the last one's.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Query {
    /// The statements; at least one when it was parsed from text.
    pub statements: Vec<Statement>,
}

/// One statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The variable that its result is kept in: `x` of `x = g.V().next()`.
    pub variable: Option<Str>,
    /// The name of the traversal source it begins with, such as `g`; empty for [`Action::Nothing`] and [`Action::Value`].
    pub graph: Str,
    /// What is to be done.
    pub action: Action,
    /// Whether it ends in `toString()`: the answer is then the result's text.
    pub as_text: bool,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Runs a traversal.
    Traverse(Traversal, Terminal),
    /// Names a traversal source, configured or not, and spawns nothing: `g`, `g.with('x')`.
    Source(Vec<Instruction<SourceName>>),
    /// `g.tx().begin()`.
    Begin,
    /// `g.tx().commit()`.
    Commit,
    /// `g.tx().rollback()`, or `g.tx().close()`, which does the same.
    Rollback,
    /// A literal, or the value of a variable. Only in a text that is read statement by statement ([`crate::Statements`]).
    Value(Value),
    /// The empty query, written `''`.
    Nothing,
}

/// What is to be done with a traversal's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Terminal {
    /// Nothing was said: all results are sent, as for [`Terminal::ToList`].
    #[default]
    Unsaid,
    /// `toList()`: all results.
    ToList,
    /// `toSet()`: all results, without repetitions.
    ToSet,
    /// `toBulkSet()`: all results, equal ones together.
    ToBulkSet,
    /// `next()`: the first result; there must be one.
    Next,
    /// `next(n)`: at most the first `n` results.
    NextMany(i64),
    /// `tryNext()`: the first result, if there is one.
    TryNext,
    /// `hasNext()`: whether there is a result.
    HasNext,
    /// `iterate()`: run it, and send nothing.
    Iterate,
    /// `explain()`: do not run it; tell how it would be run.
    Explain,
}

impl Terminal {
    /// The method's name in Gremlin; `None` where nothing was said.
    pub fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::Unsaid => return None,
            Self::ToList => "toList",
            Self::ToSet => "toSet",
            Self::ToBulkSet => "toBulkSet",
            Self::Next | Self::NextMany(_) => "next",
            Self::TryNext => "tryNext",
            Self::HasNext => "hasNext",
            Self::Iterate => "iterate",
            Self::Explain => "explain",
        })
    }

    /// The terminal of that name, called without arguments.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "toList" => Self::ToList,
            "toSet" => Self::ToSet,
            "toBulkSet" => Self::ToBulkSet,
            "next" => Self::Next,
            "tryNext" => Self::TryNext,
            "hasNext" => Self::HasNext,
            "iterate" => Self::Iterate,
            "explain" => Self::Explain,
            _ => return None,
        })
    }
}

impl Query {
    /// The one traversal that this query is, with what to do with its results.
    ///
    /// # Errors
    /// [`ParseErrorKind::NotOneTraversal`] when there is more than one statement or it is not a traversal.
    pub fn into_traversal(self) -> Result<(Traversal, Terminal), ParseError> {
        let mut statements = self.statements.into_iter();
        match (statements.next(), statements.next()) {
            (
                Some(Statement {
                    action: Action::Traverse(traversal, terminal),
                    as_text: false,
                    variable: None,
                    ..
                }),
                None,
            ) => Ok((traversal, terminal)),
            _ => Err(ParseError { at: None, kind: ParseErrorKind::NotOneTraversal }),
        }
    }
}
