//! `mergeV` and `mergeE`, with their options.
//!
//! ```text
//! mergeV([name: 'a']).option(onMatch, [age: 1])        ─►  mergeV([name: 'a']; onMatch [age: 1])
//! mergeV(m).option(onCreate, {…}).option(onMatch, {…})  ─►  keep({m} → s1) ─ coalesce {mergeV(find s1) ─ update {…}}
//!                                                                                    {mergeV(create s1; onCreate {…})}
//! ```
//!
//! An option that is a subquery runs only where it is wanted, `onMatch` at the element that was found.

use gremlin::{Argument, Cardinality, Merge as Token, StepName};
use values::{Direction, Str, Value};

use super::call::Call;
use super::{Binder, Bound, Shape, Type};
use crate::PlanError;
use crate::logical::{Chain, Footprint, Input, Kind, Modulator, Origin, Select, Step, Write};
use crate::physical::{ElementKind, LocalFn, Merge, MergeEntries, MergeMap, MergePhase, MergeValue, Operand};

/// What a map of a merge may be.
const A_MAP: &str = "a map or a traversal that gives one";

impl Binder<'_> {
    pub(super) fn merge_step(&mut self, call: &Call<'_>, shape: &Shape, out: &mut Chain) -> Bound {
        self.enters_start = Value::Bool(false);
        let (element, ty) = match call.name {
            StepName::MergeV => (ElementKind::Vertex, Type::Vertex),
            _ => (ElementKind::Edge, Type::Edge),
        };
        let found = Shape::of(ty);
        let wanted = match call.args.first() {
            Some(map) => self.merge_map(call, map, None, shape)?,
            None if shape.ty == Type::Seed => return Err(call.bad_argument(0, A_MAP)),
            None => self.computed_map(Input::Origin(Origin::Current)),
        };
        let phase = MergePhase::Whole;
        let mut merge =
            Merge { element, phase, wanted, on_create: None, on_match: None, out_v: None, in_v: None };
        for option in call.modulators(StepName::Option) {
            self.merge_option(&Call::alone(option), (shape, &found), &mut merge)?;
        }
        let ends = late_ends(&mut merge);
        let is_early = [&merge.on_create, &merge.on_match].into_iter().flatten().all(may_be_taken_before);
        match is_early && ends == [None, None] {
            true => Self::push(out, Kind::Write(Box::new(Write::Merge(merge))), call),
            false => self.merge_in_parts(merge, ends, call, out),
        }
        Ok(found)
    }

    /// `option(onCreate, …)` and its kin.
    fn merge_option(
        &mut self,
        option: &Call<'_>,
        (shape, found): (&Shape, &Shape),
        merge: &mut Merge<Input>,
    ) -> Result<(), PlanError> {
        let (Some(Argument::Merge(token)), Some(given)) = (option.args.first(), option.args.get(1)) else {
            return Err(option.bad_argument(0, "Merge.onCreate, Merge.onMatch, Merge.outV or Merge.inV"));
        };
        let cardinality = match option.args.get(2) {
            Some(Argument::Cardinality(cardinality)) => Some(*cardinality),
            _ => None,
        };
        match token {
            Token::OnCreate => merge.on_create = Some(self.merge_map(option, given, cardinality, shape)?),
            Token::OnMatch => merge.on_match = Some(self.merge_map(option, given, cardinality, found)?),
            Token::OutV | Token::InV if merge.element == ElementKind::Vertex => {
                return Err(option.invalid(format!("Option {} for Merge is not supported", token.as_str())));
            }
            Token::OutV => merge.out_v = Some(self.merge_input(option, given, shape)?),
            Token::InV => merge.in_v = Some(self.merge_input(option, given, shape)?),
        }
        Ok(())
    }

    fn merge_map(
        &mut self,
        call: &Call<'_>,
        given: &Argument,
        cardinality: Option<Cardinality>,
        shape: &Shape,
    ) -> Result<MergeMap<Input>, PlanError> {
        let entries = match given {
            Argument::Map(entries) => {
                let one = |(key, value): &(Argument, Argument)| {
                    Ok((self.operand(call, key)?, self.merge_value(call, value)?))
                };
                MergeEntries::Written(entries.iter().map(one).collect::<Result<_, PlanError>>()?)
            }
            given => MergeEntries::Computed(self.merge_input(call, given, shape)?),
        };
        Ok(MergeMap { entries, cardinality, also: self.partition_of_new() })
    }

    fn computed_map(&self, input: Input) -> MergeMap<Input> {
        MergeMap { entries: MergeEntries::Computed(input), cardinality: None, also: self.partition_of_new() }
    }

    /// What `PartitionStrategy` wants in each map.
    fn partition_of_new(&self) -> Option<(Str, Value)> {
        self.partition.as_ref().map(|partition| (partition.key.clone(), partition.write.clone()))
    }

    fn merge_value(&mut self, call: &Call<'_>, value: &Argument) -> Result<MergeValue, PlanError> {
        Ok(match value {
            Argument::CardinalityValue(cardinality, value) => {
                MergeValue::With(*cardinality, Operand::Const(value.clone()))
            }
            Argument::Merge(Token::OutV) => MergeValue::End(Direction::Out),
            Argument::Merge(Token::InV) => MergeValue::End(Direction::In),
            Argument::Binding(_, inner) => return self.merge_value(call, inner),
            value => MergeValue::Plain(self.operand(call, value)?),
        })
    }

    fn merge_input(&mut self, call: &Call<'_>, given: &Argument, shape: &Shape) -> Result<Input, PlanError> {
        match given {
            Argument::Traversal(traversal) => Ok(Input::Chain(self.input_chain(traversal, shape)?)),
            given => Ok(Input::Operand(self.operand(call, given)?)),
        }
    }

    /// A merge of which an option is a subquery. `ends`: the vertices that only what is made may need.
    fn merge_in_parts(
        &mut self,
        mut merge: Merge<Input>,
        ends: [Option<Input>; 2],
        call: &Call<'_>,
        out: &mut Chain,
    ) {
        let (on_create, on_match) = (merge.on_create.take(), merge.on_match.take());
        // What both parts need is computed once.
        for input in merge.inputs_mut() {
            let (origin, by) = match input {
                Input::Operand(_) => continue,
                Input::Chain(chain) => (Origin::Current, Modulator::Chain(std::mem::take(chain))),
                Input::Origin(origin) => (origin.clone(), Modulator::THIS),
            };
            let into = self.plan.new_slot();
            Self::push(out, Kind::Keep { into, origin, by }, call);
            *input = Input::Operand(Operand::Slot(into));
        }
        let part = |phase, on_create| Merge { phase, on_create, ..merge.clone() };
        let write = |write| Step::new(Kind::Write(Box::new(write)), call.name);
        let mut found = vec![write(Write::Merge(part(MergePhase::Find, None)))];
        found.extend(on_match.map(|map| write(Write::Update(map))));
        let mut made = part(MergePhase::Create, on_create);
        let [out_v, in_v] = ends;
        (made.out_v, made.in_v) = (out_v.or(made.out_v), in_v.or(made.in_v));
        let made = vec![write(Write::Merge(made))];
        let branches = [found, made].map(|steps| Chain { steps });
        Self::push(out, Kind::Coalesce(branches.into()), call);
    }
}

/// Takes the traversals for `Merge.outV` and `Merge.inV` out of a merge that do more than look something up, and that what is looked
/// for does not ask for: they run only where `onCreate` does.
fn late_ends(merge: &mut Merge<Input>) -> [Option<Input>; 2] {
    let asks = |map: Option<&MergeMap<Input>>, end| match map.map(|map| &map.entries) {
        Some(MergeEntries::Written(entries)) => {
            entries.iter().any(|(_, value)| *value == MergeValue::End(end))
        }
        _ => false,
    };
    let acts = |input: &Input| match input {
        Input::Chain(chain) => chain.footprint().touches(Footprint::FILLS | Footprint::WRITES),
        _ => false,
    };
    let mut late = |end, input: fn(&mut Merge<Input>) -> &mut Option<Input>| {
        let is_asked = asks(Some(&merge.wanted), end);
        let is_asked_late = asks(merge.on_create.as_ref(), end);
        let input = input(merge);
        let taken = if is_asked { None } else { input.take_if(|input| acts(input)) };
        taken.filter(|_| is_asked_late)
    };
    [late(Direction::Out, |merge| &mut merge.out_v), late(Direction::In, |merge| &mut merge.in_v)]
}

/// Whether nobody can tell that the map is looked up before it is known whether it is wanted.
fn may_be_taken_before(map: &MergeMap<Input>) -> bool {
    let is_kept = |origin: &Origin| matches!(origin, Origin::Slot(_) | Origin::SideEffect(_));
    let is_looked_up = |step: &Step| match &step.kind {
        Kind::Load(_) | Kind::Call(LocalFn::Constant(_)) => true,
        Kind::Select(Select { selections, .. }) => {
            selections.iter().all(|one| is_kept(&one.origin) && one.by.is_this())
        }
        _ => false,
    };
    match map.computed() {
        Some(Input::Chain(chain)) => matches!(&chain.steps[..], [step] if is_looked_up(step)),
        Some(Input::Origin(origin)) => is_kept(origin),
        Some(Input::Operand(_)) | None => true,
    }
}
