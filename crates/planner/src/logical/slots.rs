//! Which slots a step reads and which it fills.

use super::{Chain, Input, Kind, Lookup, LoopCondition, Modulator, Origin, PropertyWrite, Step, Write};
use crate::physical::{EdgeEnd, MergeMap, Slot, Slots, Use};

impl Step {
    /// The slots that the step or its subqueries read, also those that a subquery fills itself.
    pub fn slots_read(&mut self, into: &mut Vec<Slot>) {
        self.kind.for_each_modulator_mut(&mut |origin, by| {
            if let Some(Origin::Slot(slot) | Origin::Named { slot: Some(slot), .. }) = origin {
                into.push(*slot);
            }
            if let Modulator::FetchFrom(slot, _) = by {
                into.push(*slot);
            }
        });
        self.kind.for_each_plain_read(&mut |slot| into.push(slot));
        self.kind.for_each_child_mut(&mut |chain, _| {
            chain.steps.iter_mut().for_each(|step| step.slots_read(into));
        });
    }

    /// The slots that the step fills; not those that its subqueries do.
    pub fn slots_filled(&self) -> impl Iterator<Item = Slot> {
        let (own, fetched) = match &self.kind {
            Kind::SackWith(with) => (Some(with.into), &[][..]),
            Kind::MergeSacks(merge) => (Some(merge.into), &[][..]),
            Kind::Keep { into, .. } => (Some(*into), &[][..]),
            Kind::Move(step) => (step.from, &step.fetch[..]),
            _ => (None, &[][..]),
        };
        let named = self.labels.iter().filter_map(|label| label.slot);
        own.into_iter().chain(fetched.iter().map(|(_, slot)| *slot)).chain(named)
    }
}

impl Kind {
    /// Visits the slots that the step itself reads, other than through modulators and the objects these modulate.
    pub fn for_each_plain_read(&mut self, visit: &mut dyn FnMut(Slot)) {
        let mut see = |slot: &mut Slot, _: Use| visit(*slot);
        match self {
            Self::Filter(test) => test.for_each_slot(&mut see),
            Self::Move(step) => step.edge_test.iter_mut().for_each(|test| test.for_each_slot(&mut see)),
            Self::Compare(comparison) => {
                // Some stand for operands that the comparison looks up itself.
                let own = &comparison.operands;
                comparison.predicate.for_each_slot(&mut |slot, used| {
                    if !own.iter().any(|(stand_in, ..)| stand_in == slot) {
                        see(slot, used);
                    }
                });
            }
            Self::Load(slot) | Self::EdgeVertex(EdgeEnd::Other(slot)) => see(slot, Use::Read),
            Self::Call(function) => function.for_each_slot(&mut see),
            Self::Inject(operands, _) => {
                operands.iter_mut().for_each(|operand| operand.for_each_slot(&mut see))
            }
            Self::Sack(sack) => sack.for_each_slot(&mut see),
            Self::SackWith(with) => with.sack.for_each_slot(&mut see),
            Self::MergeSacks(merge) => merge.sack.for_each_slot(&mut see),
            Self::Graph(access) => match &mut access.lookup {
                Lookup::Ids(operands) | Lookup::Index { values: operands, .. } => {
                    operands.iter_mut().for_each(|operand| operand.for_each_slot(&mut see));
                }
                Lookup::Range { range, .. } => {
                    range.for_each_slot(&mut see);
                }
                Lookup::All | Lookup::VertexLabels(_) | Lookup::EdgeLabels(_) => {}
            },
            Self::Repeat(repeat) => {
                let (head, tail) = (&mut repeat.head, &mut repeat.tail);
                for condition in [&mut head.until, &mut head.emit, &mut tail.until, &mut tail.emit] {
                    if let LoopCondition::Test(test) = condition {
                        test.for_each_slot(&mut see);
                    }
                }
            }
            Self::Write(write) => of_write(write, &mut see),
            _ => {}
        }
    }
}

fn of_write(write: &mut Write, see: &mut dyn FnMut(&mut Slot, Use)) {
    let properties = match write {
        Write::AddVertex(add) => {
            of_input(&mut add.label, see);
            add.id.iter_mut().for_each(|id| of_input(id, see));
            &mut add.properties[..]
        }
        Write::AddEdge(add) => {
            of_input(&mut add.label, see);
            [&mut add.id, &mut add.from, &mut add.to]
                .into_iter()
                .flatten()
                .for_each(|input| of_input(input, see));
            &mut add.properties[..]
        }
        Write::Merge(merge) => {
            let operands = merge.maps_mut().flat_map(MergeMap::operands_mut);
            operands.for_each(|operand| operand.for_each_slot(see));
            return merge.inputs_mut().for_each(|input| of_input(input, see));
        }
        Write::Update(map) => {
            map.operands_mut().for_each(|operand| operand.for_each_slot(see));
            return map.computed_mut().into_iter().for_each(|input| of_input(input, see));
        }
        Write::SetProperty(property) => std::slice::from_mut(property),
        Write::Drop | Write::File(_) => return,
    };
    for PropertyWrite { key, value, meta, .. } in properties {
        of_input(key, see);
        of_input(value, see);
        for (key, value) in meta {
            of_input(key, see);
            of_input(value, see);
        }
    }
}

fn of_input(input: &mut Input, see: &mut dyn FnMut(&mut Slot, Use)) {
    match input {
        Input::Operand(operand) => operand.for_each_slot(see),
        Input::Origin(Origin::Slot(slot) | Origin::Named { slot: Some(slot), .. }) => see(slot, Use::Read),
        Input::Origin(_) | Input::Chain(_) => {}
    }
}

impl Chain {
    /// The slots that are read in the chain before the chain fills them.
    pub fn slots_needed(&mut self, at_end: &[Slot]) -> Vec<Slot> {
        let mut needed = at_end.to_vec();
        for step in self.steps.iter_mut().rev() {
            needed.retain(|slot| !step.slots_filled().any(|filled| filled == *slot));
            step.slots_read(&mut needed);
        }
        needed
    }
}
