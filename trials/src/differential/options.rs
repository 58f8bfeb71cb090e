//! One answer under all options: the same traversals with rules off, without scopes, with one scope instance at a time, under
//! other policies, in tiny batches, on several executors.
//!
//! What a traversal does not determine (which vertex `limit(1)` lets pass) is found out without a reference: the same graph is
//! loaded in several orders, and where the answers differ, only what they have in common is compared.

use std::collections::BTreeMap;
use std::sync::Arc;

use clap::Args;
use fastrand::Rng;

use super::answer::{Answer, Detail, Outcome};
use super::ast::{Arg, Step};
use super::case::{CASES_PER_GRAPH, Case};
use super::engine::{Engine, executors, keep_panics_quiet};
use super::graph::GraphSpec;
use super::option_set::OptionSet;
use super::orders::{lists_what_is_in_no_order, looks_at_order};
use super::patterns::{any_step, shows_new_ids, takes_a_part};
use super::shrink::shrink;
use super::verdict::determined;
use crate::Problem;

/// Random traversals under all option sets.
#[derive(Args)]
pub struct Arguments {
    /// How many traversals
    #[arg(long, default_value_t = 20_000)]
    pub cases: u64,
    /// The seed; the same seed and number are the same traversal
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The number of the first traversal
    #[arg(long, default_value_t = 0)]
    pub first: u64,
    /// The share of traversals that may write, in percent
    #[arg(long, default_value_t = 20)]
    pub writes: u64,
    /// Stop after so many differences of different kinds
    #[arg(long, default_value_t = 20)]
    pub most: usize,
}

/// Executors of the engine that has several.
const SEVERAL: usize = 4;
/// Orders in which a graph is loaded to find out what is determined.
const FEW_ORDERS: u64 = 4;
/// The same once something seems to differ.
const MANY_ORDERS: u64 = 24;
/// Random sets of options for each traversal.
const RANDOM_SETS: usize = 6;
/// Smaller cases that are tried for each that differs.
const TRIES: usize = 2_000;

/// The engines.
struct Trial {
    alone: Arc<dataflow::Engine>,
    several: Arc<dataflow::Engine>,
    sets: Vec<OptionSet>,
}

/// One graph in both engines, and in one of them in several orders.
struct Loaded {
    alone: Vec<Engine>,
    several: Engine,
}

impl Trial {
    fn new() -> Result<Self, String> {
        Ok(Self { alone: executors(1)?, several: executors(SEVERAL)?, sets: OptionSet::all() })
    }

    fn load(&self, graph: &GraphSpec, orders: u64) -> Result<Loaded, String> {
        let load = |graph: &GraphSpec, engine| Engine::load(graph, engine).map_err(|error| error.to_string());
        let alone = (0..orders).map(|order| load(&graph.shuffled(order), &self.alone));
        Ok(Loaded { alone: alone.collect::<Result<_, _>>()?, several: load(graph, &self.several)? })
    }

    /// How closely the traversal determines its answer, and the answer; `None` if nothing can be compared.
    fn expected(loaded: &Loaded, case: &Case) -> Option<(Detail, Answer)> {
        Self::determined(loaded, case, &case.script.to_string())
    }

    /// The same of the traversal as it is written in `text`.
    fn determined(loaded: &Loaded, case: &Case, text: &str) -> Option<(Detail, Answer)> {
        let mut runs: Vec<Answer> =
            loaded.alone.iter().map(|engine| engine.answer(text, case.writes)).collect();
        if runs.iter().any(|run| matches!(run.outcome, Outcome::Late | Outcome::Refused(_))) {
            return None;
        }
        let detail = determined(&runs, case.is_ordered())?;
        Some((detail, runs.swap_remove(0)))
    }

    /// The answer under a set of options, if it is another one.
    fn deviation(
        loaded: &Loaded,
        case: &Case,
        set: &OptionSet,
        (detail, expected): &(Detail, Answer),
    ) -> Option<Answer> {
        let engine = if set.several { &loaded.several } else { &loaded.alone[0] };
        let answer = engine.answer(&set.on(&case.script), case.writes);
        let differs = answer.outcome != Outcome::Late && answer.text(*detail) != expected.text(*detail);
        let panics = matches!(answer.outcome, Outcome::Panic(_));
        (differs || panics).then_some(answer)
    }

    /// Whether a case deviates under a set of options for sure: what it determines is found out with many orders.
    fn deviates(&self, case: &Case, set: &OptionSet) -> Option<(Answer, Answer)> {
        // Several executors bring traversers in an order that loading a graph in another does not show.
        // Numbers that a transaction took and gave back are free again when the last of them has forgotten it.
        let steps = &case.script.body.steps;
        if set.several && (any_step(steps, &takes_a_part) || shows_new_ids(steps)) {
            return None;
        }
        let quick = self.load(&case.graph, 2).ok()?;
        let expected = Self::expected(&quick, case)?;
        // Where it comes to who is first among several executors, it may come out right once.
        let tries = if set.several { 5 } else { 1 };
        (0..tries).find_map(|_| Self::deviation(&quick, case, set, &expected))?;
        let loaded = self.load(&case.graph, MANY_ORDERS).ok()?;
        let (detail, answer) = Self::expected(&loaded, case)?;
        // Nor does it show in what order they bring the two ends of one edge.
        let lists = match set.several && lists_what_is_in_no_order(steps) {
            true if any_step(steps, &looks_at_order) => Detail::Count,
            true => Detail::Contents,
            false => detail,
        };
        // Nor in what order they bring what is sorted by keys that are equal: then it is the keys that are in order.
        let sorted = if set.several { keys_in_order(case) } else { None };
        let ties = if sorted.is_some() { Detail::Bag } else { Detail::Sequence };
        if let Some(found) = sorted.and_then(|keys| self.deviates(&keys, set)) {
            return Some(found);
        }
        let expected = (detail.min(lists).min(ties), answer);
        let answer = (0..tries).find_map(|_| Self::deviation(&loaded, case, set, &expected))?;
        if matches!(answer.outcome, Outcome::Panic(_)) {
            return Some((expected.1, answer));
        }
        // What a traversal writes before it reads on depends on the order, too, and in some sets more often than in others.
        let (detail, _) = Self::determined(&loaded, case, &set.on(&case.script))?;
        (detail >= expected.0).then_some((expected.1, answer))
    }

    /// The first set under which a case deviates.
    fn first_deviation(
        &self,
        loaded: &Loaded,
        case: &Case,
        expected: &(Detail, Answer),
        rng: &mut Rng,
    ) -> Option<OptionSet> {
        let random = (0..RANDOM_SETS).map(|_| OptionSet::random(rng));
        let mut sets = self.sets.iter().cloned().chain(random);
        sets.find(|set| {
            Self::deviation(loaded, case, set, expected).is_some() && self.deviates(case, set).is_some()
        })
    }

    /// The smallest case and the smallest set that deviate.
    fn shrunk(&self, case: Case, set: OptionSet) -> (Case, OptionSet) {
        let set = self.smallest_set(&case, set);
        let case = shrink(case, TRIES, |case| self.deviates(case, &set).is_some());
        let set = self.smallest_set(&case, set);
        (case, set)
    }

    fn smallest_set(&self, case: &Case, mut set: OptionSet) -> OptionSet {
        while let Some(smaller) =
            set.smaller().into_iter().find(|smaller| self.deviates(case, smaller).is_some())
        {
            set = smaller;
        }
        set
    }
}

/// A case that ends with a list of the first keys by which another sorts what it ends with, in their order.
fn keys_in_order(case: &Case) -> Option<Case> {
    let last = case.script.body.steps.last().filter(|step| step.name == "order")?;
    let by = last.after.iter().find(|modulator| modulator.name == "by")?;
    let keys = match by.args.first()? {
        Arg::Child(child) => Step::new("map").child(child.clone()),
        Arg::Text(name) if name.starts_with('\'') => Step::new("values").arg(name.clone()),
        Arg::Text(token) if token == "T.label" => Step::new("label"),
        Arg::Text(_) => return None,
    };
    let mut keyed = case.clone();
    keyed.script.body.steps.extend([keys, Step::new("fold")]);
    Some(keyed)
}

/// Runs the traversals under all option sets; `false` if one has several answers.
///
/// # Errors
/// If the engine cannot be started.
pub fn run(arguments: &Arguments) -> Result<bool, Problem> {
    keep_panics_quiet();
    let trial = Trial::new()?;
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    let mut loaded: Option<(u64, Loaded)> = None;
    let (mut compared, mut undetermined) = (0_u64, 0_u64);
    for number in arguments.first..arguments.first + arguments.cases {
        let case = Case::random(arguments.seed, number, arguments.writes);
        let graph = number / CASES_PER_GRAPH;
        if loaded.as_ref().is_none_or(|(known, _)| *known != graph) {
            loaded = Some((graph, trial.load(&case.graph, FEW_ORDERS)?));
        }
        let Some((_, loaded)) = &loaded else { continue };
        let Some(expected) = Trial::expected(loaded, &case) else {
            undetermined += 1;
            continue;
        };
        compared += 1;
        let mut rng = Rng::with_seed(number ^ arguments.seed);
        let Some(set) = trial.first_deviation(loaded, &case, &expected, &mut rng) else { continue };
        let (small, set) = trial.shrunk(case.clone(), set);
        let count = kinds.entry(format!("{set}  {}", small.script.body.skeleton())).or_default();
        *count += 1;
        if *count == 1 {
            tell(&trial, number, &case, &small, &set);
        }
        if kinds.len() >= arguments.most {
            break;
        }
    }
    println!("{compared} traversals compared, {undetermined} that determine nothing");
    for (kind, count) in &kinds {
        println!("{count:5} {kind}");
    }
    Ok(kinds.is_empty())
}

fn tell(trial: &Trial, number: u64, case: &Case, small: &Case, set: &OptionSet) {
    println!("== traversal {number}: {}", case.script);
    println!("   {}{}", set.on(&small.script), if set.several { "  on several executors" } else { "" });
    println!("   graph: {}", small.graph.gremlin());
    if let Some((expected, answer)) = trial.deviates(small, set) {
        println!("   without options: {expected}");
        println!("   with them:       {answer}");
        if let (Some(before), Some(after)) = (&expected.state, &answer.state) {
            before.beyond(after).for_each(|line| println!("   only without:    {line}"));
            after.beyond(before).for_each(|line| println!("   only with:       {line}"));
        }
    }
}
