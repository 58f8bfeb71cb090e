//! The side-effects of a query: collections that traversers fill on their way, on any executor.

use std::sync::Arc;

use gremlin::Operator;
use parking_lot::Mutex;
use planner::physical::{OpKind, Pipeline, Plan, ScopeKind, SideEffectId, op};
use values::{BulkSet, Map, Value, Weighed, number, watch};

use crate::batch::{Weight, bulk};
use crate::combine::{Combine, is_grown, merge, merge_times, mismatch};
use crate::error::QueryError;

/// What a side-effect holds. Who asks for its value shares it; it is copied only if it changes while somebody has it.
#[derive(Debug)]
enum Content {
    /// Objects with how often they were added, in the order of their first addition (TinkerPop's `BulkSet`).
    Bag(Arc<Weighed<BulkSet>>),
    /// What `group('m')` and `groupCount('m')` fill.
    Map(Arc<Weighed<Map>>),
    /// A value of the user's, into which objects are merged by the reducer.
    Given(Value),
}

#[derive(Debug)]
struct Entry {
    content: Content,
    reducer: Option<Operator>,
    /// Of the keys and results of a map, and of those that were there before these, since it was last weighed anew.
    weight: Weight,
    /// Bytes of those that are there no more.
    replaced: usize,
    /// How two results of one group become one, where the side-effect is filled by several instances of a `group`.
    combine: Combine,
    version: u64,
}

/// Bytes of results that were replaced for which no map is weighed anew.
const SMALL: usize = 1 << 20;

/// Bytes of an entry of a map.
const ENTRY: usize = 2 * size_of::<Value>() + 16;

/// The side-effects of a running query, by their place in [`Plan::side_effects`]. Each has a lock of its own, which is
/// taken once per batch.
#[derive(Debug, Default)]
pub struct SideEffects {
    entries: Vec<Mutex<Entry>>,
}

impl SideEffects {
    /// The side-effects of a plan, as they are before the query begins.
    pub fn new(plan: &Plan) -> Self {
        let mut filled = vec![None; plan.side_effects.len()];
        fillings(&plan.root, &mut filled);
        let entry = |(side_effect, filled): (&planner::physical::SideEffect, Option<Combine>)| Entry {
            content: match (&side_effect.initial, filled) {
                (Some(initial), _) => Content::Given(initial.clone()),
                (None, Some(_)) => Content::Map(Arc::new(Map::new().into())),
                (None, None) => Content::Bag(Arc::new(BulkSet::new().into())),
            },
            reducer: side_effect.reducer,
            weight: Weight::default(),
            replaced: 0,
            combine: filled.unwrap_or(Combine::Replace),
            version: 0,
        };
        Self { entries: plan.side_effects.iter().zip(filled).map(|s| Mutex::new(entry(s))).collect() }
    }

    /// The value as it is now: a bulk set for what `aggregate` fills, else the map or the reduced value.
    pub fn value(&self, id: SideEffectId) -> Value {
        let Some(entry) = self.entries.get(id.0 as usize) else { return Value::Null };
        match &entry.lock().content {
            Content::Bag(bag) => Value::BulkSet(bag.clone()),
            Content::Map(map) => Value::Map(map.clone()),
            Content::Given(value) => value.clone(),
        }
    }

    /// A number that changes whenever the value does.
    pub fn version(&self, id: SideEffectId) -> u64 {
        self.entries.get(id.0 as usize).map_or(0, |entry| entry.lock().version)
    }

    /// The distinct objects from the `from`th on, in the order they came, where the side-effect is one that only ever
    /// grows; `None` for others.
    pub(crate) fn distinct_from(&self, id: SideEffectId, from: usize) -> Option<Vec<Value>> {
        match &self.entries.get(id.0 as usize)?.lock().content {
            Content::Bag(bag) => Some(bag.distinct_from(from).cloned().collect()),
            _ => None,
        }
    }

    /// Adds `bulk` times an object.
    ///
    /// # Errors
    /// If it cannot be merged into what the side-effect holds.
    pub fn add(&self, id: SideEffectId, value: Value, bulk: u64) -> Result<(), QueryError> {
        self.add_all(id, std::iter::once((value, bulk)))
    }

    /// Adds objects, each as often as its bulk says.
    ///
    /// # Errors
    /// If one cannot be merged into what the side-effect holds.
    pub fn add_all(
        &self,
        id: SideEffectId,
        objects: impl Iterator<Item = (Value, u64)>,
    ) -> Result<(), QueryError> {
        let Some(entry) = self.entries.get(id.0 as usize) else { return Ok(()) };
        let mut entry = entry.lock();
        entry.version += 1;
        let reducer = entry.reducer;
        if let (Some(Operator::Assign), Content::Given(held)) = (reducer, &mut entry.content) {
            let bag: BulkSet = objects.collect();
            countable(&bag)?;
            *held = bag.into();
            return Ok(());
        }
        if let Content::Bag(bag) = &mut entry.content {
            let bag: &mut BulkSet = &mut *Arc::make_mut(bag);
            objects.for_each(|(object, count)| bag.add(object, count));
            return countable(bag);
        }
        for (object, count) in objects {
            match &mut entry.content {
                // What is in a tree or a graph is in it once.
                Content::Given(held @ Value::Map(_)) if is_grown(held) => {
                    *held = merge(reducer, std::mem::take(held), &object, "withSideEffect")?;
                }
                // What aggregates adds a collection, and a map takes maps only.
                Content::Given(Value::Map(_)) if matches!(reducer, None | Some(Operator::AddAll)) => {
                    return Err(mismatch("a map", &object, "withSideEffect"));
                }
                Content::Given(held) => {
                    *held = merge_times(reducer, std::mem::take(held), &object, count, "withSideEffect")?;
                }
                Content::Bag(_) | Content::Map(_) => {
                    return Err(mismatch("a map", &object, "withSideEffect"));
                }
            }
        }
        Ok(())
    }

    /// Whether an object that is added several times is in the value as often.
    pub(crate) fn takes_each(&self, id: SideEffectId) -> bool {
        let Some(entry) = self.entries.get(id.0 as usize) else { return false };
        let entry = entry.lock();
        let operator = entry.reducer.unwrap_or(Operator::AddAll);
        let is_list = matches!(&entry.content, Content::Given(Value::List(_) | Value::Null));
        is_list && operator == Operator::AddAll
    }

    /// Whether each addition replaces the value, so that all objects of a step have to be added at once.
    pub(crate) fn is_replaced(&self, id: SideEffectId) -> bool {
        self.entries.get(id.0 as usize).is_some_and(|entry| entry.lock().reducer == Some(Operator::Assign))
    }

    /// Adds the entries of a map of groups. Two results of one group are combined as the group's value traversal says:
    /// counts and sums are added up, lists joined, and so on.
    ///
    /// Says by how many bytes the map has grown, about, or shrunk. What was replaced may count for a while, but never past the `room`
    /// that there is for more.
    ///
    /// # Errors
    /// If the side-effect holds something else than a map, or two results cannot be combined.
    pub fn merge_map(&self, id: SideEffectId, map: Map, room: u64) -> Result<isize, QueryError> {
        self.with_map(id, room, |held, combine, weight, replaced| {
            // The first instance of a group has nothing to combine its millions with.
            if held.is_empty() {
                *weight = weight_of(&map);
                *held = map;
                return Ok(());
            }
            for (key, value) in map.0 {
                watch::tick();
                match held.0.get_mut(&key) {
                    Some(old) => {
                        // A list takes the other's members in; of anything else one of two stays, or a new one.
                        if combine == Combine::Join {
                            value.for_each_part(&mut |part| {
                                weight.bytes += size_of::<Value>();
                                weight.add(part);
                            });
                        }
                        let new = combine.apply(old, value)?;
                        match combine {
                            Combine::Join => weight.forget(old),
                            _ => *replaced += replace(old, &new, weight),
                        }
                        *old = new;
                    }
                    None => {
                        [&key, &value].into_iter().for_each(|part| weight.add(part));
                        held.0.insert(key, value);
                    }
                }
            }
            Ok(())
        })
    }

    /// Adds counts to those of a map of counts. Says by how many bytes the map has grown, about.
    ///
    /// # Errors
    /// If the side-effect holds something else than a map of numbers.
    pub fn merge_counts(
        &self,
        id: SideEffectId,
        counts: impl Iterator<Item = (Value, u64)>,
    ) -> Result<isize, QueryError> {
        // Counts replace nothing that weighs anything.
        self.with_map(id, u64::MAX, |held, _, weight, _| {
            for (key, count) in counts {
                watch::tick();
                let held = held.0.entry(key).or_insert_with_key(|key| {
                    weight.add(key);
                    Value::Long(0)
                });
                let count = Value::Long(bulk::exact(count)?);
                *held =
                    number::add(held, &count).map_err(|e| QueryError::step("groupCount", e.to_string()))?;
            }
            Ok(())
        })
    }

    fn with_map(
        &self,
        id: SideEffectId,
        room: u64,
        change: impl FnOnce(&mut Map, Combine, &mut Weight, &mut usize) -> Result<(), QueryError>,
    ) -> Result<isize, QueryError> {
        let Some(entry) = self.entries.get(id.0 as usize) else { return Ok(0) };
        let mut entry = entry.lock();
        let Entry { content, combine, version, weight, replaced, .. } = &mut *entry;
        *version += 1;
        match content {
            Content::Map(map) | Content::Given(Value::Map(map)) => {
                let map: &mut Map = &mut *Arc::make_mut(map);
                let (entries, bytes) = (map.len(), weight.bytes);
                change(map, *combine, weight, replaced)?;
                let before = bytes as isize - ((map.len() - entries) * ENTRY) as isize;
                let is_much = *replaced >= SMALL.max(weight.bytes / 2).max(map.len() * ENTRY);
                let grown = u64::try_from(weight.bytes as isize - before).unwrap_or(0);
                if is_much || *replaced > 0 && grown > room {
                    (*weight, *replaced) = (weight_of(map), 0);
                }
                Ok(weight.bytes as isize - before)
            }
            Content::Bag(_) => {
                Err(QueryError::step("group", "the side-effect already holds a collection, not a map"))
            }
            Content::Given(other) => {
                Err(mismatch(other.type_name(), &Value::Map(Default::default()), "group"))
            }
        }
    }
}

/// An error if a bag has more members than can be counted.
fn countable(bag: &BulkSet) -> Result<(), QueryError> {
    if bag.total() > i64::MAX as u64 { Err(QueryError::Countless) } else { Ok(()) }
}

/// Weighs a result that another one gives way to; the bytes of that, which stay in the weight until all is weighed anew.
fn replace(old: &Value, new: &Value, weight: &mut Weight) -> usize {
    let mut gone = Weight::default();
    gone.add(old);
    if gone.of_large > 0 {
        weight.forget_large();
    }
    weight.add(new);
    gone.bytes
}

/// What the keys and results of a map weigh.
fn weight_of(map: &Map) -> Weight {
    let mut weight = Weight::default();
    for (key, value) in map.iter() {
        watch::tick();
        [key, value].into_iter().for_each(|part| weight.add(part));
    }
    weight
}

/// Which side-effects are filled by `group` and `groupCount`: those begin as empty maps.
fn fillings(pipeline: &Pipeline, found: &mut [Option<Combine>]) {
    for op in pipeline.ops.iter() {
        match &op.kind {
            OpKind::GroupCount(op::GroupCount { side_effect: Some(id), .. }) => {
                note(*id, Combine::Add, found)
            }
            OpKind::Scope(scope) => {
                if let ScopeKind::Group { value, side_effect: Some(id), .. } = &scope.kind {
                    note(*id, Combine::of(value), found);
                }
                scope.kind.pipelines().for_each(|child| fillings(child, found));
            }
            _ => {}
        }
    }
}

fn note(id: SideEffectId, combine: Combine, found: &mut [Option<Combine>]) {
    if let Some(place) = found.get_mut(id.0 as usize) {
        *place = Some(combine);
    }
}

#[cfg(test)]
mod tests {
    use planner::physical::{
        Aggregation, By, Child, Grain, InterPolicy, IntraPolicy, Op, Policy, Scope, SideEffect,
    };

    use values::Set;

    use super::*;

    const X: SideEffectId = SideEffectId(0);

    fn one(initial: Option<Value>, reducer: Option<Operator>) -> SideEffects {
        let side_effects = vec![SideEffect { name: "x".into(), initial, reducer }];
        SideEffects::new(&Plan { side_effects, ..Plan::default() })
    }

    #[test]
    fn equal_objects_stand_together_in_the_order_of_their_first_addition() {
        let x = one(None, None);
        for (object, bulk) in [("a", 1), ("b", 2), ("a", 1)] {
            x.add(X, object.into(), bulk).unwrap();
        }
        let expected: BulkSet = [("a".into(), 2), ("b".into(), 2)].into_iter().collect();
        assert_eq!(x.value(X), expected.into());
        assert_eq!(x.distinct_from(X, 1), Some(vec!["b".into()]));
        assert_eq!(x.version(X), 3);
    }

    #[test]
    fn a_given_value_takes_objects_as_its_reducer_says() {
        let reduce = |initial: Value, reducer, objects: &[i32]| {
            let x = one(Some(initial), reducer);
            objects.iter().try_for_each(|o| x.add(X, (*o).into(), 1)).ok().map(|()| x.value(X))
        };
        assert_eq!(reduce(1.into(), Some(Operator::Sum), &[2, 3]), Some(6.into()));
        assert_eq!(reduce(1.into(), Some(Operator::Max), &[2, 7, 3]), Some(7.into()));
        let three: BulkSet = [(3.into(), 1)].into_iter().collect();
        assert_eq!(reduce(1.into(), Some(Operator::Assign), &[2, 3]), Some(three.into()));
        assert_eq!(reduce(Value::list([9.into()]), None, &[2]), Some(Value::list([9.into(), 2.into()])));
        assert_eq!(
            reduce(Value::from(Set::new()), None, &[2, 2]),
            Some([Value::Int(2)].into_iter().collect::<Set>().into())
        );
        assert!(reduce(1.into(), None, &[2]).is_none());
    }

    /// `x`, filled by `group('x').by(…)` with this value traversal.
    fn grouped(value: Aggregation) -> SideEffects {
        let op = |kind| Op { id: 0, kind, step: "group".into(), labels: Vec::new(), moves: false, rows: 0.0 };
        let scope = Scope {
            kind: ScopeKind::Group {
                key: By::Current,
                value: Pipeline::new(vec![op(OpKind::Aggregate(value))]),
                side_effect: Some(X),
            },
            child: Child::Stream,
            grain: Grain::Stream,
            policy: Policy {
                inter: InterPolicy::BreadthFirst,
                intra: IntraPolicy::DepthFirst,
                max_instances: 1,
                ordered: false,
            },
            reads: None,
        };
        let root = Pipeline::new(vec![op(OpKind::Scope(Box::new(scope)))]);
        let side_effects = vec![SideEffect { name: "x".into(), initial: None, reducer: None }];
        SideEffects::new(&Plan { root, side_effects, ..Plan::default() })
    }

    #[test]
    fn results_of_one_group_are_combined_as_its_value_says() {
        let map = |value: Value| [(Value::from("k"), value)].into_iter().collect::<Map>();
        let combined = |aggregation, values: [Value; 2]| {
            let x = grouped(aggregation);
            assert_eq!(x.value(X), Map::new().into(), "it begins as an empty map");
            values.into_iter().for_each(|value| assert!(x.merge_map(X, map(value), u64::MAX).is_ok()));
            x.value(X)
        };
        let numbers = || [Value::Long(2), Value::Long(5)];
        assert_eq!(combined(Aggregation::Count, numbers()), map(7i64.into()).into());
        assert_eq!(combined(Aggregation::Max, numbers()), map(5i64.into()).into());
        assert_eq!(combined(Aggregation::Mean, numbers()), map(5i64.into()).into());
        let lists = [Value::list([1.into()]), Value::list([2.into()])];
        assert_eq!(combined(Aggregation::Fold, lists), map(Value::list([1.into(), 2.into()])).into());
    }

    #[test]
    fn results_that_are_replaced_are_charged_while_they_are_there() {
        let x = grouped(Aggregation::Tree);
        let mut charged = 0;
        let mut put = |key: i32, mib: usize| {
            let text = Value::from("x".repeat(mib << 20));
            charged += x.merge_map(X, [(key.into(), text)].into_iter().collect(), u64::MAX).unwrap();
            charged as usize >> 20
        };
        assert_eq!(put(0, 1), 1);
        assert_eq!(put(1, 8), 9);
        let most = (0..50).map(|_| put(0, 4)).max().unwrap();
        assert!(
            (12..=36).contains(&most),
            "what it holds, and at most twice as much of what it held: {most} MiB"
        );
        (0..50).for_each(|_| assert!(put(1, 1) > 0));
        assert!((5..=15).contains(&put(1, 1)), "it is given back");
    }

    #[test]
    fn a_result_that_takes_the_place_of_another_needs_no_room_of_its_own() {
        let x = grouped(Aggregation::Tree);
        let grown = |key: i32, room: u64| {
            let text = Value::from("x".repeat(8 << 20));
            x.merge_map(X, [(key.into(), text)].into_iter().collect(), room).unwrap() / (1 << 20)
        };
        assert_eq!(grown(0, u64::MAX), 8);
        assert_eq!(grown(0, u64::MAX), 0, "the only one is weighed anew at once");
        assert_eq!(grown(1, u64::MAX), 8);
        assert_eq!(grown(2, u64::MAX), 8);
        assert_eq!(grown(1, 9 << 20), 8, "there is room for both for now");
        assert_eq!(grown(1, 1 << 20), -8, "there is none, and what was there before is gone");
    }

    #[test]
    fn counts_of_several_batches_add_up() {
        let x = grouped(Aggregation::Count);
        x.merge_counts(X, [("a".into(), 2), ("b".into(), 1)].into_iter()).unwrap();
        x.merge_counts(X, [("a".into(), 5)].into_iter()).unwrap();
        let expected: Map =
            [("a".into(), Value::Long(7)), ("b".into(), Value::Long(1))].into_iter().collect();
        assert_eq!(x.value(X), expected.into());
        assert!(x.add(X, 1.into(), 1).is_err(), "a map takes no objects");
    }
}
