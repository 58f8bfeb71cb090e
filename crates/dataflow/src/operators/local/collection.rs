//! Steps with `Scope.local` that look inside a collection.

use std::sync::Arc;

use values::number::{self, ArithmeticError};
use values::{BulkSet, Map, Set, Value, watch};

use super::Around;
use super::distinct::Distinct;
use super::held::Held;
use crate::error::QueryError;

/// Bytes of a member in a list, and beside it while the list is made.
const MEMBER: u64 = 2 * size_of::<Value>() as u64;

/// Bytes of an entry behind its pointer.
const ENTRY: u64 = 3 * MEMBER;

/// Bytes of a member in a set of which it is known how many it has: its hash and its place in the table are beside it.
pub(super) const IN_SET: u64 = size_of::<Value>() as u64 + 24;

/// The same of an entry in a map.
const IN_MAP: u64 = 2 * size_of::<Value>() as u64 + 24;

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

/// The same as a list, which is held until the function has its result.
pub(super) fn members(object: &Value, around: Around<'_>) -> Result<Vec<Value>, QueryError> {
    around.hold(bytes_of_members(object))?;
    Ok(each(object).collect())
}

/// The same as a list that is held as long as it is there.
pub(super) fn listed(object: &Value, around: Around<'_>) -> Result<Held<Vec<Value>>, QueryError> {
    gathered(each(object), bytes_of_members(object), around)
}

/// Bytes of a list of the members.
pub(super) fn bytes_of_members(object: &Value) -> u64 {
    let members = count(object);
    let beside = if matches!(object, Value::Map(_)) { ENTRY } else { 0 };
    bytes_of_list(members).saturating_add((members as u64).saturating_mul(beside))
}

/// Bytes of a list of so many members.
pub(super) fn bytes_of_list(members: usize) -> u64 {
    (members as u64).saturating_mul(MEMBER)
}

/// A list of members, which take so many bytes in it, and tell the watch of each.
pub(super) fn gathered(
    members: impl Iterator<Item = Value>,
    bytes: u64,
    around: Around<'_>,
) -> Result<Held<Vec<Value>>, QueryError> {
    let mut list = Held::<Vec<Value>>::default();
    list.hold(bytes, around)?;
    list.extend(members);
    Ok(list)
}

/// A map of at most so many entries.
pub(super) fn mapped(
    entries: impl Iterator<Item = (Value, Value)>,
    most: usize,
    around: Around<'_>,
) -> Result<Held<Map>, QueryError> {
    let mut map = Held::<Map>::default();
    map.hold((most as u64).saturating_mul(IN_MAP), around)?;
    *map = Map::with_capacity(most);
    for (key, value) in entries {
        watch::tick();
        map.insert(key, value);
    }
    Ok(map)
}

/// The map that such entries make.
pub(super) fn map_of(entries: &[Value], around: Around<'_>) -> Result<Value, QueryError> {
    let entry = |entry: &Value| match entry {
        Value::Entry(entry) => Some((entry.0.clone(), entry.1.clone())),
        _ => None,
    };
    let map = mapped(entries.iter().filter_map(entry), entries.len(), around)?;
    Ok(map.into_inner().into())
}

/// The members, those of a bulk set once: for what asks only whether something is a member.
pub(super) fn distinct(object: &Value) -> Box<dyn Iterator<Item = Value> + '_> {
    match object {
        Value::BulkSet(members) => Box::new(members.distinct_from(0).inspect(|_| watch::tick()).cloned()),
        other => each(other),
    }
}

/// How many these are.
pub(super) fn distinct_count(object: &Value) -> usize {
    match object {
        Value::BulkSet(members) => members.distinct(),
        other => count(other),
    }
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
///
/// # Errors
/// If the query may not hold them.
pub(super) fn part(object: &Value, low: i64, high: i64, around: Around<'_>) -> Result<Value, QueryError> {
    let (skip, take) = places(low, high);
    let members = distinct_count(object).min(count(object).saturating_sub(skip).min(take));
    let each = if matches!(object, Value::Map(_)) { IN_MAP } else { IN_SET };
    around.hold((members as u64).saturating_mul(each))?;
    Ok(range(object, low, high))
}

/// How many to skip, and how many of those behind to take at most.
fn places(low: i64, high: i64) -> (usize, usize) {
    let skip = usize::try_from(low).unwrap_or(0);
    let take = match high {
        -1 => usize::MAX,
        high => usize::try_from(high).unwrap_or(0).saturating_sub(skip),
    };
    (skip, take)
}

/// [`part`], for which there is room.
fn range(object: &Value, low: i64, high: i64) -> Value {
    let (skip, take) = places(low, high);
    match object {
        Value::List(members) => list_within(members, skip, take),
        Value::Path(path) => list_within(&path.objects, skip, take),
        Value::Set(members) => members.iter().skip(skip).take(take).cloned().collect::<Set>().into(),
        Value::BulkSet(members) => within(members, skip as u64, take as u64).into(),
        Value::Map(map) => {
            map.iter().skip(skip).take(take).map(|(k, v)| (k.clone(), v.clone())).collect::<Map>().into()
        }
        other => other.clone(),
    }
}

fn list_within(members: &[Value], skip: usize, take: usize) -> Value {
    let within = members.iter().skip(skip).take(take);
    within.inspect(|_| watch::tick()).cloned().collect::<Vec<_>>().into()
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
///
/// # Errors
/// If the query may not hold them.
pub(super) fn dedup(object: &Value, around: Around<'_>) -> Result<Value, QueryError> {
    match object {
        Value::Set(members) => Ok(Value::Set(Arc::clone(members))),
        other => Ok(Distinct::of(distinct(other), distinct_count(other), around)?.into_value()),
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
