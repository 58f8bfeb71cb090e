//! A traversal asked otherwise: as it would have to be for the reference to do what Mangrove does on purpose. Where the reference then
//! answers what Mangrove answers as it stands, it is known what the two differ in.

use super::ast::{Arg, Script, Step, Traversal};
use super::orders::is_local;
use super::patterns::{any_step, is_filter, takes_a_part, writes};

/// Where barriers part what a traversal writes from what it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Apart {
    /// Whether they stand behind what writes, too, and not only in front of it.
    pub behind: bool,
    /// Whether they stand in children, too.
    pub inside: bool,
    /// Whether they merge nothing, and only hold up what comes.
    pub held: bool,
}

/// The size of a barrier that merges nothing, as `trials/java/Mended.java` knows it.
const HELD: &str = "2147483646";

impl Apart {
    fn barrier(self) -> Step {
        if self.held { Step::new("barrier").arg(HELD) } else { Step::new("barrier") }
    }
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
        // An element is made with its properties.
        let is_part = |step: &Step| step.name == "property";
        let making = steps[..index].iter().rfind(|step| !is_part(step));
        let belongs = is_part(step) && making.is_some_and(|step| matches!(step.name, "addV" | "addE"));
        // Nothing is read before the beginning.
        if !(root && index == 0 || belongs) && (writes(step) || apart.behind && follows_a_write) {
            parted.push(apart.barrier());
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
        parted.push(apart.barrier());
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
    add_zeros(&mut plain.body).then_some(plain)
}

/// Adds 0 to what formulas and products come to; whether there are any.
fn add_zeros(traversal: &mut Traversal) -> bool {
    let mut changed = false;
    traversal.for_each_step_mut(&mut |step| {
        if step.name == "math"
            && let Some(Arg::Text(text)) = step.args.first_mut()
        {
            *text = format!("'({}) + 0'", text.trim_matches('\''));
            changed = true;
        }
    });
    let multiplies = |step: &Step| step.name == "fold" && step.args.last() == Some(&Arg::Text("mult".into()));
    let mut with_sum = |mut step: Step| {
        if !multiplies(&step) {
            return vec![step];
        }
        changed = true;
        let sum = Step { after: std::mem::take(&mut step.after), ..Step::new("math").arg("'_ + 0'") };
        vec![step, sum]
    };
    traversal.rewrite(&mut with_sum);
    changed
}

/// The traversal with the conditions of each `and` in the opposite order.
pub fn with_conditions_reversed(script: &Script) -> Script {
    let mut reversed = script.clone();
    reversed.body.for_each_step_mut(&mut |step| {
        if step.name == "and" {
            step.args.reverse();
        }
    });
    reversed
}

/// The traversal with filters that follow each other in the opposite order.
pub fn with_filters_reversed(script: &Script) -> Script {
    let mut reversed = script.clone();
    reverse_filters(&mut reversed.body.steps);
    reversed.body.for_each_step_mut(&mut |step| {
        for arg in &mut step.args {
            if let Arg::Child(child) = arg {
                reverse_filters(&mut child.steps);
            }
        }
    });
    reversed
}

/// The traversal without its end, if that takes a part of a stream that nothing has put in order.
pub fn without_part_of_unordered(script: &Script) -> Option<Script> {
    let (last, before) = script.body.steps.split_last()?;
    let takes = matches!(last.name, "limit" | "range" | "skip" | "tail") && takes_a_part(last);
    let first = before.first()?;
    let is_unordered = matches!(first.name, "V" | "E") && first.args.is_empty();
    let puts_in_order = |step: &Step| step.name == "order" || is_given(step);
    let whole = Script { source: script.source.clone(), body: Traversal { steps: before.to_vec() } };
    (takes && is_unordered && !before.iter().any(puts_in_order)).then_some(whole)
}

/// The traversal with any part where it takes a part of a stream that nothing has put in order, and equals in any order where something
/// has, if it does so anywhere. The first result of a `by()` or a `map()` is such a part, where its child goes to several.
pub fn with_parts_of_any(script: &Script) -> Option<Script> {
    let mut changed = script.clone();
    let mut takes = shuffle_parts(&mut changed.body.steps, is_given);
    // What is in a child has come from somewhere.
    changed.body.for_each_step_mut(&mut |step| {
        for arg in &mut step.args {
            if let Arg::Child(child) = arg {
                takes |= shuffle_parts(&mut child.steps, |step| step.name == "unfold");
                let goes_to_several = child.steps.iter().any(|step| FANS_OUT.contains(&step.name));
                let orders = child.steps.iter().any(|step| step.name == "order" && !is_local(step));
                if matches!(step.name, "by" | "map") && goes_to_several && !orders {
                    child.steps.push(shuffle());
                    takes = true;
                }
            }
        }
    });
    takes.then_some(changed)
}

/// Whether what comes out of a step has an order of its own.
fn is_given(step: &Step) -> bool {
    matches!(step.name, "inject" | "unfold") || matches!(step.name, "V" | "E") && !step.args.is_empty()
}

/// Steps whose results come in an order that nobody promises.
const FANS_OUT: &[&str] =
    &["both", "bothE", "bothV", "in", "inE", "out", "outE", "properties", "to", "toE", "toV", "values"];

fn shuffle() -> Step {
    Step::new("order").with(Step::new("by").arg("shuffle"))
}

fn shuffle_parts(steps: &mut Vec<Step>, has_order: impl Fn(&Step) -> bool) -> bool {
    let (mut shuffled, mut in_order, mut takes) = (Vec::new(), false, false);
    for step in steps.drain(..) {
        let sorts = step.name == "order" && !is_local(&step);
        if sorts || takes_a_part(&step) && !in_order {
            shuffled.push(shuffle());
        }
        takes |= takes_a_part(&step);
        in_order |= sorts || has_order(&step);
        shuffled.push(step);
    }
    *steps = shuffled;
    takes
}

/// The traversal with barriers that gather everything, whatever their size.
pub fn with_whole_barriers(script: &Script) -> Script {
    let mut whole = script.clone();
    whole.body.for_each_step_mut(&mut |step| {
        if step.name == "barrier"
            && matches!(&step.args[..], [Arg::Text(size)] if size.parse::<u64>().is_ok())
        {
            step.args.clear();
        }
    });
    whole
}

/// The traversal with conditions that look for their first result where they look for the last ones.
pub fn with_first_for_last(script: &Script) -> Script {
    let mut changed = script.clone();
    changed.body.for_each_step_mut(&mut |step| {
        if matches!(step.name, "where" | "filter" | "not" | "and" | "or") {
            for arg in &mut step.args {
                if let Arg::Child(Traversal { steps }) = arg
                    && let Some(last) = steps.last_mut()
                    && last.name == "tail"
                    && last.args.first() != Some(&Arg::Text("local".into()))
                {
                    last.name = "limit";
                    last.args = vec![Arg::Text("1".into())];
                }
            }
        }
    });
    changed
}

fn reverse_filters(steps: &mut [Step]) {
    let is_free = |step: &Step| is_filter(step) && step.after.iter().all(|modulator| modulator.name != "as");
    steps.chunk_by_mut(|a, b| is_free(a) && is_free(b)).for_each(<[Step]>::reverse);
}

/// The traversal with all that it injects on the way held up until the rest has come as far.
pub fn with_what_is_injected_at_last(script: &Script) -> Script {
    let mut steps = Vec::new();
    for (index, step) in script.body.steps.iter().enumerate() {
        steps.push(step.clone());
        if index > 0 && step.name == "inject" {
            steps.push(Step::new("barrier"));
        }
    }
    Script { source: script.source.clone(), body: Traversal { steps } }
}

/// The traversal without the names that no step asks for, which keep the reference from merging what has come in different ways.
pub fn without_idle_names(script: &Script) -> Script {
    let mut bare = script.clone();
    let steps = script.body.steps.clone();
    let is_idle = |name: &Arg| match name {
        Arg::Text(name) => !any_step(&steps, &|step| step.name != "as" && mentions(step, name)),
        Arg::Child(_) => false,
    };
    bare.body.for_each_step_mut(&mut |step| {
        for modulator in step.after.iter_mut().filter(|modulator| modulator.name == "as") {
            modulator.args.retain(|name| !is_idle(name));
        }
        step.after.retain(|modulator| modulator.name != "as" || !modulator.args.is_empty());
    });
    bare
}

/// Whether a literal of a step, or of its modulators, has this name in it.
fn mentions(step: &Step, name: &str) -> bool {
    step.args.iter().any(|arg| matches!(arg, Arg::Text(text) if text.contains(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_goes_only_if_no_step_asks_for_it() {
        let named = |name| Step::new("out").with(Step::new("as").name_arg(name));
        let steps = vec![
            named("a"),
            named("b"),
            named("c"),
            Step::new("select").name_arg("b"),
            Step::new("where").arg("eq('c')"),
        ];
        let body = Traversal { steps };
        let bare = without_idle_names(&Script { source: Vec::new(), body });
        assert_eq!(bare.to_string(), "g.out().out().as('b').out().as('c').select('b').where(eq('c'))");
    }

    #[test]
    fn a_barrier_loses_its_size_and_not_what_it_does_to_sacks() {
        let script = |steps: Vec<Step>| Script { source: Vec::new(), body: Traversal { steps } };
        let barrier = || Step::new("barrier");
        let whole = with_whole_barriers(&script(vec![barrier().arg("2"), barrier().arg("normSack")]));
        assert_eq!(whole.to_string(), script(vec![barrier(), barrier().arg("normSack")]).to_string());
    }

    #[test]
    fn the_end_goes_only_where_nothing_has_put_the_stream_in_order() {
        let script = |steps: Vec<Step>| Script { source: Vec::new(), body: Traversal { steps } };
        let (v, limit) = (|| Step::new("V"), || Step::new("limit").arg("2"));
        let whole = without_part_of_unordered(&script(vec![v(), Step::new("out"), limit()])).unwrap();
        assert_eq!(whole.to_string(), script(vec![v(), Step::new("out")]).to_string());
        let local = Step::new("limit").arg("local").arg("2");
        for steps in [
            vec![v(), Step::new("order"), limit()],
            vec![v().arg("1"), limit()],
            vec![v(), Step::new("out"), local],
            vec![v(), limit(), Step::new("out")],
            vec![v(), Step::new("fold"), Step::new("unfold"), limit()],
        ] {
            assert!(without_part_of_unordered(&script(steps)).is_none());
        }
    }

    #[test]
    fn a_part_is_any_where_nothing_gives_the_stream_an_order() {
        let script = |steps: Vec<Step>| Script { source: Vec::new(), body: Traversal { steps } };
        let shuffled = |steps| with_parts_of_any(&script(steps)).map(|script| script.to_string());
        let (v, limit, order) = (|| Step::new("V"), || Step::new("limit").arg("2"), || Step::new("order"));
        assert_eq!(
            shuffled(vec![v(), limit(), order(), limit(), Step::new("fold")]).unwrap(),
            "g.V().order().by(shuffle).limit(2).order().by(shuffle).order().limit(2).fold()"
        );
        let child = Traversal { steps: vec![Step::new("out"), limit()] };
        assert_eq!(
            shuffled(vec![v(), Step::new("map").child(child)]).unwrap(),
            "g.V().map(__.out().order().by(shuffle).limit(2))"
        );
        let by = |steps| Step::new("groupCount").with(Step::new("by").child(Traversal { steps }));
        assert_eq!(
            shuffled(vec![v(), by(vec![Step::new("bothV")])]).unwrap(),
            "g.V().groupCount().by(__.bothV().order().by(shuffle))"
        );
        assert!(shuffled(vec![v(), by(vec![Step::new("bothV"), order()])]).is_none());
        assert!(shuffled(vec![v(), by(vec![Step::new("label")])]).is_none());
        assert_eq!(shuffled(vec![v().arg("1"), limit()]).unwrap(), "g.V(1).limit(2)");
        assert!(shuffled(vec![v(), Step::new("limit").arg("local").arg("2")]).is_none());
    }

    #[test]
    fn filters_that_follow_each_other_are_turned_round_and_nothing_else() {
        let (a, b) = (|| Step::new("is").arg("1"), || Step::new("cyclicPath"));
        let steps = vec![a(), b(), Step::new("out"), b(), a().with(Step::new("as").name_arg("x"))];
        let inside = Step::new("map").child(Traversal { steps: vec![a(), b()] });
        let script = |steps: Vec<Step>| Script { source: Vec::new(), body: Traversal { steps } };
        let turned = with_filters_reversed(&script([steps.clone(), vec![inside]].concat()));
        let expected = Step::new("map").child(Traversal { steps: vec![b(), a()] });
        let order = [vec![b(), a()], steps[2..].to_vec(), vec![expected]].concat();
        assert_eq!(turned.to_string(), script(order).to_string());
    }
}
