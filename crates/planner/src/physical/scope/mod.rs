//! Scopes: operators that run pipelines of their own in scope instances (Banyan, sections 3.1 and 4.3).

mod algorithm;
mod control;
mod policy;

use super::slots::{Slots, Use, Visit};
use super::{By, Child, Pipeline, SideEffectId, Slot};
use crate::words::{InWords, Words};

pub use algorithm::{Algorithm, AlgorithmKind, Along, Distance, Property as ComputedProperty};
pub use control::{Condition, Control};
pub use policy::{Grain, InterPolicy, IntraPolicy, Policy};

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
    /// The slots that its pipelines read of what enters, where nothing else of it is wanted inside or of its results; `None`: all
    /// of them enter. Found when a plan is settled.
    pub reads: Option<Vec<Slot>>,
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
    /// Runs an algorithm over the whole graph when all traversers have come. They leave as they came, or become paths.
    Algorithm(Box<Algorithm<Pipeline>>),
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
                (branches, None, &[], &[], [None; 4], &[])
            }
            Self::Apply { child, .. }
            | Self::FlatMap { child }
            | Self::SideEffect { child }
            | Self::Group { value: child, .. }
            | Self::Inline { child }
            | Self::Exchange { child } => (&[], Some(child), &[], &[], [None; 4], &[]),
            Self::If { then, otherwise, .. } => {
                (&[], Some(then), &[], &[], [otherwise.as_ref(), None, None, None], &[])
            }
            Self::Switch { options, otherwise, unproductive, .. } => {
                (&[], None, options, &[], [otherwise.as_ref(), unproductive.as_ref(), None, None], &[])
            }
            Self::Algorithm(algorithm) => (&[], None, &[], &[], algorithm.subqueries(), &[]),
            Self::Repeat { head, body, tail } => (&[], None, &[], head, [Some(body), None, None, None], tail),
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

impl Scope {
    /// Visits the scope's pipelines, those of loop controls included.
    pub(crate) fn for_each_pipeline(&mut self, visit: &mut dyn FnMut(&mut Pipeline)) {
        match &mut self.kind {
            ScopeKind::Filter { branches, .. }
            | ScopeKind::Coalesce { branches }
            | ScopeKind::Union { branches } => {
                branches.iter_mut().for_each(visit);
            }
            ScopeKind::Apply { child, .. }
            | ScopeKind::FlatMap { child }
            | ScopeKind::SideEffect { child }
            | ScopeKind::Group { value: child, .. }
            | ScopeKind::Inline { child }
            | ScopeKind::Exchange { child, .. } => visit(child),
            ScopeKind::Algorithm(algorithm) => {
                algorithm.subqueries_mut().into_iter().flatten().for_each(visit)
            }
            ScopeKind::If { then, otherwise, .. } => [then].into_iter().chain(otherwise).for_each(visit),
            ScopeKind::Switch { options, otherwise, unproductive, .. } => {
                options.iter_mut().for_each(|(_, branch)| visit(branch));
                otherwise.iter_mut().chain(unproductive).for_each(visit);
            }
            ScopeKind::Repeat { head, body, tail } => {
                head.iter_mut().for_each(|control| visit(&mut control.tests));
                visit(body);
                tail.iter_mut().for_each(|control| visit(&mut control.tests));
            }
        }
    }
}

/// Without its pipelines.
impl InWords for ScopeKind {
    fn write(&self, words: &mut Words<'_>) {
        match self {
            Self::Filter { formula, mark, .. } => {
                words.call("FilterScope", |w| {
                    w.raw(match formula {
                        Formula::All => "all",
                        Formula::Any => "any",
                        Formula::None => "none",
                    });
                });
                words.filling(*mark);
            }
            Self::Apply { from, into, .. } => {
                words.raw("ApplyScope");
                if *from != By::Current {
                    words.call("", |w| w.say(from));
                }
                words.filling(*into);
            }
            Self::FlatMap { .. } => words.raw("FlatMapScope"),
            Self::SideEffect { .. } => words.raw("SideEffectScope"),
            Self::Coalesce { .. } => words.raw("CoalesceScope"),
            Self::Union { .. } => words.raw("UnionScope"),
            Self::If { mark: by, .. } | Self::Switch { choice: by, .. } => {
                words.call("ChooseScope", |w| w.slot(*by));
            }
            Self::Repeat { head, tail, .. } => {
                words.raw("RepeatScope");
                for (when, points) in [(" before:", head), (" after:", tail)] {
                    for point in points {
                        words.raw(when);
                        words.say(point);
                    }
                }
            }
            Self::Group { key, side_effect, .. } => {
                words.call("GroupScope", |w| w.say(key));
                words.collecting_in(*side_effect);
            }
            Self::Algorithm(algorithm) => words.call("AlgorithmScope", |w| w.say(&**algorithm)),
            Self::Inline { .. } => words.raw("InlineScope"),
            Self::Exchange { .. } => words.raw("ExchangeScope"),
        }
    }
}

impl ScopeKind {
    /// Its pipelines, on lines of their own.
    pub(super) fn write_pipelines(&self, indent: usize, words: &mut Words<'_>) {
        let named = |words: &mut Words<'_>, name: &str, pipeline: &Pipeline| {
            words.indent(indent);
            words.show(format_args!("{name}\n"));
            pipeline.write_lines(indent + 2, words);
        };
        match self {
            Self::Filter { branches, .. } | Self::Coalesce { branches } | Self::Union { branches } => {
                match &branches[..] {
                    [branch] => branch.write_lines(indent, words),
                    branches => branches.iter().for_each(|branch| named(words, "branch:", branch)),
                }
            }
            Self::If { then, otherwise, .. } => {
                named(words, "then:", then);
                otherwise.iter().for_each(|branch| named(words, "else:", branch));
            }
            Self::Switch { options, otherwise, unproductive, .. } => {
                for (option, branch) in options {
                    words.indent(indent);
                    words.raw("if it ");
                    words.say(option);
                    words.raw(":\n");
                    branch.write_lines(indent + 2, words);
                }
                for (name, branch) in [("else:", otherwise), ("unproductive:", unproductive)] {
                    branch.iter().for_each(|branch| named(words, name, branch));
                }
            }
            Self::Repeat { head, body, tail } => {
                for (name, control) in [("tests before:", head), ("tests after:", tail)] {
                    for point in control.iter().filter(|point| !point.tests.ops.is_empty()) {
                        named(words, name, &point.tests);
                    }
                }
                body.write_lines(indent, words);
            }
            Self::Algorithm(algorithm) => {
                let names = ["edges:", "within:", "targets:", "distance:"];
                let named_one = |(name, one): (&str, Option<&Pipeline>)| {
                    one.iter().for_each(|one| named(words, name, one))
                };
                names.into_iter().zip(algorithm.subqueries()).for_each(named_one);
            }
            Self::Apply { .. }
            | Self::FlatMap { .. }
            | Self::SideEffect { .. }
            | Self::Group { .. }
            | Self::Inline { .. }
            | Self::Exchange { .. } => self.pipelines().for_each(|child| child.write_lines(indent, words)),
        }
    }
}

/// Of the scope itself, not of its pipelines.
impl Slots for ScopeKind {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        match self {
            Self::Filter { mark, .. } => mark.iter_mut().for_each(|slot| visit(slot, Use::Fill)),
            Self::Apply { from, into, .. } => {
                from.for_each_slot(visit);
                into.iter_mut().for_each(|slot| visit(slot, Use::Fill));
            }
            Self::If { mark, .. } => visit(mark, Use::Read),
            Self::Switch { choice, options, .. } => {
                visit(choice, Use::Read);
                options.iter_mut().for_each(|(predicate, _)| predicate.for_each_slot(visit));
            }
            Self::Group { key, .. } => key.for_each_slot(visit),
            Self::Repeat { head, tail, .. } => {
                head.for_each_slot(visit);
                tail.for_each_slot(visit);
            }
            Self::FlatMap { .. }
            | Self::SideEffect { .. }
            | Self::Coalesce { .. }
            | Self::Union { .. }
            | Self::Algorithm(_)
            | Self::Inline { .. }
            | Self::Exchange { .. } => {}
        }
    }
}
