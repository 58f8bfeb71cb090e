//! Rules over several elements that each transaction keeps, and two beside each other may break.
//!
//! *On call*: a doctor goes if another one is there, found by a predicate. *A ring*: a vertex raises its flag if the
//! next one's is down, found along an edge; and so do the edges of a ring. All are objects that say more than the rule: who was
//! seen, and which flag.

use std::sync::Arc;

use fastrand::Rng;
use values::Value;

use super::super::client::Request;
use super::super::history::{Element, Operation};
use super::super::operator::Indexed;
use super::{Marks, Step, Workload, answer};

const DOCTORS: usize = 4;

/// Who is on call: the marks with which they came.
const ON_CALL: &str = "skew:on call";

/// The mark in a flag, positive where it is up, or 0 where it was never touched.
const FLAG: &str = "__.coalesce(__.values('flag'), __.constant(0))";

/// The workload; its marks are those of the round.
pub(crate) struct WriteSkew {
    marks: Arc<Marks>,
}

fn doctor(number: usize) -> String {
    format!("skew:doctor{number}")
}

/// What has the flags.
#[derive(Clone, Copy)]
enum Ring {
    Vertices,
    /// Each is its place's edge to the next. They are two, so that two requests at once can break the rule.
    Edges,
}

impl Ring {
    fn length(self) -> usize {
        match self {
            Self::Vertices => 4,
            Self::Edges => 2,
        }
    }

    /// The id of the place with this number, from 0 round the ring.
    fn place(self, number: usize) -> String {
        let name = if matches!(self, Self::Vertices) { "place" } else { "end" };
        format!("skew:{name}{}", number % self.length())
    }

    /// From a place to what has its flag.
    fn at(self) -> &'static str {
        match self {
            Self::Vertices => "",
            Self::Edges => ".outE('next')",
        }
    }

    /// From what has a flag to what has the next one.
    fn next(self) -> &'static str {
        match self {
            Self::Vertices => "out('next')",
            Self::Edges => "inV().outE('next')",
        }
    }

    /// Whether the next flag is down: found by a predicate, or by what was seen of it.
    fn next_is_down(self) -> &'static str {
        match self {
            Self::Vertices => "__.not(__.out('next').has('flag', gt(0)))",
            Self::Edges => "__.select('next').is(lte(0))",
        }
    }

    fn read(self, number: usize, flag: Element) -> Operation {
        Operation::ReadRegister { register: self.place(number), value: Some(flag).filter(|flag| *flag != 0) }
    }
}

impl WriteSkew {
    pub fn new(marks: Arc<Marks>) -> Self {
        Self { marks }
    }

    fn come(&self, number: usize) -> Step {
        let mark = self.marks.next();
        let script = "g.V(d).as('d').map(__.coalesce(__.has('on', 1).values('mark'), __.constant(0))).as('was')\
                      .select('d').property('on', 1).property('mark', m).select('was')";
        let add = Operation::Add { set: ON_CALL.into(), element: mark };
        let some = Operation::RemoveSome { set: ON_CALL.into() };
        let request = Request::of(script).with("d", &*doctor(number)).with("m", mark);
        Step::new(request, vec![add.clone(), some], move |results| {
            let was = answer::number(answer::one(results)?)?;
            let gone = (was != 0).then(|| Operation::Remove { set: ON_CALL.into(), element: was });
            Ok(gone.into_iter().chain([add]).collect())
        })
    }
}

/// Goes if somebody else is there.
fn go(number: usize) -> Step {
    let script = "g.V().has('doctor', 'on', 1).values('mark').fold().as('seen').V(d).as('d').values('mark').as('mine')\
                  .select('d').choose(__.select('seen').count(local).is(gt(1)), __.property('on', 0))\
                  .select('seen', 'mine')";
    let some = Operation::RemoveSome { set: ON_CALL.into() };
    Step::new(Request::of(script).with("d", &*doctor(number)), vec![some], move |results| {
        let Some(result) = answer::at_most_one(results)? else { return Ok(Vec::new()) };
        let seen = answer::numbers(answer::entry(result, "seen")?)?;
        let mine = answer::number(answer::entry(result, "mine")?)?;
        let goes = seen.len() > 1 && seen.contains(&mine);
        let gone = goes.then(|| Operation::Remove { set: ON_CALL.into(), element: mine });
        let read = Operation::ReadSet { set: ON_CALL.into(), elements: seen };
        Ok([read].into_iter().chain(gone).collect())
    })
}

fn who_is_on_call() -> Step {
    let script = "g.V().has('doctor', 'on', 1).values('mark').fold()";
    Step::new(Request::of(script), Vec::new(), |results| {
        let elements = answer::numbers(answer::one(results)?)?;
        Ok(vec![Operation::ReadSet { set: ON_CALL.into(), elements }])
    })
}

impl WriteSkew {
    /// Raises a flag if the next one is down.
    fn raise(&self, ring: Ring, number: usize) -> Step {
        let (mark, at, hop, is_down) = (self.marks.next(), ring.at(), ring.next(), ring.next_is_down());
        let script = format!(
            "g.V(p){at}.as('p').map(__.{hop}.map({FLAG})).as('next').select('p').map({FLAG}).as('mine').select('p')\
             .choose({is_down}, __.property('flag', m)).select('next', 'mine')"
        );
        let write = Operation::Write { register: ring.place(number), value: mark };
        let request = Request::of(script).with("p", &*ring.place(number)).with("m", mark);
        Step::new(request, vec![write.clone()], move |results: &[Value]| {
            let result = answer::one(results)?;
            let [other, mine] = ["next", "mine"].map(|name| answer::number(answer::entry(result, name)?));
            let other = other?;
            let raised = (other <= 0).then_some(write);
            let reads = [ring.read(number + 1, other), ring.read(number, mine?)];
            Ok(reads.into_iter().chain(raised).collect())
        })
    }

    fn lower(&self, ring: Ring, number: usize) -> Step {
        let (mark, at) = (-self.marks.next(), ring.at());
        let script = format!(
            "g.V(p){at}.as('p').map({FLAG}).as('mine').select('p').property('flag', m).select('mine')"
        );
        let write = Operation::Write { register: ring.place(number), value: mark };
        let request = Request::of(script).with("p", &*ring.place(number)).with("m", mark);
        Step::new(request, vec![write.clone()], move |results| {
            Ok(vec![ring.read(number, answer::number(answer::one(results)?)?), write])
        })
    }
}

/// Two flags that are next to each other, or all.
fn see_flags(ring: Ring, first: usize, count: usize) -> Step {
    let ids: Vec<String> = (first..first + count).map(|number| format!("'{}'", ring.place(number))).collect();
    let script = format!("g.V({}){}.map({FLAG}).fold()", ids.join(", "), ring.at());
    Step::new(Request::of(script), Vec::new(), move |results| {
        let flags = answer::numbers(answer::one(results)?)?;
        Ok((first..).zip(flags).map(|(number, flag)| ring.read(number, flag)).collect())
    })
}

impl Workload for WriteSkew {
    fn name(&self) -> &'static str {
        "write_skew"
    }

    fn prepare(&self) -> Vec<Request> {
        let doctor = |number| {
            Request::of("g.addV('doctor').property(id, x).property('on', 0)").with("x", &*doctor(number))
        };
        let places =
            [Ring::Vertices, Ring::Edges].map(|ring| (0..ring.length()).map(move |number| (ring, number)));
        let places: Vec<(Ring, usize)> = places.into_iter().flatten().collect();
        let vertex = |&(ring, number): &(Ring, usize)| {
            Request::of("g.addV('place').property(id, x)").with("x", &*ring.place(number))
        };
        let edge = |&(ring, number): &(Ring, usize)| {
            let [from, to] = [number, number + 1].map(|number| ring.place(number));
            Request::of("g.V(x).addE('next').to(__.V(y))").with("x", &*from).with("y", &*to)
        };
        let ring = places.iter().map(vertex).chain(places.iter().map(edge));
        (0..DOCTORS).map(doctor).chain(ring).collect()
    }

    fn indexed(&self) -> Vec<Indexed> {
        vec![Indexed { label: "doctor", key: "on", is_unique: false }]
    }

    fn next(&self, _: usize, rng: &mut Rng) -> Step {
        let ring = if rng.bool() { Ring::Vertices } else { Ring::Edges };
        let number = rng.usize(..ring.length());
        match rng.u32(..12) {
            0..3 => self.come(rng.usize(..DOCTORS)),
            3..6 => go(rng.usize(..DOCTORS)),
            6..9 => self.raise(ring, number),
            9..11 => self.lower(ring, number),
            _ if rng.bool() => who_is_on_call(),
            _ => see_flags(ring, number, 2),
        }
    }

    fn last_reads(&self) -> Vec<Step> {
        let flags = [Ring::Vertices, Ring::Edges].map(|ring| see_flags(ring, 0, ring.length()));
        [who_is_on_call()].into_iter().chain(flags).collect()
    }
}
