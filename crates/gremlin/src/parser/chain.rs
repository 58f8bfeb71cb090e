//! Chains of steps.

use super::statement::ChainEnd;
use super::{Parser, Refusal, Result};
use crate::cursor::shorten;
use crate::nearest::nearest;
use crate::signature::check_step;
use crate::{Argument, Cardinality, Instruction, ParseErrorKind, StepName, Terminal, Traversal};
use values::{GType, Value, watch};

impl<'t> Parser<'t, '_> {
    /// The steps of a traversal from a source; the cursor is behind the first one's name.
    pub(super) fn root_chain(
        &mut self,
        steps: &mut Vec<Instruction<StepName>>,
        mut word: &'t str,
        mut offset: usize,
    ) -> Result<ChainEnd> {
        loop {
            match StepName::from_name(word) {
                Some(StepName::Explain) | None => return self.terminal(word, offset),
                Some(name) => self.step(steps, name, offset)?,
            }
            if !self.cursor.eat(b'.') {
                return Ok(ChainEnd::Open);
            }
            (word, offset) = self.expect_word("a step")?;
        }
    }

    /// The method that ends a chain; the cursor is behind its name.
    fn terminal(&mut self, word: &str, offset: usize) -> Result<ChainEnd> {
        if word == "toString" {
            self.no_arguments()?;
            self.maybe_to_string()?;
            return Ok(ChainEnd::Text);
        }
        let terminal = Terminal::from_name(word).ok_or_else(|| self.unknown_step(word, offset))?;
        self.expect(b'(', "`(`")?;
        if terminal == Terminal::Next && self.cursor.peek() != Some(b')') {
            let start = self.cursor.offset();
            let count = match self.argument()? {
                Argument::Value(value) => value.as_i64().filter(|n| *n >= 0),
                _ => None,
            };
            let count = count.ok_or_else(|| self.unexpected(start, "how many results, an integer from 0"))?;
            self.expect(b')', "`)`")?;
            return Ok(ChainEnd::Terminal(Terminal::NextMany(count)));
        }
        self.expect(b')', "`)`")?;
        Ok(ChainEnd::Terminal(terminal))
    }

    /// An anonymous traversal whose `__` was just read.
    pub(super) fn anonymous_after(&mut self, root: &str, offset: usize) -> Result<Traversal> {
        if root != "__" {
            return Err(self.unexpected(offset, "`__`"));
        }
        self.expect(b'.', "`.` and a step")?;
        let (word, offset) = self.expect_word("a step")?;
        match StepName::from_name(word) {
            Some(name) => self.anonymous(name, offset),
            None => Err(self.unknown_nested_step(word, offset)),
        }
    }

    /// An anonymous traversal; the cursor is behind its first step's name.
    pub(super) fn anonymous(&mut self, first: StepName, offset: usize) -> Result<Traversal> {
        let mut traversal = Traversal::default();
        self.step(&mut traversal.steps, first, offset)?;
        self.further_steps(&mut traversal.steps)?;
        Ok(traversal)
    }

    /// An anonymous traversal whose first step has been read, arguments included.
    pub(super) fn anonymous_from(
        &mut self,
        first: StepName,
        offset: usize,
        args: Vec<Argument>,
    ) -> Result<Traversal> {
        let mut traversal = Traversal::default();
        self.push_step(&mut traversal.steps, first, offset, args)?;
        self.further_steps(&mut traversal.steps)?;
        Ok(traversal)
    }

    fn further_steps(&mut self, steps: &mut Vec<Instruction<StepName>>) -> Result<()> {
        while self.cursor.eat(b'.') {
            let (word, offset) = self.expect_word("a step")?;
            match StepName::from_name(word) {
                Some(name) => self.step(steps, name, offset)?,
                None => return Err(self.unknown_nested_step(word, offset)),
            }
        }
        Ok(())
    }

    /// One step; the cursor is behind its name.
    fn step(&mut self, steps: &mut Vec<Instruction<StepName>>, name: StepName, offset: usize) -> Result<()> {
        let args = self.arguments()?;
        self.push_step(steps, name, offset, args)
    }

    fn push_step(
        &mut self,
        steps: &mut Vec<Instruction<StepName>>,
        name: StepName,
        offset: usize,
        mut args: Vec<Argument>,
    ) -> Result<()> {
        if name == StepName::AsNumber {
            args.iter_mut().for_each(as_type);
        }
        // It may have no argument that would tell of it.
        watch::tick();
        check_step(name, &args).map_err(|kind| self.error(offset, kind))?;
        let at = Some(self.cursor.position(offset));
        steps.push(Instruction { name, args, at });
        Ok(())
    }

    #[cold]
    pub(super) fn unknown_step(&mut self, word: &str, offset: usize) -> Refusal {
        let nearest = nearest(word, StepName::ALL.iter().map(|step| step.as_str()));
        self.error(offset, ParseErrorKind::UnknownStep { name: shorten(word), nearest })
    }

    #[cold]
    fn unknown_nested_step(&mut self, word: &str, offset: usize) -> Refusal {
        if Terminal::from_name(word).is_some() {
            return self.unexpected(offset, "a step: a traversal inside another has no terminal method");
        }
        self.unknown_step(word, offset)
    }
}

/// Reads as types the words that are types where a type is wanted, and something else elsewhere.
pub(super) fn as_type(argument: &mut Argument) {
    let gtype = match argument {
        Argument::Cardinality(Cardinality::List) => GType::List,
        Argument::Cardinality(Cardinality::Set) => GType::Set,
        Argument::Value(Value::Null) => GType::Null,
        _ => return,
    };
    *argument = Argument::GType(gtype);
}
