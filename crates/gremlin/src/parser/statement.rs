//! Statements: what stands between the semicolons.

use super::{Parser, Refusal, Result};
use crate::cursor::shorten;
use crate::nearest::nearest;
use crate::signature::{check_source, is_start};
use crate::{
    Action, Argument, Instruction, ParseErrorKind, Position, Query, SourceName, Statement, StepName,
    Terminal, Traversal,
};
use values::{Str, Value, watch};

/// What a chain of calls on a traversal ends with.
pub(super) enum ChainEnd {
    /// Nothing more.
    Open,
    /// A terminal method.
    Terminal(Terminal),
    /// `toString()`.
    Text,
}

impl<'t> Parser<'t, '_> {
    /// The whole text.
    pub(super) fn query(mut self) -> Result<Query> {
        let mut query = Query::default();
        loop {
            query.statements.push(self.statement()?);
            let semicolon = self.cursor.eat(b';');
            match self.cursor.peek() {
                None => return Ok(query),
                Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'\'' | b'"' | 0x80..) => {}
                Some(_) if semicolon => return Err(self.unexpected_here("a statement")),
                Some(_) => return Err(self.unexpected_here("`.` and a step, `;`, or the end")),
            }
        }
    }

    /// The whole text, if it is one traversal.
    pub(super) fn lone_traversal(mut self) -> Result<Traversal> {
        let start = self.cursor.offset();
        let traversal = if self.cursor.rest().starts_with("__") {
            let (word, offset) = self.expect_word("`__`")?;
            self.anonymous_after(word, offset)?
        } else {
            match self.statement()? {
                Statement {
                    action: Action::Traverse(traversal, Terminal::Unsaid), as_text: false, ..
                } => traversal,
                _ => return Err(self.error(start, ParseErrorKind::NotOneTraversal)),
            }
        };
        match self.cursor.peek() {
            None => Ok(traversal),
            Some(_) => Err(self.unexpected_here("`.` and a step, or the end")),
        }
    }

    /// The whole text, if it is one map of literals and tokens.
    pub(super) fn lone_map(mut self) -> Result<Vec<(Argument, Argument)>> {
        const EXPECTED: &str = "a map of literals by their names, such as [\"x\":1]";
        let start = self.cursor.offset();
        if self.cursor.peek() != Some(b'[') {
            return Err(self.unexpected_here(EXPECTED));
        }
        let map = match self.argument()? {
            Argument::Value(Value::Map(map)) => {
                map.iter().map(|(key, value)| (key.clone().into(), value.clone().into())).collect()
            }
            Argument::Map(entries) if entries.iter().all(|(key, value)| !key.acts() && !value.acts()) => {
                entries
            }
            _ => return Err(self.unexpected(start, EXPECTED)),
        };
        match self.cursor.peek() {
            None => Ok(map),
            Some(_) => Err(self.unexpected_here("the end")),
        }
    }

    pub(super) fn statement(&mut self) -> Result<Statement> {
        // One that says nothing has no argument that would tell of it.
        watch::ticks(4);
        if self.keeps
            && let Some(statement) = self.kept_statement()?
        {
            return Ok(statement);
        }
        if matches!(self.cursor.peek(), Some(b'\'' | b'"')) {
            return self.empty_statement();
        }
        let (name, offset) =
            self.expect_word("a statement that begins with a traversal source, such as `g`")?;
        if !self.is_source(name) {
            return Err(self.unknown_source(name, offset));
        }
        self.after_source(name.into())
    }

    /// `''` or `""`, which asks for nothing; any other string is no statement.
    fn empty_statement(&mut self) -> Result<Statement> {
        if !(self.cursor.rest().starts_with("''") || self.cursor.rest().starts_with("\"\"")) {
            return Err(self.unexpected_here("a statement that begins with a traversal source, such as `g`"));
        }
        self.cursor.advance(2);
        let as_text = self.maybe_to_string()?;
        Ok(Statement { variable: None, graph: Str::new(), action: Action::Nothing, as_text })
    }

    /// What follows the name of a traversal source.
    fn after_source(&mut self, graph: Str) -> Result<Statement> {
        let mut source = Vec::new();
        while self.cursor.eat(b'.') {
            let (word, offset) = self.expect_word("a step that starts a traversal")?;
            if let Some(name) = SourceName::from_name(word) {
                source.push(self.source_instruction(name, offset)?);
            } else if word == "tx" {
                return self.transaction(graph);
            } else if word == "toString" {
                self.no_arguments()?;
                self.maybe_to_string()?;
                return Ok(Statement {
                    variable: None,
                    graph,
                    action: Action::Source(source),
                    as_text: true,
                });
            } else {
                return self.spawned(graph, source, word, offset);
            }
        }
        Ok(Statement { variable: None, graph, action: Action::Source(source), as_text: false })
    }

    /// A traversal, from its first step on.
    fn spawned(
        &mut self,
        graph: Str,
        source: Vec<Instruction<SourceName>>,
        word: &'t str,
        offset: usize,
    ) -> Result<Statement> {
        if !StepName::from_name(word).is_some_and(is_start) {
            return Err(self.not_a_start(word, offset));
        }
        let mut traversal = Traversal { source, steps: Vec::new() };
        let end = self.root_chain(&mut traversal.steps, word, offset)?;
        let (terminal, as_text) = match end {
            ChainEnd::Open => (Terminal::Unsaid, false),
            ChainEnd::Terminal(terminal) => (terminal, self.maybe_to_string()?),
            ChainEnd::Text => (Terminal::Unsaid, true),
        };
        Ok(Statement { variable: None, graph, action: Action::Traverse(traversal, terminal), as_text })
    }

    /// Any number of `.toString()`: the text of a text is the text.
    pub(super) fn maybe_to_string(&mut self) -> Result<bool> {
        let mut found = false;
        while self.cursor.eat(b'.') {
            let (word, offset) = self.expect_word("`toString()`")?;
            if word != "toString" {
                return Err(self.unexpected(offset, "`toString()` or the end: nothing else follows a result"));
            }
            self.no_arguments()?;
            watch::tick();
            found = true;
        }
        Ok(found)
    }

    fn transaction(&mut self, graph: Str) -> Result<Statement> {
        const EXPECTED: &str = "`begin()`, `commit()`, `rollback()` or `close()`";
        self.no_arguments()?;
        self.expect(b'.', "`.` and `begin()`, `commit()`, `rollback()` or `close()`")?;
        let (word, offset) = self.expect_word(EXPECTED)?;
        let action = match word {
            "begin" => Action::Begin,
            "commit" => Action::Commit,
            "rollback" | "close" => Action::Rollback,
            _ => return Err(self.unexpected(offset, EXPECTED)),
        };
        self.no_arguments()?;
        let as_text = self.maybe_to_string()?;
        Ok(Statement { variable: None, graph, action, as_text })
    }

    fn source_instruction(&mut self, name: SourceName, offset: usize) -> Result<Instruction<SourceName>> {
        watch::tick();
        let at: Position = self.cursor.position(offset);
        let mut args = match name {
            SourceName::WithStrategies | SourceName::WithoutStrategies => self.strategies()?,
            _ => self.arguments()?,
        };
        if name == SourceName::With && args.len() == 1 {
            // What `with(key)` means, said in full.
            args.push(Argument::Value(Value::Bool(true)));
        }
        check_source(name, &args).map_err(|kind| self.error(offset, kind))?;
        Ok(Instruction { name, args, at: Some(at) })
    }

    #[cold]
    fn unknown_source(&mut self, name: &str, offset: usize) -> Refusal {
        let known = self.options.sources.iter().map(|s| format!("`{s}`")).collect::<Vec<_>>().join(", ");
        self.error(offset, ParseErrorKind::UnknownSource { name: shorten(name), known })
    }

    #[cold]
    fn not_a_start(&mut self, word: &str, offset: usize) -> Refusal {
        let name = shorten(word);
        if StepName::from_name(word).is_some() {
            return self.error(offset, ParseErrorKind::NotAStart { name });
        }
        let starts = StepName::ALL.iter().copied().filter(|step| is_start(*step)).map(StepName::as_str);
        let sources = SourceName::ALL.iter().map(|source| source.as_str());
        let nearest = nearest(word, starts.chain(sources));
        self.error(offset, ParseErrorKind::UnknownStep { name, nearest })
    }
}
