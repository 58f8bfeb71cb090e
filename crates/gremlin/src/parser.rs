//! Gremlin text to a [`Query`]: recursive descent over the TinkerPop 3.8.1 grammar, in one pass.
//!
//! The grammar's overloads are not told apart while reading: [`argument`] reads any argument, and
//! [`crate::signature`] then holds the whole call to the step's forms.
//!
//! A little more than the grammar is understood: where it wants a literal, a variable that is bound to a fitting value
//! does as well; the constants of `with` are values everywhere; any value can be a map's key; and `aggregate(scope, key)`,
//! `store(key)` and `none()` are taken as TinkerPop 3.7 means them. One thing less: a traversal with a terminal method
//! as a literal (`g.inject(g.V().toList())`), which TinkerPop would run while it reads.

mod argument;
mod chain;
mod collection;
mod predicate;
mod statement;
mod statements;
mod strategy;
mod sums;
mod token;

use std::collections::BTreeMap;

use values::{Str, watch};

pub use argument::is_own_word;
pub use statements::Statements;

use crate::cursor::{Cursor, Mark};
use crate::{Argument, ParseError, ParseErrorKind, ParseLimits, ParseOptions, Query, Traversal};

/// What a text's variables stand for: values, mostly; tokens, predicates, and collections that hold such.
pub type Bindings = BTreeMap<Str, Argument>;

/// Reads Gremlin text with the default limits, its statements beginning with `g`.
///
/// ```
/// let query = gremlin::parse("g.V().has('Person','id',933L).values('firstName')", &Default::default())?;
/// let (traversal, _) = query.into_traversal()?;
/// assert_eq!(traversal.steps.len(), 3);
/// # Ok::<(), gremlin::ParseError>(())
/// ```
///
/// # Errors
/// When the text is not Gremlin, names a variable that is not bound, or exceeds a limit; the error says where and what
/// was expected.
pub fn parse(text: &str, bindings: &Bindings) -> Result<Query, ParseError> {
    parse_with(text, bindings, &ParseOptions::default())
}

/// As [`parse`], with limits and names of traversal sources.
///
/// # Errors
/// As [`parse`].
pub fn parse_with(text: &str, bindings: &Bindings, options: &ParseOptions<'_>) -> Result<Query, ParseError> {
    Parser::new(text, bindings, options).and_then(Parser::query).map_err(|refusal| *refusal)
}

/// Reads one traversal, from `g` or anonymous, without a terminal method.
///
/// # Errors
/// As [`parse`]; also when the text is not exactly one traversal.
pub fn parse_traversal(text: &str, bindings: &Bindings) -> Result<Traversal, ParseError> {
    let options = ParseOptions::default();
    Parser::new(text, bindings, &options).and_then(Parser::lone_traversal).map_err(|refusal| *refusal)
}

/// Deepest nesting of collections in parameters, as with TinkerPop 4.
const PARAMETERS_DEPTH: u32 = 32;

/// Reads the parameters of a request of TinkerPop 4: a map of literals by names, such as `["x":1,"names":["ada"]]`. No traversal can
/// come in that way.
///
/// ```
/// let parameters = gremlin::parse_parameters(r#"["x":1,"y":[1L,2L],"z":Cardinality.set]"#)?;
/// assert_eq!(parameters.len(), 3);
/// # Ok::<(), gremlin::ParseError>(())
/// ```
///
/// # Errors
/// When the text is anything else, or nested more than 32 deep; the error says where.
pub fn parse_parameters(text: &str) -> Result<Vec<(Argument, Argument)>, ParseError> {
    let defaults = ParseLimits::default();
    let limits = ParseLimits { text_bytes: text.len(), depth: PARAMETERS_DEPTH, ..defaults };
    let options = ParseOptions { limits, sources: &[] };
    Parser::new(text, &Bindings::new(), &options).and_then(Parser::lone_map).map_err(|refusal| *refusal)
}

/// An error in a box: results are handed up through many frames of recursion, and should be small.
type Refusal = Box<ParseError>;

type Result<T, E = Refusal> = std::result::Result<T, E>;

/// The state of reading one text.
struct Parser<'t, 'b> {
    cursor: Cursor<'t>,
    bindings: &'b Bindings,
    options: &'b ParseOptions<'b>,
    /// Arguments around the cursor.
    depth: u32,
    /// Values that ranges, spread collections and copies of what is bound have made.
    values: usize,
    /// Those that ranges have made, also in the statements before where each is read by a parser of its own. The others depend on
    /// variables, and a text that is looked through before it is run must come to the same then.
    in_ranges: usize,
    /// Whether a statement may keep its result in a variable, or be a value.
    keeps: bool,
}

impl<'t, 'b> Parser<'t, 'b> {
    /// At the beginning of a text.
    fn new(text: &'t str, bindings: &'b Bindings, options: &'b ParseOptions<'b>) -> Result<Self> {
        Self::at(text, None, bindings, options)
    }

    /// Where another one stood in the text; `None`: at its beginning. What is before that is not looked at again: a text may have
    /// millions of statements.
    fn at(
        text: &'t str,
        mark: Option<Mark>,
        bindings: &'b Bindings,
        options: &'b ParseOptions<'b>,
    ) -> Result<Self> {
        let (bytes, limit) = (text.len(), options.limits.text_bytes);
        if bytes > limit {
            return Err(Box::new(ParseError { at: None, kind: ParseErrorKind::TooLong { bytes, limit } }));
        }
        let cursor = match mark {
            Some(mark) => Cursor::resume(text, mark),
            None => Cursor::new(text),
        };
        Ok(Self { cursor, bindings, options, depth: 0, values: 0, in_ranges: 0, keeps: false })
    }

    /// The error of `kind` at a byte offset.
    #[cold]
    fn error(&mut self, offset: usize, kind: ParseErrorKind) -> Refusal {
        Box::new(ParseError { at: Some(self.cursor.position(offset)), kind })
    }

    /// The error that something else than what stands at `offset` was expected.
    #[cold]
    fn unexpected(&mut self, offset: usize, expected: impl Into<String>) -> Refusal {
        let found = self.cursor.describe(offset);
        self.error(offset, ParseErrorKind::Unexpected { found, expected: expected.into() })
    }

    /// As [`Self::unexpected`], at the cursor.
    #[cold]
    fn unexpected_here(&mut self, expected: impl Into<String>) -> Refusal {
        self.unexpected(self.cursor.offset(), expected)
    }

    /// Takes `token`, which must be there.
    #[inline]
    fn expect(&mut self, token: u8, expected: &str) -> Result<()> {
        if self.cursor.eat(token) { Ok(()) } else { Err(self.unexpected_here(expected)) }
    }

    /// Takes a word, which must be there, with its offset.
    #[inline]
    fn expect_word(&mut self, expected: &str) -> Result<(&'t str, usize)> {
        let offset = self.cursor.offset();
        self.cursor.word().map(|word| (word, offset)).ok_or_else(|| self.unexpected(offset, expected))
    }

    /// Takes `(` and `)`.
    fn no_arguments(&mut self) -> Result<()> {
        self.expect(b'(', "`(`")?;
        self.expect(b')', "`)`")
    }

    /// Counts values that the text makes out of few characters.
    fn count_values(&mut self, offset: usize, count: usize) -> Result<()> {
        self.values = self.values.saturating_add(count);
        let limit = self.options.limits.values;
        if self.values > limit {
            return Err(self.error(offset, ParseErrorKind::TooMany { limit }));
        }
        // Each is made within a tick.
        watch::ticks(count);
        Ok(())
    }

    /// Counts the values of a range: a text of many short statements makes no more of them than one of a long one.
    fn count_range(&mut self, offset: usize, count: usize) -> Result<()> {
        self.in_ranges = self.in_ranges.saturating_add(count);
        let limit = self.options.limits.values;
        if self.in_ranges > limit {
            return Err(self.error(offset, ParseErrorKind::TooMany { limit }));
        }
        self.count_values(offset, count)
    }

    /// Whether statements can begin with `word`.
    fn is_source(&self, word: &str) -> bool {
        self.options.sources.contains(&word)
    }
}
