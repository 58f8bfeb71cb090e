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

/// A loop that writes, and reads the graph.
pub fn loops_over_what_it_writes(step: &Step) -> bool {
    let reads = |step: &Step| {
        matches!(
            step.name,
            "V" | "E"
                | "out"
                | "in"
                | "both"
                | "to"
                | "outE"
                | "inE"
                | "bothE"
                | "toE"
                | "values"
                | "properties"
        )
    };
    let inside = std::slice::from_ref(step);
    step.name == "repeat" && any_step(inside, &writes) && any_step(inside, &reads)
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
    let reducers = ["count", "fold", "group", "groupCount", "cap"];
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

/// `group(key)` with a value traversal of which every step gives back the traverser that it was given.
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
        "range",
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
    let all = matches!(value, Some(Arg::Child(child)) if child.steps.iter().all(passes));
    step.name == "group" && !step.args.is_empty() && all
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
    let drops = |step: &Step| {
        matches!(
            step.name,
            "discard" | "is" | "where" | "filter" | "not" | "and" | "or" | "none" | "all" | "any"
        )
    };
    let Some(Arg::Child(child)) = value_of_group(step).and_then(|by| by.args.first()) else { return false };
    let reduced = child.steps.iter().position(reduces);
    reduced.is_some_and(|reduced| child.steps[reduced..].iter().any(drops))
}

/// A step that compares or sorts by what was just added to the graph.
pub fn compares_new_elements(step: &Step) -> bool {
    let adds = |step: &Step| matches!(step.name, "addV" | "addE");
    let mut bys = step.after.iter().filter(|modulator| modulator.name == "by").flat_map(|by| &by.args);
    matches!(step.name, "where" | "order")
        && bys.any(|arg| matches!(arg, Arg::Child(child) if any_step(&child.steps, &adds)))
}

/// Whether vertex properties are sorted, by ids that no graph gives.
pub fn sorts_vertex_properties(steps: &[Step]) -> bool {
    any_step(steps, &|step| step.name == "properties") && any_step(steps, &|step| step.name == "order")
}

/// Whether a limit stands behind a step of which a child writes.
pub fn limits_what_writes(steps: &[Step]) -> bool {
    let writing = steps.iter().position(|step| any_child(std::slice::from_ref(step), &writes));
    let limits = |step: &Step| matches!(step.name, "limit" | "range") && takes_a_part(step);
    writing.is_some_and(|writing| steps[writing..].iter().any(limits))
}

/// A step that asks whether a child has a result, where a branch of a union in it writes.
pub fn writes_in_a_union_that_is_asked_for(step: &Step) -> bool {
    let asks = matches!(step.name, "choose" | "where" | "filter" | "not" | "and" | "or" | "until" | "emit");
    let such = |inner: &Step| inner.name == "union" && any_step(std::slice::from_ref(inner), &writes);
    asks && step.args.iter().any(|arg| matches!(arg, Arg::Child(child) if any_step(&child.steps, &such)))
}

/// Whether a traversal merges traversers, and what comes then writes both in a child and outside of one.
pub fn writes_in_both(steps: &[Step]) -> bool {
    let top = steps.iter().any(writes);
    top && any_child(steps, &writes) && steps.iter().any(|step| step.name == "barrier")
}

fn writes(step: &Step) -> bool {
    matches!(step.name, "addV" | "addE" | "property" | "drop")
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

/// The traversal with barriers around those steps of it that write, themselves or in a child.
pub fn writes_apart(script: &Script) -> Script {
    let steps = &script.body.steps;
    let writes = |step: &Step| any_step(std::slice::from_ref(step), &writes);
    let mut apart = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let turns = index > 0 && writes(step) != writes(&steps[index - 1]);
        if turns {
            apart.push(Step::new("barrier"));
        }
        apart.push(step.clone());
    }
    if steps.last().is_some_and(writes) {
        apart.push(Step::new("barrier"));
    }
    Script { source: script.source.clone(), body: Traversal { steps: apart } }
}
