//! One traversal of your own, for looking into a difference: what Mangrove answers, and the reference in all its forms.

use super::case::Case;
use super::engine::{Engine, executors};
use super::graph::GraphSpec;
use super::reference::{Form, Jars, Merging, Reference};
use crate::Problem;

/// Orders in which the reference is asked.
const ORDERS: u64 = 4;

/// Prints the answers to a traversal over the graph of a case, or, if the case has no number, over TinkerPop's modern graph.
///
/// # Errors
/// If a system cannot be started.
pub fn ask(text: &str, (seed, number): (u64, Option<u64>), jars: Jars) -> Result<(), Problem> {
    let graph = number.map_or_else(GraphSpec::modern, |number| Case::random(seed, number, 0).graph);
    println!("graph:     {}", graph.gremlin());
    let mangrove = Engine::load(&graph, &executors(1)?)?.answer(text, true);
    println!("mangrove:  {mangrove}");
    let mut reference = Reference::new(jars);
    let ways = [
        ("as it is", Form::plain(0)),
        ("without optional strategies", Form::unoptimised(0)),
        ("merging where it is asked", Form { merging: Merging::WhereAsked, ..Form::unoptimised(0) }),
        ("merging nowhere", Form { merging: Merging::Nowhere, ..Form::unoptimised(0) }),
        ("with limits that ask for no more", Form { exact: true, ..Form::unoptimised(0) }),
        ("mended", Form { mended: true, ..Form::unoptimised(0) }),
        ("mended, merging nowhere", Form { mended: true, merging: Merging::Nowhere, ..Form::unoptimised(0) }),
    ];
    for (name, form) in ways {
        let forms: Vec<Form> = (0..ORDERS).map(|order| Form { order, ..form }).collect();
        let answers = reference.ask(&graph, text, &forms, true)?;
        let mut told: Vec<String> = Vec::new();
        for answer in &answers {
            let same_graph =
                mangrove.state.is_none() || answer.state.is_none() || answer.state == mangrove.state;
            let line = format!("{answer}{}", if same_graph { "" } else { "  (and leaves another graph)" });
            if !told.contains(&line) {
                told.push(line);
            }
        }
        told.iter().for_each(|line| println!("reference, {name}: {line}"));
    }
    Ok(())
}
