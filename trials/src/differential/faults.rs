//! Known faults of the reference: answers that are no model to follow, each with its evidence. And where Mangrove goes its
//! own way on purpose.

use super::answer::{Answer, Detail, Outcome};
use super::ast::Step;
use super::canon::Canon;
use super::case::Case;
use super::patterns::{
    any_child, any_step, compares_behind_a_connective, compares_new_elements, compares_what_it_gathers,
    gathers, gathers_itself, groups_by_a_part, groups_by_a_seed, groups_by_a_traversal, groups_by_dedup,
    groups_by_filters, groups_by_names, groups_by_what_is_dropped, has_any_and_none, joins_numbers,
    looks_at_order, looks_up_what_may_be_new, matches_several, moves_by_equal_labels,
    names_between_conditions, names_the_start_of_a_by, reduces_inside, sorts_vertex_properties, takes_values,
    tests_by_a_match,
};
use super::verdict::{Verdict, judge};

/// A fault of the reference.
pub struct Fault {
    /// What it is called in the report.
    pub name: &'static str,
    /// Why it is one, with an example that anyone can run.
    pub evidence: &'static str,
    /// Whether a difference between Mangrove's answer and the reference's runs is due to it.
    explains: fn(&Case, &Answer, &[Answer]) -> bool,
}

/// The fault of an exception that nobody thought of.
pub const ACCIDENT: &str = "java-accident";

/// Where traversers are merged: not told by what a case looks like, but by the reference itself when it merges elsewhere.
pub const MERGING: &str = "merging-that-nobody-asked-for";

/// The same of what writes.
pub const WRITES_OVER_A_BULK: &str = "writes-over-a-bulk";

/// What is read before, while or after the same traversal writes.
pub const WRITES_WHILE_READING: &str = "writes-while-reading";

/// What a limit asks for that it does not need.
pub const PAST_THE_LIMIT: &str = "asks-past-the-limit";

/// Zeros that formulas come to from below.
pub const NEGATIVE_ZERO: &str = "negative-zero";

/// Paths that remember only what has a name.
pub const NAMES_ALONE: &str = "paths-of-names-alone";

/// All that are known.
pub const FAULTS: &[Fault] = &[
    Fault {
        name: "told-when-planned",
        evidence: "On purpose: `g.V().dedup('a')` and `g.V().loops()` are refused when they are planned, for nothing can be \
                   called 'a', and no loop is there. The reference fails only once a traverser gets there, and so answers \
                   nothing over an empty graph.",
        explains: |_, ours, theirs| {
            let messages = [
                "neither an as() label nor a side-effect is called",
                "there is no repeat() around it",
                "no pattern that is left starts at a variable that is known",
            ];
            let told = |text: &str| messages.iter().any(|message| text.contains(message));
            let is_told = matches!(&ours.outcome, Outcome::Error(text) if told(text));
            is_told && theirs.iter().all(|run| matches!(run.outcome, Outcome::Results(_)))
        },
    },
    Fault {
        name: MERGING,
        evidence: "On purpose: `g.inject(1, 1).optional(sum())` answers 2 once, and with `local(identity())` before the \
                   optional() 1 twice, for nearly every step of the reference has a set in front of it that merges whatever \
                   is there at once. Mangrove shows merging in barrier() alone, and its answer is that of the reference with \
                   sets that merge there alone (trials/java/TraverserSet.java).",
        explains: |_, _, _| false,
    },
    Fault {
        name: WRITES_OVER_A_BULK,
        evidence: "On purpose: `g.inject(1, 1).barrier().addV()` adds one vertex and answers it twice. What writes acts for each \
                   traverser in Mangrove, as in the reference with sets that merge nowhere, or with local(identity()) in front of what writes, \
                   which unrolls what travels merged; and in a child that runs once for many it acts once.",
        explains: |_, _, _| false,
    },
    Fault {
        name: WRITES_WHILE_READING,
        evidence: "On purpose: `g.V().addV().limit(1)` adds one vertex in the reference, which makes results only as they are \
                   asked for, and `g.V().bothE().bothV().addE('x')` goes on to the edges that it has just added, or stops with \
                   a ConcurrentModificationException. In Mangrove a step that writes acts for all that reach it, and has read \
                   before: as in the reference with barrier() before it, and behind it where nothing there reads the graph.",
        explains: |_, _, _| false,
    },
    Fault {
        name: PAST_THE_LIMIT,
        evidence: "`g.inject(1, 'x').flatMap(math('_ + 1')).limit(1)` fails at the text, which nobody needs, and \
                   `g.inject(1, 'x').math('_ + 1').limit(1)` answers 2.0, for one strategy turns the two: FilterStep asks for \
                   a traverser before RangeGlobalStep looks whether it has enough. Mangrove's answer is the reference's with \
                   limits that look first (trials/java/FilterStep.java).",
        explains: |_, _, _| false,
    },
    Fault {
        name: NAMES_ALONE,
        evidence: "`g.V(1).local(identity().as('a').select('a')).identity().as('a').select(mixed, 'a')` answers v1, and with \
                   `withPath()` in front a list of it twice: where no step asks for paths, the reference remembers only what has \
                   a name, and takes an object that is named again for the one before. Mangrove's answer is that with withPath().",
        explains: |_, _, _| false,
    },
    Fault {
        name: NEGATIVE_ZERO,
        evidence: "`g.inject(0).math('-_').is(0)` passes nothing, and is(lt(0)) does, for Double.compare() has -0.0 below 0.0; but \
                   docs/src/dev/provider/gremlin-semantics.asciidoc says `-0.0 == 0.0 == +0.0`. Mangrove's answer is the \
                   reference's with formulas that add 0 at the end, which makes a plain zero of a negative one.",
        explains: |_, _, _| false,
    },
    Fault {
        name: "order-of-new-ids",
        evidence: "`g.V().as('a').where(lt('a')).by(addE('x'))` compares edges that were just added, by the ids that TinkerGraph \
                   counts up, and `g.V().properties().order()` sorts by such ids. Ids that a system gives out itself are its own affair, \
                   and so is their order.",
        explains: |case, _, _| {
            let steps = &case.script.body.steps;
            any_step(steps, &compares_new_elements) || sorts_vertex_properties(steps)
        },
    },
    Fault {
        name: "ids-of-new-elements",
        evidence: "`g.V(1).mergeV([(T.label): 'person', name: 'kim']).V(4)` finds the new vertex where it got the id 4. Ids that a system \
                   gives out itself are its own affair.",
        explains: |case, _, _| looks_up_what_may_be_new(&case.script.body.steps),
    },
    Fault {
        name: "optional-before-the-first",
        evidence: "`g.inject(1, 2).optional(count())` answers 0, 1, 1: OptionalStep asks its child for results before anything \
                   has entered it, so a reducer answers once more than it was asked.",
        explains: |case, _, _| any_step(&case.script.body.steps, &|step| reduces_inside(step, &["optional"])),
    },
    Fault {
        name: "local-after-the-end",
        evidence: "`g.V().limit(0).local(fold()).count()` answers 0 and 1: LocalStep says that it has ended, but a reducer \
                   inside answers for nobody when it is asked again.",
        explains: |case, _, theirs| {
            let local = any_step(&case.script.body.steps, &|step| reduces_inside(step, &["local"]));
            // What comes behind the reducer may fail at the answer for nobody.
            let again = |run: &Answer| match &run.outcome {
                Outcome::Results(all) => all.len() > 1,
                other => matches!(other, Outcome::Error(_)),
            };
            // Or it writes.
            local && (case.writes || theirs.iter().all(again))
        },
    },
    Fault {
        name: "inject-in-a-child",
        evidence: "`g.V().flatMap(inject(0))` on the modern graph answers seven objects: what inject() holds comes in the \
                   child's first run alone, behind the traverser, and in front of it at the beginning of a traversal.",
        explains: |case, _, _| any_child(&case.script.body.steps, &|step| step.name == "inject"),
    },
    Fault {
        name: ACCIDENT,
        evidence: "An exception of Java's own says that nobody thought of the case: \
                   `g.V().is(startingWith('a'))` casts a vertex to a String (ClassCastException), \
                   `g.V().limit(0).group().skip(local, 1)` makes a map of -1 entries (IllegalArgumentException: Illegal \
                   initial capacity). An answer, or an error with a reason, is better.",
        explains: |case, ours, theirs| {
            let meant: Vec<Answer> = theirs.iter().filter(|run| !is_accident(run)).cloned().collect();
            let some = meant.len() < theirs.len();
            // Where it happens in some orders only, the others count.
            let differs = || matches!(judge(ours, &meant, case.is_ordered()), Verdict::Different(_));
            some && (meant.is_empty() || !differs())
        },
    },
    Fault {
        name: "group-eats-its-traversers",
        evidence: "`g.V().group('x').by('name').by(hasLabel('person'))` on the modern graph yields v3 and v5 alone, though a \
                   side effect lets everything pass: GroupSideEffectStep gives the traverser itself to a value traversal \
                   that, made of filters, gives it back used up; and what the value traversal names, as in \
                   `.by(identity().as('a').select('a'))`, is named on the path of what passes.",
        explains: |case, ours, theirs| {
            let fewer = |ours: &Answer, theirs: &Answer| match (&ours.outcome, &theirs.outcome) {
                (Outcome::Results(ours), Outcome::Results(theirs)) => theirs.len() < ours.len(),
                _ => false,
            };
            let steps = &case.script.body.steps;
            any_step(steps, &groups_by_filters)
                || any_step(steps, &groups_by_names)
                || any_step(steps, &groups_by_a_traversal) && theirs.iter().all(|theirs| fewer(ours, theirs))
        },
    },
    Fault {
        name: "group-leaks-its-barrier",
        evidence: "`g.V().group().by('name').by(limit(0))` answers {josh: {}, …}: where a value traversal yields nothing, \
                   doFinalReduction leaves what its barrier had gathered in the map, of whatever type; so does \
                   `by(min().discard())` and `by(fold().constant([]).sum(local))`. A key without a value is no entry.",
        explains: |case, ours, theirs| {
            let bare = |answer: &Answer| answer.map(&without_empty_values).text(Detail::Contents);
            let steps = &case.script.body.steps;
            any_step(steps, &|step| step.name == "group")
                && (theirs.iter().all(|theirs| bare(theirs) == bare(ours))
                    || any_step(steps, &groups_by_a_part)
                    || any_step(steps, &groups_by_what_is_dropped))
        },
    },
    Fault {
        name: "group-adds-its-seed-again",
        evidence: "`g.V().group().by(constant(1)).by(values('nope').fold(1.0, sum))` answers 1.0 for each vertex, added up: a barrier to \
                   which nothing has come gives its seed, and the seeds are merged. `g.V().values('nope').fold(1.0, sum)` answers 1.0.",
        explains: |case, _, _| any_step(&case.script.body.steps, &groups_by_a_seed),
    },
    Fault {
        name: "tests-by-match",
        evidence: "`g.V().not(match(__.as('a').in()))` on the modern graph answers nothing, v1 or v6 alone, as the vertices come, though \
                   neither has an in-edge and `g.V(1).not(match(__.as('a').in()))` answers v1: a MatchStep in a filter remembers \
                   the traverser before.",
        explains: |case, _, _| any_step(&case.script.body.steps, &tests_by_a_match),
    },
    Fault {
        name: "first-of-any-and-none",
        evidence: "`g.V(1).map(branch(constant('Bob')).option(none, count()).option(path()))` answers the path, and with `g.V()` in front \
                   the count each time: which of several options comes first is no promise.",
        explains: |case, _, _| any_child(&case.script.body.steps, &has_any_and_none),
    },
    Fault {
        name: "one-key-two-kinds",
        evidence: "`g.V().group('m').by(groupCount('m'))` fails with `Objects must be both of Map or Collection: a=Long \
                   b=ArrayList`, but only where both have a value under one key. Mangrove keeps the first kind, or says that \
                   they do not go together.",
        explains: |_, ours, theirs| {
            let message = "Objects must be both of Map or Collection";
            let mixed = "cannot add a value of type";
            let cannot_be = "the side-effect holds a map, into which";
            theirs.iter().any(|run| says(run, message)) || says(ours, mixed) || says(ours, cannot_be)
        },
    },
    Fault {
        name: "where-wants-labels",
        evidence: "`g.V().as('a').where(where('a', neq('a')))` fails with `A where()-traversal must have at least a start or end \
                   label`, while `where(filter(where('a', neq('a'))))` is taken; and two labels at the end of a where() are \
                   refused, while two at the end of its and() are not. And `g.V().as('c').where(hasNot('x').as('c'))` passes \
                   nothing, for behind a not(), and() or or() at the start the name is never looked up (configureStartAndEndSteps \
                   adds no WhereStartStep). And `g.V().where(has('age').as('a').hasLabel('person'))` fails for want of an 'a', \
                   since the two filters become one step, at the end of which the name then stands. Mangrove takes what has a meaning.",
        explains: |case, _, theirs| {
            let messages = [
                "A where()-traversal must have at least a start or end label",
                "The end step of a where()-traversal can only have one label",
            ];
            theirs.iter().any(|run| messages.iter().any(|message| says(run, message)))
                || any_step(&case.script.body.steps, &compares_behind_a_connective)
                || any_step(&case.script.body.steps, &names_between_conditions)
        },
    },
    Fault {
        name: "names-before-they-are-given",
        evidence: "`g.V(1).as('a').select('a').by(out().as('x').path())` labels v1 as x, too: where a by() is applied to an object, \
                   its traverser begins with the labels of the child's first step, before that step has run. So \
                   `…by(path().from('b').as('b'))` finds its label, and by(identity().path().from('b').as('b')) does or does \
                   not, as the strategies drop the identity() or not.",
        explains: |case, _, _| any_step(&case.script.body.steps, &names_the_start_of_a_by),
    },
    Fault {
        name: "one-value-for-some-strategies",
        evidence: "`g.V().order().by(values('tag'))` fails with `Multiple properties exist for the provided key` where a vertex has \
                   two tags, and takes the first with withoutStrategies(ByModulatorOptimizationStrategy), which makes by('tag') of \
                   it; and another strategy moves filters in front. Mangrove always says so.",
        explains: |case, ours, _| {
            says(ours, "Multiple properties exist for the provided key")
                && any_step(&case.script.body.steps, &takes_values)
        },
    },
    Fault {
        name: "paths-through-match",
        evidence: "On purpose: `g.V(1).match(__.as('d').order()).path()` has the vertex three times in the reference, where it begins, \
                   where the pattern does and where it ends, in the order in which its patterns happened to be tried. Mangrove's has it \
                   where steps have found something.",
        explains: |case, _, _| {
            let steps = &case.script.body.steps;
            let looks = |step: &Step| matches!(step.name, "path" | "simplePath" | "cyclicPath" | "tree");
            any_step(steps, &|step| step.name == "match") && any_step(steps, &looks)
        },
    },
    Fault {
        name: "match-in-its-own-order",
        evidence: "On purpose: `g.V(1).match(__.as('d').math('_ + 1').as('e'), __.as('d').hasLabel('nobody'))` fails in the reference, \
                   which tries the patterns as they stand until it has seen how much each lets pass, and answers nothing in \
                   Mangrove, which tests before it computes. Of a pattern that fails it is only told when it is tried.",
        explains: |case, ours, theirs| {
            let fails = |answer: &Answer| matches!(answer.outcome, Outcome::Error(_));
            // What says that a variable or a pattern is missing comes from the order itself, and is no error of a pattern.
            let of_the_order =
                ["neither the map, nor side-effects, nor the path", "match()-traversals", "match pattern"];
            !of_the_order.iter().any(|text| says(ours, text))
                && any_step(&case.script.body.steps, &matches_several)
                && theirs.iter().all(|run| fails(run) != fails(ours))
        },
    },
    Fault {
        name: "match-joins-by-equals",
        evidence: "On purpose: `g.inject(20).match(__.as('d').mean().as('e'), __.as('e').asNumber().as('d'))` has 20 and 20.0 for d, \
                   which the reference takes for two (Java's equals), and Mangrove for one, as is(eq(20.0)) does.",
        explains: |case, ours, theirs| {
            // What is one to Mangrove and two to the reference is found by Mangrove alone.
            let more = |theirs: &Answer| match (&ours.outcome, &theirs.outcome) {
                (Outcome::Results(ours), Outcome::Results(theirs)) => ours.len() > theirs.len(),
                _ => false,
            };
            any_step(&case.script.body.steps, &joins_numbers) && theirs.iter().all(more)
        },
    },
    Fault {
        name: "unsolvable-match",
        evidence: "`g.V(1).match(__.as('e').union(__.group()))` and a count() at the end of one of two patterns are called unsolvable once a \
                   traverser gets there, for what a reducer inside of a pattern lets out has forgotten where it was.",
        explains: |case, _, theirs| {
            let unsolvable = |run: &Answer| matches!(&run.outcome, Outcome::Error(text) if text.contains("pattern is unsolvable"));
            any_step(&case.script.body.steps, &|step| step.name == "match") && theirs.iter().all(unsolvable)
        },
    },
    Fault {
        name: "merges-over-nothing",
        evidence: "On purpose: `g.V('none').mergeV([name: 'a']).option(onCreate, [name: 'b'])` is an error in the reference although no \
                   traverser gets there. And mergeE() whose option(outV) names a vertex that is not there ends the whole stream in \
                   silence (the NoSuchElementException of its look-up is taken for its end), where Mangrove says so.",
        explains: |case, ours, theirs| {
            let merges = any_step(&case.script.body.steps, &|step| matches!(step.name, "mergeV" | "mergeE"));
            let says = |text: &str| text.contains("cannot override values from merge()");
            let refused = theirs.iter().all(|run| matches!(&run.outcome, Outcome::Error(text) if says(text)));
            let nowhere =
                matches!(&ours.outcome, Outcome::Error(text) if text.contains("Could not resolve vertex"));
            merges && (refused || nowhere)
        },
    },
    Fault {
        name: "labels-twice",
        evidence: "`g.V(3).in('created', 'created')` finds each neighbour twice over TinkerGraph, which adds up the lists of the \
                   labels as they were given, but `inE('created', 'created')` each edge once.",
        explains: |case, _, _| any_step(&case.script.body.steps, &moves_by_equal_labels),
    },
    Fault {
        name: "live-side-effects",
        evidence: "`g.V().map(aggregate('x').cap('x')).order()` answers the full set once per vertex, or once: what cap() answers \
                   in a child is the side effect itself, which goes on growing in the barrier behind it, and not what it was. And \
                   `g.V().cap('x').groupCount('m').by(aggregate('x'))` has a set that holds itself. And \
                   `g.inject(1, 0).as('a').where(lt('a')).by(aggregate('x').select('x'))` passes nothing, for what it compares is \
                   that one set on both sides, where Mangrove compares what the set was each time.",
        explains: |case, _, _| {
            let steps = &case.script.body.steps;
            any_child(steps, &|step| step.name == "cap") && any_step(steps, &gathers)
                || gathers_itself(steps)
                || any_step(steps, &compares_what_it_gathers)
        },
    },
    Fault {
        name: "order-of-hashes",
        evidence: "merge(), difference(), disjunct() and intersect() answer a set in the order of Java's hashes, so which member \
                   `g.inject([3, 1]).merge([2]).limit(local, 1)` keeps is no promise. Nor is which object the value traversal \
                   of `g.inject(1, 0).group().by(constant('a')).by(dedup())` yields first.",
        explains: |case, ours, theirs| {
            let steps = &case.script.body.steps;
            let hashed = ["merge", "intersect", "difference", "disjunct"];
            let hashed = any_step(steps, &|step| hashed.contains(&step.name));
            let alike = |theirs: &Answer| theirs.text(Detail::Contents) == ours.text(Detail::Contents);
            let in_order = any_step(steps, &looks_at_order) || theirs.iter().all(alike);
            hashed && in_order || any_step(steps, &groups_by_dedup)
        },
    },
];

/// Exceptions that no step throws on purpose.
const JAVA_ACCIDENTS: &[&str] = &[
    "ArithmeticException",
    "ClassCastException",
    "NullPointerException",
    "IndexOutOfBoundsException",
    "StringIndexOutOfBoundsException",
    "ArrayIndexOutOfBoundsException",
    "ConcurrentModificationException",
    "NumberFormatException",
    "IllegalArgumentException: Illegal initial capacity",
];

/// The fault that explains a difference, if one does. Nothing explains a panic.
pub fn explain(case: &Case, ours: &Answer, theirs: &[Answer]) -> Option<&'static Fault> {
    if matches!(ours.outcome, Outcome::Panic(_)) {
        return None;
    }
    FAULTS.iter().find(|fault| (fault.explains)(case, ours, theirs))
}

/// Whether an answer is an error that says so.
fn says(answer: &Answer, message: &str) -> bool {
    matches!(&answer.outcome, Outcome::Error(text) if text.contains(message))
}

fn is_accident(answer: &Answer) -> bool {
    let Outcome::Error(message) = &answer.outcome else { return false };
    JAVA_ACCIDENTS.iter().any(|class| message.starts_with(class))
}

/// What only a barrier of the reference holds.
fn is_inside_of_barrier(value: &Canon) -> bool {
    matches!(value, Canon::Scalar("other", text) if text.starts_with("ProjectedTraverser"))
}

/// A map without the entries whose values are empty.
fn without_empty_values(value: &Canon) -> Canon {
    match value {
        Canon::Map(entries) => {
            let is_empty = |value: &Canon| match value {
                Canon::Bag(members) => members.is_empty(),
                Canon::Set(members) | Canon::List(members) => members.iter().all(is_inside_of_barrier),
                _ => false,
            };
            let kept = entries.iter().filter(|(_, value)| !is_empty(value));
            Canon::Map(kept.map(|(k, v)| (without_empty_values(k), without_empty_values(v))).collect())
        }
        Canon::List(members) => Canon::List(members.iter().map(without_empty_values).collect()),
        other => other.clone(),
    }
}
