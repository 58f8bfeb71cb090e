//! Membership in a set of operands (`within`), in constant time.

use graph::ValueRef;
use planner::physical::{Operand, SideEffectId, Slot};
use values::{SeededSet, Str, Value, compare, watch};

use crate::batch::Batch;

use super::super::element::id_of;
use super::super::ids;
use super::super::vertex_set::VertexSet;
use super::Resolver;

/// The operands of a `within`.
///
/// Gremlin's equality crosses the types of numbers, so members are kept under a key that equal values share: whole
/// numbers as longs, other floating-point numbers as doubles. What has no such key is compared one by one.
#[derive(Debug, Default)]
pub(in crate::operators) struct Members {
    keyed: SeededSet<Value>,
    texts: SeededSet<Str>,
    vertices: VertexSet,
    rest: Vec<Value>,
    slots: Vec<Slot>,
    spread: bool,
    /// Compares ids, however they are written.
    of_ids: bool,
    /// A side-effect that was read up to its nth distinct object.
    growing: Option<(SideEffectId, usize)>,
    /// Side-effects that were read as a whole, and at which version.
    fixed: Vec<(SideEffectId, u64)>,
}

impl Members {
    /// The members that `operands` stand for; collections stand for their members where `spread`.
    pub(super) fn new(operands: &[Operand], spread: bool, with: Resolver<'_>) -> Self {
        let mut members = Self { spread, ..Self::default() };
        members.fill(operands, with);
        members
    }

    /// As [`Members::new`], for ids: elements stand for their ids, which are compared however they are written.
    pub(super) fn of_ids(operands: &[Operand], spread: bool, with: Resolver<'_>) -> Self {
        let mut members = Self { spread, of_ids: true, ..Self::default() };
        members.fill(operands, with);
        members
    }

    fn fill(&mut self, operands: &[Operand], with: Resolver<'_>) {
        for operand in operands {
            match operand {
                Operand::Slot(slot) => self.slots.push(*slot),
                Operand::SideEffect(id) if self.spread && self.growing.is_none() => {
                    match with.cx.query.side_effects.distinct_from(*id, 0) {
                        Some(objects) => {
                            self.growing = Some((*id, objects.len()));
                            objects.into_iter().for_each(|object| self.add(object, with));
                        }
                        None => self.add_whole(*id, with),
                    }
                }
                Operand::SideEffect(id) => self.add_whole(*id, with),
                other => self.add_spread(with.value(other).unwrap_or_default(), with),
            }
        }
    }

    fn add_whole(&mut self, id: SideEffectId, with: Resolver<'_>) {
        self.fixed.push((id, with.cx.query.side_effects.version(id)));
        self.add_spread(with.cx.query.side_effects.value(id), with);
    }

    fn add_spread(&mut self, value: Value, with: Resolver<'_>) {
        match value {
            Value::List(members) if self.spread => members.iter().for_each(|m| self.add(m.clone(), with)),
            Value::Set(members) if self.spread => members.iter().for_each(|m| self.add(m.clone(), with)),
            Value::BulkSet(members) if self.spread => {
                members.distinct_from(0).for_each(|m| self.add(m.clone(), with));
            }
            one => self.add(one, with),
        }
    }

    fn add(&mut self, member: Value, with: Resolver<'_>) {
        watch::tick();
        if self.of_ids {
            let id = id_of(&member, with.graph).unwrap_or(member);
            match ids::key(&id) {
                Some(key) => drop(self.keyed.insert(key)),
                None => self.rest.push(id),
            }
            return;
        }
        match member {
            Value::VertexRef(v) => drop(self.vertices.insert(v)),
            Value::String(text) => drop(self.texts.insert(text)),
            other => match key(ValueRef::of(&other)) {
                Some(key) => drop(self.keyed.insert(key)),
                None => self.rest.push(other),
            },
        }
    }

    /// Whether a value equals one of the members.
    #[inline]
    pub(super) fn contain(&self, candidate: ValueRef<'_>, batch: &Batch, row: usize) -> bool {
        if let ValueRef::Other(Value::VertexRef(v)) = candidate
            && !self.of_ids
        {
            return self.vertices.contains(*v)
                || (!self.slots.is_empty() && self.in_slots(candidate, batch, row));
        }
        let found = if self.of_ids {
            self.is_fixed_id(&candidate.to_value())
        } else {
            self.is_fixed_member(candidate)
        };
        found || (!self.slots.is_empty() && self.in_slots(candidate, batch, row))
    }

    fn is_fixed_id(&self, id: &Value) -> bool {
        match ids::key(id) {
            Some(key) => self.keyed.contains(&key),
            None => self.rest.iter().any(|member| ticked(|| compare::equals(id, member))),
        }
    }

    fn is_fixed_member(&self, candidate: ValueRef<'_>) -> bool {
        if let ValueRef::Str(text) = candidate {
            return self.texts.contains(text);
        }
        let Some(key) = key(candidate) else {
            let candidate = candidate.to_value();
            let equals = |member: &Value| ticked(|| compare::equals(&candidate, member));
            return self.keyed.iter().chain(&self.rest).any(equals);
        };
        self.keyed.contains(&key) || self.rest.iter().any(|member| ticked(|| candidate.equals(member)))
    }

    fn in_slots(&self, candidate: ValueRef<'_>, batch: &Batch, row: usize) -> bool {
        let equal = |operand: &Value| {
            ticked(|| match self.of_ids {
                true => ids::same(&candidate.to_value(), operand),
                false => candidate.equals(operand),
            })
        };
        self.slots.iter().any(|slot| match batch.slot(*slot).and_then(|column| column.get(row)) {
            Some(Value::List(members)) if self.spread => members.iter().any(equal),
            Some(Value::Set(members)) if self.spread => members.iter().any(equal),
            Some(Value::BulkSet(members)) if self.spread => members.distinct_from(0).any(equal),
            Some(one) => equal(&one),
            None => false,
        })
    }

    /// Takes in what the growing side-effect has gained; `false` if another one has changed.
    pub(super) fn refresh(&mut self, with: Resolver<'_>) -> bool {
        let side_effects = &with.cx.query.side_effects;
        if self.fixed.iter().any(|(id, version)| side_effects.version(*id) != *version) {
            return false;
        }
        let Some((id, known)) = self.growing else { return true };
        let Some(gained) = side_effects.distinct_from(id, known) else { return false };
        self.growing = Some((id, known + gained.len()));
        gained.into_iter().for_each(|object| self.add(object, with));
        true
    }
}

/// A comparison among many: of a row there may be millions, and of a batch thousands of rows.
#[inline]
fn ticked(compare: impl FnOnce() -> bool) -> bool {
    watch::tick();
    compare()
}

/// A key that values share which are equal; `None` for those that must be compared one by one.
fn key(value: ValueRef<'_>) -> Option<Value> {
    /// Beyond, neighbouring longs share a double.
    const EXACT: f64 = (1u64 << 53) as f64;
    let floating = |v: f64| {
        if v.is_nan() {
            return None;
        }
        Some(if v.fract() == 0.0 && v.abs() < EXACT { Value::Long(v as i64) } else { Value::Double(v) })
    };
    match value {
        ValueRef::Long(v) if v.unsigned_abs() as f64 >= EXACT => None,
        ValueRef::Long(v) => Some(Value::Long(v)),
        ValueRef::Int(v) => Some(Value::Long(v.into())),
        ValueRef::Double(v) => floating(v),
        ValueRef::Bool(v) => Some(Value::Bool(v)),
        ValueRef::Null => Some(Value::Null),
        ValueRef::DateTime(v) => Some(Value::DateTime(v)),
        ValueRef::Str(_) => None,
        ValueRef::Other(v) => match v {
            Value::Byte(v) => Some(Value::Long((*v).into())),
            Value::Short(v) => Some(Value::Long((*v).into())),
            Value::EdgeRef(_) | Value::VertexRef(_) | Value::Uuid(_) | Value::Char(_) => Some(v.clone()),
            _ => None,
        },
    }
}
