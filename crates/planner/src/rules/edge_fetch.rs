//! Of an edge that is named only for its properties, the properties are fetched on the way; the edge is not made.
//!
//! ```text
//! before   outE(knows) as e:s0 inV() order(s0.since desc)
//! after    out(knows; fetch since:s1) order(s1 desc)
//!
//! before   outE(knows).values(since)
//! after    out(knows; fetch since:s1).take(s1)
//! ```
//!
//! (The merging of the two steps is `incident-to-adjacent`'s.)

use graph::KeyId;

use super::incident_to_adjacent::step_to_vertices;
use super::{Context, each_chain};
use crate::logical::{Chain, Kind, Logical, Modulator, Origin};
use crate::physical::{EdgeEnd, FetchKind, PropertyForm, Slot};

pub(super) fn apply(plan: &mut Logical, context: &Context<'_>) -> bool {
    if context.paths || plan.writes {
        return false;
    }
    let mut changed = take_values(plan);
    for slot in candidates(plan) {
        let mut uses = Uses { slot, keys: Vec::new(), others: false };
        each_chain(plan, |chain, _| {
            uses.of_chain(chain);
            false
        });
        if uses.others || uses.keys.is_empty() {
            continue;
        }
        let fetched: Vec<(KeyId, Slot)> = uses.keys.iter().map(|key| (*key, plan.new_slot())).collect();
        each_chain(plan, |chain, _| {
            replace(chain, slot, &fetched);
            false
        });
        changed = true;
    }
    changed
}

/// Fetches the one property that is all that is wanted of edges.
fn take_values(plan: &mut Logical) -> bool {
    let (first, mut slots) = (plan.slots, 0);
    let changed = each_chain(plan, |chain, _| {
        let mut changed = false;
        for index in 1..chain.steps.len() {
            let (before, behind) = chain.steps.split_at_mut(index);
            let ([.., edges], [values, ..]) = (before, behind) else { continue };
            let (Kind::Move(step), Some(key)) = (&mut edges.kind, only_value(&values.kind)) else { continue };
            if !step.edges || step.distinct || !edges.labels.is_empty() {
                continue;
            }
            let slot = Slot(first.wrapping_add(slots));
            slots = slots.wrapping_add(1);
            (step.edges, step.from) = (false, None);
            step.fetch.push((key, slot));
            edges.name = step_to_vertices(step.direction);
            values.kind = Kind::Take(Modulator::FetchFrom(slot, FetchKind::This));
            changed = true;
        }
        changed
    });
    (0..slots).for_each(|_| {
        plan.new_slot();
    });
    changed
}

/// The key, if a step takes the values under one key that the catalog knows.
fn only_value(kind: &Kind) -> Option<KeyId> {
    match kind {
        Kind::Properties { keys, form: PropertyForm::Values } if keys.names.len() == 1 => {
            keys.ids.first().copied()
        }
        _ => None,
    }
}

/// The slots of edges that are named and then left for their ends.
fn candidates(plan: &mut Logical) -> Vec<Slot> {
    let mut slots = Vec::new();
    each_chain(plan, |chain, _| {
        for pair in chain.steps.windows(2) {
            if let (
                Kind::Move(step),
                Kind::EdgeVertex(EdgeEnd::In | EdgeEnd::Out | EdgeEnd::Other(_)),
                [label],
            ) = (&pair[0].kind, &pair[1].kind, &pair[0].labels[..])
                && step.edges
                && let Some(slot) = label.slot
            {
                slots.push(slot);
            }
        }
        false
    });
    slots
}

/// How a slot is used in a plan.
struct Uses {
    slot: Slot,
    /// Properties that are taken of its object.
    keys: Vec<KeyId>,
    /// Whether its object is used for anything else, or the slot is filled more than once.
    others: bool,
}

impl Uses {
    fn of_chain(&mut self, chain: &mut Chain) {
        let mut index = 0;
        let mut namings = 0;
        while index < chain.steps.len() {
            namings += chain.steps[index].labels.iter().filter(|label| label.slot == Some(self.slot)).count();
            if let Some(key) = loaded_value(chain, index, self.slot) {
                self.note(key);
                index += 2;
                continue;
            }
            self.of_kind(&mut chain.steps[index].kind);
            index += 1;
        }
        self.others |= namings > 1;
    }

    fn note(&mut self, key: KeyId) {
        if !self.keys.contains(&key) {
            self.keys.push(key);
        }
    }

    fn of_kind(&mut self, kind: &mut Kind) {
        kind.for_each_modulator_mut(&mut |origin, by| match (origin, by) {
            (_, Modulator::FetchFrom(slot, what)) if *slot == self.slot => self.of_part(what),
            (Some(Origin::Slot(slot)), by) if *slot == self.slot => match by {
                Modulator::Fetch(what) => self.of_part(what),
                _ => self.others = true,
            },
            (Some(Origin::Named { slot: Some(slot), .. }), _) if *slot == self.slot => self.others = true,
            _ => {}
        });
        let (slot, others) = (self.slot, &mut self.others);
        kind.for_each_plain_read(&mut |read| *others |= read == slot);
    }

    fn of_part(&mut self, what: &FetchKind) {
        match what.key() {
            Some(key) => self.note(key),
            None => self.others = true,
        }
    }
}

/// The property that `select('e').values('since')` at this place takes of the slot's object.
fn loaded_value(chain: &Chain, index: usize, slot: Slot) -> Option<KeyId> {
    let (load, values) = (chain.steps.get(index)?, chain.steps.get(index + 1)?);
    match (&load.kind, &values.kind) {
        (Kind::Load(loaded), kind) if *loaded == slot && load.labels.is_empty() => only_value(kind),
        _ => None,
    }
}

fn replace(chain: &mut Chain, slot: Slot, fetched: &[(KeyId, Slot)]) {
    let of_key = |key: KeyId| fetched.iter().find(|(known, _)| *known == key).map(|(_, slot)| *slot);
    let mut index = 0;
    while index < chain.steps.len() {
        if let Some(into) = loaded_value(chain, index, slot).and_then(of_key) {
            chain.steps.remove(index);
            chain.steps[index].kind = Kind::Take(Modulator::FetchFrom(into, FetchKind::This));
        }
        let step = &mut chain.steps[index];
        if step.labels.iter().any(|label| label.slot == Some(slot))
            && let Kind::Move(step_move) = &mut step.kind
        {
            step_move.fetch.extend_from_slice(fetched);
            step.labels.clear();
        }
        step.kind.for_each_modulator_mut(&mut |origin, by| match (origin, &mut *by) {
            (_, Modulator::FetchFrom(from, what)) if *from == slot => {
                if let Some(into) = what.key().and_then(of_key) {
                    *by = Modulator::FetchFrom(into, FetchKind::This);
                }
            }
            (Some(origin @ Origin::Slot(_)), Modulator::Fetch(what)) if *origin == Origin::Slot(slot) => {
                if let Some(into) = what.key().and_then(of_key) {
                    *origin = Origin::Slot(into);
                    *by = Modulator::THIS;
                }
            }
            _ => {}
        });
        index += 1;
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{only, these, unchanged};

    const RULE: &str = "edge-fetch";

    #[test]
    fn properties_of_an_edge_are_fetched_on_the_way() {
        these(
            &["simplify-by", RULE, "incident-to-adjacent"],
            "g.V().outE('knows').as('e').inV().order().by(select('e').values('since'), desc)",
            "V().out(knows; fetch since:s1).order(s1 desc)",
        );
        only(
            RULE,
            "g.V().outE('knows').as('e').inV().as('p').select('e','p').by('since').by('name')",
            "V().outE(knows; fetch since:s2).inV() as p:s1.select(e: s2, p: s1 by name)",
        );
        only(
            RULE,
            "g.V().outE('knows').as('e').inV().select('e').values('since')",
            "V().outE(knows; fetch since:s1).inV().take(s1)",
        );
    }

    #[test]
    fn edges_whose_values_are_all_that_is_wanted_are_not_made() {
        only(
            RULE,
            "g.V(1).outE('knows').values('since').sum()",
            "V(1).out(knows; fetch since:s0).take(s0).sum()",
        );
        these(
            &["filter-push-down", RULE],
            "g.V().bothE('knows').has('since',gt(1)).values('since')",
            "V().both(knows; edges with since > 1; fetch since:s0).take(s0)",
        );
        unchanged(RULE, "g.V().outE('knows').values('since','age')");
        unchanged(RULE, "g.V().outE('knows').values()");
        unchanged(RULE, "g.V().outE('knows').as('e').values('since').as('s').select('e','s')");
        unchanged(RULE, "g.V().outE('knows').values('since').path()");
        unchanged(RULE, "g.V().out('knows').values('since')");
    }

    #[test]
    fn an_edge_that_is_wanted_itself_is_made() {
        unchanged(RULE, "g.V().outE('knows').as('e').inV().select('e')");
        unchanged(RULE, "g.V().outE('knows').as('e').inV().select('e').by('unheardof')");
        unchanged(RULE, "g.V().outE('knows').as('e').inV().where(out().where(eq('e')))");
    }
}
