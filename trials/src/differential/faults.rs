//! Known faults of the reference: answers that are no model to follow, each with its evidence.

use super::answer::{Answer, Detail, Outcome};
use super::ast::{Arg, Step};
use super::canon::Canon;
use super::case::Case;

/// A fault of the reference.
pub struct Fault {
    /// What it is called in the report.
    pub name: &'static str,
    /// Why it is one, with an example that anyone can run.
    pub evidence: &'static str,
    /// Whether a difference between Mangrove's answer and the reference's runs is due to it.
    explains: fn(&Case, &Answer, &[Answer]) -> bool,
}

/// All that are known.
pub const FAULTS: &[Fault] = &[
    Fault {
        name: "java-accident",
        evidence: "An exception of Java's own says that nobody thought of the case: \
                   `g.V().is(startingWith('a'))` casts a vertex to a String (ClassCastException), \
                   `g.V().limit(0).group().skip(local, 1)` makes a map of -1 entries (IllegalArgumentException: Illegal \
                   initial capacity). An answer, or an error with a reason, is better.",
        explains: |_, _, theirs| theirs.iter().any(is_accident),
    },
    Fault {
        name: "group-eats-its-traversers",
        evidence: "`g.V().group('x').by('name').by(hasLabel('person'))` on the modern graph yields v3 and v5 alone, though a \
                   side effect lets everything pass: GroupSideEffectStep gives the traverser itself to a value traversal \
                   that, made of filters, gives it back used up.",
        explains: |case, _, _| any_step(&case.script.body.steps, &groups_by_filters),
    },
    Fault {
        name: "group-leaks-its-barrier",
        evidence: "`g.V().group().by('name').by(limit(0))` answers {josh: {}, …}: where a value traversal yields nothing, \
                   doFinalReduction leaves what its barrier had gathered in the map, of whatever type. A key without a value \
                   is no entry.",
        explains: |case, ours, theirs| {
            let bare = |answer: &Answer| answer.map(&without_empty_values).text(Detail::Contents);
            any_step(&case.script.body.steps, &|step| step.name == "group")
                && theirs.iter().all(|theirs| bare(theirs) == bare(ours))
        },
    },
    Fault {
        name: "labels-twice",
        evidence: "`g.V(3).in('created', 'created')` finds each neighbour twice over TinkerGraph, which adds up the lists of the \
                   labels as they were given, but `inE('created', 'created')` each edge once.",
        explains: |case, _, _| any_step(&case.script.body.steps, &moves_by_equal_labels),
    },
    Fault {
        name: "order-of-hashes",
        evidence: "merge() and intersect() answer a set in the order of Java's hashes, so which member \
                   `g.inject([3, 1]).merge([2]).limit(local, 1)` keeps is no promise.",
        explains: |case, _, _| {
            let steps = &case.script.body.steps;
            any_step(steps, &|step| matches!(step.name, "merge" | "intersect"))
                && any_step(steps, &looks_at_order)
        },
    },
];

/// Exceptions that no step throws on purpose.
const JAVA_ACCIDENTS: &[&str] = &[
    "ClassCastException",
    "NullPointerException",
    "IndexOutOfBoundsException",
    "StringIndexOutOfBoundsException",
    "ArrayIndexOutOfBoundsException",
    "ConcurrentModificationException",
    "NumberFormatException",
    "IllegalArgumentException: Illegal initial capacity",
];

/// The fault that explains a difference, if one does.
pub fn explain(case: &Case, ours: &Answer, theirs: &[Answer]) -> Option<&'static Fault> {
    FAULTS.iter().find(|fault| (fault.explains)(case, ours, theirs))
}

fn is_accident(answer: &Answer) -> bool {
    let Outcome::Error(message) = &answer.outcome else { return false };
    JAVA_ACCIDENTS.iter().any(|class| message.starts_with(class))
}

/// Whether a step, one inside it, or a modulator is such a step.
fn any_step(steps: &[Step], is_such: &impl Fn(&Step) -> bool) -> bool {
    steps.iter().any(|step| {
        let inside = step.args.iter().any(|arg| match arg {
            Arg::Child(child) => any_step(&child.steps, is_such),
            Arg::Text(_) => false,
        });
        is_such(step) || inside || any_step(&step.before, is_such) || any_step(&step.after, is_such)
    })
}

/// A move along labels of which two are the same.
fn moves_by_equal_labels(step: &Step) -> bool {
    let moves = matches!(step.name, "out" | "in" | "both" | "to" | "outE" | "inE" | "bothE" | "toE");
    moves && step.args.iter().enumerate().any(|(index, arg)| step.args[..index].contains(arg))
}

/// Steps to which it matters in what order a collection is.
fn looks_at_order(step: &Step) -> bool {
    let local = step.args.first() == Some(&Arg::Text("local".into()));
    match step.name {
        "limit" | "range" | "skip" | "tail" => true,
        "order" | "dedup" => local,
        "unfold" | "index" | "reverse" | "conjoin" => true,
        _ => false,
    }
}

/// A map without the entries whose values are empty.
fn without_empty_values(value: &Canon) -> Canon {
    match value {
        Canon::Map(entries) => {
            let is_empty = |value: &Canon| match value {
                Canon::Bag(members) => members.is_empty(),
                Canon::Set(members) | Canon::List(members) => members.is_empty(),
                _ => false,
            };
            let kept = entries.iter().filter(|(_, value)| !is_empty(value));
            Canon::Map(kept.map(|(k, v)| (without_empty_values(k), without_empty_values(v))).collect())
        }
        Canon::List(members) => Canon::List(members.iter().map(without_empty_values).collect()),
        other => other.clone(),
    }
}

/// `group(key)` with a value traversal of which every step gives back the traverser that it was given.
fn groups_by_filters(step: &Step) -> bool {
    const PASSING: &[&str] = &[
        "and",
        "as",
        "barrier",
        "coin",
        "cyclicPath",
        "dedup",
        "filter",
        "has",
        "hasId",
        "hasKey",
        "hasLabel",
        "hasNot",
        "hasValue",
        "identity",
        "is",
        "limit",
        "not",
        "or",
        "order",
        "range",
        "sideEffect",
        "simplePath",
        "skip",
        "tail",
        "where",
    ];
    let mut bys = step.after.iter().filter(|modulator| modulator.name == "by").skip(1);
    let value = bys.next().and_then(|by| by.args.first());
    let passes = match value {
        Some(Arg::Child(child)) => child.steps.iter().all(|step| PASSING.contains(&step.name)),
        _ => false,
    };
    step.name == "group" && !step.args.is_empty() && passes
}
