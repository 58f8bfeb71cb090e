//! Cases made smaller, for as long as what is wrong with them stays wrong.

use super::ast::{Arg, Script, Step, Traversal};
use super::case::Case;
use super::graph::GraphSpec;

/// Steps that a traversal may begin with. A `union` may, too, but means something else there than in the middle.
const BEGINNINGS: &[&str] = &["V", "E", "inject", "addV", "addE"];

/// Smaller traversals than this one, the smallest steps first.
pub fn smaller_traversals(script: &Script) -> Vec<Script> {
    let mut found = Vec::new();
    for index in 0..script.source.len() {
        let mut source = script.source.clone();
        source.remove(index);
        found.push(Script { source, body: script.body.clone() });
    }
    let bodies = smaller(&script.body, true);
    found.extend(bodies.into_iter().map(|body| Script { source: script.source.clone(), body }));
    found.retain(|script| script.body.steps.first().is_some_and(|first| BEGINNINGS.contains(&first.name)));
    // What leaves a computer is no element of the graph any more, and has no label: it ends as it does.
    let on_a_computer = |script: &Script| script.source.iter().any(|step| step.name == "withComputer");
    let end = script.body.steps.last();
    found.retain(|smaller| !on_a_computer(smaller) || smaller.body.steps.last() == end);
    found.sort_by_cached_key(|script| script.body.size());
    found
}

/// Smaller forms of a traversal; `root` says that it needs a beginning.
fn smaller(traversal: &Traversal, root: bool) -> Vec<Traversal> {
    let steps = &traversal.steps;
    let mut found = Vec::new();
    // Halves, and all but a few.
    for length in [steps.len() / 2, 3, 2, 1] {
        for start in 0..steps.len().saturating_sub(length) + 1 {
            if length == 0 || length >= steps.len() || start + length > steps.len() {
                continue;
            }
            let mut rest = steps.clone();
            rest.drain(start..start + length);
            if !rest.is_empty() || !root {
                found.push(Traversal { steps: rest });
            }
        }
    }
    for (index, step) in steps.iter().enumerate() {
        // The steps of a child in place of its parent.
        for child in children(step) {
            let mut inlined = steps.clone();
            inlined.splice(index..=index, child.steps.clone());
            if child.size() < step.size() {
                found.push(Traversal { steps: inlined });
            }
        }
        for smaller in smaller_steps(step) {
            let mut steps = steps.clone();
            steps[index] = smaller;
            found.push(Traversal { steps });
        }
    }
    found
}

fn children(step: &Step) -> impl Iterator<Item = &Traversal> {
    let own = step.args.iter();
    let all = own.chain(step.before.iter().chain(&step.after).flat_map(|modulator| &modulator.args));
    all.filter_map(|arg| match arg {
        Arg::Child(child) => Some(child),
        Arg::Text(_) => None,
    })
}

/// A step with less to it.
fn smaller_steps(step: &Step) -> Vec<Step> {
    let mut found = Vec::new();
    for index in 0..step.after.len() {
        let mut fewer = step.clone();
        fewer.after.remove(index);
        found.push(fewer);
        for smaller in smaller_steps(&step.after[index]) {
            let mut with = step.clone();
            with.after[index] = smaller;
            found.push(with);
        }
    }
    for index in 0..step.before.len() {
        let mut fewer = step.clone();
        fewer.before.remove(index);
        found.push(fewer);
        for smaller in smaller_steps(&step.before[index]) {
            let mut with = step.clone();
            with.before[index] = smaller;
            found.push(with);
        }
    }
    for (index, arg) in step.args.iter().enumerate() {
        if step.args.len() > 1 {
            let mut fewer = step.clone();
            fewer.args.remove(index);
            found.push(fewer);
        }
        match arg {
            Arg::Child(child) => {
                for smaller in smaller(child, false) {
                    let mut with = step.clone();
                    with.args[index] = Arg::Child(smaller);
                    found.push(with);
                }
            }
            Arg::Text(text) => {
                for smaller in smaller_texts(text) {
                    let mut with = step.clone();
                    with.args[index] = Arg::Text(smaller);
                    found.push(with);
                }
            }
        }
    }
    found
}

/// A number becomes 0 or 1, a combined predicate a simple one.
fn smaller_texts(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Ok(number) = text.parse::<i64>()
        && number > 1
    {
        found.extend(["1".to_owned(), (number - 1).to_string()]);
    }
    for between in [".and(", ".or("] {
        if let Some((left, right)) = text.split_once(between) {
            found.push(left.to_owned());
            found.push(right.strip_suffix(')').unwrap_or(right).to_owned());
        }
    }
    found
}

/// Smaller graphs than this one.
fn smaller_graphs(graph: &GraphSpec) -> Vec<GraphSpec> {
    let mut found = Vec::new();
    for vertex in &graph.vertices {
        let mut fewer = graph.clone();
        fewer.vertices.retain(|other| other.id != vertex.id);
        fewer.edges.retain(|edge| edge.from != vertex.id && edge.to != vertex.id);
        found.push(fewer);
    }
    for index in 0..graph.edges.len() {
        let mut fewer = graph.clone();
        fewer.edges.remove(index);
        found.push(fewer);
    }
    for (index, vertex) in graph.vertices.iter().enumerate() {
        for property in 0..vertex.properties.len() {
            let mut fewer = graph.clone();
            fewer.vertices[index].properties.remove(property);
            found.push(fewer);
        }
    }
    for (index, edge) in graph.edges.iter().enumerate() {
        if !edge.properties.is_empty() {
            let mut fewer = graph.clone();
            fewer.edges[index].properties.clear();
            found.push(fewer);
        }
    }
    found
}

/// The smallest case that is found by going from one that fails to a smaller one that does, in at most so many tries.
pub fn shrink(mut case: Case, tries: usize, mut fails: impl FnMut(&Case) -> bool) -> Case {
    let mut left = tries;
    'again: loop {
        let scripts = smaller_traversals(&case.script).into_iter();
        let graphs = smaller_graphs(&case.graph).into_iter();
        let with_script = scripts.map(|script| case.with(script));
        let with_graph = graphs.map(|graph| Case { graph, ..case.clone() });
        for smaller in with_script.chain(with_graph) {
            if left == 0 {
                return case;
            }
            left -= 1;
            if fails(&smaller) {
                case = smaller;
                continue 'again;
            }
        }
        return case;
    }
}
