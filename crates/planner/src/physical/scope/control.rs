//! When traversers leave a loop.

use crate::physical::slots::{Slots, Visit};
use crate::physical::{Pipeline, Test};
use crate::words::{InWords, Words};

/// A decision point of a loop: TinkerPop tests `until`, then, for what stays, `emit`.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// Operators that compute the marks which the conditions read (test scopes); they pass every traverser.
    pub tests: Pipeline,
    /// Leaves the loop if true.
    pub until: Condition,
    /// Otherwise a copy leaves the loop if true, and the traverser goes on.
    pub emit: Condition,
}

/// A condition of a loop's control.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// Never true.
    Never,
    /// Always true.
    Always,
    /// True once this many iterations are completed (`times`).
    Times(i64),
    /// True if the test holds.
    Test(Test),
    /// True if either holds.
    Either(Box<Condition>, Box<Condition>),
}

impl Condition {
    /// The two conditions of a decision point; one that never holds goes without saying.
    pub(crate) fn write_both(until: &Self, emit: &Self, words: &mut Words<'_>) {
        for (word, condition) in [(" until ", until), (" emit ", emit)] {
            if *condition != Self::Never {
                words.raw(word);
                words.say(condition);
            }
        }
    }
}

impl InWords for Control {
    fn write(&self, words: &mut Words<'_>) {
        Condition::write_both(&self.until, &self.emit, words);
    }
}

impl InWords for Condition {
    fn write(&self, words: &mut Words<'_>) {
        match self {
            Self::Never => words.raw("never"),
            Self::Always => words.raw("always"),
            Self::Times(n) => words.show(format_args!("{n} times")),
            Self::Test(test) => words.say(test),
            Self::Either(a, b) => {
                words.say(&**a);
                words.raw(" or ");
                words.say(&**b);
            }
        }
    }
}

/// The slots of the conditions; not those of the tests before them.
impl Slots for Control {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        self.until.for_each_slot(visit);
        self.emit.for_each_slot(visit);
    }
}

impl Slots for Condition {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        match self {
            Self::Test(test) => test.for_each_slot(visit),
            Self::Either(a, b) => {
                a.for_each_slot(visit);
                b.for_each_slot(visit);
            }
            Self::Never | Self::Always | Self::Times(_) => {}
        }
    }
}
