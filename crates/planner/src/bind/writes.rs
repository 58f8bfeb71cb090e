//! `addV`, `addE`, `property`, `drop`.

use std::collections::HashSet;

use gremlin::{Argument, Cardinality, Instruction, StepName, Traversal};
use values::{T, Value, excerpt};

use super::call::{Call, is_parameter};
use super::{Binder, Bound, Shape, Type};
use crate::PlanError;
use crate::logical::{AddEdge, AddVertex, Chain, Input, Kind, PropertyWrite, Step, Write};
use crate::physical::{LocalFn, Operand};

/// The label of a vertex that was given none.
const DEFAULT_LABEL: &str = "vertex";

/// Steps that do not care what they are given.
const MAKE_THEIR_OWN: &[StepName] =
    &[StepName::V, StepName::E, StepName::AddV, StepName::AddE, StepName::Constant];

/// Which of the properties that are asked for behind a step.
#[derive(Clone, Copy, Default)]
enum Which {
    /// All.
    #[default]
    All,
    /// Those that a new edge comes with: all, for there is but one value per key.
    OfEdge,
    /// Those that a new vertex comes with: of which neither a cardinality nor meta-properties are said.
    OfVertex,
    /// The others, which are set when it is there, one after another.
    Later,
}

impl Which {
    fn takes(self, key: &Argument, cardinality: Option<Cardinality>, meta: &[Argument]) -> bool {
        // A key that is computed goes with the vertex, whatever is said of it.
        let computed = matches!(key, Argument::Traversal(_));
        let of_vertex = meta.is_empty() && (cardinality.is_none() || computed);
        match self {
            Self::All | Self::OfEdge => true,
            Self::OfVertex => of_vertex,
            Self::Later => !of_vertex,
        }
    }

    /// The cardinality to write with.
    fn cardinality(self, said: Option<Cardinality>) -> Option<Cardinality> {
        match self {
            Self::All | Self::Later => said,
            Self::OfEdge => said.filter(|said| *said != Cardinality::Single),
            Self::OfVertex => None,
        }
    }
}

/// What `property` calls after `addV` or `addE` say.
#[derive(Default)]
struct Written {
    which: Which,
    id: Option<Token>,
    label: Option<Token>,
    properties: Vec<PropertyWrite>,
}

/// The id or the label of an element to be added.
struct Token {
    value: Input,
    /// As its user wrote it, for messages: the beginning of it.
    text: String,
    /// Whether another one may take its place: TinkerPop cannot tell `addV('vertex')` from `addV()`.
    is_default: bool,
}

impl Binder<'_> {
    pub(super) fn write_step(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        // What with() says is for a graph that knows it; this one knows nothing.
        match call.name {
            StepName::AddV => {
                self.enters_start = Value::Bool(false);
                let Written { id, label, mut properties, .. } =
                    self.folded_properties(call, &shape, Which::OfVertex)?;
                keep_all_values(&mut properties);
                let default = || Input::Operand(Operand::Const(Value::str(DEFAULT_LABEL)));
                let (id, label) = (id.map(|id| id.value), label.map_or_else(default, |label| label.value));
                let add = AddVertex { label, id, properties };
                Self::push(out, Kind::Write(Box::new(Write::AddVertex(add))), call);
                let shape = Shape::of(Type::Vertex);
                let later = Written { which: Which::Later, ..Written::default() };
                let later = self.properties_behind(call, &shape, later)?;
                Self::push_properties(out, later.properties, call);
                Ok(shape)
            }
            StepName::AddE => {
                self.enters_start = Value::Int(1);
                let add = self.add_edge(call, &shape)?;
                Self::push(out, Kind::Write(Box::new(Write::AddEdge(add))), call);
                Ok(Shape::of(Type::Edge))
            }
            StepName::Property => {
                let mut written = Written::default();
                self.property(call, &shape, &mut written)?;
                for (token, given) in [(T::Id, written.id), (T::Label, written.label)] {
                    if given.is_some() {
                        return Err(immutable(call, token));
                    }
                }
                Self::push_properties(out, written.properties, call);
                Ok(shape)
            }
            _ => {
                Self::push(out, Kind::Write(Box::new(Write::Drop)), call);
                Ok(shape)
            }
        }
    }

    fn add_edge(&mut self, call: &Call<'_>, shape: &Shape) -> Result<AddEdge, PlanError> {
        let Written { id, label, properties, .. } = self.folded_properties(call, shape, Which::OfEdge)?;
        let Some(label) = label else { return Err(call.bad_argument(0, "a label")) };
        if repeats(&properties).contains(&true) {
            return Err(call
                .invalid("Multi-properties are not supported by this step: an edge has one value per key"));
        }
        let mut ends = [None, None];
        for (end, name) in ends.iter_mut().zip([StepName::From, StepName::To]) {
            if let Some(modulator) = call.modulators(name).last() {
                *end = Some(self.end_of_edge(modulator, shape)?);
            }
        }
        let [from, to] = ends;
        if shape.ty == Type::Seed && (from.is_none() || to.is_none()) {
            let missing = if from.is_none() { "from" } else { "to" };
            return Err(call.invalid(format!(
                "The value given to addE({}).{missing}() must resolve to a Vertex or the ID of a Vertex present in the graph, but \
                 null was specified instead: at the start of a traversal it needs both",
                label.text
            )));
        }
        Ok(AddEdge { label: label.value, id: id.map(|id| id.value), from, to, properties })
    }

    /// `from('a')`, `from(traversal)`, `from(vertex)`.
    fn end_of_edge(&mut self, modulator: &Instruction<StepName>, shape: &Shape) -> Result<Input, PlanError> {
        let call = Call::alone(modulator);
        match modulator.args.first() {
            Some(Argument::Traversal(traversal)) => Ok(Input::Chain(self.input_chain(traversal, shape)?)),
            Some(argument) => match argument.as_value() {
                Some(Value::String(_)) => {
                    let name = call.name_at(0, self)?;
                    Ok(Input::Origin(self.resolve(&call, &name, shape)?.0))
                }
                _ => Ok(Input::Operand(self.operand(&call, argument)?)),
            },
            None => Err(call.bad_argument(0, "a label, a vertex or a traversal")),
        }
    }

    /// What the `property` calls after an `addV` or `addE` say that are part of it, and its label.
    fn folded_properties(
        &mut self,
        call: &Call<'_>,
        shape: &Shape,
        which: Which,
    ) -> Result<Written, PlanError> {
        let label = call.args.first().map(|argument| self.token(call, argument, shape)).transpose()?;
        self.properties_behind(call, shape, Written { which, label, ..Written::default() })
    }

    /// What the `property` calls after a step say, as far as that is wanted.
    fn properties_behind(
        &mut self,
        call: &Call<'_>,
        shape: &Shape,
        mut written: Written,
    ) -> Result<Written, PlanError> {
        for property in call.modulators(StepName::Property) {
            self.property(&Call::alone(property), shape, &mut written)?;
        }
        Ok(written)
    }

    /// Sets properties of what is there.
    fn push_properties(out: &mut Chain, properties: Vec<PropertyWrite>, call: &Call<'_>) {
        for property in properties {
            Self::push(out, Kind::Write(Box::new(Write::SetProperty(property))), call);
        }
    }

    /// `property(key, value, meta…)`, with a cardinality before it; or `property(map)`.
    fn property(&mut self, call: &Call<'_>, shape: &Shape, written: &mut Written) -> Result<(), PlanError> {
        let (cardinality, args) = match call.args {
            [Argument::Cardinality(cardinality), rest @ ..] => (Some(*cardinality), rest),
            args => (None, args),
        };
        match args {
            [Argument::Map(entries)] => {
                for (key, value) in entries {
                    self.one_property(call, cardinality, key, value, &[], shape, written)?;
                }
                Ok(())
            }
            [map] => match map.as_value() {
                Some(Value::Map(map)) => {
                    // The keys shape the plan, so plans with other maps cannot share it.
                    self.plan.pinned = true;
                    for (key, value) in map.iter() {
                        let (key, value) = (Argument::Value(key.clone()), Argument::Value(value.clone()));
                        self.one_property(call, cardinality, &key, &value, &[], shape, written)?;
                    }
                    Ok(())
                }
                Some(Value::Null) => Ok(()),
                _ => Err(call.bad_argument(0, "a key with a value, or a map")),
            },
            [key, value, meta @ ..] => self.one_property(call, cardinality, key, value, meta, shape, written),
            [] => Err(call.bad_argument(0, "a key with a value, or a map")),
        }
    }

    #[allow(clippy::too_many_arguments, reason = "these are the parts of one call")]
    fn one_property(
        &mut self,
        call: &Call<'_>,
        cardinality: Option<Cardinality>,
        key: &Argument,
        value: &Argument,
        meta: &[Argument],
        shape: &Shape,
        written: &mut Written,
    ) -> Result<(), PlanError> {
        match key.as_value() {
            Some(Value::T(T::Id | T::Label)) if matches!(written.which, Which::Later) => {}
            Some(Value::T(T::Id)) => {
                let given = self.token(call, value, shape)?;
                set_once(call, T::Id, &mut written.id, given)?;
            }
            Some(Value::T(T::Label)) => {
                let given = self.token(call, value, shape)?;
                set_once(call, T::Label, &mut written.label, given)?;
            }
            Some(Value::T(token)) => return Err(immutable(call, *token)),
            _ => {
                let said = match value {
                    Argument::CardinalityValue(own, _) => Some(*own),
                    _ => cardinality,
                };
                if !written.which.takes(key, said, meta) {
                    return Ok(());
                }
                let value = match value {
                    Argument::CardinalityValue(_, value) => Input::Operand(Operand::Const(value.clone())),
                    value => self.input(call, value, shape)?,
                };
                let cardinality = written.which.cardinality(said);
                let key = self.input(call, key, shape)?;
                let mut pairs = Vec::with_capacity(meta.len() / 2);
                for pair in meta.chunks(2) {
                    let [key, value] = pair else {
                        return Err(call.invalid("its meta-properties must be pairs of a key and a value"));
                    };
                    pairs.push((self.input(call, key, shape)?, self.input(call, value, shape)?));
                }
                written.properties.push(PropertyWrite { key, value, cardinality, again: false, meta: pairs });
            }
        }
        Ok(())
    }

    /// An id or a label to write.
    fn token(&mut self, call: &Call<'_>, argument: &Argument, shape: &Shape) -> Result<Token, PlanError> {
        let value = match argument {
            Argument::CardinalityValue(_, value) => Input::Operand(Operand::Const(value.clone())),
            argument => self.input(call, argument, shape)?,
        };
        let text = argument.as_value().map_or_else(|| "a traversal".to_owned(), excerpt);
        let is_default = argument.as_value().is_some_and(|value| value.as_str() == Some(DEFAULT_LABEL));
        // What it says decides whether there is a plan.
        self.plan.pinned |= is_default && is_parameter(argument);
        Ok(Token { value, text, is_default })
    }

    /// A child that computes what is to be written. At the start of a traversal there is nothing that could enter it, and
    /// TinkerPop lets a `false` do so, or a 1.
    pub(super) fn input_chain(&mut self, traversal: &Traversal, shape: &Shape) -> Result<Chain, PlanError> {
        let looks = |first: &Instruction<StepName>| !MAKE_THEIR_OWN.contains(&first.name);
        let starts = shape.ty == Type::Seed
            && (self.plan.history.is_kept() || traversal.steps.first().is_some_and(looks));
        if !starts {
            return Ok(self.child(traversal, shape.clone())?.0);
        }
        let (mut chain, _) = self.child(traversal, Shape::of(Type::Scalar))?;
        let start = Kind::Call(LocalFn::Constant(Operand::Const(self.enters_start.clone())));
        chain.steps.insert(0, Step::new(start, StepName::Constant));
        Ok(chain)
    }

    /// A value to write: given, or computed for each traverser.
    fn input(&mut self, call: &Call<'_>, argument: &Argument, shape: &Shape) -> Result<Input, PlanError> {
        match argument {
            Argument::Traversal(traversal) => Ok(Input::Chain(self.input_chain(traversal, shape)?)),
            argument => Ok(Input::Operand(self.operand(call, argument)?)),
        }
    }
}

/// Notes the id or the label of an element to be added, which it gets once.
fn set_once(call: &Call<'_>, token: T, slot: &mut Option<Token>, given: Token) -> Result<(), PlanError> {
    match slot {
        Some(before) if !before.is_default => Err(call.invalid(format!(
            "Element T.{} has already been set to [{}] and cannot be overridden with [{}]",
            token.as_str(),
            before.text,
            given.text
        ))),
        slot => {
            *slot = Some(given);
            Ok(())
        }
    }
}

/// The error of a `property` step that would set other than a property.
fn immutable(call: &Call<'_>, token: T) -> PlanError {
    call.invalid(format!("T.{} is immutable on existing elements", token.as_str()))
}

/// A key that is given several times with a new vertex has all these values, unless something else is said in the schema. Of
/// keys that are computed nobody knows which are the same.
fn keep_all_values(properties: &mut [PropertyWrite]) {
    let is_computed = |property: &PropertyWrite| !matches!(property.key, Input::Operand(Operand::Const(_)));
    let computed = properties.iter().any(is_computed);
    let repeats = repeats(properties);
    for (property, repeats) in properties.iter_mut().zip(repeats) {
        property.again = repeats || computed;
    }
}

/// Of each property, whether one before it has the same key, as far as that is known when it is planned.
fn repeats(properties: &[PropertyWrite]) -> Vec<bool> {
    let mut before = HashSet::new();
    let repeats = |property: &PropertyWrite| match &property.key {
        Input::Operand(Operand::Const(key)) => !before.insert(key.clone()),
        _ => false,
    };
    properties.iter().map(repeats).collect()
}
