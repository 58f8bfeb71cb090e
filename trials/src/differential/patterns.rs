//! What a traversal has in it: the marks by which known faults are told.

use super::ast::{Arg, Script, Step, Traversal};

/// Whether a step, one inside it, or a modulator is such a step.
pub fn any_step(steps: &[Step], is_such: &impl Fn(&Step) -> bool) -> bool {
    steps.iter().any(|step| {
        let inside = step.args.iter().any(|arg| match arg {
            Arg::Child(child) => any_step(&child.steps, is_such),
            Arg::Text(_) => false,
        });
        is_such(step) || inside || any_step(&step.before, is_such) || any_step(&step.after, is_such)
    })
}

/// A `by` of the values of one property.
pub fn takes_values(step: &Step) -> bool {
    let values = |arg: &Arg| match arg {
        Arg::Child(child) => {
            matches!(&child.steps[..], [only] if only.name == "values" && only.args.len() == 1)
        }
        Arg::Text(_) => false,
    };
    step.after.iter().any(|modulator| modulator.name == "by" && modulator.args.iter().any(values))
}

/// A move along labels of which two are the same.
pub fn moves_by_equal_labels(step: &Step) -> bool {
    let moves = matches!(step.name, "out" | "in" | "both" | "to" | "outE" | "inE" | "bothE" | "toE");
    moves && step.args.iter().enumerate().any(|(index, arg)| step.args[..index].contains(arg))
}

/// A `where` whose child begins with a connective and ends with a name.
pub fn compares_behind_a_connective(step: &Step) -> bool {
    let begins = |first: &Step| matches!(first.name, "and" | "or" | "not" | "hasNot");
    let ends = |last: &Step| last.after.iter().any(|modulator| modulator.name == "as");
    let such =
        |child: &Traversal| child.steps.first().is_some_and(begins) && child.steps.last().is_some_and(ends);
    step.name == "where" && step.args.iter().any(|arg| matches!(arg, Arg::Child(child) if such(child)))
}

/// A `where` with a filter by properties whose name stands between its conditions.
pub fn names_between_conditions(step: &Step) -> bool {
    let has = |step: &Step| matches!(step.name, "has" | "hasLabel" | "hasId" | "hasKey" | "hasValue");
    let named = |step: &Step| step.after.iter().any(|modulator| modulator.name == "as");
    let pair = |child: &Traversal| match &child.steps[..] {
        [.., first, last] => has(first) && named(first) && has(last),
        _ => false,
    };
    let inside = |step: &Step| step.args.iter().any(|arg| matches!(arg, Arg::Child(child) if pair(child)));
    step.name == "where" && any_step(std::slice::from_ref(step), &inside)
}

/// A step that applies a `by` to an object, whose child names what its first step yields, and asks for names or paths.
pub fn names_the_start_of_a_by(step: &Step) -> bool {
    let of_objects =
        matches!(step.name, "select" | "where" | "dedup" | "path" | "math" | "format" | "order" | "tree");
    let names = |first: &Step| first.after.iter().any(|modulator| modulator.name == "as");
    let asks = |step: &Step| {
        matches!(
            step.name,
            "path" | "simplePath" | "cyclicPath" | "select" | "where" | "dedup" | "math" | "format"
        )
    };
    let such = |child: &Traversal| child.steps.first().is_some_and(names) && any_step(&child.steps, &asks);
    let mut bys = step.after.iter().filter(|modulator| modulator.name == "by").flat_map(|by| &by.args);
    of_objects && bys.any(|arg| matches!(arg, Arg::Child(child) if such(child)))
}

/// Steps that keep what they are given until all of it is there.
pub fn gathers(step: &Step) -> bool {
    let names = [
        "order",
        "barrier",
        "aggregate",
        "fold",
        "group",
        "groupCount",
        "dedup",
        "tail",
        "sample",
        "min",
        "max",
    ];
    names.contains(&step.name)
}

/// Steps to which it matters in what order a collection is.
pub fn looks_at_order(step: &Step) -> bool {
    let local = step.args.first() == Some(&Arg::Text("local".into()));
    match step.name {
        "limit" | "range" | "skip" | "tail" => true,
        "order" | "dedup" => local,
        "unfold" | "index" | "reverse" | "conjoin" => true,
        _ => false,
    }
}

/// Whether a step in a child is such a step.
pub fn any_child(steps: &[Step], is_such: &impl Fn(&Step) -> bool) -> bool {
    any_step(steps, &|step| {
        let modulators = step.before.iter().chain(&step.after).flat_map(|modulator| &modulator.args);
        let mut children = step.args.iter().chain(modulators);
        children.any(|arg| matches!(arg, Arg::Child(child) if any_step(&child.steps, is_such)))
    })
}

/// A step of one of these names with a reducer that answers for nobody in its child.
pub fn reduces_inside(step: &Step, names: &[&str]) -> bool {
    let reducers = ["count", "fold", "group", "groupCount", "cap", "tree"];
    names.contains(&step.name)
        && step.args.iter().any(|arg| match arg {
            Arg::Child(child) => any_step(&child.steps, &|step| reducers.contains(&step.name)),
            Arg::Text(_) => false,
        })
}

/// `group` with a value traversal that leaves out duplicates.
pub fn groups_by_dedup(step: &Step) -> bool {
    let value = step.after.iter().filter(|modulator| modulator.name == "by").nth(1);
    step.name == "group"
        && value.is_some_and(|by| any_step(std::slice::from_ref(by), &|step| step.name == "dedup"))
}

/// `group(key)` with a value traversal of which every step gives back the traverser that it was given, or which uses it up.
pub fn groups_by_filters(step: &Step) -> bool {
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
        "property",
        "range",
        "sack",
        "sideEffect",
        "simplePath",
        "skip",
        "tail",
        "where",
    ];
    let mut bys = step.after.iter().filter(|modulator| modulator.name == "by").skip(1);
    let value = bys.next().and_then(|by| by.args.first());
    let passes = |step: &Step| match (step.name, step.args.first()) {
        // They give back what their child does.
        ("local" | "optional" | "coalesce" | "union" | "choose" | "flatMap" | "map", _) => true,
        ("aggregate" | "group" | "groupCount", first) => first.is_some(),
        (name, _) => PASSING.contains(&name),
    };
    let eats = |child: &Traversal| {
        let mut passing = child.steps.iter().take_while(|step| passes(step));
        // A local() takes one by one from the bulk of what it is given.
        passing.clone().count() == child.steps.len() || passing.any(|step| step.name == "local")
    };
    let eaten = matches!(value, Some(Arg::Child(child)) if eats(child));
    step.name == "group" && !step.args.is_empty() && eaten
}

fn value_of_group(step: &Step) -> Option<&Step> {
    let value = step.after.iter().filter(|modulator| modulator.name == "by").nth(1);
    value.filter(|by| step.name == "group" && matches!(by.args.first(), Some(Arg::Child(_))))
}

/// `group(key)` with any value traversal.
pub fn groups_by_a_traversal(step: &Step) -> bool {
    !step.args.is_empty() && value_of_group(step).is_some()
}

/// `group(key)` with a value traversal that names something.
pub fn groups_by_names(step: &Step) -> bool {
    let names = |by: &Step| any_step(std::slice::from_ref(by), &|step| step.name == "as");
    !step.args.is_empty() && value_of_group(step).is_some_and(names)
}

/// `group` with a value traversal that takes a part of the stream.
pub fn groups_by_a_part(step: &Step) -> bool {
    value_of_group(step).is_some_and(|by| any_step(std::slice::from_ref(by), &takes_a_part))
}

/// `group` with a value traversal that drops what a barrier has made.
pub fn groups_by_what_is_dropped(step: &Step) -> bool {
    let reduces = |step: &Step| {
        matches!(step.name, "count" | "sum" | "mean" | "min" | "max" | "fold" | "group" | "groupCount")
    };
    // Those of an empty list are nothing.
    let of_list = |step: &Step| {
        let local = step.args.first() == Some(&Arg::Text("local".into()));
        local && matches!(step.name, "sum" | "mean" | "min" | "max")
    };
    let drops = |step: &Step| {
        let filters = matches!(
            step.name,
            "discard" | "is" | "where" | "filter" | "not" | "and" | "or" | "none" | "all" | "any"
        );
        filters || of_list(step)
    };
    let Some(Arg::Child(child)) = value_of_group(step).and_then(|by| by.args.first()) else { return false };
    let reduced = child.steps.iter().position(reduces);
    reduced.is_some_and(|reduced| child.steps[reduced..].iter().any(drops))
}

/// Whether what `cap()` answers is gathered once more in itself.
pub fn gathers_itself(steps: &[Step]) -> bool {
    let mut names = Vec::new();
    steps.iter().any(|step| {
        let again = any_step(std::slice::from_ref(step), &|step| {
            step.name == "aggregate" && step.args.first().is_some_and(|name| names.contains(name))
        });
        if step.name == "cap" {
            names.extend(step.args.first().cloned());
        }
        again
    })
}

/// Whether elements are added, and behind the beginning some are looked up by their ids.
pub fn looks_up_what_may_be_new(steps: &[Step]) -> bool {
    let adds = |step: &Step| matches!(step.name, "addV" | "addE" | "mergeV" | "mergeE");
    let looks_up = |step: &Step| matches!(step.name, "V" | "E" | "hasId") && !step.args.is_empty();
    any_step(steps, &adds)
        && (any_step(steps.get(1..).unwrap_or_default(), &looks_up) || any_child(steps, &looks_up))
}

/// `group` with a value traversal that folds from a seed.
pub fn groups_by_a_seed(step: &Step) -> bool {
    let folds = |step: &Step| step.name == "fold" && step.args.len() == 2;
    value_of_group(step).is_some_and(|by| any_step(std::slice::from_ref(by), &folds))
}

/// A filter that asks whether a `match` has a result.
pub fn tests_by_a_match(step: &Step) -> bool {
    let matches =
        |arg: &Arg| matches!(arg, Arg::Child(child) if any_step(&child.steps, &|step| step.name == "match"));
    matches!(step.name, "not" | "filter" | "where" | "and" | "or" | "choose" | "until" | "emit")
        && step.args.iter().any(matches)
}

/// A `branch` or `choose` in whose options something is asked of all and something of none.
pub fn has_any_and_none(step: &Step) -> bool {
    let mut options = step.after.iter().filter(|modulator| modulator.name == "option");
    let mut others = options.clone();
    let is_none = |option: &Step| matches!(option.args.first(), Some(Arg::Text(text)) if text == "none");
    options.any(is_none) && others.any(|option| option.args.len() == 1)
}

/// A step that compares, in whose children what is gathered under a name is looked at by it.
pub fn compares_what_it_gathers(step: &Step) -> bool {
    let names = |steps: &[Step], wanted: &[&str]| {
        let mut names = Vec::new();
        steps
            .iter()
            .filter(|step| wanted.contains(&step.name))
            .for_each(|step| names.extend(step.args.first().cloned()));
        names
    };
    let gathers = |child: &Traversal| {
        let gathered = names(&child.steps, &["aggregate", "group", "groupCount"]);
        names(&child.steps, &["select", "cap"]).iter().any(|name| gathered.contains(name))
    };
    let modulators = step.after.iter().flat_map(|modulator| &modulator.args);
    let mut children = step.args.iter().chain(modulators);
    matches!(step.name, "where" | "order" | "dedup" | "group" | "groupCount")
        && children.any(|arg| matches!(arg, Arg::Child(child) if gathers(child)))
}

/// A `match` of several patterns.
pub fn matches_several(step: &Step) -> bool {
    step.name == "match" && step.args.len() > 1
}

/// A `match` that looks for a variable more than once and makes numbers of it, or for it.
pub fn joins_numbers(step: &Step) -> bool {
    const NUMBERS: &[&str] =
        &["asNumber", "count", "fold", "index", "length", "math", "max", "mean", "min", "sum", "values"];
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    let mut makes_numbers = false;
    for arg in &step.args {
        let Arg::Child(pattern) = arg else { continue };
        makes_numbers |= any_step(&pattern.steps, &|step| NUMBERS.contains(&step.name));
        for step in &pattern.steps {
            starts.extend(step.args.iter().filter(|_| step.name == "as"));
            let names = step.after.iter().filter(|modulator| modulator.name == "as");
            ends.extend(names.flat_map(|name| &name.args));
        }
    }
    let again = |at: usize| starts.contains(&ends[at]) || ends[..at].contains(&ends[at]);
    step.name == "match" && makes_numbers && (0..ends.len()).any(again)
}

/// A step that compares or sorts by what was just added to the graph.
pub fn compares_new_elements(step: &Step) -> bool {
    let adds = |step: &Step| matches!(step.name, "addV" | "addE" | "mergeV" | "mergeE");
    let mut bys = step.after.iter().filter(|modulator| modulator.name == "by").flat_map(|by| &by.args);
    matches!(step.name, "where" | "order")
        && bys.any(|arg| matches!(arg, Arg::Child(child) if any_step(&child.steps, &adds)))
}

/// Whether vertex properties are sorted, by ids that no graph gives.
pub fn sorts_vertex_properties(steps: &[Step]) -> bool {
    any_step(steps, &|step| step.name == "properties") && any_step(steps, &|step| step.name == "order")
}

fn writes(step: &Step) -> bool {
    matches!(step.name, "addV" | "addE" | "mergeV" | "mergeE" | "property" | "drop")
}

/// Steps that ask for no more once they have enough.
pub fn limits(step: &Step) -> bool {
    matches!(step.name, "limit" | "range") && takes_a_part(step)
}

/// Steps that let pass a part of what comes, by its order.
pub fn takes_a_part(step: &Step) -> bool {
    let local = step.args.first() == Some(&Arg::Text("local".into()));
    match step.name {
        "limit" | "range" | "skip" | "tail" | "sample" => !local,
        "dedup" => !step.args.is_empty() || step.after.iter().any(|modulator| modulator.name == "by"),
        _ => false,
    }
}

/// Where barriers part what a traversal writes from what it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Apart {
    /// Whether they stand behind what writes, too, and not only in front of it.
    pub behind: bool,
    /// Whether they stand in children, too.
    pub inside: bool,
}

/// The traversal with barriers around what writes.
pub fn writes_apart(script: &Script, apart: Apart) -> Script {
    Script { source: script.source.clone(), body: set_apart(&script.body, apart, true) }
}

fn set_apart(traversal: &Traversal, apart: Apart, root: bool) -> Traversal {
    let writes = |step: &Step| any_step(std::slice::from_ref(step), &writes);
    let steps = &traversal.steps;
    let mut parted = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let follows_a_write = index > 0 && writes(&steps[index - 1]);
        // Nothing is read before the beginning.
        if !(root && index == 0) && (writes(step) || apart.behind && follows_a_write) {
            parted.push(Step::new("barrier"));
        }
        let mut step = step.clone();
        if apart.inside {
            let children = step.args.iter_mut().chain(step.after.iter_mut().flat_map(|by| &mut by.args));
            for arg in children {
                if let Arg::Child(child) = arg {
                    *child = set_apart(child, apart, false);
                }
            }
        }
        parted.push(step);
    }
    if apart.behind && steps.last().is_some_and(writes) {
        parted.push(Step::new("barrier"));
    }
    Traversal { steps: parted }
}

/// The traversal with all that travels merged unrolled in front of what writes, so that it acts for each.
pub fn writes_for_each(script: &Script) -> Script {
    Script { source: script.source.clone(), body: unrolled(&script.body, true) }
}

fn unrolled(traversal: &Traversal, root: bool) -> Traversal {
    let mut steps = Vec::new();
    for (index, step) in traversal.steps.iter().enumerate() {
        if writes(step) && !(root && index == 0) {
            // It runs as often as the bulk says, and what it yields is not merged again.
            steps.push(Step::new("local").child(Step::new("identity")));
        }
        let mut step = step.clone();
        for arg in step.args.iter_mut().chain(step.after.iter_mut().flat_map(|by| &mut by.args)) {
            if let Arg::Child(child) = arg {
                *child = unrolled(child, false);
            }
        }
        steps.push(step);
    }
    Traversal { steps }
}

/// The traversal with formulas that never come to a negative zero, if it has any.
pub fn with_plain_zeros(script: &Script) -> Option<Script> {
    let mut plain = script.clone();
    let mut changed = false;
    plain.body.for_each_step_mut(&mut |step| {
        if step.name == "math"
            && let Some(Arg::Text(text)) = step.args.first_mut()
        {
            *text = format!("'({}) + 0'", text.trim_matches('\''));
            changed = true;
        }
    });
    changed.then_some(plain)
}
