//! What takes an object apart for a subquery, and puts what came of its parts together again.

use gremlin::{Column as Part, Pop};
use planner::physical::{Operand, SideEffectId};
use values::{Path, SeededSet, Str, Value, watch};

use super::super::property::part_of;
use super::super::random::Random;
use super::super::select::in_path;
use super::{Around, collection};
use crate::error::QueryError;

fn has_members(object: &Value) -> bool {
    matches!(object, Value::List(_) | Value::Set(_) | Value::BulkSet(_) | Value::Map(_))
}

/// The members of a collection as a list; of anything else nothing.
pub(super) fn members(object: &Value, around: Around<'_>) -> Result<Option<Value>, QueryError> {
    match object {
        Value::List(_) => Ok(Some(object.clone())),
        object if has_members(object) => Ok(Some(collection::listed(object, around)?.into_inner().into())),
        _ => Ok(None),
    }
}

/// A map of entries, where the object is a map; a list of members, where it is another collection; else the object.
///
/// # Errors
/// If the query may not hold the map.
pub(super) fn rebuilt(object: &Value, members: Value, around: Around<'_>) -> Result<Value, QueryError> {
    match (object, members) {
        (Value::Map(_), Value::List(entries)) => collection::map_of(&entries, around),
        (object, members) if has_members(object) => Ok(members),
        (object, _) => Ok(object.clone()),
    }
}

/// The keys or values of a map, an entry or a path.
pub(super) fn column(object: &Value, part: Part, around: Around<'_>) -> Result<Value, QueryError> {
    if let Value::Map(_) | Value::Path(_) = object {
        around.hold((collection::count(object) as u64).saturating_mul(collection::IN_SET))?;
    }
    part_of(object, part).map_err(|_| {
        around.error(format!("needs a map, an entry of one or a path, but found {}", object.type_name()))
    })
}

/// The current entry's key with another value; null leaves no entry.
pub(super) fn entry_of(object: &Value, value: Value) -> Option<Value> {
    match object {
        Value::Entry(entry) if !value.is_null() => Some(Value::entry(entry.0.clone(), value)),
        _ => None,
    }
}

/// Each `of`th object of a path, from the `first` on.
///
/// # Errors
/// If the query may not hold them.
pub(super) fn turn(
    object: &Value,
    first: usize,
    of: usize,
    around: Around<'_>,
) -> Result<Option<Value>, QueryError> {
    let Value::Path(path) = object else { return Ok(None) };
    let turn = path.objects.iter().skip(first).step_by(of.max(1)).inspect(|_| watch::tick()).cloned();
    let bytes = collection::bytes_of_members(object) / of.max(1) as u64;
    Ok(Some(collection::gathered(turn, bytes, around)?.into_inner().into()))
}

/// The path with the objects of the lists, which take turns; nothing, if there are fewer than it has. With `some`, the lists have lists:
/// the first member of each, or none, and then the object is left out.
pub(super) fn path_of(object: &Value, lists: &[Operand], some: bool, around: Around<'_>) -> Option<Value> {
    let Value::Path(path) = object else { return None };
    let made: Vec<Value> =
        lists.iter().map(|list| around.cx.operand(list, around.batch, around.row)).collect::<Option<_>>()?;
    let mut turns = Vec::with_capacity(made.len());
    for list in &made {
        let Value::List(list) = list else { return None };
        turns.push(list.iter());
    }
    let mut result = Path::default();
    for (i, labels) in path.labels.iter().enumerate() {
        watch::tick();
        let turn = i % turns.len().max(1);
        let made = turns.get_mut(turn)?.next()?;
        let made = if some { made.as_list().and_then(<[Value]>::first) } else { Some(made) };
        if let Some(made) = made {
            result.push(made.clone(), labels.clone());
        }
    }
    Some(result.into())
}

/// Whether no object of the path occurs twice.
///
/// # Errors
/// If the query may not hold the table that tells it.
pub(super) fn is_simple(object: &Value, around: Around<'_>) -> Result<Option<Value>, QueryError> {
    /// Bytes of an object in the table, and in the one before that it has grown from.
    const SEEN: u64 = 4 * (size_of::<&Value>() as u64 + 1);
    let Value::Path(path) = object else { return Ok(None) };
    around.hold((path.len() as u64).saturating_mul(SEEN))?;
    let mut seen: SeededSet<&Value> = SeededSet::default();
    let is_simple = path.objects.iter().all(|one| {
        watch::tick();
        seen.insert(one)
    });
    Ok(Some(Value::Bool(is_simple)))
}

/// What has a name that was found: an entry of the current map, a side-effect, or an object on the way.
pub(super) fn scoped(
    object: &Value,
    key: &Value,
    pop: Pop,
    side_effects: &[(Str, SideEffectId)],
    around: Around<'_>,
) -> Option<Value> {
    if let Value::Map(map) = object
        && let Some(value) = map.get(key)
    {
        return Some(value.clone());
    }
    let Value::String(name) = key else { return None };
    match side_effects.iter().find(|(known, _)| known == name) {
        Some((_, id)) => Some(around.cx.query.side_effects.value(*id)),
        None => in_path(name, pop, around.batch, around.row),
    }
}

/// Some of the members, drawn at random. A list or a set that has no more than that stays as it is, and so does what is no
/// collection.
pub(super) fn sample(object: &Value, count: u64, around: Around<'_>) -> Result<Value, QueryError> {
    if !has_members(object) || collection::count(object) as u64 <= count {
        return Ok(object.clone());
    }
    let mut members = collection::listed(object, around)?;
    let count = count as usize;
    let seeded = around.cx.query.draws.seeded(around.cx.op.id, |random| {
        let draw = |_| {
            let at = random.below(i32::try_from(members.len()).unwrap_or(i32::MAX)) as usize;
            // Those behind it move up: some dozens in the time of a tick.
            watch::ticks((members.len() - at) / 32 + 1);
            members.remove(at)
        };
        (0..count).map(draw).collect::<Vec<_>>()
    });
    if let Some(drawn) = seeded {
        members.free();
        return rebuilt(object, drawn.into(), around);
    }
    let mut random = Random::of_row(around.cx);
    for place in 0..count {
        watch::tick();
        let drawn = place + random.below((members.len() - place) as u64) as usize;
        members.swap(place, drawn);
    }
    let drawn = members[..count].iter().inspect(|_| watch::tick()).cloned();
    let drawn = collection::gathered(drawn, collection::bytes_of_list(count), around)?;
    members.free();
    rebuilt(object, drawn.into_inner().into(), around)
}
