//! `order(local)`.

use std::cmp::Ordering;

use gremlin::Order;
use planner::physical::LocalSort;
use values::{Map, Value, compare, watch};

use super::super::element::{self, Key};
use super::super::ordered::ordered;
use super::super::property::part_of;
use super::super::random::Random;
use super::Around;

/// The members in order: a map's entries in a map, any other collection's members in a list. A member that lacks one of
/// the keys is left out. What is no collection stays as it is.
pub(super) fn sorted(object: &Value, keys: &[(LocalSort, Order)], around: Around<'_>) -> Value {
    let members: Vec<Value> = match object {
        Value::List(members) => members.to_vec(),
        Value::Set(members) => members.iter().cloned().collect(),
        Value::BulkSet(members) => members.repeated_from(0).cloned().collect(),
        Value::Map(map) => map.iter().map(|(k, v)| Value::entry(k.clone(), v.clone())).collect(),
        other => return other.clone(),
    };
    let by_itself = [(LocalSort::Member, Order::Asc)];
    let keys = if keys.is_empty() { &by_itself[..] } else { keys };
    let sorted = sort_members(members, keys, around);
    match object {
        Value::Map(_) => {
            let entry = |entry: Value| match entry {
                Value::Entry(entry) => Some((entry.0.clone(), entry.1.clone())),
                _ => None,
            };
            sorted.into_iter().filter_map(entry).collect::<Map>().into()
        }
        _ => sorted.into(),
    }
}

fn sort_members(members: Vec<Value>, keys: &[(LocalSort, Order)], around: Around<'_>) -> Vec<Value> {
    // As in TinkerPop: a shuffle that comes last overrules every key before it, any other is ignored.
    if keys.last().is_some_and(|(_, order)| *order == Order::Shuffle) {
        let mut random = Random::of(around.cx);
        let mut drawn: Vec<(u64, Value)> = members.into_iter().map(|m| (random.bits(), m)).collect();
        drawn.sort_by_key(|(place, _)| *place);
        return drawn.into_iter().map(|(_, member)| member).collect();
    }
    let keyed = members.into_iter().filter_map(|member| {
        let values: Option<Vec<Value>> =
            keys.iter().map(|(key, _)| Some(ordered(key_of(&member, key, around)?, around.graph))).collect();
        Some((values?, member))
    });
    let mut keyed: Vec<(Vec<Value>, Value)> = keyed.collect();
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
    keyed.into_iter().map(|(_, member)| member).collect()
}

fn key_of(member: &Value, key: &LocalSort, around: Around<'_>) -> Option<Value> {
    match key {
        LocalSort::Member => Some(member.clone()),
        LocalSort::Column(part) => part_of(member, *part),
        LocalSort::Property(name, id) => {
            let key = Key::resolve(name, *id, around.graph);
            element::with_property(member, key, around.graph, |value| value.map(graph::ValueRef::to_value))
        }
        LocalSort::Token(token) => element::token_of(member, *token, around.graph),
    }
}
