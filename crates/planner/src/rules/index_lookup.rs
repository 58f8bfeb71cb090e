//! Vertices with a known value of an indexed key, or with known ids, are looked up.
//!
//! ```text
//! before   V() filter(label in (Person) and id = $0 and age > $1)
//! after    V(index Person.id = $0) filter(age > $1)
//! ```
//!
//! Several labels are looked up in the index of each, if all have one; of several indexes the one is asked that finds the
//! fewest. Without an index, see `label-scan`.

use graph::{KeyId, VertexLabelId};
use gremlin::{PredicateOp, StepName};
use rustc_hash::FxHashSet;
use values::Value;

use super::filter_fusion::{conjunction, flatten};
use super::{Context, each_chain, remove};
use crate::logical::{Access, Chain, Kind, Logical, Lookup, Role, Step};
use crate::physical::{ElementKind, Operand, Predicate, Test};

pub(super) fn apply(plan: &mut Logical, context: &Context<'_>) -> bool {
    each_chain(plan, |chain, role| {
        let mut changed = false;
        for index in 1..chain.steps.len() {
            let at_start = role == Role::Root && index == 1;
            changed |= index < chain.steps.len() && look_up(chain, index, at_start, context);
        }
        changed
    })
}

/// Moves the part of the filter at `index` that a lookup answers into the source before it; `at_start`: nothing is in front of that.
fn look_up(chain: &mut Chain, index: usize, at_start: bool, context: &Context<'_>) -> bool {
    let (Kind::Graph(Access { element, lookup: Lookup::All }), Kind::Filter(test)) =
        (&chain.steps[index - 1].kind, &chain.steps[index].kind)
    else {
        return false;
    };
    if !chain.steps[index - 1].labels.is_empty() {
        return false;
    }
    let mut parts = Vec::new();
    flatten(test.clone(), &mut parts);
    let lookup = match by_id(&mut parts) {
        Some(lookup) => Some(lookup),
        None if *element == ElementKind::Vertex => by_index(&mut parts, context),
        None => None,
    };
    let Some(lookup) = lookup else { return false };
    let again = matches!(&lookup, Lookup::Ids(ids) if !are_different(ids));
    replace(chain, index, lookup, parts);
    if again {
        // An element passes a filter once, however often its id is named there.
        let once = Kind::Dedup { keys: Vec::new(), across_iterations: false };
        chain.steps.insert(index, Step::new(once, StepName::Dedup));
        if !at_start {
            // Of each traverser that looks.
            let source = chain.steps[index - 1].name;
            let looks: Vec<Step> = chain.steps.drain(index - 1..=index).collect();
            chain.steps.insert(index - 1, Step::new(Kind::FlatMap(Chain { steps: looks }), source));
        }
    }
    true
}

/// Whether no two of these ids can be one: a text may be the notation of a number. A parameter alone is taken for one id.
fn are_different(ids: &[Operand]) -> bool {
    let values: Option<Vec<&Value>> = ids
        .iter()
        .map(|id| match id {
            Operand::Const(value @ (Value::Int(_) | Value::Long(_) | Value::String(_) | Value::Uuid(_))) => {
                Some(value)
            }
            _ => None,
        })
        .collect();
    let Some(values) = values else { return ids.len() == 1 };
    let texts: FxHashSet<String> = values.iter().map(|value| value.to_string()).collect();
    texts.len() == values.len()
}

/// Gives the source before `index` a lookup, and the filter there the tests that remain.
pub(super) fn replace(chain: &mut Chain, index: usize, lookup: Lookup, rest: Vec<Test>) {
    if let Kind::Graph(access) = &mut chain.steps[index - 1].kind {
        access.lookup = lookup;
    }
    match conjunction(rest) {
        Test::Constant(true) => _ = remove(chain, index),
        test => chain.steps[index].kind = Kind::Filter(test),
    }
}

fn by_id(parts: &mut Vec<Test>) -> Option<Lookup> {
    let place = parts.iter().position(|part| match part {
        Test::HasId(predicate) => equal_to(predicate).is_some(),
        _ => false,
    })?;
    let Test::HasId(predicate) = parts.remove(place) else { return None };
    let (ids, _) = equal_to(&predicate)?;
    Some(Lookup::Ids(ids))
}

fn by_index(parts: &mut Vec<Test>, context: &Context<'_>) -> Option<Lookup> {
    let label_place =
        parts.iter().position(|part| matches!(part, Test::Label { vertex, .. } if !vertex.is_empty()))?;
    let Test::Label { vertex, .. } = &parts[label_place] else { return None };
    let labels = vertex.clone();
    let usable = parts.iter().enumerate();
    let usable = usable.filter_map(|(place, part)| Some((place, indexed(part, &labels, context)?)));
    let found =
        |(_, (key, values, spread)): &(usize, Equality)| equal(&labels, *key, values, *spread, context);
    // The first, unless it is known that another one finds fewer.
    let (place, (key, values, spread)) =
        usable.reduce(|best, other| match (found(&best), found(&other)) {
            (Some(best_found), Some(others)) if others < best_found => other,
            _ => best,
        })?;
    let mut index = 0;
    parts.retain(|_| {
        index += 1;
        index - 1 != place && index - 1 != label_place
    });
    Some(Lookup::Index { labels, key, values, spread })
}

/// A key, values one of which is asked for, and whether collections among them stand for their members.
pub(super) type Equality = (KeyId, Vec<Operand>, bool);

/// The key and the values of a test that the indexes of all the labels answer.
pub(super) fn indexed(part: &Test, labels: &[VertexLabelId], context: &Context<'_>) -> Option<Equality> {
    let Test::Has(key, predicate) = part else { return None };
    if !labels.iter().all(|label| context.schema.has_index(*label, *key)) {
        return None;
    }
    let (values, spread) = equal_to(predicate)?;
    Some((*key, values, spread))
}

/// How many vertices of the labels have one of the values, as far as their indexes know.
pub(super) fn equal(
    labels: &[VertexLabelId],
    key: KeyId,
    values: &[Operand],
    spread: bool,
    context: &Context<'_>,
) -> Option<f64> {
    // A parameter that holds a whole list may hold any number of values.
    let pairs = || labels.iter().flat_map(|label| values.iter().map(move |value| (label, value)));
    let found =
        || pairs().map(|(label, value)| context.statistics.equal(*label, key, value)).sum::<Option<f64>>();
    (!spread).then(found).flatten()
}

/// The operands one of which a value must equal, if the predicate says that; and whether collections among them
/// stand for their members.
fn equal_to(predicate: &Predicate) -> Option<(Vec<Operand>, bool)> {
    let known = |operand: &Operand| match operand {
        // An index does not hold absence.
        Operand::Const(value) => *value != Value::Null,
        Operand::Param(_) => true,
        _ => false,
    };
    match predicate {
        Predicate::Compare(PredicateOp::Eq, operand) if known(operand) => {
            Some((vec![operand.clone()], false))
        }
        Predicate::Within { members, spread } if members.iter().all(known) => {
            Some((members.clone(), *spread))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{only, unchanged};

    const RULE: &str = "index-lookup";

    #[test]
    fn an_indexed_value_is_looked_up() {
        only(RULE, "g.V().has('Person','id',933)", "V(index Person.id = 933)");
        only(RULE, "g.V().has('Person','id',within(1,2))", "V(index Person.id = 1, 2)");
    }

    #[test]
    fn ids_are_looked_up() {
        only(RULE, "g.V().hasId(7)", "V(7)");
        only(RULE, "g.E().hasId(7)", "E(7)");
        only(RULE, "g.V().hasId(7,8)", "V(7, 8)");
    }

    #[test]
    fn an_id_that_is_named_twice_is_found_once() {
        only(RULE, "g.V().hasId(7,8,7)", "V(7, 8, 7).dedup()");
        only(RULE, "g.V().hasId(7,'7').has('age',1)", "V(7, '7').dedup().filter(age = 1)");
    }

    #[test]
    fn what_the_index_does_not_answer_remains_a_filter() {
        unchanged(RULE, "g.V().has('Person','age',3)");
        unchanged(RULE, "g.V().has('id',3)");
        unchanged(RULE, "g.V().has('Person','id',gt(3))");
        unchanged(RULE, "g.V().out().has('Person','id',3)");
    }
}
