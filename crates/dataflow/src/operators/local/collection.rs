//! Steps with `Scope.local` that look inside a collection.

use std::sync::Arc;

use values::number::{self, ArithmeticError};
use values::{Map, Set, Value};

/// The members of an object: of a map its entries, of a path its objects; anything else is its own only member.
pub(super) fn members(object: &Value) -> Vec<Value> {
    match object {
        Value::List(members) => members.to_vec(),
        Value::Set(members) => members.iter().cloned().collect(),
        Value::BulkSet(members) => members.repeated_from(0).cloned().collect(),
        Value::Path(path) => path.objects.clone(),
        Value::Map(map) => map.iter().map(|(k, v)| Value::entry(k.clone(), v.clone())).collect(),
        one => vec![one.clone()],
    }
}

/// Number of members.
pub(super) fn count(object: &Value) -> usize {
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
    let members = members(object);
    if members.is_empty() {
        return Ok(None);
    }
    let mut numbers = members.into_iter().filter(|m| !m.is_null());
    let first = numbers.next().unwrap_or_default();
    numbers.try_fold(first, |sum, n| number::add(&sum, &n)).map(Some)
}

/// The mean of the members that are not null.
pub(super) fn mean(object: &Value) -> Result<Option<Value>, ArithmeticError> {
    let numbers = members(object).iter().filter(|m| !m.is_null()).count();
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
    let mut members = members(object).into_iter();
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
        Value::BulkSet(members) => {
            members.repeated_from(skip as u64).take(take).cloned().collect::<Set>().into()
        }
        Value::Map(map) => {
            map.iter().skip(skip).take(take).map(|(k, v)| (k.clone(), v.clone())).collect::<Map>().into()
        }
        other => other.clone(),
    }
}

/// The distinct members.
pub(super) fn dedup(object: &Value) -> Value {
    match object {
        Value::Set(members) => Value::Set(Arc::clone(members)),
        Value::BulkSet(members) => members.distinct_from(0).cloned().collect::<Set>().into(),
        other => members(other).into_iter().collect::<Set>().into(),
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
