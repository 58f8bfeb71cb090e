//! A script of several statements, read one by one as they are run.

use std::collections::{BTreeSet, VecDeque};

use gremlin::{Action, Bindings, ParseErrorKind, ParseLimits, ParseOptions, Statement, Statements};
use values::Str;

use crate::Error;

/// The statements that are still to be run.
///
/// What a statement says may depend on the variables that those before it set, so it is read when its turn comes. What can be
/// found wrong before the first one runs is found then: a script with a mistake does nothing.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    /// Those that are read already.
    ahead: VecDeque<Statement>,
    rest: Statements,
    /// The name that they begin with.
    source: Str,
}

/// How scripts are read. They may be as long as a request may be, of which the server has a bound; a program that calls the library
/// may say what it likes.
pub(super) fn reading<'a>(sources: &'a [&'a str]) -> ParseOptions<'a> {
    ParseOptions { sources, limits: ParseLimits { text_bytes: usize::MAX, ..ParseLimits::default() } }
}

impl Plot {
    /// A script of which the first statement is read.
    ///
    /// # Errors
    /// As [`gremlin::parse`], as far as it does not depend on what the statements come to.
    pub(super) fn new(
        first: Statement,
        rest: Statements,
        source: &str,
        bindings: &Bindings,
    ) -> Result<Self, Error> {
        let plot = Self { ahead: VecDeque::from([first]), rest, source: source.into() };
        plot.check(bindings)?;
        Ok(plot)
    }

    /// A script whose statements begin with `source`.
    ///
    /// # Errors
    /// As [`gremlin::parse`], as far as it does not depend on what the statements come to.
    pub(crate) fn read(text: &str, source: &str, bindings: &Bindings) -> Result<Self, Error> {
        let sources = [source];
        let options = reading(&sources);
        let mut rest = Statements::new(text);
        let ahead = rest.next(bindings, &options)?.into_iter().collect();
        let plot = Self { ahead, rest, source: source.into() };
        plot.check(bindings)?;
        Ok(plot)
    }

    /// Whether it is one statement.
    pub(crate) fn is_lone(&self) -> bool {
        self.ahead.len() == 1 && self.rest.is_done()
    }

    /// Its statement, if it is one that runs a traversal and keeps nothing of it.
    pub(crate) fn lone_traversal(&self) -> Option<&Statement> {
        self.ahead.front().filter(|statement| {
            self.is_lone() && statement.variable.is_none() && matches!(statement.action, Action::Traverse(..))
        })
    }

    /// One statement, read by whoever has it.
    pub(crate) fn of(statement: Statement) -> Self {
        let mut rest = Statements::new("''");
        // It says nothing, and is the last.
        let read = rest.next(&Bindings::new(), &ParseOptions::default());
        debug_assert!(read.is_ok() && rest.is_done());
        Self { ahead: VecDeque::from([statement]), rest, source: Str::from("g") }
    }

    /// The next statement, and whether it is the last; `None` when there is none.
    ///
    /// # Errors
    /// As [`gremlin::parse`].
    pub(crate) fn next(&mut self, variables: &Bindings) -> Result<Option<(Statement, bool)>, Error> {
        let statement = match self.ahead.pop_front() {
            Some(statement) => Some(statement),
            None => {
                let sources = [self.source.as_str()];
                let options = reading(&sources);
                self.rest.next(variables, &options)?
            }
        };
        let is_last = self.ahead.is_empty() && self.rest.is_done();
        Ok(statement.map(|statement| (statement, is_last)))
    }

    /// The statement that comes next, if it is read already.
    pub(crate) fn first(&self) -> Option<&Statement> {
        self.ahead.front()
    }

    /// Reads all statements up to one that needs what another comes to.
    fn check(&self, bindings: &Bindings) -> Result<(), Error> {
        let sources = [self.source.as_str()];
        let options = reading(&sources);
        let (mut rest, mut known, mut set) = (self.rest.clone(), bindings.clone(), BTreeSet::new());
        let mut keep = |statement: &Statement, known: &mut Bindings| {
            if let Some(variable) = &statement.variable {
                known.remove(variable);
                set.insert(variable.clone());
            }
            set.len()
        };
        for statement in &self.ahead {
            keep(statement, &mut known);
        }
        loop {
            match rest.next(&known, &options) {
                Ok(Some(statement)) => drop(keep(&statement, &mut known)),
                Ok(None) => return Ok(()),
                Err(error) => {
                    let missing = match &error.kind {
                        ParseErrorKind::UnknownVariable { name, .. }
                        | ParseErrorKind::UnknownSource { name, .. } => name.trim_end_matches('…'),
                        _ => return Err(error.into()),
                    };
                    let is_set = set.iter().any(|variable| variable.starts_with(missing));
                    return if is_set { Ok(()) } else { Err(error.into()) };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use values::Value;

    use super::*;
    use crate::request::script::{Read, Request};

    fn plot(text: &str, bindings: &Bindings) -> Result<Plot, Error> {
        match Request::read(text, "g", bindings)? {
            Read::Several(plot) => Ok(plot),
            Read::One(_) => panic!("{text} is one"),
        }
    }

    #[test]
    fn statements_are_read_with_what_is_known_when_their_turn_comes() {
        let mut variables = Bindings::from([("x".into(), Value::from("old").into())]);
        let mut plot = plot("x = 7; g.V(x)", &variables).unwrap();
        let (first, is_last) = plot.next(&variables).unwrap().unwrap();
        assert_eq!((first.variable.as_deref(), is_last), (Some("x"), false));
        variables.insert("x".into(), Value::Int(7).into());
        let (second, is_last) = plot.next(&variables).unwrap().unwrap();
        assert_eq!((second.to_string(), is_last), ("g.V(7)".to_owned(), true));
        assert!(plot.next(&variables).unwrap().is_none());
    }

    #[test]
    fn a_mistake_is_found_before_anything_runs_unless_it_depends_on_what_ran() {
        let none = Bindings::new();
        for wrong in ["g.addV(); g.addV(", "x = 1; g.W()", "g.addV(); g.V(y)", "x = g.V().next(); h.V()"] {
            assert!(plot(wrong, &none).is_err(), "{wrong}");
        }
        for unknown in ["x = 1; g.V(x).limit(x)", "x = 1; x", "x = 1; y = x; g.V(y"] {
            assert!(plot(unknown, &none).is_ok(), "{unknown}");
        }
        let numbers = Bindings::from([("x".into(), Value::Int(1).into())]);
        assert!(plot("x = 'text'; g.V().limit(x)", &numbers).is_ok(), "it is not the x of before");
    }
}
