//! Steps that send copies into subqueries.

use super::{Chain, Modulator};
use crate::physical::{Formula, Predicate, Slot, Test};
use crate::words::{InWords, Words};

/// A filter over subqueries.
#[derive(Clone, Debug, PartialEq)]
pub struct Exists {
    /// The subqueries.
    pub branches: Vec<Chain>,
    /// When the traverser passes.
    pub formula: Formula,
}

/// `choose()`.
#[derive(Clone, Debug, PartialEq)]
pub struct Choose {
    /// What decides.
    pub choice: Choice,
    /// The branch when nothing matched, or the condition does not hold; `None` passes the traverser.
    pub otherwise: Option<Chain>,
    /// The branch when there is nothing to compare; `None` passes the traverser.
    pub unproductive: Option<Chain>,
}

/// What decides a `choose()`.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// Whether a subquery has a result: then this branch is taken.
    If(Exists, Chain),
    /// The first option that a value satisfies.
    Switch(Modulator, Vec<(Predicate, Chain)>),
}

/// `repeat()`.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeat {
    /// Tested before each iteration.
    pub head: LoopControl,
    /// What is repeated.
    pub body: Chain,
    /// Tested after each iteration.
    pub tail: LoopControl,
    /// Where the number of completed iterations is kept, for loops nested inside that ask for it by name.
    pub counter: Option<Slot>,
}

/// When traversers leave a loop.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct LoopControl {
    /// They leave if this holds.
    pub until: LoopCondition,
    /// Otherwise, if this holds, a copy leaves.
    pub emit: LoopCondition,
}

/// A condition of a loop.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum LoopCondition {
    /// Never.
    #[default]
    Never,
    /// Always.
    Always,
    /// Once this many iterations are completed.
    Times(i64),
    /// If the traverser satisfies a test.
    Test(Test),
    /// If subqueries have results.
    Exists(Exists),
}

impl Exists {
    /// The formula, without the subqueries.
    pub(super) fn write_formula(&self, words: &mut Words<'_>) {
        words.raw(match self.formula {
            Formula::All => " all",
            Formula::Any => " any",
            Formula::None => " none",
        });
    }
}

impl InWords for Exists {
    fn write(&self, words: &mut Words<'_>) {
        self.write_formula(words);
        Chain::write_branches(&self.branches, words);
    }
}

/// The branches.
impl InWords for Choose {
    fn write(&self, words: &mut Words<'_>) {
        match &self.choice {
            Choice::If(exists, then) => {
                words.raw(" if");
                words.say(exists);
                words.raw(" then ");
                then.write_in_braces(words);
            }
            Choice::Switch(by, options) => {
                words.raw(" ");
                words.say(by);
                for (predicate, chain) in options {
                    words.raw(" if ");
                    words.say(predicate);
                    words.raw(" ");
                    chain.write_in_braces(words);
                }
            }
        }
        for (word, branch) in [(" else ", &self.otherwise), (" unproductive ", &self.unproductive)] {
            if let Some(chain) = branch {
                words.raw(word);
                chain.write_in_braces(words);
            }
        }
    }
}

/// The body and what is tested before and after it.
impl InWords for Repeat {
    fn write(&self, words: &mut Words<'_>) {
        self.head.write_when(" before", words);
        words.raw(" ");
        self.body.write_in_braces(words);
        self.tail.write_when("", words);
    }
}

impl LoopControl {
    fn write_when(&self, when: &str, words: &mut Words<'_>) {
        for (word, condition) in [(" until", &self.until), (" emit", &self.emit)] {
            if *condition != LoopCondition::Never {
                words.raw(when);
                words.raw(word);
                words.say(condition);
            }
        }
    }
}

impl InWords for LoopCondition {
    fn write(&self, words: &mut Words<'_>) {
        match self {
            Self::Never => {}
            Self::Always => words.raw(" always"),
            Self::Times(n) => words.show(format_args!(" {n} times")),
            Self::Test(test) => {
                words.raw(" ");
                words.say(test);
            }
            Self::Exists(exists) => words.say(exists),
        }
    }
}
