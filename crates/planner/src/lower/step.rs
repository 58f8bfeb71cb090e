//! Steps without subqueries become operators.

use super::modulate::productive;
use super::pipeline::Ops;
use super::{Lowering, Place};
use graph::VertexLabelId;

use crate::logical::{Access, Comparison, Kind, Lookup, Modulator, Move, Origin, Select, Selected, Step};
use crate::physical::{
    By, ExpandTo, OpKind, Predicate, SackWith, Selection, Slot, Slots, SortKey, SourceIds, Test, op,
};

impl Lowering<'_> {
    /// Lowers one step and gives its result its names.
    pub(super) fn step(&mut self, step: &Step, place: Place, ops: &mut Ops) {
        if !self.branch(&step.kind, place, ops) {
            self.sequential(&step.kind, place, ops);
        }
        ops.label(&step.labels, self.paths);
    }

    fn sequential(&mut self, kind: &Kind, place: Place, ops: &mut Ops) {
        match kind {
            Kind::Identity => {}
            Kind::Graph(access) => self.source(access, ops),
            Kind::Inject(operands, place) => ops.go(OpKind::Inject(operands.clone(), *place)),
            Kind::Move(step) => ops.go(expand(step)),
            Kind::EdgeVertex(end) => ops.go(OpKind::EdgeVertex(*end)),
            Kind::Degree { direction, labels } => {
                ops.go(OpKind::Degree(op::Degree {
                    direction: *direction,
                    labels: labels.clone(),
                    into: None,
                }));
            }
            Kind::BulkByDegree { direction, labels } => {
                ops.stay(OpKind::BulkByDegree(op::BulkByDegree {
                    direction: *direction,
                    labels: labels.clone(),
                }));
            }
            Kind::BulkByWalks { first, then } => {
                ops.stay(OpKind::BulkByWalks(op::BulkByWalks { first: first.clone(), then: then.clone() }));
            }
            Kind::Filter(test) => ops.stay(OpKind::Filter(test.clone())),
            Kind::Compare(comparison) => self.compare(comparison, place, ops),
            Kind::Properties { keys, form } => {
                ops.go(OpKind::Properties(op::Properties { keys: keys.clone(), form: form.clone() }));
            }
            Kind::Take(by) => {
                let slot = self.by_slot(&By::Current, by, place, ops);
                ops.go(OpKind::Load(slot));
            }
            Kind::Keep { into, origin, by } => self.keep(*into, origin, by, place, ops),
            Kind::Call(function) => ops.go(OpKind::Local(function.clone())),
            Kind::Unfold => ops.go(OpKind::Unfold),
            Kind::Math { expression, variables } => {
                let (mut slots, mut modulated) = (Vec::with_capacity(variables.len()), Vec::new());
                for (name, origin, by) in variables {
                    let slot = match self.named(origin, by, place, ops) {
                        By::Current => None,
                        By::Slot(slot) => Some(slot),
                    };
                    // A by() may find nothing; a name must not.
                    modulated.extend(slot.filter(|_| !by.is_this()));
                    slots.push((name.clone(), slot));
                }
                productive(modulated, ops);
                ops.go(OpKind::Math(op::Math { expression: expression.clone(), variables: slots }));
            }
            Kind::Project(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, by)| (key.clone(), self.by(&By::Current, by, place, ops)))
                    .collect();
                ops.go(OpKind::Project(op::Project { entries }));
            }
            Kind::Select(select) => self.select(select, place, ops),
            Kind::Path { by, lenient, from, to } => {
                let (by, from, to) = (by.clone(), from.clone(), to.clone());
                ops.go(OpKind::Path(op::Path { by, lenient: *lenient, from, to }));
            }
            Kind::Load(slot) => ops.go(OpKind::Load(*slot)),
            _ => self.barrier(kind, place, ops),
        }
    }

    fn source(&mut self, access: &Access, ops: &mut Ops) {
        let kind = access.element;
        let scan = |vertex_labels, edge_labels| OpKind::Scan(op::Scan { kind, vertex_labels, edge_labels });
        ops.go(match &access.lookup {
            Lookup::All => scan(None, None),
            Lookup::VertexLabels(labels) => scan(Some(labels.clone()), None),
            Lookup::EdgeLabels(labels) => scan(None, Some(labels.clone())),
            Lookup::Ids(ids) => OpKind::ById(op::ById { kind, ids: SourceIds(ids.clone()) }),
            Lookup::Index { labels, key, values, spread } => {
                let look_up = |label| {
                    OpKind::IndexLookup(op::IndexLookup {
                        label,
                        key: *key,
                        values: values.clone(),
                        spread: *spread,
                    })
                };
                match &labels[..] {
                    [label] => look_up(*label),
                    several => {
                        return self.union_of(several.iter().map(|label| look_up(*label)).collect(), ops);
                    }
                }
            }
            Lookup::Range { labels, range } => {
                let look_up = |label: &VertexLabelId| {
                    OpKind::IndexRange(op::IndexRange { label: *label, range: range.clone() })
                };
                match &labels[..] {
                    [label] => look_up(label),
                    several => return self.union_of(several.iter().map(look_up).collect(), ops),
                }
            }
        });
    }

    fn barrier(&mut self, kind: &Kind, place: Place, ops: &mut Ops) {
        match kind {
            Kind::Dedup { keys, across_iterations } => {
                let mut by = Vec::with_capacity(keys.len().max(1));
                let mut computed = Vec::new();
                for (origin, modulator) in keys {
                    let key = self.named(origin, modulator, place, ops);
                    if let (By::Slot(slot), false) = (&key, modulator.is_this()) {
                        computed.push(*slot);
                    }
                    by.push(key);
                }
                if by.is_empty() {
                    by.push(By::Current);
                }
                productive(computed, ops);
                ops.stay(OpKind::Dedup(op::Dedup {
                    by,
                    across_iterations: *across_iterations,
                    in_pieces: false,
                }));
            }
            Kind::Range { low, high } => ops.stay(OpKind::Range(op::Range { low: *low, high: *high })),
            Kind::Tail(n) => ops.stay(OpKind::Tail(*n)),
            Kind::Order { keys, limit } => {
                let mut sort_keys = Vec::with_capacity(keys.len());
                for (at, (by, order)) in keys.iter().enumerate() {
                    let by = self.by(&By::Current, by, place, ops);
                    // Who has nothing to be sorted by is not asked for more, which might fail.
                    let asks_more = keys[at + 1..].iter().any(|(by, _)| *by != Modulator::THIS);
                    if let (By::Slot(slot), true) = (&by, asks_more) {
                        productive(vec![*slot], ops);
                    }
                    sort_keys.push(SortKey { by, order: *order });
                }
                ops.stay(OpKind::Order(op::Sort { keys: sort_keys, limit: *limit }));
            }
            Kind::Aggregate(what) => ops.go(OpKind::Aggregate(what.clone())),
            Kind::GroupCount(group) => {
                let key = self.by(&By::Current, &group.key, place, ops);
                if let (By::Slot(slot), None) = (&key, group.side_effect) {
                    productive(vec![*slot], ops);
                }
                let count = OpKind::GroupCount(op::GroupCount { key, side_effect: group.side_effect });
                match group.side_effect {
                    Some(_) => ops.stay(count),
                    None => ops.go(count),
                }
            }
            Kind::Barrier => ops.stay(OpKind::Barrier(op::Barrier {
                first_passes: false,
                compares_paths: self.paths && ops.expecting.shown,
            })),
            Kind::Sack(sack) => ops.go(OpKind::Sack(sack.clone())),
            Kind::SackWith(with) => {
                let SackWith { sack, operator, by, into } = with.clone();
                let by = self.by(&By::Current, &by, place, ops);
                ops.slot_changed(into);
                ops.stay(OpKind::SackWith(SackWith { sack, operator, by, into }));
            }
            Kind::MergeSacks(merge) => {
                ops.slot_changed(merge.into);
                ops.stay(OpKind::MergeSacks(merge.clone()));
            }
            Kind::HoldRepeats => {
                ops.stay(OpKind::Barrier(op::Barrier { first_passes: true, compares_paths: false }))
            }
            Kind::Collect { side_effect, by, eager } => {
                let by = self.by(&By::Current, by, place, ops);
                ops.stay(OpKind::Collect(op::Collect { side_effect: *side_effect, by, eager: *eager }));
            }
            Kind::Coin(probability) => ops.stay(OpKind::Coin(*probability)),
            Kind::TimeLimit(millis) => ops.stay(OpKind::TimeLimit(*millis)),
            Kind::Sample(count, weight) => {
                let weight = weight.as_ref().map(|by| self.by_slot(&By::Current, by, place, ops));
                ops.stay(OpKind::Sample(*count, weight));
            }
            Kind::Cap(ids) => ops.go(OpKind::Cap(ids.clone())),
            Kind::Discard => ops.stay(OpKind::Discard),
            Kind::Write(write) => self.write(write, place, ops),
            Kind::Fail(message) => ops.stay(OpKind::Fail(message.clone())),
            // Branches have been lowered before; see `Lowering::branch`.
            _ => {}
        }
    }

    /// A comparison of objects that have to be looked up: all of them must be there.
    fn compare(&mut self, comparison: &Comparison, place: Place, ops: &mut Ops) {
        let mut looked_up = Vec::new();
        let mut places = Vec::with_capacity(comparison.operands.len());
        let left = self.named(&comparison.left.0, &comparison.left.1, place, ops);
        for (slot, origin, by) in &comparison.operands {
            let filled = match self.named(origin, by, place, ops) {
                By::Slot(filled) => filled,
                By::Current => self.by_slot(&By::Current, &Modulator::THIS, place, ops),
            };
            looked_up.push(filled);
            places.push((*slot, filled));
        }
        let mut predicate = comparison.predicate.clone();
        rename(&mut predicate, &places);
        let test = match left {
            By::Current => Test::Is(predicate),
            By::Slot(slot) => {
                looked_up.push(slot);
                Test::SlotIs(slot, predicate)
            }
        };
        let present = looked_up.into_iter().map(Test::Present);
        ops.stay(OpKind::Filter(Test::And(present.chain([test]).collect())));
    }

    /// Puts an object into a slot.
    fn keep(&mut self, into: Slot, origin: &Origin, by: &Modulator, place: Place, ops: &mut Ops) {
        ops.slot_changed(into);
        // Of several values the first is kept.
        let by = by.of_choice().unwrap_or_else(|| by.clone());
        let found = self.named(origin, &by, place, ops);
        match found {
            By::Current => ops.stay(OpKind::Store(into)),
            By::Slot(_) => {
                let what = crate::physical::FetchKind::This;
                ops.stay(OpKind::Fetch(op::Fetch { from: found, what, into }));
            }
        }
    }

    fn select(&mut self, select: &Select, place: Place, ops: &mut Ops) {
        let mut computed = Vec::new();
        let mut selections = Vec::with_capacity(select.selections.len());
        // A by() of one that comes later has nothing to do, and nothing to fail at, where one before it is missing.
        let in_turn = select.selections.len() > 1 && select.selections.iter().any(|one| !one.by.is_this());
        for Selected { name, origin, pop, by } in &select.selections {
            let (slot, side_effect) = match origin {
                Origin::Slot(slot) => (Some(*slot), None),
                Origin::SideEffect(id) => (None, Some(*id)),
                Origin::Named { slot, .. } => (*slot, self.side_effect(name)),
                Origin::Entry(_) | Origin::Current => (None, None),
            };
            if in_turn && let By::Slot(named) = self.origin(origin, ops) {
                productive(vec![named], ops);
            }
            productive(std::mem::take(&mut computed), ops);
            let by = if by.is_this() { By::Current } else { self.named(origin, by, place, ops) };
            let by = match by {
                By::Slot(slot) => {
                    computed.push(slot);
                    Some(slot)
                }
                By::Current => None,
            };
            selections.push(Selection { name: name.clone(), slot, side_effect, pop: *pop, by });
        }
        productive(computed, ops);
        ops.go(OpKind::Select(op::Select { selections, form: select.form }));
    }
}

/// Puts the slots that were filled in the place of those that stood for them.
fn rename(predicate: &mut Predicate, places: &[(Slot, Slot)]) {
    predicate.for_each_slot(&mut |slot, _| {
        if let Some((_, filled)) = places.iter().find(|(stand_in, _)| stand_in == slot) {
            *slot = *filled;
        }
    });
}

fn expand(step: &Move) -> OpKind {
    OpKind::Expand(op::Expand {
        direction: step.direction,
        labels: step.labels.clone(),
        to: if step.edges { ExpandTo::Edges { from: step.from } } else { ExpandTo::Vertices },
        edge_test: step.edge_test.clone(),
        end_test: None,
        fetch: step.fetch.clone(),
        distinct: step.distinct,
        sorted: step.sorted.clone(),
        secondary: step.secondary.clone(),
    })
}
