//! `order(local)`.

use std::cmp::Ordering;

use gremlin::Order;
use planner::physical::{FetchKind, LocalSort};
use values::{Value, compare, watch};

use super::super::ordered::ordered;
use super::super::property::{Unfit, fetch_one, part_of};
use super::super::random::Random;
use super::held::Held;
use super::{Around, collection};
use crate::error::QueryError;

/// Bytes of a member while it is sorted, beside its list: once more, and its keys in a list of their own.
const SORTED: u64 = 6 * size_of::<Value>() as u64;

/// Bytes of a member beside its list while members are drawn.
const DRAWN: u64 = size_of::<(u64, Value)>() as u64;

/// A member with what it is sorted by.
type Keyed = (Vec<Value>, Value);

/// The members in order: a map's entries in a map, any other collection's members in a list. A member that lacks one of
/// the keys is left out. What is no collection stays as it is.
///
/// # Errors
/// [`Unfit`] of a vertex that has several values of a key, and of what can have no such key; and if the query may not hold them.
pub(super) fn sorted(
    object: &Value,
    keys: &[(LocalSort, Order)],
    around: Around<'_>,
) -> Result<Value, Unfit> {
    if !matches!(object, Value::List(_) | Value::Set(_) | Value::BulkSet(_) | Value::Map(_)) {
        return Ok(object.clone());
    }
    let by_itself = [(LocalSort::Member, Order::Asc)];
    let keys = if keys.is_empty() { &by_itself[..] } else { keys };
    let mut members = collection::listed(object, around)?;
    // As in TinkerPop: a shuffle that comes last overrules every key before it, any other is ignored.
    if keys.last().is_some_and(|(_, order)| *order == Order::Shuffle) {
        keep_productive(&mut members, keys, around)?;
        shuffle(&mut members, around)?;
    } else {
        sort_members(&mut members, keys, around)?;
    }
    if let Value::Map(_) = object {
        let map = collection::map_of(&members, around)?;
        members.free();
        return Ok(map);
    }
    Ok(members.into_inner().into())
}

/// Drops the members that lack one of the keys.
fn keep_productive(
    members: &mut Vec<Value>,
    keys: &[(LocalSort, Order)],
    around: Around<'_>,
) -> Result<(), Unfit> {
    let mut kept = 0;
    for at in 0..members.len() {
        watch::tick();
        if keys_of(&members[at], keys, around)?.is_some() {
            members.swap(kept, at);
            kept += 1;
        }
    }
    members.truncate(kept);
    Ok(())
}

fn shuffle(members: &mut Vec<Value>, around: Around<'_>) -> Result<(), QueryError> {
    if around.cx.query.draws.seeded(around.cx.op.id, |random| random.shuffle(&mut members[..])).is_some() {
        return Ok(());
    }
    let mut random = Random::of_row(around.cx);
    let mut drawn = Held::<Vec<(u64, Value)>>::default();
    drawn.hold(members.len() as u64 * DRAWN, around)?;
    drawn.extend(members.iter().inspect(|_| watch::tick()).map(|member| (random.bits(), member.clone())));
    drawn.sort_by(|(a, _), (b, _)| {
        watch::tick();
        a.cmp(b)
    });
    put_back(members, drawn.iter().map(|(_, member)| member));
    drawn.free();
    Ok(())
}

fn sort_members(
    members: &mut Vec<Value>,
    keys: &[(LocalSort, Order)],
    around: Around<'_>,
) -> Result<(), Unfit> {
    if let [(LocalSort::Member, direction @ (Order::Asc | Order::Desc))] = keys
        && members.iter().all(is_plain)
    {
        return sort_plain(members, *direction, around);
    }
    let mut keyed = Held::<Vec<Keyed>>::default();
    keyed.hold(members.len() as u64 * SORTED, around)?;
    keyed.reserve_exact(members.len());
    for member in members.iter() {
        watch::tick();
        if let Some(values) = keys_of(member, keys, around)? {
            keyed.push((values, member.clone()));
        }
    }
    keyed.sort_by(|(a, _), (b, _)| {
        watch::tick();
        in_order(a, b, keys)
    });
    put_back(members, keyed.iter().map(|(_, member)| member));
    keyed.free();
    Ok(())
}

/// Whether it is compared as it is.
fn is_plain(member: &Value) -> bool {
    watch::tick();
    matches!(member, Value::Bool(_) | Value::Int(_) | Value::Long(_) | Value::Double(_) | Value::String(_))
}

/// Sorts members by themselves, where they are.
fn sort_plain(members: &mut [Value], direction: Order, around: Around<'_>) -> Result<(), Unfit> {
    // What the sort needs besides, which is gone when the row is done.
    around.hold(size_of_val(members) as u64)?;
    members.sort_by(|a, b| {
        watch::tick();
        match direction {
            Order::Desc => compare::order(b, a),
            _ => compare::order(a, b),
        }
    });
    Ok(())
}

/// Which of two members comes first, by what they are sorted by.
fn in_order(a: &[Value], b: &[Value], keys: &[(LocalSort, Order)]) -> Ordering {
    a.iter().zip(b).zip(keys).fold(Ordering::Equal, |decided, ((a, b), (_, order))| {
        decided.then_with(|| match order {
            Order::Asc => compare::order(a, b),
            Order::Desc => compare::order(b, a),
            Order::Shuffle => Ordering::Equal,
        })
    })
}

/// Puts members in their new order where they were; there are no more than before.
fn put_back<'m>(members: &mut Vec<Value>, ordered: impl ExactSizeIterator<Item = &'m Value>) {
    let len = ordered.len();
    for (place, member) in members.iter_mut().zip(ordered) {
        watch::tick();
        *place = member.clone();
    }
    members.truncate(len);
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
