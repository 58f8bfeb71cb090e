//! What a traversal has in it: the marks by which known faults are told.

use super::ast::{Arg, Step, Traversal};
use super::graph::{GraphSpec, Known};

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

/// A `where` whose child, or a child of a connective in it, begins with a connective and ends with a name.
pub fn compares_behind_a_connective(step: &Step) -> bool {
    let child = |arg: &Arg| matches!(arg, Arg::Child(child) if begins_with_a_connective(child));
    step.name == "where" && step.args.iter().any(child)
}

fn begins_with_a_connective(child: &Traversal) -> bool {
    let Some(first) =
        child.steps.first().filter(|first| matches!(first.name, "and" | "or" | "not" | "hasNot"))
    else {
        return false;
    };
    let inside = |arg: &Arg| matches!(arg, Arg::Child(child) if begins_with_a_connective(child));
    child.steps.last().is_some_and(is_named) || first.args.iter().any(inside)
}

/// A `where` that looks up a name at the end of its child, or of a child of a connective there.
pub fn looks_up_the_end(step: &Step) -> bool {
    let inside =
        |arg: &Arg| matches!(arg, Arg::Child(child) if child.steps.last().is_some_and(ends_with_a_name));
    step.name == "where" && step.args.iter().any(inside)
}

fn is_named(step: &Step) -> bool {
    step.name == "as" || step.after.iter().any(|modulator| modulator.name == "as")
}

fn ends_with_a_name(last: &Step) -> bool {
    let names = is_named(last);
    let inside =
        |arg: &Arg| matches!(arg, Arg::Child(child) if child.steps.last().is_some_and(ends_with_a_name));
    names || matches!(last.name, "and" | "or" | "not") && last.args.iter().any(inside)
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
    let of_objects = matches!(
        step.name,
        "select"
            | "where"
            | "dedup"
            | "path"
            | "math"
            | "format"
            | "order"
            | "tree"
            | "valueMap"
            | "propertyMap"
    );
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

/// Whether a step in a child is such a step.
pub fn any_child(steps: &[Step], is_such: &impl Fn(&Step) -> bool) -> bool {
    any_step(steps, &|step| {
        let modulators = step.before.iter().chain(&step.after).flat_map(|modulator| &modulator.args);
        let mut children = step.args.iter().chain(modulators);
        children.any(|arg| matches!(arg, Arg::Child(child) if any_step(&child.steps, is_such)))
    })
}

/// `group` with a value traversal that leaves out duplicates.
pub fn groups_by_dedup(step: &Step) -> bool {
    let value = step.after.iter().filter(|modulator| modulator.name == "by").nth(1);
    step.name == "group"
        && value.is_some_and(|by| any_step(std::slice::from_ref(by), &|step| step.name == "dedup"))
}

fn value_of_group(step: &Step) -> Option<&Step> {
    let value = step.after.iter().filter(|modulator| modulator.name == "by").nth(1);
    value.filter(|by| step.name == "group" && matches!(by.args.first(), Some(Arg::Child(_))))
}

/// `group` in whose value traversal a step fills a side-effect inside of another one.
pub fn fills_inside_a_value(step: &Step) -> bool {
    let nested = |step: &Step| child_has(step, &fills);
    let inside = |arg: &Arg| matches!(arg, Arg::Child(child) if any_step(&child.steps, &nested));
    value_of_group(step).is_some_and(|by| by.args.iter().any(inside))
}

/// Whether elements are added, and some are looked up by ids that none has before.
pub fn looks_up_what_may_be_new(steps: &[Step], graph: &GraphSpec) -> bool {
    let adds = |step: &Step| matches!(step.name, "addV" | "addE" | "mergeV" | "mergeE");
    let known = graph.known();
    let is_there = |step: &Step, id: &str| match step.name {
        "V" => known.vertex(id).is_some(),
        "E" => known.edge(id).is_some(),
        _ => known.vertex(id).is_some() && known.edge(id).is_some(),
    };
    let looks_up = |step: &Step| {
        let is_new = |arg: &Arg| !matches!(arg, Arg::Text(id) if is_there(step, id.trim_end_matches('L')));
        let by_id = matches!(step.name, "V" | "E" | "hasId") && step.args.iter().any(is_new);
        let compares =
            step.name == "has" && matches!(step.args.first(), Some(Arg::Text(key)) if key == "T.id");
        by_id
            || compares
            || step.name.starts_with("merge") && names_a_vertex_that_is_new(step, &known, "(Direction.")
    };
    // An id that is free again is another one's.
    let drops = |step: &Step| step.name == "drop";
    // To merge with an id that none has is to look for it, too: another element may have got it meanwhile.
    let gives_ids = |step: &Step| match step.name {
        "addV" | "addE" => true,
        "mergeV" | "mergeE" => !step.to_string().contains("(T.id)"),
        _ => false,
    };
    let merges =
        |step: &Step| step.name.starts_with("merge") && names_a_vertex_that_is_new(step, &known, "(T.id)");
    any_step(steps, &adds) && (any_step(steps, &looks_up) || any_step(steps, &drops))
        || any_step(steps, &gives_ids) && any_step(steps, &merges)
}

/// Whether elements are added, and elements become texts, in which their ids are.
pub fn tells_new_ids(steps: &[Step]) -> bool {
    let adds = |step: &Step| matches!(step.name, "addV" | "addE" | "mergeV" | "mergeE");
    let tells = |step: &Step| matches!(step.name, "asString" | "format");
    any_step(steps, &adds) && any_step(steps, &tells)
}

/// Whether elements are added, and something may tell or compare the ids that the graph gives them.
pub fn shows_new_ids(steps: &[Step]) -> bool {
    let shows = |step: &Step| {
        let by_id = |step: &Step| step.to_string().contains("T.id");
        matches!(step.name, "id" | "elementMap" | "valueMap" | "propertyMap" | "element") || by_id(step)
    };
    let adds = |step: &Step| matches!(step.name, "addV" | "addE" | "mergeV" | "mergeE");
    tells_new_ids(steps) || any_step(steps, &adds) && any_step(steps, &shows)
}

/// Whether a merge names vertices by ids behind a key, and one of them is not there.
fn names_a_vertex_that_is_new(step: &Step, known: &Known, key: &str) -> bool {
    // In a child, too.
    let text = step.to_string();
    let ends = text.split(key).skip(1);
    ends.filter_map(|end| {
        let id: String =
            end.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
        (!id.is_empty()).then_some(id)
    })
    .any(|id| known.vertex(&id).is_none())
}

/// `group` with a value traversal that folds from a seed.
pub fn groups_by_a_seed(step: &Step) -> bool {
    let folds = |step: &Step| step.name == "fold" && step.args.len() == 2;
    value_of_group(step).is_some_and(|by| any_step(std::slice::from_ref(by), &folds))
}

/// `group` with a value traversal that takes the last of what has the key.
pub fn groups_by_tail(step: &Step) -> bool {
    let tail = |step: &Step| step.name == "tail" && takes_a_part(step);
    value_of_group(step).is_some_and(|by| any_step(std::slice::from_ref(by), &tail))
}

/// A `match` of several patterns.
pub fn matches_several(step: &Step) -> bool {
    step.name == "match" && step.args.len() > 1
}

/// A step that gives something this name.
pub fn is_called(step: &Step, name: &str) -> bool {
    let quoted = format!("'{name}'");
    step.name != "where" && step.args.iter().any(|arg| matches!(arg, Arg::Text(text) if *text == quoted))
}

/// A `match` that looks for a variable more than once and makes numbers of it, or for it.
pub fn joins_numbers(step: &Step) -> bool {
    const NUMBERS: &[&str] = &[
        "asNumber", "count", "fold", "id", "index", "length", "math", "max", "mean", "min", "sum", "values",
    ];
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    let mut makes_numbers = false;
    for arg in &step.args {
        let Arg::Child(pattern) = arg else { continue };
        makes_numbers |= any_step(&pattern.steps, &|step| NUMBERS.contains(&step.name));
        for (place, step) in pattern.steps.iter().enumerate() {
            let names = if place == 0 { &mut starts } else { &mut ends };
            names.extend(step.args.iter().filter(|_| step.name == "as"));
            let behind = step.after.iter().filter(|modulator| modulator.name == "as");
            ends.extend(behind.flat_map(|name| &name.args));
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

/// Whether elements are added, and some are sorted as they are, by ids that a graph gives out itself.
pub fn sorts_new_elements(steps: &[Step]) -> bool {
    let adds = |step: &Step| matches!(step.name, "addV" | "addE" | "mergeV" | "mergeE");
    let sorts = |step: &Step| {
        let mut bys = step.after.iter().filter(|modulator| modulator.name == "by");
        step.name == "order" && bys.all(|by| by.args.is_empty())
    };
    any_step(steps, &adds) && any_step(steps, &sorts)
}

/// Whether vertex properties are sorted, by ids that no graph gives.
pub fn sorts_vertex_properties(steps: &[Step]) -> bool {
    let tells = |step: &Step| matches!(step.name, "properties" | "propertyMap");
    any_step(steps, &tells) && any_step(steps, &|step| step.name == "order")
}

pub fn writes(step: &Step) -> bool {
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

/// A `where` that compares what has come through a filter with something named.
pub fn compares_behind_a_filter(step: &Step) -> bool {
    let ends =
        |child: &Traversal| child.steps.last().is_some_and(|last| is_filter(last) && ends_with_a_name(last));
    step.name == "where" && step.args.iter().any(|arg| matches!(arg, Arg::Child(child) if ends(child)))
}

pub fn is_filter(step: &Step) -> bool {
    const FILTERS: &[&str] = &[
        "and",
        "or",
        "not",
        "is",
        "has",
        "hasLabel",
        "hasId",
        "hasNot",
        "hasKey",
        "hasValue",
        "filter",
        "where",
        "all",
        "any",
        "none",
        "simplePath",
        "cyclicPath",
    ];
    FILTERS.contains(&step.name)
}

/// Whether one side-effect is a list to some steps and a map to others, or is grouped in two ways.
pub fn fills_one_with_two_kinds(steps: &[Step]) -> bool {
    let found = std::cell::RefCell::new(Vec::<Step>::new());
    any_step(steps, &|step| {
        if fills(step) {
            found.borrow_mut().push(step.clone());
        }
        false
    });
    let found = found.into_inner();
    let differ = |one: &Step, other: &Step| {
        one.args.last() == other.args.last()
            && (one.name != other.name || one.name == "group" && one.after != other.after)
    };
    found.iter().enumerate().any(|(place, one)| found[..place].iter().any(|other| differ(one, other)))
}

/// A step whose `by` adds or changes elements of the graph.
pub fn writes_in_a_by(step: &Step) -> bool {
    let mut bys = step.after.iter().filter(|modulator| modulator.name == "by").flat_map(|by| &by.args);
    bys.any(|arg| matches!(arg, Arg::Child(child) if any_step(&child.steps, &writes)))
}

/// A step that is of no use once a `by` has yielded nothing for one of its objects, and that fills a side-effect in one.
pub fn fills_in_one_by_of_several(step: &Step) -> bool {
    let bys: Vec<&Step> = step.after.iter().filter(|modulator| modulator.name == "by").collect();
    // What does nothing but fill has always something to yield.
    let has_more = |child: &Traversal| child.steps.iter().any(|step| !fills(step));
    let may_yield_nothing =
        |by: &&Step| by.args.iter().any(|arg| matches!(arg, Arg::Child(child) if has_more(child)));
    matches!(step.name, "path" | "select")
        && bys.iter().any(|by| child_has(by, &fills))
        && bys.iter().any(may_yield_nothing)
}

fn fills(step: &Step) -> bool {
    matches!(step.name, "aggregate" | "group" | "groupCount") && !step.args.is_empty()
}

/// A new element with several properties, to compute one of which changes something.
pub fn changes_while_it_makes(steps: &[Step]) -> bool {
    let made = |made: &[Step]| {
        let properties = properties_of_new(made);
        properties.len() > 1 && properties.iter().any(|property| child_has(property, &changes))
    };
    (0..steps.len()).any(|at| made(&steps[at..])) || any_traversal_inside(steps, &changes_while_it_makes)
}

/// A new element with computed properties, of which the label changes something, too.
pub fn changes_to_name_what_it_makes(steps: &[Step]) -> bool {
    let made = |made: &[Step]| {
        let of_label = made[0]
            .args
            .iter()
            .any(|arg| matches!(arg, Arg::Child(child) if any_step(&child.steps, &changes)));
        of_label && properties_of_new(made).iter().any(|property| child_has(property, &|_| true))
    };
    (0..steps.len()).any(|at| made(&steps[at..]))
        || any_traversal_inside(steps, &changes_to_name_what_it_makes)
}

fn changes(step: &Step) -> bool {
    writes(step) || fills(step)
}

/// The properties that the first of some steps gives to what it makes; none, if it makes nothing.
fn properties_of_new(steps: &[Step]) -> Vec<&Step> {
    if !matches!(steps[0].name, "addV" | "addE") {
        return Vec::new();
    }
    let own = steps[0].after.iter().filter(|step| step.name == "property");
    own.chain(steps[1..].iter().take_while(|step| step.name == "property")).collect()
}

/// Some of what comes out of a `local()`, by its order, to which traversers come merged.
pub fn takes_a_part_behind_a_local(steps: &[Step]) -> bool {
    let merged = steps.iter().position(|step| step.name == "barrier");
    let behind = merged.map_or(&[][..], |merged| &steps[merged..]);
    let local = behind.iter().position(|step| step.name == "local");
    local.is_some_and(|local| behind[local..].iter().any(takes_a_part))
        || any_traversal_inside(steps, &takes_a_part_behind_a_local)
}

/// Whether the steps of some child are such.
fn any_traversal_inside(steps: &[Step], are_such: &impl Fn(&[Step]) -> bool) -> bool {
    steps.iter().any(|step| {
        let mut args = step.args.iter().chain(step.after.iter().flat_map(|modulator| &modulator.args));
        args.any(|arg| matches!(arg, Arg::Child(child) if are_such(&child.steps)))
    })
}

/// A child of a step, or of one of its modulators, that has such a step inside.
fn child_has(step: &Step, is_such: &impl Fn(&Step) -> bool) -> bool {
    let mut args = step.args.iter().chain(step.after.iter().flat_map(|modulator| &modulator.args));
    args.any(|arg| matches!(arg, Arg::Child(child) if any_step(&child.steps, is_such)))
}

/// A step that groups into a side-effect, of which one of its `by`s asks what is in it.
pub fn reads_what_it_groups(step: &Step) -> bool {
    let Some(name) = step.args.first() else { return false };
    let reads =
        |read: &Step| matches!(read.name, "cap" | "select" | "math" | "where") && read.args.contains(name);
    matches!(step.name, "group" | "groupCount")
        && step.after.iter().any(|modulator| modulator.name == "by" && child_has(modulator, &reads))
}

/// Several conditions of which one writes.
pub fn writes_in_one_condition_of_several(step: &Step) -> bool {
    let writing = |arg: &Arg| matches!(arg, Arg::Child(child) if any_step(&child.steps, &writes));
    matches!(step.name, "and" | "or") && step.args.len() > 1 && step.args.iter().any(writing)
}

/// A loop that writes to ask whether it lets something out, or goes on.
pub fn writes_in_the_condition_of_a_loop(step: &Step) -> bool {
    let conditions = step.before.iter().chain(&step.after);
    let writing =
        |modulator: &Step| matches!(modulator.name, "emit" | "until") && child_has(modulator, &writes);
    step.name == "repeat" && conditions.clone().any(writing)
}

/// Whether a `group` with a value traversal fills a side-effect that nobody reads.
pub fn groups_for_nobody(steps: &[Step]) -> bool {
    any_step(steps, &|step| {
        let Some(name) = step.args.first().filter(|_| value_of_group(step).is_some()) else { return false };
        !any_step(steps, &|other| other != step && other.args.contains(name))
    })
}

/// Whether such a `group` is in a child, and sorts what it gathers by a traversal.
pub fn sorts_for_nobody(steps: &[Step]) -> bool {
    let sorts = |step: &Step| {
        step.name == "order"
            && step.after.iter().any(|by| by.args.iter().any(|arg| matches!(arg, Arg::Child(_))))
    };
    let gathers = |step: &Step| value_of_group(step).is_some_and(|by| child_has(by, &sorts));
    groups_for_nobody(steps) && any_step(steps, &|step| child_has(step, &gathers))
}

/// A comparison of side-effects that are filled while they are compared.
pub fn compares_what_it_fills(step: &Step) -> bool {
    step.name == "where"
        && child_has(step, &|step| step.name == "aggregate")
        && child_has(step, &|step| matches!(step.name, "cap" | "select"))
}

/// A merge whose option looks at the path of what was found.
pub fn looks_at_the_path_of_a_match(step: &Step) -> bool {
    on_match_has(step, &|step| matches!(step.name, "path" | "simplePath" | "cyclicPath" | "tree"))
        || names_a_match(step)
}

/// A merge whose option gives a name to what was found, and looks it up: that is one of what the path ends at, too.
pub fn names_a_match(step: &Step) -> bool {
    let names = |step: &Step| step.name == "as" || step.after.iter().any(|modulator| modulator.name == "as");
    let looks_up = |step: &Step| matches!(step.name, "where" | "select" | "math");
    on_match_has(step, &names) && on_match_has(step, &looks_up)
}

/// A merge whose option lets what was found pass by its path.
pub fn tests_the_path_of_a_match(step: &Step) -> bool {
    on_match_has(step, &|step| matches!(step.name, "simplePath" | "cyclicPath"))
}

fn on_match_has(step: &Step, looks: &dyn Fn(&Step) -> bool) -> bool {
    let of_match = |modulator: &&Step| modulator.args.first() == Some(&Arg::Text("Merge.onMatch".into()));
    matches!(step.name, "mergeV" | "mergeE")
        && step.after.iter().filter(of_match).any(|option| child_has(option, &looks))
}

/// A property whose value is that of the first of all vertices.
pub fn takes_the_first_of_all(step: &Step) -> bool {
    let all = |step: &Step| step.name == "mergeV" && step.args.first() == Some(&Arg::Text("[:]".into()));
    step.name == "property" && child_has(step, &all)
}

/// Whether several values are written under one key, some of them into a set.
pub fn adds_to_a_set_again(steps: &[Step], graph: &GraphSpec) -> bool {
    let keys = std::cell::RefCell::new((Vec::new(), false));
    any_step(steps, &|step| {
        let set = step.args.first() == Some(&Arg::Text("set".into()));
        if let ("property", Some(key)) = (step.name, step.args.get(usize::from(set))) {
            let mut keys = keys.borrow_mut();
            keys.0.push(key.clone());
            keys.1 |= set;
        }
        false
    });
    let (keys, some) = keys.into_inner();
    let is_there = |key: &Arg| {
        let is_key = |name: &str| matches!(key, Arg::Text(text) if text.trim_matches('\'') == name);
        graph.vertices.iter().any(|vertex| vertex.properties.iter().any(|property| is_key(property.key)))
    };
    some && (keys.iter().any(is_there) || repeats(&keys))
}

fn repeats(keys: &[Arg]) -> bool {
    keys.iter().enumerate().any(|(place, key)| keys[..place].contains(key))
}

/// A `match` with a branch in which something gathers.
pub fn gathers_in_a_branch_of_one(step: &Step) -> bool {
    const GATHERS: &[&str] =
        &["aggregate", "barrier", "dedup", "fold", "limit", "order", "range", "sample", "skip", "tail"];
    let gathers = |step: &Step| {
        let branches =
            matches!(step.name, "branch" | "choose" | "union" | "coalesce" | "optional" | "repeat");
        branches && any_step(std::slice::from_ref(step), &|step| GATHERS.contains(&step.name))
    };
    step.name == "match" && any_step(std::slice::from_ref(step), &gathers)
}

/// A `match` in whose patterns something is selected by a name that one of them ends with.
pub fn selects_what_it_matches(step: &Step) -> bool {
    let ends = |arg: &Arg| match arg {
        Arg::Child(pattern) => pattern
            .steps
            .last()
            .map(|last| [&last.after[..], std::slice::from_ref(last)].concat())
            .unwrap_or_default(),
        Arg::Text(_) => Vec::new(),
    };
    let ends: Vec<Arg> = step
        .args
        .iter()
        .flat_map(ends)
        .filter(|after| after.name == "as")
        .flat_map(|name| name.args)
        .collect();
    let selects = |step: &Step| step.name == "select" && step.args.iter().any(|name| ends.contains(name));
    step.name == "match" && any_step(std::slice::from_ref(step), &selects)
}

/// A `match` of which a pattern goes through another `match`.
pub fn matches_in_a_match(step: &Step) -> bool {
    let inside = |arg: &Arg| match arg {
        Arg::Child(pattern) => {
            let inner = pattern.steps.iter().position(|step| step.name == "match");
            inner.is_some_and(|inner| {
                inner + 1 < pattern.steps.len() || !pattern.steps[inner].after.is_empty()
            })
        }
        Arg::Text(_) => false,
    };
    step.name == "match" && step.args.iter().any(inside)
}

/// A `match` of several patterns, one of which fills a side-effect.
pub fn matches_and_gathers(step: &Step) -> bool {
    let gathers =
        |step: &Step| matches!(step.name, "aggregate" | "group" | "groupCount") && !step.args.is_empty();
    matches_several(step) && any_step(std::slice::from_ref(step), &gathers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn child(step: Step) -> Traversal {
        Traversal { steps: vec![step] }
    }

    #[test]
    fn a_new_element_whose_properties_change_something_has_several() {
        let age = Step::new("property").name_arg("age").child(child(Step::new("drop")));
        let name = Step::new("property").name_arg("name").arg("1");
        assert!(changes_while_it_makes(&[Step::new("addV"), age.clone(), name.clone()]));
        assert!(!changes_while_it_makes(&[Step::new("addV"), age.clone(), Step::new("out"), name.clone()]));
        assert!(!changes_while_it_makes(&[Step::new("V"), age.clone(), name.clone()]));
        assert!(!changes_while_it_makes(&[Step::new("addV"), name.clone(), name.clone()]));
        let own = Step { after: vec![age.clone(), name.clone()], ..Step::new("addV") };
        assert!(changes_while_it_makes(&[own]));
        let of_label = |label: &str| Step::new("addV").child(child(Step::new("constant").arg(label)));
        let computed = Step::new("property").name_arg("age").child(child(Step::new("id")));
        assert!(!changes_to_name_what_it_makes(&[of_label("a"), computed.clone()]));
        let dropping = Step::new("addV").child(child(Step::new("drop")));
        assert!(changes_to_name_what_it_makes(&[dropping.clone(), computed]));
        assert!(!changes_to_name_what_it_makes(&[dropping.clone(), name.clone()]));
        assert!(!changes_to_name_what_it_makes(&[dropping]));
        let inside = Step::new("map").child(Traversal { steps: vec![Step::new("addV"), age, name] });
        assert!(changes_while_it_makes(&[inside]));
    }

    #[test]
    fn a_part_is_taken_behind_a_local() {
        let (local, limit) = (Step::new("local").child(child(Step::new("out"))), Step::new("limit").arg("2"));
        let barrier = || Step::new("barrier");
        assert!(takes_a_part_behind_a_local(&[barrier(), local.clone(), Step::new("id"), limit.clone()]));
        assert!(!takes_a_part_behind_a_local(&[barrier(), limit.clone(), local.clone()]));
        assert!(!takes_a_part_behind_a_local(&[local.clone(), limit.clone()]));
        let inside = Step::new("map").child(Traversal { steps: vec![barrier(), local, limit] });
        assert!(takes_a_part_behind_a_local(&[inside]));
    }

    #[test]
    fn a_value_fills_inside_of_another_step() {
        let by = |step: Step| Step::new("by").child(child(step));
        let fill = || Step::new("aggregate").name_arg("x");
        let group = |value: Step| Step { after: vec![by(Step::new("id")), by(value)], ..Step::new("group") };
        assert!(fills_inside_a_value(&group(Step { after: vec![by(fill())], ..fill() })));
        assert!(!fills_inside_a_value(&group(fill())));
    }

    #[test]
    fn a_group_reads_itself_by_its_own_name() {
        let group = |read: Step| {
            let by = Step::new("by").child(child(Step::new("and").child(child(read))));
            Step { after: vec![by], ..Step::new("group").name_arg("m") }
        };
        assert!(reads_what_it_groups(&group(Step::new("cap").name_arg("m"))));
        assert!(!reads_what_it_groups(&group(Step::new("cap").name_arg("other"))));
        assert!(!reads_what_it_groups(&group(Step::new("fold"))));
    }

    #[test]
    fn a_group_is_for_somebody_who_names_it() {
        let by = |step: Step| Step::new("by").child(child(step));
        let group = |bys: Vec<Step>| Step { after: bys, ..Step::new("group").name_arg("m") };
        let whole = || group(vec![by(Step::new("id")), by(Step::new("out"))]);
        assert!(groups_for_nobody(&[whole(), Step::new("cap").name_arg("x")]));
        assert!(!groups_for_nobody(&[whole(), Step::new("cap").name_arg("m")]));
        assert!(!groups_for_nobody(&[group(vec![by(Step::new("id"))])]));
        let order = |key: Step| Step { after: vec![key], ..Step::new("order") };
        let inside =
            |value: Step| [Step::new("where").child(child(group(vec![by(Step::new("id")), by(value)])))];
        assert!(sorts_for_nobody(&inside(order(by(Step::new("id"))))));
        assert!(!sorts_for_nobody(&inside(order(Step::new("by")))));
        assert!(!sorts_for_nobody(&[group(vec![by(Step::new("id")), by(order(by(Step::new("id"))))])]));
    }

    #[test]
    fn a_loop_writes_in_a_condition() {
        let adds = || Step::new("emit").child(child(Step::new("addE").name_arg("x")));
        let body = || Step::new("repeat").child(child(Step::new("addV")));
        assert!(writes_in_the_condition_of_a_loop(&Step { before: vec![adds()], ..body() }));
        assert!(writes_in_the_condition_of_a_loop(&Step { after: vec![adds()], ..body() }));
        assert!(!writes_in_the_condition_of_a_loop(&Step { after: vec![Step::new("emit")], ..body() }));
    }

    #[test]
    fn a_by_fills_where_one_may_yield_nothing() {
        let by = |step: Step| Step::new("by").child(child(step));
        let filling = || by(Step::new("aggregate").name_arg("x"));
        let path = |bys: Vec<Step>| Step { after: bys, ..Step::new("path") };
        assert!(fills_in_one_by_of_several(&path(vec![by(Step::new("skip")), filling()])));
        assert!(!fills_in_one_by_of_several(&path(vec![filling()])));
        let looking =
            Traversal { steps: vec![Step::new("aggregate").name_arg("x"), Step::new("V").arg("9")] };
        assert!(fills_in_one_by_of_several(&path(vec![Step::new("by").child(looking)])));
        assert!(!fills_in_one_by_of_several(&path(vec![by(Step::new("skip")), by(Step::new("out"))])));
    }

    #[test]
    fn a_where_looks_up_the_name_at_its_end_alone() {
        let named = || Step::new("out").with(Step::new("as").name_arg("b"));
        let of = |name: &'static str, steps: Vec<Step>| Step::new(name).child(Traversal { steps });
        assert!(looks_up_the_end(&of("where", vec![named()])));
        assert!(looks_up_the_end(&of("where", vec![Step::new("out"), Step::new("as").name_arg("b")])));
        assert!(looks_up_the_end(&of("where", vec![of("and", vec![named()])])));
        assert!(!looks_up_the_end(&of("where", vec![named(), Step::new("in")])));
        assert!(!looks_up_the_end(&of("where", vec![of("filter", vec![named()])])));
        assert!(!looks_up_the_end(&of("filter", vec![named()])));
    }
}
