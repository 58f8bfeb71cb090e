//! The physical plan: what the dataflow engine executes.
//!
//! A plan is a tree. A [`Pipeline`] is a chain of operators; an operator is either a *vertex* of the dataflow
//! (it maps, filters, expands or aggregates batches of traversers) or a *scope*, which owns pipelines of its own
//! and executes them in scope instances (Banyan, section 3).
//!
//! ```text
//! root pipeline   IndexLookup ─ Expand ─ ┌ Filter scope ──────────────────┐ ─ Order ─ Limit
//!                                        │ ingress ─ Expand ─ Is ─ egress │
//!                                        └────────────────────────────────┘
//! ```
//!
//! Every traverser has a *current* object, a bulk, and as many further columns ([`Slot`]s) as the plan asks for:
//! labelled objects (`as`), values fetched or computed for `by` modulators, marks of tests. Every stateful operator
//! keeps its state per *scope tag* (see [`Grain`]), so one implementation serves whole streams, single traversers,
//! whole batches of traversers, and the groups of a `group`.
//!
//! It must never know how it was made, nor what executes it: it is data, with its words and its slots.

mod child;
mod expr;
mod history;
mod math;
pub mod op;
mod range;
mod scope;
mod slots;

pub use child::Child;
pub use expr::{Operand, Predicate, Quantifier, Test};
pub use history::History;
pub use math::Expression;
pub use op::*;
pub(crate) use range::{ends, is_known};
pub use scope::{
    Algorithm, AlgorithmKind, Along, ComputedProperty, Condition, Control, Distance, Formula, Grain,
    InterPolicy, IntraPolicy, Policy, Scope, ScopeKind,
};
pub(crate) use slots::{Slots, Use};

use std::sync::Arc;

use graph::NameSpace;
use values::{Str, Value};

use crate::words::{InWords, Words};

/// A column of a traverser beside its current object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u16);

/// A side-effect of the query (`aggregate('x')`, `group('m')`), by its place in [`Plan::side_effects`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SideEffectId(pub u16);

/// A chain of operators: each one's output is the next one's input.
///
/// Shared: every scope instance that runs the pipeline holds it by reference count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pipeline {
    /// The operators, upstream first. At most [`Pipeline::MAX_OPS`]; longer chains are nested in a [`ScopeKind::Inline`].
    pub ops: Arc<Vec<Op>>,
}

impl Pipeline {
    /// A pipeline of these operators.
    pub fn new(mut ops: Vec<Op>) -> Self {
        // A plan is kept for long.
        ops.shrink_to_fit();
        Self { ops: Arc::new(ops) }
    }

    /// Most operators in one pipeline: the engine keeps the ready ones in one machine word.
    pub const MAX_OPS: usize = 64;

    /// One line for each operator, with the step it came from; scopes with their grain and policy, and their pipelines further in.
    fn write_lines(&self, indent: usize, words: &mut Words<'_>) {
        for op in self.ops.iter() {
            words.indent(indent);
            words.say(op);
            words.raw("\n");
            if let OpKind::Scope(scope) = &op.kind {
                scope.kind.write_pipelines(indent + 2, words);
            }
        }
    }
}

/// A whole query, ready to run any number of times with different parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The outermost pipeline. Its first operator receives one traverser (the *seed*, current `Null`) and an end of stream.
    pub root: Pipeline,
    /// Number of operators in the whole tree; [`Op::id`]s are below it.
    pub ops: u32,
    /// Number of slots a traverser has.
    pub slots: u16,
    /// Names and initial values of the side-effects.
    pub side_effects: Vec<SideEffect>,
    /// What traversers must record of their paths.
    pub history: History,
    /// Names that it reads and the graph does not know. One that writes depends on that.
    pub unknown: Vec<(NameSpace, Str)>,
    /// Whether the plan changes the graph (it then runs in a read-write transaction, on one executor).
    pub writes: bool,
    /// The properties that it computes, by the numbers that its algorithms have of them.
    pub computed: Vec<Str>,
    /// Where its draws begin, by `SeedStrategy`: each step that draws has the sequence of `java.util.Random` from there on.
    pub seed: Option<i64>,
    /// Number of parameters that [`Operand::Param`] may name.
    pub params: u32,
    /// Whether results carry a profile instead of the traversal's own results.
    pub profile: bool,
    /// Most executors this query may use; `None` for all.
    pub parallelism: Option<u16>,
    /// Most rows that an operator is given at a time; `None` for as many as come.
    pub batch: Option<u32>,
}

impl InWords for Plan {
    fn write(&self, words: &mut Words<'_>) {
        let paths = if self.history.is_kept() { ", paths" } else { "" };
        let writes = if self.writes { ", writes" } else { "" };
        words.show(format_args!("slots {}, parameters {}{paths}{writes}\n", self.slots, self.params));
        self.root.write_lines(0, words);
    }
}

/// A named collection that traversers fill on their way.
#[derive(Clone, Debug, PartialEq)]
pub struct SideEffect {
    /// The name users gave it.
    pub name: Str,
    /// What it starts as, from `withSideEffect`; else an empty bulk set.
    pub initial: Option<Value>,
    /// How a new object is merged into an initial value, from `withSideEffect(key, value, operator)`.
    pub reducer: Option<gremlin::Operator>,
}
