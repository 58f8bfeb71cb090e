//! `order(local)`.

use std::cmp::Ordering;

use gremlin::Order;
use planner::physical::{FetchKind, LocalSort};
use values::{Map, Value, compare, watch};

use super::super::ordered::ordered;
use super::super::property::{Unfit, fetch_one, part_of};
use super::super::random::Random;
use super::{Around, collection};

/// Bytes of a member while it is sorted: its place, and its keys in a list of their own.
pub(super) const SORTED: u64 = 8 * size_of::<Value>() as u64;

/// The members in order: a map's entries in a map, any other collection's members in a list. A member that lacks one of
/// the keys is left out. What is no collection stays as it is.
///
/// # Errors
/// [`Unfit`] of a vertex that has several values of a key, and of what can have no such key.
pub(super) fn sorted(
    object: &Value,
    keys: &[(LocalSort, Order)],
    around: Around<'_>,
) -> Result<Value, Unfit> {
    if !matches!(object, Value::List(_) | Value::Set(_) | Value::BulkSet(_) | Value::Map(_)) {
        return Ok(object.clone());
    }
    let members = collection::each(object).collect();
    let by_itself = [(LocalSort::Member, Order::Asc)];
    let keys = if keys.is_empty() { &by_itself[..] } else { keys };
    let sorted = sort_members(members, keys, around)?;
    Ok(match object {
        Value::Map(_) => {
            let entry = |entry: Value| match entry {
                Value::Entry(entry) => Some((entry.0.clone(), entry.1.clone())),
                _ => None,
            };
            sorted.into_iter().filter_map(entry).collect::<Map>().into()
        }
        _ => sorted.into(),
    })
}

fn sort_members(
    members: Vec<Value>,
    keys: &[(LocalSort, Order)],
    around: Around<'_>,
) -> Result<Vec<Value>, Unfit> {
    // As in TinkerPop: a shuffle that comes last overrules every key before it, any other is ignored.
    if keys.last().is_some_and(|(_, order)| *order == Order::Shuffle) {
        let mut productive = Vec::with_capacity(members.len());
        for member in members {
            if keys_of(&member, keys, around)?.is_some() {
                productive.push(member);
            }
        }
        let mut members = productive;
        if around.cx.query.draws.seeded(around.cx.op.id, |random| random.shuffle(&mut members)).is_some() {
            return Ok(members);
        }
        let mut random = Random::of_row(around.cx);
        let mut drawn: Vec<(u64, Value)> = members.into_iter().map(|m| (random.bits(), m)).collect();
        drawn.sort_by_key(|(place, _)| *place);
        return Ok(drawn.into_iter().map(|(_, member)| member).collect());
    }
    let mut keyed: Vec<(Vec<Value>, Value)> = Vec::with_capacity(members.len());
    for member in members {
        if let Some(values) = keys_of(&member, keys, around)? {
            keyed.push((values, member));
        }
    }
    keyed.sort_by(|(a, _), (b, _)| {
        watch::tick();
        let places = a.iter().zip(b).zip(keys);
        places.fold(Ordering::Equal, |decided, ((a, b), (_, order))| {
            decided.then_with(|| match order {
                Order::Asc => compare::order(a, b),
                Order::Desc => compare::order(b, a),
                Order::Shuffle => Ordering::Equal,
            })
        })
    });
    Ok(keyed.into_iter().map(|(_, member)| member).collect())
}

/// What a member is compared by; `None` if it lacks one of the keys.
fn keys_of(
    member: &Value,
    keys: &[(LocalSort, Order)],
    around: Around<'_>,
) -> Result<Option<Vec<Value>>, Unfit> {
    let mut values = Vec::with_capacity(keys.len());
    for (key, _) in keys {
        match key_of(member, key, around)? {
            Some(value) => values.push(ordered(value, around.graph)),
            None => return Ok(None),
        }
    }
    Ok(Some(values))
}

fn key_of(member: &Value, key: &LocalSort, around: Around<'_>) -> Result<Option<Value>, Unfit> {
    Ok(match key {
        LocalSort::Member => Some(member.clone()),
        LocalSort::Column(part) => Some(part_of(member, *part)?),
        LocalSort::Property(name, id) => {
            return fetch_one(member, &FetchKind::Only(name.clone(), *id), around.graph);
        }
        LocalSort::Token(token) => return fetch_one(member, &FetchKind::Token(*token), around.graph),
    })
}
