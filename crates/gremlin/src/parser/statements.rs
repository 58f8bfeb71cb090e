//! A text read statement by statement, each with the variables that those before it have set.

use values::Str;

use super::{Bindings, Parser, Result, token};
use crate::cursor::Mark;
use crate::{Action, ParseError, ParseErrorKind, ParseOptions, Statement};

/// The statements of a text, one after the other: what a later one says may depend on what an earlier one came to.
///
/// Beside the statements of [`crate::parse`] it reads `x = …`, `def x = …`, and values: `x`, `[1, 2]`, `'text'`, `1 + 1`.
///
/// ```
/// # use gremlin::{Action, Bindings, Statements};
/// let mut statements = Statements::new("x = 7; g.V(x)");
/// let mut bindings = Bindings::new();
/// let first = statements.next(&bindings, &Default::default())?.unwrap();
/// assert_eq!(first.action, Action::Value(7.into()));
/// bindings.insert(first.variable.unwrap(), values::Value::from(7).into());
/// let second = statements.next(&bindings, &Default::default())?.unwrap();
/// assert_eq!(second.to_string(), "g.V(7)");
/// assert!(statements.is_done());
/// # Ok::<(), gremlin::ParseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Statements {
    text: Str,
    /// Where the next one begins; `None`: none has been read.
    next: Option<Mark>,
    /// Values that the ranges of those before it have made.
    in_ranges: usize,
}

impl Statements {
    /// Those of a text, none of which has been read.
    pub fn new(text: impl Into<Str>) -> Self {
        Self { text: text.into(), next: None, in_ranges: 0 }
    }

    /// Whether all have been read.
    pub fn is_done(&self) -> bool {
        // A text has at least one, so that there is an error to tell of one that has none.
        self.next.is_some_and(|next| next.at >= self.text.len())
    }

    /// Reads the next one; `None` when all have been read.
    ///
    /// # Errors
    /// As [`crate::parse`], of this statement. It is read again when asked again.
    pub fn next(
        &mut self,
        bindings: &Bindings,
        options: &ParseOptions<'_>,
    ) -> Result<Option<Statement>, ParseError> {
        if self.is_done() {
            return Ok(None);
        }
        let parser = Parser::at(&self.text, self.next, bindings, options);
        let mut parser = parser.map_err(|refusal| *refusal)?;
        parser.in_ranges = self.in_ranges;
        let statement = parser.one().map_err(|refusal| *refusal)?;
        (self.next, self.in_ranges) = (Some(parser.cursor.mark()), parser.in_ranges);
        Ok(Some(statement))
    }
}

impl<'t> Parser<'t, '_> {
    /// The statement at the cursor, which then stands where the next one begins.
    fn one(&mut self) -> Result<Statement> {
        self.keeps = true;
        let statement = self.statement()?;
        let semicolon = self.cursor.eat(b';');
        match self.cursor.peek() {
            None | Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'\'' | b'"' | 0x80..) => {}
            Some(b'0'..=b'9' | b'[' | b'{' | b'-' | b'+') if semicolon => {}
            Some(_) if semicolon => return Err(self.unexpected_here("a statement")),
            Some(_) => return Err(self.unexpected_here("`.` and a step, `;`, or the end")),
        }
        Ok(statement)
    }

    /// A statement that sets a variable, or is a value; `None`, and nothing read, if it is another one.
    pub(super) fn kept_statement(&mut self) -> Result<Option<Statement>> {
        let start = self.cursor.offset();
        let rest = self.cursor.rest();
        match self.cursor.peek() {
            Some(b'0'..=b'9' | b'[' | b'{' | b'-' | b'+') => return self.value_statement().map(Some),
            Some(b'\'' | b'"') if !(rest.starts_with("''") || rest.starts_with("\"\"")) => {
                return self.value_statement().map(Some);
            }
            _ => {}
        }
        let Some(mut name) = self.cursor.word() else { return Ok(None) };
        if name == "def" && self.cursor.peek() != Some(b'=') {
            name = self.expect_word("the name of a variable")?.0;
        }
        if self.cursor.peek() == Some(b'=') && !self.cursor.rest().starts_with("==") {
            if self.is_source(name) || token::bare(name).is_some() || is_constant(name) {
                return Err(self.unexpected_here("another name before it: this is a word of Gremlin's own"));
            }
            let limit = self.options.limits.depth;
            if self.depth >= limit {
                return Err(self.error(start, ParseErrorKind::TooDeep { limit }));
            }
            self.cursor.advance(1);
            let value = self.cursor.offset();
            // No deeper than the stack, though `x = y = 1` is refused: it would set one of the two.
            self.depth += 1;
            let statement = self.statement()?;
            self.depth -= 1;
            if statement.variable.is_some() {
                return Err(self.unexpected(value, "a traversal or a value: set variables one by one"));
            }
            return Ok(Some(Statement { variable: Some(name.into()), ..statement }));
        }
        self.cursor.go_back(start);
        let is_value = is_constant(name) || self.bindings.contains_key(name);
        if is_value && !self.is_source(name) { self.value_statement().map(Some) } else { Ok(None) }
    }

    fn value_statement(&mut self) -> Result<Statement> {
        let value = self.sum()?;
        let as_text = self.maybe_to_string()?;
        Ok(Statement { variable: None, graph: Str::new(), action: Action::Value(value), as_text })
    }
}

fn is_constant(word: &str) -> bool {
    matches!(word, "null" | "true" | "false")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use values::watch::{Ended, Watch, watched};

    use super::*;
    use crate::ParseLimits;

    /// The statements of a text as they are printed, with a value of 1 for each variable that is set.
    fn read(text: &str) -> Result<Vec<String>, ParseError> {
        let (mut statements, mut bindings) = (Statements::new(text), Bindings::new());
        let mut printed = Vec::new();
        while let Some(statement) = statements.next(&bindings, &ParseOptions::default())? {
            printed.push(statement.to_string());
            statement
                .variable
                .into_iter()
                .for_each(|name| drop(bindings.insert(name, values::Value::from(1).into())));
        }
        Ok(printed)
    }

    #[test]
    fn statements_are_read_one_by_one_with_what_is_known_by_then() {
        let printed =
            read("x = g.V().next(); def y = [2, 'z']\n g.V(x).is(y); x; ''; g.tx().commit()").unwrap();
        let expected = ["x = g.V().next()", "y = [2, 'z']", "g.V(1).is(1)", "1", "''", "g.tx().commit()"];
        assert_eq!(printed, expected);
        assert_eq!(read("g.V(); 1; 'a'").unwrap(), ["g.V()", "1", "'a'"]);
        assert_eq!(read("''").unwrap(), ["''"]);
    }

    #[test]
    fn sums_of_values_are_values() {
        let printed =
            read("1 + 1; 2 * 3 - 4; 1 - -1\n; 'a' + 1 + 'b'; '-' * 3; x = 1 + 1; x + x; 1.5 + 1").unwrap();
        assert_eq!(printed, ["2", "2", "2", "'a1b'", "'---'", "x = 2", "2", "2.5d"]);
        for (text, says) in [
            ("1 + 'a' * -1", "less than no times"),
            ("'a' * 100000", "too long a text"),
            ("1 - 'a'", "number"),
            ("'a' + [1]", "a value of type"),
            ("1 / 0", "found `/`"),
            ("1 +", "expected"),
            ("g.V(1 + 1)", "expected"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
        let long = read(&format!("1{}", " + 1".repeat(1_001))).unwrap_err();
        assert!(long.to_string().contains("too many parts"), "{long}");
        let large = read(&format!("9{}", " * 99999999999999999".repeat(200))).unwrap_err();
        assert!(
            large.to_string().contains("too large a number") || large.to_string().contains("overflow"),
            "{large}"
        );
    }

    /// Counts how often a watch is looked at, and ends the work when that was often enough.
    struct Looks {
        seen: AtomicUsize,
        most: usize,
    }

    impl Watch for Looks {
        fn must_end(&self) -> bool {
            self.seen.fetch_add(1, Ordering::Relaxed) >= self.most
        }
    }

    /// Reads all statements of a text under a watch that is looked at so often at most: whether it came to the end, and the looks.
    fn watched_read(text: &str, most: usize) -> (Result<(), Ended>, usize) {
        let looks = Arc::new(Looks { seen: AtomicUsize::new(0), most });
        let limits = ParseLimits { text_bytes: usize::MAX, ..ParseLimits::default() };
        let options = ParseOptions { limits, ..ParseOptions::default() };
        let ended = watched(looks.clone(), || {
            let (mut statements, bindings) = (Statements::new(text), Bindings::new());
            while statements.next(&bindings, &options).unwrap().is_some() {}
        });
        (ended, looks.seen.load(Ordering::Relaxed))
    }

    #[test]
    fn whatever_a_text_is_long_of_its_watch_ends_the_reading() {
        for text in [
            "''".repeat(20_000),
            "g;".repeat(20_000),
            format!("''{}", ".toString()".repeat(20_000)),
            format!("g{}", ".withPath()".repeat(20_000)),
            format!("g.V(){}", ".out()".repeat(20_000)),
            format!("g.withoutStrategies(A{}).V()", ",A".repeat(20_000)),
            format!("{}''", " ".repeat(1 << 20)),
            format!("//{}\n''", "-".repeat(1 << 20)),
            "''//\n".repeat(20_000),
        ] {
            assert_eq!(watched_read(&text, 0).0, Err(Ended), "{}", &text[..40]);
        }
    }

    #[test]
    fn what_ranges_make_is_bounded_over_all_statements_and_what_variables_make_in_each() {
        let limits = ParseLimits { values: 10, ..ParseLimits::default() };
        let options = ParseOptions { limits, ..ParseOptions::default() };
        let eight = values::Value::list((0..8).map(values::Value::Int).collect::<Vec<_>>());
        let bindings = Bindings::from([("v".into(), eight.into())]);
        let all = |statements: &mut Statements| -> Result<usize, ParseErrorKind> {
            let mut count = 0;
            while statements.next(&bindings, &options).map_err(|error| error.kind)?.is_some() {
                count += 1;
            }
            Ok(count)
        };
        let too_many: Result<usize, ParseErrorKind> = Err(ParseErrorKind::TooMany { limit: 10 });
        let prefix = "x".repeat(64);
        for (text, outcome) in [
            ("1..10", Ok(1)),
            ("1..11", too_many.clone()),
            ("1..5; x = 1..4; 'a'", Ok(3)),
            ("1..5; x = 1..4; 'a'..'b'", too_many.clone()),
            ("g.V().is(within(v)); g.V().is(within(v)); v", Ok(3)),
            (format!("'{prefix}a'..'{prefix}c'").as_str(), Ok(1)),
            (format!("'{prefix}a'..'{prefix}d'").as_str(), too_many.clone()),
        ] {
            assert_eq!(all(&mut Statements::new(text)), outcome, "{text}");
        }
        // A copy of what is left counts for itself, and a statement that is refused is refused again.
        let mut statements = Statements::new("1..5; 1..5; 1");
        assert!(statements.next(&bindings, &options).is_ok());
        assert_eq!((all(&mut statements.clone()), all(&mut statements)), (Ok(2), Ok(2)));
        let mut statements = Statements::new("1..5; 1..6");
        assert_eq!((all(&mut statements), all(&mut statements)), (too_many.clone(), too_many));
    }

    #[test]
    fn what_stands_before_the_first_statement_is_passed_over_once() {
        let (blanks, statements) = (1 << 16, 1_000);
        let (ended, looks) =
            watched_read(&format!("{}{}", " ".repeat(blanks), "''".repeat(statements)), usize::MAX);
        // As many as for both, one after the other; it was one for each statement.
        assert!(ended.is_ok() && (1..100).contains(&looks), "{looks}");
    }

    #[test]
    fn what_is_no_statement_is_refused_where_it_stands() {
        for (text, column) in [
            ("", 1),
            ("x", 1),
            ("x = ", 5),
            ("g = 1", 3),
            ("x == 1", 1),
            ("g.V() 1", 7),
            ("1; ,", 4),
            ("gt(1)", 1),
            ("all = 1", 5),
            ("x = y = 1", 5),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!(error.at.map(|at| at.column), Some(column), "{text}: {error}");
        }
        let deep = read(&format!("{}1", "x = ".repeat(100_000 / 8))).unwrap_err();
        assert!(matches!(deep.kind, ParseErrorKind::TooDeep { .. }), "{deep}");
        let error = read("x = 1; g.V(z)").unwrap_err();
        assert!(matches!(error.kind, ParseErrorKind::UnknownVariable { name, .. } if name == "z"));
    }
}
