//! Edges of a hub that lie by a sort key: added amid others, moved, read by range, and dropped. Nodes of the hub's tree are
//! split and merged, and the operator changes what the edges are sorted by.
//!
//! ```text
//! (hub) ─ sorted {at 3, mark} ─▶ (leaf)      bucket 0: at 0 to 9
//!       ─ sorted {at 17, mark} ─▶ (leaf)     bucket 1: at 10 to 19
//! ```
//!
//! The objects are the buckets: sets of marks. An edge that moves gets another mark.

use std::sync::Arc;

use fastrand::Rng;
use values::Value;

use super::super::client::Request;
use super::super::history::{Element, Operation};
use super::{Marks, Step, Workload, answer};

const BUCKETS: i64 = 12;
/// Values of the sort key in each.
const WIDTH: i64 = 10;
/// Whoever looks before it adds does so while a bucket has fewer.
const FEW: usize = 8;

/// The edges of a bucket.
const IN_BUCKET: &str = "__.outE('sorted').has('at', between(x, y))";
const ADD: &str = "__.addE('sorted').to(__.V('sorted:leaf')).property('at', a).property('mark', m)";

/// The workload; its marks are those of the round.
pub(crate) struct SortedEdges {
    marks: Arc<Marks>,
}

fn bucket(number: i64) -> String {
    format!("sorted:bucket{number}")
}

/// A script about the edges of a bucket.
fn about(script: String, number: i64) -> Request {
    Request::of(script).with("x", number * WIDTH).with("y", (number + 1) * WIDTH)
}

fn read(number: i64, elements: Vec<Element>) -> Operation {
    Operation::ReadSet { set: bucket(number), elements }
}

impl SortedEdges {
    pub fn new(marks: Arc<Marks>) -> Self {
        Self { marks }
    }

    /// A new edge of a bucket: its place there, and what adds it to the set.
    fn new_edge(&self, number: i64, rng: &mut Rng) -> (i64, Element, Operation) {
        let mark = self.marks.next();
        let add = Operation::Add { set: bucket(number), element: mark };
        (number * WIDTH + rng.i64(0..WIDTH), mark, add)
    }

    /// Adds an edge without looking.
    fn add(&self, rng: &mut Rng) -> Step {
        let (at, mark, add) = self.new_edge(rng.i64(0..BUCKETS), rng);
        let request =
            Request::of(format!("g.V('sorted:hub').map({ADD}).values('mark')")).with("a", at).with("m", mark);
        Step::new(request, vec![add.clone()], |results| answer::one(results).map(|_| vec![add]))
    }

    /// Adds an edge if there are few.
    fn add_if_few(&self, rng: &mut Rng) -> Step {
        let number = rng.i64(0..BUCKETS);
        let (at, mark, add) = self.new_edge(number, rng);
        let script = format!(
            "g.V('sorted:hub').as('h').map({IN_BUCKET}.values('mark').fold()).as('seen').select('h')\
             .choose(__.select('seen').count(local).is(lt({FEW})), {ADD}).select('seen')"
        );
        let request = about(script, number).with("a", at).with("m", mark);
        Step::new(request, vec![add.clone()], move |results| {
            let seen = answer::numbers(answer::one(results)?)?;
            let added = (seen.len() < FEW).then_some(add);
            Ok([read(number, seen)].into_iter().chain(added).collect())
        })
    }

    /// Moves one edge to another bucket.
    fn move_one(&self, rng: &mut Rng) -> Step {
        let number = rng.i64(0..BUCKETS);
        let (at, mark, add) = self.new_edge((number + rng.i64(1..BUCKETS)) % BUCKETS, rng);
        let script = format!(
            "g.V('sorted:hub').as('h').map({IN_BUCKET}.values('mark').fold()).as('seen').select('h')\
             .local({IN_BUCKET}.limit(1)).as('e').values('mark').as('was').select('e')\
             .property('at', a).property('mark', m).select('seen', 'was')"
        );
        let request = about(script, number).with("a", at).with("m", mark);
        let some = Operation::RemoveSome { set: bucket(number) };
        Step::new(request, vec![some, add.clone()], move |results| {
            let Some(result) = answer::at_most_one(results)? else {
                return Ok(vec![read(number, Vec::new())]);
            };
            let seen = answer::numbers(answer::entry(result, "seen")?)?;
            let was = answer::number(answer::entry(result, "was")?)?;
            let gone = Operation::Remove { set: bucket(number), element: was };
            Ok(vec![read(number, seen), gone, add])
        })
    }
}

/// Drops all edges of a bucket.
fn clear(number: i64) -> Step {
    let script = format!(
        "g.V('sorted:hub').as('h').map({IN_BUCKET}.values('mark').fold()).as('seen').select('h')\
         .sideEffect({IN_BUCKET}.drop()).select('seen')"
    );
    let some = Operation::RemoveSome { set: bucket(number) };
    Step::new(about(script, number), vec![some], move |results| {
        let seen = answer::numbers(answer::one(results)?)?;
        let gone = seen.iter().map(|mark| Operation::Remove { set: bucket(number), element: *mark });
        let gone: Vec<Operation> = gone.collect();
        Ok([read(number, seen)].into_iter().chain(gone).collect())
    })
}

fn look_at(number: i64) -> Step {
    let script = format!("g.V('sorted:hub').map({IN_BUCKET}.values('mark').fold())");
    Step::new(about(script, number), Vec::new(), move |results| {
        Ok(vec![read(number, answer::numbers(answer::one(results)?)?)])
    })
}

fn look_at_all() -> Step {
    let script = "g.V('sorted:hub').outE('sorted').project('at', 'mark').by('at').by('mark').fold()";
    Step::new(Request::of(script), Vec::new(), |results: &[Value]| {
        let mut buckets: Vec<Vec<Element>> = vec![Vec::new(); BUCKETS as usize];
        for edge in answer::list(answer::one(results)?)? {
            let at = answer::length(answer::entry(edge, "at")?)?;
            let of_edge = buckets.get_mut(at / WIDTH as usize).ok_or_else(|| format!("an edge at {at}"))?;
            of_edge.push(answer::number(answer::entry(edge, "mark")?)?);
        }
        Ok((0..).zip(buckets).map(|(number, marks)| read(number, marks)).collect())
    })
}

impl Workload for SortedEdges {
    fn name(&self) -> &'static str {
        "sorted_edges"
    }

    fn prepare(&self) -> Vec<Request> {
        let vertex = |id: &str| Request::of("g.addV('sorted').property(id, x)").with("x", id);
        vec![
            Request::of("g.call('mangrove.schema.declare', [edges: [sorted: [sort: 'at']]])"),
            vertex("sorted:hub"),
            vertex("sorted:leaf"),
        ]
    }

    fn hubs(&self) -> Vec<&'static str> {
        vec!["sorted"]
    }

    fn sorted(&self) -> Option<(&'static str, [&'static str; 2])> {
        Some(("sorted", ["at", "mark"]))
    }

    fn next(&self, _: usize, rng: &mut Rng) -> Step {
        match rng.u32(..20) {
            0..7 => self.add(rng),
            7..11 => self.add_if_few(rng),
            11..15 => self.move_one(rng),
            15 => clear(rng.i64(0..BUCKETS)),
            16..19 => look_at(rng.i64(0..BUCKETS)),
            _ => look_at_all(),
        }
    }

    fn last_reads(&self) -> Vec<Step> {
        (0..BUCKETS).map(look_at).chain([look_at_all()]).collect()
    }
}
