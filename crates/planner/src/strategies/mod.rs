//! TinkerPop's strategies that change what a traversal means: rewrites of the traversal as it was written, so that all the rules
//! (and with them the indexes) serve what is left.
//!
//! ```text
//! PartitionStrategy    V().out()     ─►  V().has(key, within(read)).out().has(key, within(read))
//!                      addV('a')     ─►  addV('a').property(key, write)
//! SubgraphStrategy     V().out()     ─►  V().filter(vertices).outE().filter(edges).inV().filter(vertices)
//! ElementIdStrategy    V(1).id()     ─►  V().has(key, within(1)).values(key)
//! ```
//!
//! They must never know how a traversal is bound or planned.

mod algorithms;
mod element_id;
mod partition;
mod subgraph;
mod verification;

use gremlin::{Argument, Instruction, Position, Predicate, StepName, Strategy, Traversal};
use values::{Direction, Str, Value, watch};

use crate::{PlanError, TICKS};

pub(crate) use algorithms::{BEGINS, VERTICES};
pub(crate) use partition::Partition;

/// The strategies of a source that rewrite or check its traversals, in the order in which they apply.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Strategies {
    subgraph: Option<subgraph::Subgraph>,
    partition: Option<Partition>,
    element_id: Option<element_id::ElementId>,
    reserved: Option<verification::ReservedKeys>,
    labelled: bool,
}

impl Strategies {
    /// Takes a strategy, if it is one of these; otherwise false.
    ///
    /// # Errors
    /// [`PlanError`] for a configuration that is none, or is not supported.
    pub(crate) fn take(&mut self, strategy: &Strategy, at: Option<Position>) -> Result<bool, PlanError> {
        let config = Config { strategy, at };
        match strategy.name.as_str() {
            "SubgraphStrategy" => self.subgraph = Some(subgraph::Subgraph::of(config)?),
            "PartitionStrategy" => self.partition = Some(Partition::of(config)?),
            "ElementIdStrategy" => self.element_id = Some(element_id::ElementId::of(config)?),
            "ReservedKeysVerificationStrategy" => {
                self.reserved = Some(verification::ReservedKeys::of(config)?);
            }
            "EdgeLabelVerificationStrategy" => self.labelled = config.truth("throwException", false)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Takes what `VertexProgramStrategy` (`withComputer`) says: which part of the graph is seen. How many work on it, and on what kind of
    /// computer, is Mangrove's to say.
    ///
    /// # Errors
    /// [`PlanError`] for results that are to be written into the graph, and for a filter of edges that is none.
    pub(crate) fn take_computer(
        &mut self,
        strategy: &Strategy,
        at: Option<Position>,
    ) -> Result<(), PlanError> {
        let config = Config { strategy, at };
        let persists = config.text("persist")?.is_none_or(|persist| &*persist != "NOTHING");
        if persists && config.text("result")?.is_some_and(|result| &*result == "ORIGINAL") {
            return Err(
                config.unsupported("with results that are written into the graph (ResultGraph.ORIGINAL)")
            );
        }
        if let Some(filter) = subgraph::Subgraph::of_computer(config)?
            && self.subgraph.replace(filter).is_some()
        {
            return Err(config.unsupported("with vertices or edges, beside SubgraphStrategy"));
        }
        Ok(())
    }

    /// Takes a strategy away.
    pub(crate) fn without(&mut self, name: &str) {
        match name {
            "SubgraphStrategy" => self.subgraph = None,
            "PartitionStrategy" => self.partition = None,
            "ElementIdStrategy" => self.element_id = None,
            "ReservedKeysVerificationStrategy" => self.reserved = None,
            "EdgeLabelVerificationStrategy" => self.labelled = false,
            _ => {}
        }
    }

    /// What the partition strategy says, if there is one.
    pub(crate) fn partition(&self) -> Option<&Partition> {
        self.partition.as_ref()
    }

    /// The traversal as they make it; `None` if it stays as it is.
    ///
    /// # Errors
    /// [`PlanError`] for what a strategy forbids, or does not support.
    pub(crate) fn apply(&self, traversal: &Traversal) -> Result<Option<Traversal>, PlanError> {
        if *self == Self::default() {
            return Ok(None);
        }
        let mut traversal = traversal.clone();
        if self.subgraph.is_some() || self.partition.is_some() {
            algorithms::spell_out(&mut traversal);
        }
        let copy = self.subgraph.as_ref().map_or(0, subgraph::Subgraph::weight)
            + self.partition.as_ref().map_or(0, Partition::weight);
        let mut copied = 0_usize;
        each_traversal(&mut traversal, &mut |traversal| {
            copied = copied.saturating_add(copy.saturating_mul(traversal.steps.len()));
            if copied > MAX_COPIED {
                return Err(PlanError::TooLarge { what: COPIED, limit: MAX_COPIED });
            }
            watch::ticks(copy.saturating_mul(traversal.steps.len()));
            if let Some(reserved) = &self.reserved {
                reserved.check(traversal)?;
            }
            if self.labelled {
                verification::check_labels(traversal)?;
            }
            if let Some(subgraph) = &self.subgraph {
                subgraph.rewrite(traversal)?;
            }
            if let Some(partition) = &self.partition {
                partition.rewrite(traversal);
            }
            if let Some(element_id) = &self.element_id {
                element_id.rewrite(traversal)?;
            }
            Ok(())
        })?;
        Ok(Some(traversal))
    }
}

/// Most steps and values that strategies write into a traversal: what they say, for each step there is. Some hundred bytes each.
const MAX_COPIED: usize = 200_000;

/// What there are too many of then.
const COPIED: &str = "steps and values that strategies put behind the steps of a traversal";

/// The configuration of a strategy.
#[derive(Clone, Copy)]
struct Config<'a> {
    strategy: &'a Strategy,
    at: Option<Position>,
}

impl<'a> Config<'a> {
    fn get(self, key: &str) -> Option<&'a Argument> {
        self.strategy.configuration.iter().rev().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    fn text(self, key: &str) -> Result<Option<Str>, PlanError> {
        match self.get(key).map(Argument::as_value) {
            None | Some(Some(Value::Null)) => Ok(None),
            Some(Some(Value::String(text))) => Ok(Some(text.clone())),
            Some(_) => Err(self.wrong(key, "a string")),
        }
    }

    fn truth(self, key: &str, default: bool) -> Result<bool, PlanError> {
        match self.get(key).map(Argument::as_value) {
            None => Ok(default),
            Some(Some(Value::Bool(truth))) => Ok(*truth),
            Some(_) => Err(self.wrong(key, "true or false")),
        }
    }

    /// A list or set, or one of its members alone.
    fn members(self, key: &str) -> Result<Vec<Value>, PlanError> {
        match self.get(key).map(Argument::as_value) {
            None => Ok(Vec::new()),
            Some(Some(Value::List(members))) => Ok(members.iter().cloned().collect()),
            Some(Some(Value::Set(members))) => Ok(members.iter().cloned().collect()),
            Some(Some(one)) => Ok(vec![one.clone()]),
            Some(None) => Err(self.wrong(key, "a list or a set")),
        }
    }

    fn traversal(self, key: &str) -> Result<Option<Traversal>, PlanError> {
        match self.get(key) {
            None | Some(Argument::Value(Value::Null)) => Ok(None),
            Some(Argument::Traversal(traversal)) if writes(traversal) => {
                Err(self.wrong(key, "a traversal that does not write"))
            }
            Some(Argument::Traversal(traversal)) => Ok(Some(traversal.clone())),
            Some(_) => Err(self.wrong(key, "a traversal")),
        }
    }

    fn wrong(self, key: &str, expected: &str) -> PlanError {
        let problem = format!("of {} must be {expected}", self.strategy.name);
        PlanError::BadOption { key: key.into(), problem }
    }

    /// The error of what a strategy has and Mangrove does not.
    fn unsupported(self, what: &str) -> PlanError {
        PlanError::form(format!("strategy `{}` {what}", self.strategy.name), self.at)
    }
}

/// Visits a traversal and all that are inside it, these before those that hold them.
fn each_traversal(
    traversal: &mut Traversal,
    visit: &mut dyn FnMut(&mut Traversal) -> Result<(), PlanError>,
) -> Result<(), PlanError> {
    watch::ticks(TICKS);
    for step in &mut traversal.steps {
        step.args.iter_mut().try_for_each(|argument| inside_argument(argument, visit))?;
    }
    visit(traversal)
}

fn inside_argument(
    argument: &mut Argument,
    visit: &mut dyn FnMut(&mut Traversal) -> Result<(), PlanError>,
) -> Result<(), PlanError> {
    match argument {
        Argument::Traversal(traversal) => each_traversal(traversal, visit),
        Argument::Binding(_, inner) => inside_argument(inner, visit),
        Argument::List(items) | Argument::Set(items) => {
            items.iter_mut().try_for_each(|item| inside_argument(item, visit))
        }
        Argument::Map(entries) => entries.iter_mut().try_for_each(|(_, value)| inside_argument(value, visit)),
        Argument::Predicate(predicate) => inside_predicate(predicate, visit),
        _ => Ok(()),
    }
}

fn inside_predicate(
    predicate: &mut Predicate,
    visit: &mut dyn FnMut(&mut Traversal) -> Result<(), PlanError>,
) -> Result<(), PlanError> {
    use Predicate as P;
    match predicate {
        P::Compare(_, one) | P::TypeOf(one) | P::Text(_, one) => inside_argument(one, visit),
        P::Inside(low, high) | P::Outside(low, high) | P::Between(low, high) => {
            inside_argument(low, visit)?;
            inside_argument(high, visit)
        }
        P::Within(many) | P::Without(many) => many.iter_mut().try_for_each(|one| inside_argument(one, visit)),
        P::And(parts) | P::Or(parts) => parts.iter_mut().try_for_each(|part| inside_predicate(part, visit)),
        P::Not(inner) => inside_predicate(inner, visit),
    }
}

/// How many steps and values a traversal has, with those inside it.
fn weight(traversal: &Traversal) -> usize {
    watch::ticks(TICKS);
    let of = |step: &Instruction<StepName>| 1 + step.args.iter().map(weight_of).sum::<usize>();
    traversal.steps.iter().map(of).sum()
}

fn weight_of(argument: &Argument) -> usize {
    match argument {
        Argument::Traversal(traversal) => weight(traversal),
        Argument::Binding(_, inner) => weight_of(inner),
        Argument::List(items) | Argument::Set(items) => items.iter().map(weight_of).sum(),
        Argument::Map(entries) => entries.iter().map(|(key, value)| weight_of(key) + weight_of(value)).sum(),
        Argument::Predicate(predicate) => weight_of_predicate(predicate),
        Argument::Value(value) => values_in(value),
        _ => 1,
    }
}

fn weight_of_predicate(predicate: &Predicate) -> usize {
    use Predicate as P;
    match predicate {
        P::Compare(_, one) | P::TypeOf(one) | P::Text(_, one) => weight_of(one),
        P::Inside(low, high) | P::Outside(low, high) | P::Between(low, high) => {
            weight_of(low) + weight_of(high)
        }
        P::Within(many) | P::Without(many) => many.iter().map(weight_of).sum(),
        P::And(parts) | P::Or(parts) => parts.iter().map(weight_of_predicate).sum(),
        P::Not(inner) => weight_of_predicate(inner),
    }
}

/// About how many values a value is made of: one that is shared may be taken apart for each step.
fn values_in(value: &Value) -> usize {
    1 + usize::try_from(value.extent().expanded / 64).map_or(MAX_COPIED, |values| values.min(MAX_COPIED))
}

/// An anonymous traversal as an argument.
fn child(steps: Vec<Instruction<StepName>>) -> Argument {
    Argument::Traversal(Traversal::anonymous(steps))
}

/// Whether a traversal writes, or one inside it.
fn writes(traversal: &Traversal) -> bool {
    use StepName as S;
    let writes = |step: &Instruction<StepName>| {
        matches!(step.name, S::AddV | S::AddE | S::Property | S::Drop | S::MergeV | S::MergeE)
    };
    // What it would say is not looked at.
    let mut is_any = false;
    let _ = each_traversal(&mut traversal.clone(), &mut |inside| {
        is_any |= inside.steps.iter().any(writes);
        Ok(())
    });
    is_any
}

/// What a step finds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Finds {
    Vertices,
    Edges,
}

/// What a step that goes somewhere in the graph finds there, if it is one.
fn finds(step: &Instruction<StepName>) -> Option<Finds> {
    use StepName as S;
    match step.name {
        S::V | S::Out | S::In | S::Both | S::OutV | S::InV | S::BothV | S::OtherV | S::ToV => {
            Some(Finds::Vertices)
        }
        S::To if direction(step).is_some() => Some(Finds::Vertices),
        S::E | S::OutE | S::InE | S::BothE | S::ToE => Some(Finds::Edges),
        _ => None,
    }
}

/// The direction that a step is given as its first argument.
fn direction(step: &Instruction<StepName>) -> Option<Direction> {
    match step.args.first().and_then(Argument::as_value) {
        Some(Value::Direction(direction)) => Some(*direction),
        _ => None,
    }
}
