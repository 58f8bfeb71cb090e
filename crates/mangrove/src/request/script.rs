//! From a script's text to the one traversal to run.

use gremlin::{
    Action, Argument, Bindings, Instruction, SourceName, Statement, Statements, StepName, Terminal, Traversal,
};
use values::{Str, Value};

use super::plot::{Plot, reading};
use crate::Error;

/// What a request asks for, whichever way it was written.
#[derive(Debug)]
pub(crate) struct Request {
    /// What to run.
    pub(crate) traversal: Traversal,
    /// What is done with it.
    pub(crate) mode: Mode,
}

/// What a text asks for.
#[derive(Debug)]
pub(crate) enum Read {
    /// One traversal, or nothing.
    One(Request),
    /// Several statements, or one that does something else.
    Several(Plot),
}

/// What is done with a traversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Run it and send its results.
    Run,
    /// The same, but no result is an error.
    RunForOne,
    /// Tell how it would be run.
    Explain,
    /// Nothing: the script is empty.
    Nothing,
}

impl Request {
    /// Bytecode: a traversal as it came.
    pub(crate) fn bytecode(mut traversal: Traversal) -> Self {
        plain_options(&mut traversal);
        Self { traversal, mode: Mode::Run }
    }

    /// Parses a script that is one traversal from `source`.
    ///
    /// # Errors
    /// As [`Request::read`], and for any other script.
    pub(crate) fn parse(text: &str, source: &str, bindings: &Bindings) -> Result<Self, Error> {
        match Self::read(text, source, bindings)? {
            Read::One(request) => Ok(request),
            Read::Several(plot) => Err(several(&plot)),
        }
    }

    /// Parses a script whose statements begin with `source`.
    ///
    /// # Errors
    /// When it is not Gremlin, or says what cannot be done.
    pub(crate) fn read(text: &str, source: &str, bindings: &Bindings) -> Result<Read, Error> {
        let sources = [source];
        let options = reading(&sources);
        let mut statements = Statements::new(text);
        let Some(first) = statements.next(bindings, &options)? else {
            return Ok(Read::One(Self { traversal: Traversal::default(), mode: Mode::Nothing }));
        };
        let is_traversal = matches!(first.action, Action::Traverse(..) | Action::Nothing | Action::Source(_));
        if statements.is_done() && first.variable.is_none() && is_traversal {
            return Self::of_statement(first).map(Read::One);
        }
        Plot::new(first, statements, source, bindings).map(Read::Several)
    }

    /// A statement that is a traversal, or nothing.
    ///
    /// # Errors
    /// If it is another one.
    pub(crate) fn of_statement(statement: Statement) -> Result<Self, Error> {
        if statement.as_text {
            return Err(Error::Script("toString() is not supported yet; leave it out".into()));
        }
        match statement.action {
            Action::Traverse(mut traversal, terminal) => {
                plain_options(&mut traversal);
                let mode = apply(&mut traversal, terminal)?;
                Ok(Self { traversal, mode })
            }
            Action::Nothing => Ok(Self { traversal: Traversal::default(), mode: Mode::Nothing }),
            Action::Source(_) => Err(Error::Script(format!(
                "{} alone spawns no traversal; go on with .V() or another start step",
                statement.graph
            ))),
            Action::Value(_) | Action::Begin | Action::Commit | Action::Rollback => {
                Err(Error::Script("this is no traversal".into()))
            }
        }
    }
}

/// Why a script is refused where one traversal is wanted.
pub(crate) fn several(plot: &Plot) -> Error {
    let ends =
        |statement: &Statement| matches!(statement.action, Action::Begin | Action::Commit | Action::Rollback);
    let problem = if plot.first().is_some_and(ends) {
        "tx() needs a session of the server, or a transaction of the library (Database::transaction); a script of its own is a \
         transaction and commits when it ends"
    } else {
        "several statements in one script, and variables, are understood by the server; here, run them one by one, in one \
         transaction if they belong together"
    };
    Error::Script(problem.into())
}

/// Drivers send `with(key, value)` as `withStrategies(OptionsStrategy)`; written out, there is one form to look for.
fn plain_options(traversal: &mut Traversal) {
    let is_options =
        |argument: &Argument| matches!(argument, Argument::Strategy(s) if s.name == "OptionsStrategy");
    let mut plain = Vec::with_capacity(traversal.source.len());
    for mut call in std::mem::take(&mut traversal.source) {
        if call.name != SourceName::WithStrategies || !call.args.iter().any(is_options) {
            plain.push(call);
            continue;
        }
        let (options, others) = std::mem::take(&mut call.args).into_iter().partition::<Vec<_>, _>(is_options);
        for option in options {
            let Argument::Strategy(strategy) = option else { continue };
            plain.extend(strategy.configuration.into_iter().map(|(key, value)| Instruction {
                name: SourceName::With,
                args: vec![Argument::Value(key.into()), value],
                at: call.at,
            }));
        }
        if !others.is_empty() {
            call.args = others;
            plain.push(call);
        }
    }
    traversal.source = plain;
}

/// Appends the steps that say what a terminal method says.
fn apply(traversal: &mut Traversal, terminal: Terminal) -> Result<Mode, Error> {
    // A profile is one result, and no step stands behind it.
    let is_profile = traversal.steps.iter().any(|step| step.name == StepName::Profile);
    let mut step = |name, args| traversal.steps.push(Instruction { name, args, at: None });
    let limit = |n: i64| vec![Argument::Value(Value::Long(n))];
    match terminal {
        Terminal::Unsaid | Terminal::ToList | Terminal::ToBulkSet => {}
        Terminal::Explain => return Ok(Mode::Explain),
        Terminal::ToSet => step(StepName::Dedup, Vec::new()),
        Terminal::Iterate => step(StepName::Discard, Vec::new()),
        Terminal::TryNext | Terminal::NextMany(1..) if is_profile => {}
        Terminal::Next if is_profile => return Ok(Mode::RunForOne),
        Terminal::TryNext => step(StepName::Limit, limit(1)),
        Terminal::Next => {
            step(StepName::Limit, limit(1));
            return Ok(Mode::RunForOne);
        }
        Terminal::NextMany(n) if n >= 0 => step(StepName::Limit, limit(n)),
        Terminal::NextMany(n) => {
            return Err(Error::Script(format!("next({n}): the number must not be negative")));
        }
        Terminal::HasNext => {
            let anonymous = |name: StepName, value: Value| {
                let steps = vec![Instruction { name, args: vec![Argument::Value(value)], at: None }];
                Argument::Traversal(Traversal { source: Vec::new(), steps })
            };
            step(StepName::Limit, limit(1));
            step(StepName::Count, Vec::new());
            step(
                StepName::Choose,
                vec![
                    anonymous(StepName::Is, Value::Long(1)),
                    anonymous(StepName::Constant, Value::Bool(true)),
                    anonymous(StepName::Constant, Value::Bool(false)),
                ],
            );
        }
    }
    Ok(Mode::Run)
}

/// Bindings from pairs.
pub(crate) fn bindings<K, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Bindings
where
    K: Into<Str>,
    V: Into<Argument>,
{
    pairs.into_iter().map(|(name, bound)| (name.into(), bound.into())).collect()
}

#[cfg(test)]
mod tests {
    use gremlin::Strategy;

    use super::*;

    fn parse(text: &str) -> Result<Request, Error> {
        Request::parse(text, "g", &Bindings::new())
    }

    fn steps(text: &str) -> Vec<&'static str> {
        parse(text).unwrap().traversal.steps.iter().map(|step| step.name.as_str()).collect()
    }

    #[test]
    fn terminal_methods_become_steps() {
        assert_eq!(steps("g.V().toList()"), ["V"]);
        assert_eq!(steps("g.V().iterate()"), ["V", "discard"]);
        assert_eq!(steps("g.V().next()"), ["V", "limit"]);
        assert_eq!(steps("g.V().profile().next()"), ["V", "profile"]);
        assert_eq!(steps("g.V().profile('x').cap('x').tryNext()"), ["V", "profile", "cap"]);
        assert_eq!(parse("g.V().profile().next()").unwrap().mode, Mode::RunForOne);
        assert_eq!(steps("g.V().hasNext()"), ["V", "limit", "count", "choose"]);
        assert_eq!(parse("g.V().next()").unwrap().mode, Mode::RunForOne);
        assert_eq!(parse("g.V().explain()").unwrap().mode, Mode::Explain);
    }

    #[test]
    fn what_is_no_single_traversal_is_refused_with_a_reason() {
        for (text, reason) in
            [("g.V(); g.E()", "several statements"), ("g.tx().commit()", "session"), ("g", "start step")]
        {
            let message = parse(text).unwrap_err().to_string();
            assert!(message.contains(reason), "{text}: {message}");
        }
        assert_eq!(parse("''").unwrap().mode, Mode::Nothing);
    }

    #[test]
    fn a_drivers_options_are_written_out_like_those_of_a_script() {
        let script = parse("g.with('evaluationTimeout', 500).V()").unwrap().traversal;
        let configuration = vec![("evaluationTimeout".into(), Argument::Value(Value::Int(500)))];
        let options = Strategy { name: "OptionsStrategy".into(), configuration };
        let mut bytecode = Traversal { steps: script.steps.clone(), source: Vec::new() };
        bytecode.source.push(Instruction {
            name: SourceName::WithStrategies,
            args: vec![Argument::Strategy(options)],
            at: None,
        });
        let source = Request::bytecode(bytecode).traversal.source;
        assert_eq!(source.len(), 1);
        assert_eq!((source[0].name, &source[0].args), (SourceName::With, &script.source[0].args));
    }
}
