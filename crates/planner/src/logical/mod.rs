//! The logical plan: what a traversal means, before it is decided how it runs.
//!
//! A [`Chain`] of [`Step`]s is the logical form of one (anonymous) traversal. Names are resolved, modulators (`by`,
//! `from`, `until`, …) are inside their steps, and subqueries are chains of their own. Rules rewrite chains; lowering
//! turns them into pipelines.
//!
//! Every step has a flow type (Grasper, "flow types"): sequential steps handle traversers one by one, barriers see the
//! whole stream, branches send copies into subqueries, which are the scopes of the physical plan.
//!
//! It must never know how a step runs, nor what a rule is after.

mod children;
mod demand;
mod effects;
mod footprint;
mod gathers;
mod listed;
mod modulators;
mod parts;
mod simple;
mod slots;
mod step;

pub use children::Role;
pub(crate) use demand::{each_wants_few, wants_few};
pub(crate) use effects::{Seen, begins_as_a_whole, each_is_limited, each_looks_ahead, must_end_early};
pub use footprint::Footprint;
pub(crate) use footprint::of_test;
pub(crate) use gathers::{each_ends_early, gathers_before};
pub(crate) use listed::{each_is_listed, met_alone};
pub(crate) use simple::is_plain;
pub use step::{
    Access, AddEdge, AddVertex, Chain, Choice, Choose, Comparison, Exists, Flow, Group, GroupCount, Input,
    Kind, Label, Lookup, LoopCondition, LoopControl, Modulator, Move, Origin, PropertyWrite, Repeat, Select,
    Selected, Step, Write,
};

use indexmap::IndexMap;
use values::Str;

use crate::physical::{History, SideEffect, Slot};
use crate::words::{InWords, Words};

/// A whole traversal in logical form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Logical {
    /// The traversal.
    pub root: Chain,
    /// Number of slots given out so far.
    pub slots: u16,
    /// The side-effects it names, by their names: a traversal may have thousands.
    pub side_effects: IndexMap<Str, SideEffect>,
    /// What traversers must record of their paths.
    pub history: History,
    /// Whether it changes the graph.
    pub writes: bool,
    /// The properties that it computes, in the order of its algorithms.
    pub computed: Vec<Str>,
    /// Where its draws begin, by `SeedStrategy`.
    pub seed: Option<i64>,
    /// Number of parameters it names.
    pub params: u32,
    /// Whether a profile is asked for instead of the results.
    pub profile: bool,
    /// Whether literals that plans of one shape may differ in were used to make the plan: it serves this run only.
    pub pinned: bool,
}

impl Logical {
    /// A slot nobody has yet. Past 65,535 they begin to repeat; the binder refuses such traversals before.
    pub fn new_slot(&mut self) -> Slot {
        let slot = Slot(self.slots);
        self.slots = self.slots.wrapping_add(1);
        slot
    }
}

impl InWords for Logical {
    fn write(&self, words: &mut Words<'_>) {
        self.root.write_lines(0, words);
    }
}
