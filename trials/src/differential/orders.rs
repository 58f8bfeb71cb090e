//! Whether a traversal looks at an order that nobody promises: that of a stream, of what leaves a loop, of what is in a collection.

use super::ast::{Arg, Step};
use super::patterns::{any_step, takes_a_part};

/// Steps to which it matters in what order a collection, or a stream, is.
pub fn looks_at_order(step: &Step) -> bool {
    match step.name {
        "limit" | "range" | "skip" | "tail" | "reverse" | "conjoin" => true,
        "order" | "dedup" => is_local(step),
        _ => looks_into(step),
    }
}

/// Steps to which it matters in what order the collection is that a traverser carries, whatever the order of the stream.
pub fn looks_at_order_inside(step: &Step) -> bool {
    match step.name {
        "limit" | "range" | "skip" | "tail" => is_local(step),
        _ => looks_into(step),
    }
}

/// Steps that take a collection apart, or make a text of it.
fn looks_into(step: &Step) -> bool {
    match step.name {
        "unfold" | "index" | "format" | "asString" | "concat" => true,
        "select" => matches!(step.args.first(), Some(Arg::Text(text)) if text == "values" || text == "keys"),
        _ => false,
    }
}

/// Whether a step is about what is in a collection.
pub fn is_local(step: &Step) -> bool {
    step.args.first() == Some(&Arg::Text("local".into()))
}

/// Whether what leaves a loop is taken by its place.
pub fn takes_a_part_of_a_loop(steps: &[Step]) -> bool {
    behind_a_loop(steps, &takes_a_part)
}

/// Whether what leaves a loop is sorted: then equals stay in the order in which they came.
pub fn sorts_a_loop(steps: &[Step]) -> bool {
    behind_a_loop(steps, &|step| step.name == "order")
}

/// Whether what leaves a loop, or what has one inside, becomes a list.
pub fn folds_a_loop(steps: &[Step]) -> bool {
    let loops = |step: &Step| any_step(std::slice::from_ref(step), &|step| step.name == "repeat");
    let looped = steps.iter().position(loops);
    looped.is_some_and(|at| steps[at..].iter().any(makes_lists))
}

/// Whether a step has lists of what comes: a group has them where no other value is asked for.
fn makes_lists(step: &Step) -> bool {
    let bys = || step.after.iter().filter(|modulator| modulator.name == "by");
    match step.name {
        "fold" => step.args.is_empty(),
        "group" => {
            bys().count() < 2
                || bys()
                    .nth(1)
                    .is_some_and(|by| any_step(std::slice::from_ref(by), &|step| step.name == "fold"))
        }
        _ => false,
    }
}

/// Whether lists are made of traversers in whose order nobody has put them.
pub fn lists_what_is_in_no_order(steps: &[Step]) -> bool {
    let lists = |step: &Step| any_step(std::slice::from_ref(step), &makes_lists);
    let before = &steps[..steps.iter().position(lists).unwrap_or(steps.len())];
    let scans = any_step(steps, &|step| matches!(step.name, "V" | "E"));
    before.len() < steps.len() && scans && !any_step(before, &|step| step.name == "order")
}

fn behind_a_loop(steps: &[Step], is_such: &impl Fn(&Step) -> bool) -> bool {
    let looped = steps.iter().position(|step| step.name == "repeat");
    looped.is_some_and(|at| steps[at..].iter().any(is_such))
}

/// Whether a `fold` from a seed stands in a child of an `optional`.
pub fn folds_in_an_optional(steps: &[Step]) -> bool {
    let folds = |step: &Step| step.name == "fold" && step.args.len() == 2;
    let inside = |arg: &Arg| matches!(arg, Arg::Child(child) if any_step(&child.steps, &folds));
    any_step(steps, &|step| step.name == "optional" && step.args.iter().any(inside))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differential::ast::Traversal;

    fn local(name: &'static str) -> Step {
        Step::new(name).arg("local").arg("1")
    }

    fn child(of: Step, step: Step) -> Step {
        of.child(Traversal::from(step))
    }

    #[test]
    fn a_limit_of_the_stream_does_not_look_into_what_comes() {
        let global = Step::new("limit").arg("1");
        assert!(looks_at_order(&global) && !looks_at_order_inside(&global));
        for inside in [local("limit"), local("tail"), Step::new("unfold"), Step::new("select").arg("values")]
        {
            assert!(looks_at_order(&inside) && looks_at_order_inside(&inside), "{inside}");
        }
        let named = Step::new("select").name_arg("values");
        assert!(!looks_at_order(&named) && !looks_at_order_inside(&named));
    }

    #[test]
    fn only_what_is_behind_a_loop_sees_its_order() {
        let repeat = || child(Step::new("repeat"), Step::new("out"));
        let order = Step::new("order");
        assert!(sorts_a_loop(&[repeat(), order.clone()]) && !sorts_a_loop(&[order, repeat()]));
        assert!(takes_a_part_of_a_loop(&[repeat(), Step::new("tail").arg("1")]));
        assert!(!takes_a_part_of_a_loop(&[repeat(), local("tail")]));
    }

    #[test]
    fn a_group_has_lists_of_what_leaves_a_loop() {
        let inside = || child(Step::new("optional"), child(Step::new("repeat"), Step::new("out")));
        let by = |value: Step| child(Step::new("by"), value);
        let mut group = Step::new("group");
        group.after.push(by(Step::new("label")));
        assert!(folds_a_loop(&[inside(), group.clone()]) && !folds_a_loop(&[group.clone(), inside()]));
        group.after.push(by(Step::new("count")));
        assert!(!folds_a_loop(&[inside(), group.clone()]));
        group.after[1] = by(Step::new("fold"));
        assert!(folds_a_loop(&[inside(), group]));
    }

    #[test]
    fn lists_are_in_the_order_of_their_stream_only_where_it_has_one() {
        let [scan, inject, group, order] = ["E", "inject", "group", "order"].map(Step::new);
        assert!(lists_what_is_in_no_order(&[scan.clone(), child(Step::new("map"), Step::new("fold"))]));
        assert!(lists_what_is_in_no_order(&[scan.clone(), group.clone()]));
        assert!(lists_what_is_in_no_order(&[scan.clone(), group.clone(), order.clone()]));
        assert!(!lists_what_is_in_no_order(&[scan.clone(), order, group.clone()]));
        assert!(!lists_what_is_in_no_order(&[inject, group]));
        assert!(!lists_what_is_in_no_order(&[scan, Step::new("out")]));
    }

    #[test]
    fn a_fold_from_a_seed_is_told_by_where_it_is() {
        let fold = || Step::new("fold").arg("0").arg("sum");
        assert!(folds_in_an_optional(&[child(Step::new("optional"), fold())]));
        assert!(folds_in_an_optional(&[child(Step::new("map"), child(Step::new("optional"), fold()))]));
        assert!(!folds_in_an_optional(&[fold(), child(Step::new("optional"), Step::new("fold"))]));
        assert!(!folds_in_an_optional(&[child(Step::new("map"), fold())]));
    }
}
