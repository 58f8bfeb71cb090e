//! From a traversal as written to a logical plan: names become ids, modulators go into their steps, every form of
//! every step becomes the one logical step it means.
//!
//! A name the catalog does not know is no error: its step matches nothing, until a plan is made under a catalog that
//! knows it. In a traversal that writes, the name may come into being while the traversal runs, so there such steps
//! compare names instead of ids.
//!
//! It must never know what a plan costs or how it runs: what a traversal means is all that it decides.

mod algorithm;
mod branch;
mod call;
mod connective;
mod each_member;
mod files;
mod filters;
mod functions;
mod graph_steps;
mod grouping;
mod groups_finished;
mod label_names;
mod local;
mod math;
mod merge;
mod modulators;
mod names;
mod predicates;
mod property_steps;
mod repeat;
mod sack;
mod scoping;
mod select;
mod shape;
mod source;
mod stream;
mod subqueries;
mod trees;
mod where_step;
mod writes;

use gremlin::{Argument, Instruction, StepName, Traversal};

use values::{Str, Value, watch};

use crate::TICKS;
use crate::logical::{Chain, Kind, Label, Logical, Modulator, Origin, Step};
use crate::physical::{Function, History};
use crate::strategies::Partition;
use crate::{PlanError, Schema};
use call::Call;
use names::Names;
use predicates::Computing;
use repeat::Loop;
use sack::SackPlace;
use shape::{Shape, Type};

pub(crate) use source::SourceSettings;
pub use source::has_no_effect;

/// Most traversals inside one another.
pub(crate) const MAX_DEPTH: usize = 64;

/// Most steps of one traversal, those of its subqueries included.
pub(crate) const MAX_STEPS: usize = 20_000;

/// Binds a whole traversal whose source instructions have been read into `settings`.
///
/// # Errors
/// [`PlanError`] for a step that is not supported, makes no sense as written, or writes though it must not.
pub(crate) fn bind(
    traversal: &Traversal,
    schema: &dyn Schema,
    mut settings: SourceSettings,
) -> Result<Logical, PlanError> {
    let (plan, names) = bind_once(traversal, schema, &settings)?;
    if names.before_edge.is_some() && plan.history < History::Whole && shows_what_is_merged(&plan.root) {
        settings.history = History::Whole;
        return Ok(bind_once(traversal, schema, &settings)?.0);
    }
    Ok(plan)
}

/// Whether a `barrier()` merges what a step behind it tells apart from the same one by one. With an `otherV` anywhere TinkerPop
/// keeps the paths of all traversers, and only those of one path are merged; whoever cannot tell is merged here all the same.
fn shows_what_is_merged(root: &Chain) -> bool {
    fn any(chain: &Chain, is_wanted: &mut dyn FnMut(&Kind) -> bool) -> bool {
        chain.steps.iter().any(|step| {
            let mut found = is_wanted(&step.kind);
            step.kind.for_each_child(&mut |child, _| found = found || any(child, is_wanted));
            found
        })
    }
    any(root, &mut |kind| matches!(kind, Kind::Barrier | Kind::MergeSacks(_)))
        && any(root, &mut |kind| kind.shows_merging())
}

/// The same, as it stands in the text: with the paths that it asks for.
fn bind_once(
    traversal: &Traversal,
    schema: &dyn Schema,
    settings: &SourceSettings,
) -> Result<(Logical, Names), PlanError> {
    let mut plan = Logical {
        side_effects: settings.side_effects.clone(),
        history: settings.history,
        ..Logical::default()
    };
    // Where it shows what is merged, traversers of other names are others, whether or not anyone asks for these.
    let merges = settings.no_bulk || settings.sack.as_ref().is_some_and(|sack| sack.merge.is_some());
    let names = Names::of(traversal, &mut plan, merges)?;
    plan.seed = settings.seed.filter(|_| names.draws);
    let connects = !settings.unconnected;
    let sack = SackPlace { settings: settings.sack.clone(), bulks: !settings.no_bulk };
    let mut binder = Binder {
        schema,
        plan,
        names,
        sack,
        partition: settings.strategies.partition().cloned(),
        productive_by: settings.productive_by.clone(),
        connects,
        loops: Vec::new(),
        loops_left: 0,
        depth: 0,
        in_body: false,
        body_at: None,
        enters_start: Value::Null,
        computing: None,
    };
    if settings.read_only
        && let Some((step, at)) = binder.names.first_write
    {
        return Err(PlanError::ReadOnly { step, at });
    }
    let (root, _) = binder.chain(&traversal.steps, Shape::of(Type::Seed))?;
    binder.plan.root = root;
    groups_finished::finish_where_asked(&mut binder.plan)?;
    Ok((binder.plan, binder.names))
}

/// What is known while a traversal is bound.
struct Binder<'a> {
    schema: &'a dyn Schema,
    /// The plan as far as it is known; its root is filled at the end.
    plan: Logical,
    /// All the names that the traversal gives and uses.
    names: Names,
    /// The sacks.
    sack: SackPlace,
    /// The partition that elements are written into.
    partition: Option<Partition>,
    /// As [`SourceSettings`] has it.
    productive_by: Option<Vec<Str>>,
    /// Whether an `and()` or `or()` between steps connects them.
    connects: bool,
    /// The loops around the current place, innermost last.
    loops: Vec<Loop>,
    /// How many of them, from the outermost on, traversers at the current place are in no longer: what a reducer makes is in none,
    /// and neither is an object without a past.
    loops_left: usize,
    /// Number of traversals around the current place.
    depth: usize,
    /// Whether the current stream is that of a loop's body, which all iterations share.
    in_body: bool,
    /// How many traversals are around the steps of the innermost loop's body, where there is a loop.
    body_at: Option<usize>,
    /// What enters the children of the last step that adds an element, where a traversal begins with it.
    enters_start: Value,
    /// The operands of the step that is bound, if it may have traversals as such.
    computing: Option<Computing>,
}

type Bound = Result<Shape, PlanError>;

/// Whether a step is an `otherV`, or has one inside.
fn asks_for_other_end(step: &Instruction<StepName>) -> bool {
    fn inside(arg: &Argument) -> bool {
        match arg {
            Argument::Traversal(child) => child.steps.iter().any(asks_for_other_end),
            Argument::Predicate(predicate) => inside_predicate(predicate),
            _ => false,
        }
    }
    fn inside_predicate(predicate: &gremlin::Predicate) -> bool {
        predicate.operands().any(inside) || predicate.inner().iter().any(inside_predicate)
    }
    step.name == StepName::OtherV || step.args.iter().any(inside)
}

impl Binder<'_> {
    /// Binds the steps of one traversal, whose input has the given shape.
    fn chain(&mut self, steps: &[Instruction<StepName>], shape: Shape) -> Result<(Chain, Shape), PlanError> {
        if self.depth >= MAX_DEPTH {
            return Err(PlanError::TooLarge { what: "traversals inside one another", limit: MAX_DEPTH });
        }
        self.depth += 1;
        let (certain, left) = (self.names.certain(), self.loops_left);
        let mut out = Chain { steps: Vec::with_capacity(steps.len()) };
        let result = match self.has_infix(steps) {
            true => self.infix(steps, shape, &mut out),
            false => self.steps(steps, shape, &mut out),
        };
        self.depth -= 1;
        self.loops_left = left;
        self.names.end_child(&certain);
        Ok((out, result?))
    }

    /// Binds a child traversal that runs for each traverser on its own.
    fn child(&mut self, traversal: &Traversal, shape: Shape) -> Result<(Chain, Shape), PlanError> {
        self.child_in(traversal, shape, false)
    }

    /// Binds a child traversal through which the stream goes on.
    fn stream_child(&mut self, traversal: &Traversal, shape: Shape) -> Result<(Chain, Shape), PlanError> {
        self.child_in(traversal, shape, self.in_body)
    }

    /// `in_body`: whether its stream is that of a loop's body.
    fn child_in(
        &mut self,
        traversal: &Traversal,
        shape: Shape,
        in_body: bool,
    ) -> Result<(Chain, Shape), PlanError> {
        let outer = std::mem::replace(&mut self.in_body, in_body);
        let result = self.chain(&traversal.steps, shape);
        self.in_body = outer;
        result
    }

    fn steps(&mut self, steps: &[Instruction<StepName>], mut shape: Shape, out: &mut Chain) -> Bound {
        let mut next = 0;
        let other_ends_before = steps.iter().rposition(asks_for_other_end).map_or(0, |last| last + 1);
        while next < steps.len() {
            watch::ticks(TICKS);
            let call = Call::at(steps, next);
            next = call.end;
            let before = out.steps.len();
            let entering = match shape.ty {
                Type::Edge => shape.from.map(Origin::Slot),
                Type::Vertex => Some(Origin::Current),
                _ => None,
            };
            shape = self.step(&call, shape, out)?;
            if out.steps[before..].iter().any(|step| step.kind.makes_traversers()) {
                self.names.forget();
                self.loops_left = self.loops.len();
            }
            if before < out.steps.len() && next < other_ends_before {
                self.keep_before_edge(before, entering, &mut shape, out);
            }
            self.name_result(&call, &shape, before, out)?;
        }
        Ok(shape)
    }

    /// Keeps what was current before the steps from `first` on, if they make an edge of it: `otherV` wants the end of an edge
    /// that this is not, whatever way the edge was found. Where a vertex was current, that is the last one (`before`); where an
    /// edge was whose own vertex before it is known, that one is still, and it is kept apart from what the steps visit inside.
    /// Otherwise it is to be found on the path.
    fn keep_before_edge(&mut self, first: usize, before: Option<Origin>, shape: &mut Shape, out: &mut Chain) {
        let (Some(slot), Type::Edge | Type::Unknown, None, Some(origin)) =
            (self.names.before_edge, shape.ty, shape.from, before)
        else {
            return;
        };
        if out.steps[first..].iter().all(|step| step.kind.makes_object()) {
            let into = if origin == Origin::Current { slot } else { self.plan.new_slot() };
            let keep = Kind::Keep { into, origin, by: Modulator::THIS };
            out.steps.insert(first, Step::new(keep, StepName::OtherV));
            shape.from = Some(into);
        }
    }

    /// Gives the step's result the names of the `as` that follow it.
    fn name_result(
        &mut self,
        call: &Call<'_>,
        shape: &Shape,
        before: usize,
        out: &mut Chain,
    ) -> Result<(), PlanError> {
        for instruction in call.modulators(StepName::As) {
            for name in Call::alone(instruction).names(self)? {
                let slot = self.names.define(&name, shape, &mut self.plan);
                if slot.is_none() && !self.plan.history.is_kept() {
                    continue;
                }
                if out.steps.len() == before || out.steps.is_empty() {
                    out.steps.push(Step::new(Kind::Identity, StepName::As));
                }
                if let Some(step) = out.steps.last_mut() {
                    step.labels.push(Label { name, slot });
                }
            }
        }
        Ok(())
    }

    fn step(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        use StepName as S;
        match call.name {
            S::V | S::E => self.graph(call, &shape, out),
            S::Out | S::In | S::Both | S::OutE | S::InE | S::BothE | S::To | S::ToE => {
                self.vertex_step(call, out)
            }
            S::OutV | S::InV | S::BothV | S::OtherV | S::ToV => self.edge_vertex(call, shape, out),
            S::Inject => self.inject(call, out),
            S::Io => self.io(call, &shape, out),
            S::Has
            | S::HasId
            | S::HasLabel
            | S::HasKey
            | S::HasValue
            | S::HasNot
            | S::Is
            | S::SimplePath
            | S::CyclicPath => self.filter_step(call, shape, out),
            S::Where => self.where_step(call, shape, out),
            S::Filter | S::Not | S::And | S::Or => self.exists_step(call, shape, out),
            S::Values | S::Properties | S::ValueMap | S::PropertyMap | S::ElementMap => {
                self.property_step(call, out)
            }
            S::Id
            | S::Label
            | S::Key
            | S::Value
            | S::Constant
            | S::Loops
            | S::Unfold
            | S::Path
            | S::Math
            | S::Project
            | S::Identity
            | S::As => self.map_step(call, shape, out),
            S::Any | S::All => self.members(call, shape, out),
            S::None if !call.args.is_empty() => self.members(call, shape, out),
            S::Coin | S::Sample => self.draw(call, shape, out),
            S::TimeLimit => self.time_limit(call, shape, out),
            S::Sack => self.sack(call, shape, out),
            S::Select => self.select(call, shape, out),
            S::Count
            | S::Sum
            | S::Min
            | S::Max
            | S::Mean
            | S::Fold
            | S::Dedup
            | S::Limit
            | S::Range
            | S::Skip
            | S::Tail
            | S::Order
            | S::Barrier => self.stream_step(call, shape, out),
            S::Group | S::GroupCount | S::Aggregate | S::Store | S::Cap => {
                self.grouping_step(call, shape, out)
            }
            S::Map
            | S::FlatMap
            | S::Local
            | S::SideEffect
            | S::Coalesce
            | S::Optional
            | S::Union
            | S::Choose => self.subquery(call, shape, out),
            S::Branch => self.branch(call, &shape, out),
            S::Tree | S::Subgraph => self.tree_or_graph(call, shape, out),
            S::Repeat => self.repeat(call, shape, out),
            S::AddV | S::AddE | S::Property | S::Drop | S::MergeV | S::MergeE => {
                // Where it is itself inside of what another one writes, that one goes on with its own.
                let enters_start = self.enters_start.clone();
                let bound = match call.name {
                    S::MergeV | S::MergeE => self.merge_step(call, &shape, out),
                    _ => self.write_step(call, shape, out),
                };
                self.enters_start = enters_start;
                bound
            }
            S::PageRank | S::PeerPressure | S::ConnectedComponent | S::ShortestPath => {
                self.algorithm(call, shape, out)
            }
            S::Discard | S::Fail | S::None | S::Profile | S::Explain => self.terminal(call, shape, out),
            S::By | S::From | S::With | S::Option | S::Until | S::Emit | S::Times | S::Read | S::Write => {
                Err(call.misplaced())
            }
            name => match Function::of(name) {
                Some(function) => self.function(function, call, &shape, out),
                None => Err(PlanError::step(name, call.at)),
            },
        }
    }

    /// `profile()`, or `profile(key)` with the `cap(key)` behind it that asks for what it is about.
    fn profile(&mut self, call: &Call<'_>) -> Result<(), PlanError> {
        let caps: Vec<_> = call.modulators(StepName::Cap).collect();
        match (call.args, &caps[..]) {
            ([], []) => Ok(()),
            ([_], [cap]) if Call::alone(cap).names(self)? == call.names(self)? => Ok(()),
            ([], _) => Err(call.invalid("no side-effect was named, so none can be asked for with cap()")),
            _ => Err(PlanError::form(
                "step `profile` with a side-effect key that no cap() behind it asks for",
                call.at,
            )),
        }
    }

    /// Steps that end a traversal or say what becomes of its results.
    fn terminal(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        match call.name {
            StepName::Profile => {
                self.profile(call)?;
                self.plan.profile = true;
            }
            StepName::Discard | StepName::None => out.steps.push(Step::new(Kind::Discard, call.name)),
            StepName::Fail => {
                let message = match call.args {
                    [] => "fail() step triggered".into(),
                    _ => call.name_at(0, self)?,
                };
                out.steps.push(Step::new(Kind::Fail(message), call.name));
            }
            _ => {}
        }
        Ok(shape)
    }

    /// Adds an unlabelled step.
    fn push(out: &mut Chain, kind: Kind, call: &Call<'_>) {
        out.steps.push(Step::new(kind, call.name));
    }
}
