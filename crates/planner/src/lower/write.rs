//! Writes: their inputs become operands.

use super::pipeline::Ops;
use super::{Lowering, Place};
use crate::logical::{Input, Modulator, PropertyWrite, Write};
use crate::physical::{By, Merge, OpKind, Operand, WriteKind, WriteProperty};

impl Lowering<'_> {
    pub(super) fn write(&mut self, write: &Write, place: Place, ops: &mut Ops) {
        match write {
            Write::AddVertex(add) => {
                let label = self.input(&add.label, place, ops);
                let id = add.id.as_ref().map(|id| self.input(id, place, ops));
                let properties = self.properties(&add.properties, place, ops);
                ops.go(OpKind::Write(WriteKind::AddVertex { label, id, properties }));
            }
            Write::AddEdge(add) => {
                let label = self.input(&add.label, place, ops);
                // In this order, as in TinkerPop: they may write.
                let to = add.to.as_ref().map(|to| self.input(to, place, ops));
                let from = add.from.as_ref().map(|from| self.input(from, place, ops));
                let id = add.id.as_ref().map(|id| self.input(id, place, ops));
                let properties = self.properties(&add.properties, place, ops);
                ops.go(OpKind::Write(WriteKind::AddEdge { label, id, from, to, properties }));
            }
            Write::Merge(merge) => {
                let merge = self.merge(merge, place, ops);
                ops.go(OpKind::Write(WriteKind::Merge(Box::new(merge))));
            }
            Write::Update(map) => {
                let map = map.map(|input| self.input(input, place, ops));
                ops.stay(OpKind::Write(WriteKind::Update(map)));
            }
            Write::SetProperty(property) => {
                let property = self.property(property, place, ops);
                ops.stay(OpKind::Write(WriteKind::SetProperty(property)));
            }
            Write::Drop => ops.stay(OpKind::Write(WriteKind::Drop)),
            Write::File(file) => ops.go(OpKind::Write(WriteKind::File(file.clone()))),
        }
        ops.graph_changed();
    }

    fn merge(&mut self, merge: &Merge<Input>, place: Place, ops: &mut Ops) -> Merge<Operand> {
        let mut of = |input: &Input| self.input(input, place, ops);
        Merge {
            element: merge.element,
            phase: merge.phase,
            wanted: merge.wanted.map(&mut of),
            on_create: merge.on_create.as_ref().map(|map| map.map(&mut of)),
            on_match: merge.on_match.as_ref().map(|map| map.map(&mut of)),
            out_v: merge.out_v.as_ref().map(&mut of),
            in_v: merge.in_v.as_ref().map(&mut of),
        }
    }

    fn properties(
        &mut self,
        properties: &[PropertyWrite],
        place: Place,
        ops: &mut Ops,
    ) -> Vec<WriteProperty> {
        properties.iter().map(|property| self.property(property, place, ops)).collect()
    }

    fn property(&mut self, property: &PropertyWrite, place: Place, ops: &mut Ops) -> WriteProperty {
        WriteProperty {
            key: self.input(&property.key, place, ops),
            value: self.input(&property.value, place, ops),
            cardinality: property.cardinality,
            again: property.again,
            meta: property
                .meta
                .iter()
                .map(|(key, value)| (self.input(key, place, ops), self.input(value, place, ops)))
                .collect(),
        }
    }

    fn input(&mut self, input: &Input, place: Place, ops: &mut Ops) -> Operand {
        let by = match input {
            Input::Operand(operand) => return operand.clone(),
            // Of several values the first is written.
            Input::Chain(chain) => {
                Modulator::of_map(chain).unwrap_or_else(|| Modulator::Chain(chain.clone()))
            }
            Input::Origin(origin) => match self.origin(origin, ops) {
                By::Slot(slot) => return Operand::Slot(slot),
                By::Current => Modulator::THIS,
            },
        };
        Operand::Slot(self.by_slot(&By::Current, &by, place, ops))
    }
}
