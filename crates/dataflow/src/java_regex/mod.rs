//! Regular expressions as `java.util.regex` has them: what `TextP.regex` means to every Gremlin user, by `Matcher.find()`.
//!
//! Nothing backtracks here. A pattern either means the same to an automaton as it means to Java, or it is refused by the name
//! of what it uses (`docs/text-predicates.md`). Whether a text has a match is all that is asked, so which match comes first,
//! and with it greediness, is nobody's concern.
//!
//! ```text
//! pattern ── cursor, parser, escape, class, property ──▶ Node ──┬── plain ──▶ regex::Regex    for nearly all texts
//!                                                               └── program ──▶ simulation    for all texts
//! ```
//!
//! The crate `regex` is fast, but places in a text (`$`, `\b`, `^` with `(?m)`) mean other things there where the text has
//! line terminators or letters beyond ASCII, and nothing can end a search. So texts on which they differ, and texts that may
//! take long, go through a simulation of the automaton, character by character, under the query's watch (`values::watch`).
//!
//! It must never know where texts come from: a pattern and a text go in, yes or no comes out.

mod class;
mod cursor;
mod error;
mod escape;
mod parser;
mod plain;
mod program;
mod property;
mod simulation;
mod syntax;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use error::PatternError;

use values::watch;

use plain::Plain;
use program::Program;
use simulation::Simulation;

/// Characters of a text, times states of the automaton, that the crate `regex` may be given at once: some 50 ms if all goes as
/// badly as it can.
const AT_ONCE: usize = 1 << 22;

/// The same for a search that others need not wait for: some hundreds of microseconds.
const LONG: usize = 1 << 16;

/// Parts and ranges of characters of a pattern that the crate `regex` is given: to compile it takes longer than to write the automaton.
const MOST_PLAIN: usize = 1 << 14;

/// Steps, of some nanoseconds each, in a tick of the query's watch.
const STEPS_PER_TICK: usize = 16;

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct JavaRegex {
    /// None where the pattern cannot be said to the crate `regex`.
    plain: Option<Plain>,
    program: Program,
}

impl JavaRegex {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// If it is malformed, too large, or uses what is not supported.
    pub(crate) fn new(pattern: &str) -> Result<Self, PatternError> {
        let node = parser::parse(pattern)?;
        let program = Program::new(&node)?;
        let plain = if program.work <= MOST_PLAIN { Plain::new(&node) } else { None };
        Ok(Self { plain, program })
    }

    /// Whether a part of the text matches.
    pub(crate) fn find(&self, text: &str) -> bool {
        let work = self.work(text);
        match self.plain.as_ref().filter(|plain| work <= AT_ONCE && plain.suits(text)) {
            Some(plain) => {
                watch::ticks(work / STEPS_PER_TICK);
                plain.find(text)
            }
            None => Simulation::new(text).find(&self.program),
        }
    }

    /// Whether a search in a text may outlast a turn.
    pub(crate) fn may_outlast(&self, text: &str) -> bool {
        self.work(text) > LONG
    }

    /// What a search in a text takes at worst, in steps of some nanoseconds.
    fn work(&self, text: &str) -> usize {
        self.program.steps_for(text.len())
    }
}
