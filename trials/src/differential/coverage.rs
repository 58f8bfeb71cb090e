//! What the compared cases had in them: which step, in which child, over which bulk.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use super::ast::{Arg, Script, Step};

/// In how many cases something was.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// In any place.
    cases: u64,
    /// In a child traversal.
    inside: u64,
    /// In a child traversal that merged traversers entered.
    over_bulk: u64,
}

/// What was seen.
#[derive(Debug, Default)]
pub struct Coverage {
    steps: BTreeMap<String, Seen>,
    /// By the slot that a child stands in, such as `by of order`.
    slots: BTreeMap<String, Seen>,
    /// Steps directly in a child of a slot that merged traversers entered.
    pairs: BTreeMap<(String, String), u64>,
    /// Cases by the largest bulk that entered a child, as a power of two.
    bulks: BTreeMap<u32, u64>,
}

/// Where a step stands.
#[derive(Clone, Copy)]
struct Place<'a> {
    slot: Option<&'a str>,
    bulk: u64,
}

/// What one case has in it.
#[derive(Default)]
struct Found {
    steps: BTreeSet<(String, bool, bool)>,
    slots: BTreeSet<(String, bool)>,
    pairs: BTreeSet<(String, String)>,
}

/// Whether a step has a child, in its arguments or in its modulators.
pub fn has_children(step: &Step) -> bool {
    let own = step.args.iter().any(|arg| matches!(arg, Arg::Child(_)));
    own || step.before.iter().chain(&step.after).any(has_children)
}

impl Coverage {
    /// Takes down a compared case; `bulks` are the largest bulks that entered each of the steps at the top, if they are known.
    pub fn add(&mut self, script: &Script, bulks: &[u64]) {
        let (mut found, mut largest) = (Found::default(), 0_u64);
        for (index, step) in script.body.steps.iter().enumerate() {
            let bulk = bulks.get(index).copied().unwrap_or(1);
            found.step(step, Place { slot: None, bulk });
            if has_children(step) {
                largest = largest.max(bulk);
            }
        }
        for step in &script.source {
            found.steps.insert((step.name.to_owned(), false, false));
        }
        for (name, inside, over_bulk) in found.steps {
            let seen = self.steps.entry(name).or_default();
            seen.cases += u64::from(!inside);
            seen.inside += u64::from(inside && !over_bulk);
            seen.over_bulk += u64::from(over_bulk);
        }
        for (slot, over_bulk) in found.slots {
            let seen = self.slots.entry(slot).or_default();
            seen.cases += u64::from(!over_bulk);
            seen.over_bulk += u64::from(over_bulk);
        }
        for pair in found.pairs {
            *self.pairs.entry(pair).or_default() += 1;
        }
        if largest > 0 {
            *self.bulks.entry(largest.ilog2()).or_default() += 1;
        }
    }

    /// Of the steps of that name: in how many cases, and in how many of them in a child over a bulk above 1.
    pub fn of_step(&self, name: &str) -> (u64, u64) {
        self.steps.get(name).map_or((0, 0), |seen| (seen.cases, seen.over_bulk))
    }

    /// As JSON.
    pub fn json(&self) -> Json {
        let seen = |(name, seen): (&String, &Seen)| {
            (name.clone(), json!({"cases": seen.cases, "inside": seen.inside, "over_bulk": seen.over_bulk}))
        };
        let slots = self
            .slots
            .iter()
            .map(|(name, seen)| (name.clone(), json!({"cases": seen.cases, "over_bulk": seen.over_bulk})));
        let bulks = self.bulks.iter().map(|(power, cases)| (format!("{}", 1_u64 << power), json!(cases)));
        let mut pairs = serde_json::Map::new();
        for ((slot, step), cases) in &self.pairs {
            let of_slot = pairs.entry(slot.clone()).or_insert_with(|| json!({}));
            of_slot[step] = json!(cases);
        }
        json!({
            "steps": self.steps.iter().map(seen).collect::<serde_json::Map<_, _>>(),
            "parents": slots.collect::<serde_json::Map<_, _>>(),
            "bulks": bulks.collect::<serde_json::Map<_, _>>(),
            "steps_by_parent_over_bulk": pairs,
        })
    }

    /// As a table for humans, the rarest first.
    pub fn print(&self) {
        println!("{:24} {:>8} {:>8} {:>9}", "step", "cases", "inside", "over bulk");
        let mut steps: Vec<_> = self.steps.iter().collect();
        steps.sort_by_key(|(_, seen)| seen.cases);
        for (name, seen) in steps {
            println!("{name:24} {:8} {:8} {:9}", seen.cases, seen.inside, seen.over_bulk);
        }
        println!("\n{:32} {:>8} {:>9}", "child", "cases", "over bulk");
        for (slot, seen) in &self.slots {
            println!("{slot:32} {:8} {:9}", seen.cases, seen.over_bulk);
        }
        let bulks: Vec<_> =
            self.bulks.iter().map(|(power, cases)| format!("{}: {cases}", 1_u64 << power)).collect();
        println!("\nlargest bulk that entered a child, from: cases   {}", bulks.join("  "));
    }
}

impl Found {
    fn step(&mut self, step: &Step, place: Place<'_>) {
        let name = name_of(step);
        let (inside, over_bulk) = (place.slot.is_some(), place.slot.is_some() && place.bulk > 1);
        if let (Some(slot), true) = (place.slot, over_bulk) {
            self.pairs.insert((slot.to_owned(), name.clone()));
        }
        // Once for the case, and once for each kind of place.
        self.steps.insert((name.clone(), false, false));
        if inside {
            self.steps.insert((name.clone(), true, over_bulk));
        }
        self.children(step, step.name, place.bulk);
        let mut bys = 0;
        for modulator in step.before.iter().chain(&step.after) {
            let slot = match modulator.name {
                "by" if step.name.starts_with("group") => {
                    bys += 1;
                    format!("{} of {}", if bys > 1 { "value by" } else { "by" }, step.name)
                }
                "by" => format!("by of {}", step.name),
                other => format!("{other} of {}", step.name),
            };
            self.steps.insert((modulator.name.to_owned(), false, false));
            if inside {
                self.steps.insert((modulator.name.to_owned(), true, over_bulk));
            }
            self.children(modulator, &slot, place.bulk);
        }
    }

    fn children(&mut self, step: &Step, slot: &str, bulk: u64) {
        for arg in &step.args {
            let Arg::Child(child) = arg else { continue };
            self.slots.insert((slot.to_owned(), false));
            if bulk > 1 {
                self.slots.insert((slot.to_owned(), true));
            }
            child.steps.iter().for_each(|step| self.step(step, Place { slot: Some(slot), bulk }));
        }
    }
}

/// A step's name; forms that are other steps in all but name are told apart.
fn name_of(step: &Step) -> String {
    match step.args.first() {
        Some(Arg::Text(first)) if first == "local" => format!("{}(local)", step.name),
        _ => step.name.to_owned(),
    }
}
