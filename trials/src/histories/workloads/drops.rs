//! Vertices that are dropped while others hang edges on them. No edge may survive its vertex.
//!
//! ```text
//! (v7 {mark}) ─ drops_to {mark, of 7} ─▶ (hub)      and the other way round
//! ```
//!
//! The objects are a set for each vertex, with its mark while it is there, and a set of its edges, which ends with it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fastrand::Rng;
use values::Value;

use super::super::client::Request;
use super::super::history::{Element, Operation};
use super::{Marks, Step, Workload, answer};

/// Vertices that are still of interest: this many of the latest.
const YOUNG: u64 = 4;
/// Readers say of so many of the latest vertices which edges they have.
const LOOKED_AT: u64 = 12;

/// The workload; its marks are those of the round.
pub(crate) struct Drops {
    marks: Arc<Marks>,
    /// Vertices so far.
    begun: AtomicU64,
}

fn vertex(number: u64) -> String {
    format!("drops:{number}")
}
fn alive(number: u64) -> String {
    format!("drops:alive:{number}")
}
fn edges(number: u64) -> String {
    format!("drops:edges:{number}")
}

/// The mark of a vertex: it is the only one in its set.
const THERE: Element = 1;

/// A read of whether a vertex is there.
fn is_there(number: u64, there: bool) -> Operation {
    let elements = if there { vec![THERE] } else { Vec::new() };
    Operation::ReadSet { set: alive(number), elements }
}

impl Drops {
    pub fn new(marks: Arc<Marks>) -> Self {
        Self { marks, begun: AtomicU64::new(0) }
    }

    fn create(&self) -> Step {
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        let request = Request::of("g.addV('drops').property(id, x).property('number', n)")
            .with("x", &*vertex(number))
            .with("n", number as i64);
        let add = Operation::Add { set: alive(number), element: THERE };
        Step::new(request, vec![add.clone()], |_| Ok(vec![add]))
    }

    fn young(&self, rng: &mut Rng) -> u64 {
        self.begun.load(Ordering::Relaxed).saturating_sub(rng.u64(1..=YOUNG))
    }

    fn add_edge(&self, number: u64, rng: &mut Rng) -> Step {
        let mark = self.marks.next();
        let script = if rng.bool() {
            "g.V(v).addE('drops_to').to(__.V('drops:hub')).property('of', n).property('mark', m).values('mark')"
        } else {
            "g.V(v).as('v').V('drops:hub').addE('drops_from').to('v').property('of', n).property('mark', m)\
             .values('mark')"
        };
        let request =
            Request::of(script).with("v", &*vertex(number)).with("n", number as i64).with("m", mark);
        let add = Operation::Add { set: edges(number), element: mark };
        Step::new(request, vec![add.clone()], move |results| {
            let added = answer::at_most_one(results)?.is_some();
            let read = is_there(number, added);
            Ok([read].into_iter().chain(added.then_some(add)).collect())
        })
    }

    /// Drops a vertex, after looking at its edges or not.
    fn drop(&self, number: u64, looks: bool) -> Step {
        let script = if looks {
            "g.V(v).as('v').map(__.bothE().values('mark').fold()).as('m').select('v').sideEffect(__.drop()).select('m')"
        } else {
            "g.V(v).sideEffect(__.drop()).constant(true)"
        };
        let gone = vec![
            Operation::Remove { set: alive(number), element: THERE },
            Operation::End { set: edges(number) },
        ];
        let request = Request::of(script).with("v", &*vertex(number));
        Step::new(request, gone.clone(), move |results| {
            let Some(result) = answer::at_most_one(results)? else {
                return Ok(vec![is_there(number, false)]);
            };
            let mut operations = vec![is_there(number, true)];
            if looks {
                let elements = answer::numbers(result)?;
                operations.push(Operation::ReadSet { set: edges(number), elements });
            }
            operations.extend(gone);
            Ok(operations)
        })
    }

    /// Changes a property of a vertex, which must be there for that.
    fn touch(&self, number: u64) -> Step {
        let request = Request::of("g.V(v).property('touched', m).count()")
            .with("v", &*vertex(number))
            .with("m", self.marks.next());
        Step::new(request, Vec::new(), move |results| {
            Ok(vec![is_there(number, answer::number(answer::one(results)?)? > 0)])
        })
    }

    /// Reads the edges of the hub: of the latest vertices which they have, and of others that they have none.
    fn look(&self, all: bool) -> Step {
        let begun = self.begun.load(Ordering::Relaxed);
        let first = if all { 0 } else { begun.saturating_sub(LOOKED_AT) };
        let script = "g.V('drops:hub').bothE().project('of', 'mark').by('of').by('mark').fold()";
        Step::new(Request::of(script), Vec::new(), move |results| {
            let mut of_each: std::collections::BTreeMap<u64, Vec<Element>> =
                (first..begun).map(|number| (number, Vec::new())).collect();
            for edge in answer::list(answer::one(results)?)? {
                let number = answer::length(answer::entry(edge, "of")?)? as u64;
                of_each.entry(number).or_default().push(answer::number(answer::entry(edge, "mark")?)?);
            }
            let read = |(number, elements)| Operation::ReadSet { set: edges(number), elements };
            Ok(of_each.into_iter().map(read).collect())
        })
    }

    /// Reads which vertices are there.
    fn look_for_vertices(&self, all: bool) -> Step {
        let begun = self.begun.load(Ordering::Relaxed);
        let first = if all { 0 } else { begun.saturating_sub(LOOKED_AT) };
        let request = Request::of("g.V().hasLabel('drops').values('number').fold()");
        Step::new(request, Vec::new(), move |results: &[Value]| {
            let there = answer::numbers(answer::one(results)?)?;
            Ok((first..begun).map(|number| is_there(number, there.contains(&(number as i64)))).collect())
        })
    }
}

impl Workload for Drops {
    fn name(&self) -> &'static str {
        "drops"
    }

    fn prepare(&self) -> Vec<Request> {
        vec![Request::of("g.addV('drops_hub').property(id, 'drops:hub')")]
    }

    fn hubs(&self) -> Vec<&'static str> {
        vec!["drops_to", "drops_from"]
    }

    fn next(&self, _: usize, rng: &mut Rng) -> Step {
        let young = self.young(rng);
        match rng.u32(..20) {
            0..4 => self.create(),
            4..12 => self.add_edge(young, rng),
            12..15 => self.drop(young, rng.bool()),
            15..17 => self.touch(young),
            17..19 => self.look(false),
            _ => self.look_for_vertices(false),
        }
    }

    fn last_reads(&self) -> Vec<Step> {
        vec![self.look(true), self.look_for_vertices(true)]
    }
}
