//! Scopes: operators that run pipelines of their own in scope instances (Banyan, sections 3.1 and 4.3).

use super::{By, Child, Pipeline, SideEffectId, Slot};

/// A subquery of the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    /// What it does with its pipelines.
    pub kind: ScopeKind,
    /// What its pipelines see of its input, and what becomes of their results.
    pub child: Child,
    /// What one instance of it covers.
    pub grain: Grain,
    /// How its instances are scheduled, and how many there may be.
    pub policy: Policy,
}

/// What one scope instance covers.
///
/// The instance a message belongs to is its *scope tag*. Inside an instance that covers many traversers the last
/// element of the tag still tells the traversers apart (it is a column of the batch), and every stateful operator
/// keeps its state per tag; so turning a scope off changes no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// One instance per input traverser: isolated, scheduled and cancelled one by one. The paper's branch scope.
    Traverser,
    /// One instance per input batch: the paper's "scope turned off". Nothing can be cancelled before the batch is done.
    Batch,
    /// One instance for the whole input (`union`, `group`): no isolation between input traversers is asked for.
    Stream,
    /// One instance per iteration: the paper's loop scope.
    Iteration,
}

/// How a scope's instances are scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Between instances.
    pub inter: InterPolicy,
    /// Inside an instance.
    pub intra: IntraPolicy,
    /// MAX_SI: most concurrent instances on one executor, at least 1.
    pub max_instances: u32,
    /// Whether results must leave in the order of the inputs.
    pub ordered: bool,
}

/// Which of a scope's instances goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InterPolicy {
    /// The instance opened first (for a loop: the lowest iteration) goes first.
    BreadthFirst,
    /// The instance opened last (for a loop: the highest iteration) goes first.
    DepthFirst,
    /// Breadth-first at first. Once many traversers have been on their way in a loop, the lowest and the highest iteration in
    /// turn; where the other scopes know only one end, breadth-first.
    BothEnds,
}

/// Which operator of an instance goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntraPolicy {
    /// The most downstream operator that has work: results come out as early as possible, little is in flight.
    DepthFirst,
    /// The most upstream operator that has work: larger batches.
    BreadthFirst,
}

/// What a scope does with its pipelines.
#[derive(Clone, Debug, PartialEq)]
pub enum ScopeKind {
    /// Passes the input traversers for which the formula over "branch i has a result" holds (`where`, `filter`, `not`,
    /// `and`, `or` with traversals). An instance is cancelled as soon as the formula is decided.
    Filter {
        /// The subqueries.
        branches: Vec<Pipeline>,
        /// When the traverser passes.
        formula: Formula,
        /// Writes the outcome into a slot and passes every traverser, instead of dropping any.
        mark: Option<Slot>,
    },
    /// Replaces the current object (or fills a slot) with the child's first result (`map`, `by` with a traversal).
    Apply {
        /// The subquery.
        child: Pipeline,
        /// The object that it starts at: the current one, or, as [`Child::Fresh`], that of a slot. A traverser whose slot is
        /// absent has no result.
        from: By,
        /// Where the result goes; `None`: it becomes the current object.
        into: Option<Slot>,
        /// Whether a traverser without a result is dropped; otherwise its slot is absent.
        required: bool,
    },
    /// Replaces each traverser with all the child's results (`local`, `flatMap`).
    FlatMap {
        /// The subquery.
        child: Pipeline,
    },
    /// Passes each traverser on, unchanged, after the child has consumed a copy of it (`sideEffect`).
    SideEffect {
        /// The subquery.
        child: Pipeline,
    },
    /// The results of the first branch that has any, per input traverser (`coalesce`; `optional` with an identity branch).
    Coalesce {
        /// The subqueries, in order of preference.
        branches: Vec<Pipeline>,
    },
    /// Every branch gets every traverser; results are concatenated (`union`).
    Union {
        /// The subqueries.
        branches: Vec<Pipeline>,
    },
    /// Each traverser goes to one of two branches (`choose` by a test).
    If {
        /// The slot that holds the outcome of the test.
        mark: Slot,
        /// The branch when it is true.
        then: Pipeline,
        /// The branch when it is false; `None` passes the traverser unchanged.
        otherwise: Option<Pipeline>,
    },
    /// Each traverser goes to the first branch whose option matches the choice (`choose` with options).
    Switch {
        /// What is compared with the options.
        choice: Slot,
        /// The options: (the value or predicate to match, the branch).
        options: Vec<(super::Predicate, Pipeline)>,
        /// The branch when nothing matched; `None` passes the traverser unchanged.
        otherwise: Option<Pipeline>,
        /// The branch when the choice is absent (`Pick.unproductive`); `None` passes the traverser unchanged.
        unproductive: Option<Pipeline>,
    },
    /// Runs the body again and again (`repeat`). The instance of iteration i runs `head`, `body`, `tail` in that order.
    Repeat {
        /// Tested when a traverser enters an iteration (`until`/`emit` written before `repeat`), one after another: what the
        /// first lets out the second does not see.
        head: Vec<Control>,
        /// The repeated traversal.
        body: Pipeline,
        /// Tested when a traverser leaves the body, likewise. Its `loops` are already incremented.
        tail: Vec<Control>,
    },
    /// Collects the child's first result per key into one map (`group`). The scope tag inside is the key.
    Group {
        /// The key's column; a traverser whose key is absent is left out.
        key: By,
        /// The value traversal, run once per key over all its traversers. Ends in a barrier or yields the first result.
        value: Pipeline,
        /// Puts the map into a side-effect and passes the traversers, instead of emitting the map.
        side_effect: Option<SideEffectId>,
    },
    /// A long pipeline continued in another one; nothing more.
    Inline {
        /// The rest.
        child: Pipeline,
    },
    /// A part of a pipeline that may run on several executors at once: large inputs are split into pieces, one scope
    /// instance each, placed on idle executors; results are gathered here (adaptive parallelism, Grasper section 4).
    Exchange {
        /// The part: sequential operators and complete scopes only.
        child: Pipeline,
    },
}

impl ScopeKind {
    /// The pipelines inside, in the order in which they are written, those of loop controls included.
    pub fn pipelines(&self) -> impl Iterator<Item = &Pipeline> {
        let (branches, one, options, heads, further, tails): (&[_], _, &[_], &[_], _, &[_]) = match self {
            Self::Filter { branches, .. } | Self::Coalesce { branches } | Self::Union { branches } => {
                (branches, None, &[], &[], [None; 3], &[])
            }
            Self::Apply { child, .. }
            | Self::FlatMap { child }
            | Self::SideEffect { child }
            | Self::Group { value: child, .. }
            | Self::Inline { child }
            | Self::Exchange { child } => (&[], Some(child), &[], &[], [None; 3], &[]),
            Self::If { then, otherwise, .. } => {
                (&[], Some(then), &[], &[], [otherwise.as_ref(), None, None], &[])
            }
            Self::Switch { options, otherwise, unproductive, .. } => {
                (&[], None, options, &[], [otherwise.as_ref(), unproductive.as_ref(), None], &[])
            }
            Self::Repeat { head, body, tail } => (&[], None, &[], head, [Some(body), None, None], tail),
        };
        let options = options.iter().map(|(_, pipeline)| pipeline);
        branches
            .iter()
            .chain(one)
            .chain(options)
            .chain(heads.iter().map(tests))
            .chain(further.into_iter().flatten())
            .chain(tails.iter().map(tests))
    }
}

/// When a filter scope passes a traverser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formula {
    /// Every branch has a result.
    All,
    /// Some branch has a result.
    Any,
    /// No branch has a result.
    None,
}

fn tests(control: &Control) -> &Pipeline {
    &control.tests
}

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
    Test(super::Test),
    /// True if either holds.
    Either(Box<Condition>, Box<Condition>),
}
