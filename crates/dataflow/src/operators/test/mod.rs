//! Tests on traversers, made ready for a run of batches.

mod having;
mod narrowing;
mod of_edges;
mod of_ends;
mod path;
mod prepared;
mod rows;
mod subject;

use graph::{KeyId, ValueRef};
use planner::physical::{Predicate, Quantifier, Slot, Test};
use values::{Str, Value, watch};

use crate::batch::{Batch, Column};
use crate::error::QueryError;

use super::element;
use super::predicate::{At, Check, Resolver};

pub(super) use of_edges::Met;
pub(super) use of_ends::OfEnds;
pub(super) use prepared::Prepared;
pub(super) use rows::Rows;
pub(super) use subject::{Object, Subject};

pub(super) use path::between;
use path::is_simple;
use subject::Labels;

/// A test with its operands.
#[derive(Debug)]
pub(super) enum Ready {
    Is(Check),
    SlotIs(Slot, Check),
    Has(KeyId, Check),
    /// With the key of that name, if it was there when the test was made ready.
    HasNamed(Str, Option<KeyId>, Check),
    HasKey(KeyId),
    HasId(Check),
    Label(Labels),
    LabelIs(Check),
    PropertyKey(Check),
    PropertyValue(Check),
    Members(Quantifier, Check),
    Mark(Slot),
    Present(Slot),
    Given(Slot, Str, Box<str>),
    SimplePath(Option<Str>, Option<Str>),
    Loops(Check),
    Constant(bool),
    And(Vec<Ready>),
    Or(Vec<Ready>),
    Not(Box<Ready>),
}

impl Ready {
    /// Makes a test ready.
    ///
    /// # Errors
    /// If an operand is malformed.
    pub(super) fn new(test: &Test, with: Resolver<'_>) -> Result<Self, QueryError> {
        let check = |predicate: &Predicate| Check::new(predicate, with);
        let all = |tests: &[Test]| tests.iter().map(|t| Self::new(t, with)).collect::<Result<_, _>>();
        Ok(match test {
            Test::Is(p) => Self::Is(check(p)?),
            Test::SlotIs(slot, p) => Self::SlotIs(*slot, check(p)?),
            Test::Has(key, p) => Self::Has(*key, check(p)?),
            Test::HasNamed(name, p) => {
                let key = with.graph.reader.snapshot().catalog().key(name);
                Self::HasNamed(name.clone(), key, check(p)?)
            }
            Test::HasKey(key) => Self::HasKey(*key),
            Test::HasId(p) => Self::HasId(Check::on_id(p, with)?),
            Test::Label { vertex, edge } => Self::Label(Labels::new(vertex, edge, with.graph)),
            Test::LabelIs(p) => Self::LabelIs(check(p)?),
            Test::PropertyKey(p) => Self::PropertyKey(check(p)?),
            Test::PropertyValue(p) => Self::PropertyValue(check(p)?),
            Test::Members(quantifier, p) => Self::Members(*quantifier, check(p)?),
            Test::Mark(slot) => Self::Mark(*slot),
            Test::Present(slot) => Self::Present(*slot),
            Test::Given(slot, name) => Self::Given(*slot, name.clone(), with.cx.op.step.as_str().into()),
            Test::SimplePath(from, to) => Self::SimplePath(from.clone(), to.clone()),
            Test::Loops(p) => Self::Loops(check(p)?),
            Test::Constant(truth) => Self::Constant(*truth),
            Test::And(tests) => Self::And(all(tests)?),
            Test::Or(tests) => Self::Or(all(tests)?),
            Test::Not(test) => Self::Not(Box::new(Self::new(test, with)?)),
        })
    }

    /// Whether the subject passes.
    ///
    /// # Errors
    /// If a path lacks a label that the test asks for.
    pub(super) fn holds(&self, subject: Subject<'_>) -> Result<bool, QueryError> {
        let Subject { batch, row, graph, .. } = subject;
        let at = At { batch, row, graph };
        let satisfies = |check: &Check, value: Option<Value>| {
            value.is_some_and(|value| check.holds(ValueRef::of(&value), at))
        };
        Ok(match self {
            Self::Is(check) => subject.with_object(|value| check.holds(value, at)),
            Self::Has(key, check) => subject.any_value(None, Some(*key), |v| check.holds(v, at)),
            Self::HasNamed(name, key, check) => subject.any_value(Some(name), *key, |v| check.holds(v, at)),
            Self::HasKey(key) => subject.has_key(*key),
            Self::Label(labels) => labels.admit(subject),
            Self::SlotIs(slot, check) => in_slot(batch, *slot, row, |v| check.holds(v, at)),
            Self::Mark(slot) => batch.slot(*slot).is_some_and(|marks| marks.is_true(row)),
            Self::Present(slot) => is_present(batch, *slot, row),
            Self::Given(slot, ..) if is_present(batch, *slot, row) => true,
            Self::Given(_, name, step) => {
                let name = values::excerpt(name);
                let message = format!("neither the map, nor side-effects, nor the path has a {name}-key");
                return Err(QueryError::step(step, message));
            }
            Self::HasId(check) => satisfies(check, element::id_of(&subject.to_value(), graph)),
            Self::LabelIs(check) => satisfies(check, subject.label().map(Value::String)),
            Self::PropertyKey(check) => satisfies(check, element::key_of(&subject.to_value())),
            Self::PropertyValue(check) => satisfies(check, element::value_of(&subject.to_value())),
            Self::Members(quantifier, check) => members(*quantifier, check, subject),
            Self::SimplePath(from, to) => match &batch.path {
                Some(paths) => is_simple(paths, row, from.as_ref(), to.as_ref())?,
                None => true,
            },
            Self::Loops(check) => {
                let loops = i32::try_from(subject.loops).map_or(Value::Long(subject.loops), Value::Int);
                satisfies(check, Some(loops))
            }
            Self::Constant(truth) => *truth,
            Self::And(tests) => {
                for test in tests {
                    if !test.holds(subject)? {
                        return Ok(false);
                    }
                }
                true
            }
            Self::Or(tests) => {
                for test in tests {
                    if test.holds(subject)? {
                        return Ok(true);
                    }
                }
                false
            }
            Self::Not(test) => !test.holds(subject)?,
        })
    }

    /// Takes in what side-effects have gained; `false` if the test must be made ready anew.
    pub(super) fn refresh(&mut self, with: Resolver<'_>) -> bool {
        match self {
            Self::Is(check)
            | Self::SlotIs(_, check)
            | Self::Has(_, check)
            | Self::HasNamed(_, _, check)
            | Self::HasId(check)
            | Self::LabelIs(check)
            | Self::PropertyKey(check)
            | Self::PropertyValue(check)
            | Self::Members(_, check)
            | Self::Loops(check) => check.refresh(with),
            Self::And(tests) | Self::Or(tests) => tests.iter_mut().all(|test| test.refresh(with)),
            Self::Not(test) => test.refresh(with),
            _ => true,
        }
    }
}

/// Whether a value in a slot satisfies; an absent one does not.
fn in_slot(batch: &Batch, slot: Slot, row: usize, satisfies: impl FnOnce(ValueRef<'_>) -> bool) -> bool {
    match batch.slot(slot).map(|column| &**column) {
        None => false,
        Some(Column::Longs(longs)) => satisfies(ValueRef::Long(longs[row])),
        Some(Column::Values(values)) => satisfies(ValueRef::of(&values[row])),
        Some(Column::Uniform(value)) => satisfies(ValueRef::of(value)),
        Some(column) => column.get(row).is_some_and(|value| satisfies(ValueRef::of(&value))),
    }
}

fn is_present(batch: &Batch, slot: Slot, row: usize) -> bool {
    match batch.slot(slot).map(|column| &**column) {
        None => false,
        Some(Column::Optional(values)) => values[row].is_some(),
        Some(_) => true,
    }
}

/// Whether the quantified number of members satisfies; false for what is no collection.
fn members(quantifier: Quantifier, check: &Check, subject: Subject<'_>) -> bool {
    let at = At { batch: subject.batch, row: subject.row, graph: subject.graph };
    let test = |member: &Value| {
        watch::tick();
        check.holds(ValueRef::of(member), at)
    };
    match subject.to_value() {
        Value::List(members) => enough(quantifier, members.iter(), test),
        Value::Set(members) => enough(quantifier, members.iter(), test),
        Value::BulkSet(members) => enough(quantifier, members.distinct_from(0), test),
        Value::Path(path) => enough(quantifier, path.objects.iter(), test),
        _ => false,
    }
}

fn enough<'v>(
    quantifier: Quantifier,
    mut members: impl Iterator<Item = &'v Value>,
    test: impl FnMut(&'v Value) -> bool,
) -> bool {
    match quantifier {
        Quantifier::Any => members.any(test),
        Quantifier::All => members.all(test),
        Quantifier::None => !members.any(test),
    }
}
