//! Steps with `Scope.local` that look inside a collection.

use std::sync::Arc;

use values::number::{self, ArithmeticError};
use values::{BulkSet, Map, Set, Value, watch};

use super::Around;
use crate::error::QueryError;

/// Bytes of a member in a list, and beside it while the list is made.
const MEMBER: u64 = 2 * size_of::<Value>() as u64;

/// Bytes of an entry behind its pointer.
const ENTRY: u64 = 3 * MEMBER;

/// The members of an object: of a map its entries, of a path its objects; anything else is its own only member. There may be
/// more of them than anybody can count.
pub(in crate::operators) fn each(object: &Value) -> Box<dyn Iterator<Item = Value> + '_> {
    let members: Box<dyn Iterator<Item = Value>> = match object {
        Value::List(members) => Box::new(members.iter().cloned()),
        Value::Set(members) => Box::new(members.iter().cloned()),
        Value::BulkSet(members) => Box::new(members.repeated_from(0).cloned()),
        Value::Path(path) => Box::new(path.objects.iter().cloned()),
        Value::Map(map) => Box::new(map.iter().map(|(k, v)| Value::entry(k.clone(), v.clone()))),
        one => Box::new(std::iter::once(one.clone())),
    };
    Box::new(members.inspect(|_| watch::tick()))
}

/// The same as a list.
pub(super) fn members(object: &Value, around: Around<'_>) -> Result<Vec<Value>, QueryError> {
    let beside = if matches!(object, Value::Map(_)) { ENTRY } else { 0 };
    around.hold((count(object) as u64).saturating_mul(MEMBER + beside))?;
    Ok(each(object).collect())
}

/// Number of members.
pub(in crate::operators) fn count(object: &Value) -> usize {
    match object {
        Value::List(members) => members.len(),
        Value::Set(members) => members.len(),
        Value::BulkSet(members) => usize::try_from(members.total()).unwrap_or(usize::MAX),
        Value::Path(path) => path.len(),
        Value::Map(map) => map.len(),
        _ => 1,
    }
}

/// The sum of the members that are not null; null if all are, nothing if there is none.
pub(super) fn sum(object: &Value) -> Result<Option<Value>, ArithmeticError> {
    if count(object) == 0 {
        return Ok(None);
    }
    let mut numbers = each(object).filter(|m| !m.is_null());
    let first = numbers.next().unwrap_or_default();
    if !first.is_null() && !first.is_number() {
        return Err(ArithmeticError::NotANumber { operation: "add", found: first.type_name() });
    }
    numbers.try_fold(first, |sum, n| number::add(&sum, &n)).map(Some)
}

/// The mean of the members that are not null.
pub(super) fn mean(object: &Value) -> Result<Option<Value>, ArithmeticError> {
    let numbers = each(object).filter(|m| !m.is_null()).count();
    match sum(object)? {
        Some(sum) if !sum.is_null() => number::mean(&sum, numbers as i64).map(Some),
        other => Ok(other),
    }
}

/// The smallest or largest member; nothing if there is none.
pub(super) fn extreme(
    object: &Value,
    better: fn(&Value, &Value) -> Result<Value, ArithmeticError>,
) -> Result<Option<Value>, ArithmeticError> {
    let mut members = each(object);
    let Some(first) = members.next() else { return Ok(None) };
    number::check_comparable(&first)?;
    members.try_fold(first, |best, member| better(&member, &best)).map(Some)
}

/// Members `low..high`, in a collection of the same kind; `high` -1 for no end. Anything else than a collection stays.
pub(super) fn range(object: &Value, low: i64, high: i64) -> Value {
    let skip = usize::try_from(low).unwrap_or(0);
    let take = match high {
        -1 => usize::MAX,
        high => usize::try_from(high).unwrap_or(0).saturating_sub(skip),
    };
    match object {
        Value::List(members) => members.iter().skip(skip).take(take).cloned().collect::<Vec<_>>().into(),
        Value::Path(path) => path.objects.iter().skip(skip).take(take).cloned().collect::<Vec<_>>().into(),
        Value::Set(members) => members.iter().skip(skip).take(take).cloned().collect::<Set>().into(),
        Value::BulkSet(members) => within(members, skip as u64, take as u64).into(),
        Value::Map(map) => {
            map.iter().skip(skip).take(take).map(|(k, v)| (k.clone(), v.clone())).collect::<Map>().into()
        }
        other => other.clone(),
    }
}

/// What is behind the first `skip` members and among the `take` after these: each once, as it is a set.
fn within(members: &BulkSet, skip: u64, take: u64) -> Set {
    let (mut before, end) = (0_u64, skip.saturating_add(take));
    let mut within = Set::new();
    for (member, count) in members.iter() {
        // There may be millions behind, and somebody who asks for the first of them a million times.
        if before >= end {
            break;
        }
        watch::tick();
        let first = before;
        before = before.saturating_add(count);
        if before.min(end) > first.max(skip) {
            within.insert(member.clone());
        }
    }
    within
}

/// The distinct members.
pub(super) fn dedup(object: &Value) -> Value {
    match object {
        Value::Set(members) => Value::Set(Arc::clone(members)),
        Value::BulkSet(members) => members.distinct_from(0).cloned().collect::<Set>().into(),
        other => each(other).collect::<Set>().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(members: &[i32]) -> Value {
        members.iter().map(|m| Value::Int(*m)).collect::<Vec<_>>().into()
    }

    #[test]
    fn a_range_keeps_the_kind_of_its_collection() {
        assert_eq!(range(&list(&[1, 2, 3, 4]), 1, 3), list(&[2, 3]));
        assert_eq!(range(&list(&[1, 2, 3]), 1, -1), list(&[2, 3]));
        assert_eq!(range(&list(&[1]), 3, 5), list(&[]));
        assert_eq!(range(&list(&[1, 2, 3]), -2, 2), list(&[1, 2]));
        let set: Set = [1.into(), 2.into()].into_iter().collect();
        assert!(matches!(range(&set.into(), 0, 1), Value::Set(s) if s.len() == 1));
        assert_eq!(range(&7.into(), 0, 0), 7.into(), "a number has no members");
    }

    #[test]
    fn a_range_of_a_bulk_set_counts_members_as_often_as_they_are_there() {
        let bulks: BulkSet =
            [(1.into(), 2), (2.into(), u64::MAX / 4), (3.into(), 1), (4.into(), 1)].into_iter().collect();
        let last = i64::try_from(bulks.total() - 1).unwrap();
        let bulks = Value::from(bulks);
        let texts = |low, high| range(&bulks, low, high).to_string();
        assert_eq!(texts(0, 2), "[1]");
        assert_eq!(texts(1, 3), "[1, 2]");
        assert_eq!(texts(2, 3), "[2]");
        assert_eq!(texts(last, -1), "[4]");
        assert_eq!(texts(last - 1, last), "[3]");
        assert_eq!(texts(3, 3), "[]");
    }

    #[test]
    fn a_range_of_a_bulk_set_does_not_look_at_what_is_behind_it() {
        /// Ends the work at the first look: after a thousand members or so.
        struct AtOnce;

        impl watch::Watch for AtOnce {
            fn must_end(&self) -> bool {
                true
            }
        }

        let bulks: BulkSet = (0..100_000).map(|i| (Value::Int(i), 1)).collect();
        let first = |end| watch::watched(Arc::new(AtOnce), || within(&bulks, 0, end).len());
        watch::ticks(usize::MAX);
        assert_eq!(first(3), Ok(3));
        assert!(first(100_000).is_err(), "who wants all of them is asked whether he still does");
    }

    #[test]
    fn aggregations_skip_nulls_and_give_nothing_for_an_empty_list() {
        let with_nulls = Value::list([Value::Null, 1.into(), Value::Null, 2.into()]);
        assert_eq!(sum(&with_nulls), Ok(Some(3.into())));
        assert_eq!(mean(&with_nulls), Ok(Some(Value::Double(1.5))));
        assert_eq!(extreme(&with_nulls, number::max), Ok(Some(2.into())));
        assert_eq!(sum(&list(&[])), Ok(None));
        assert_eq!(extreme(&list(&[]), number::min), Ok(None));
        assert_eq!(sum(&Value::list([Value::Null])), Ok(Some(Value::Null)));
        assert!(sum(&Value::list(["a".into(), 1.into()])).is_err());
    }
}
