//! Values that are replaced only as somebody knows them: registers, and counters.
//!
//! A register is a property, of a vertex or of an edge, that every write reads before; 0 stands for none. Of a counter
//! each increment learns which one it is.

use std::sync::Arc;

use fastrand::Rng;
use parking_lot::Mutex;
use values::Value;

use super::super::client::Request;
use super::super::history::{Element, Operation};
use super::{Marks, Step, Workload, answer};

const REGISTERS: usize = 4;
const COUNTERS: usize = 2;
const EDGES: usize = 2;

/// What a register holds, or 0.
const OLD: &str = "__.coalesce(__.values('value'), __.constant(0))";

/// The workload; its marks are those of the round.
pub(crate) struct CompareAndSet {
    marks: Arc<Marks>,
    /// What each register last held, as far as clients know.
    known: Arc<Mutex<[Element; REGISTERS]>>,
}

fn register(number: usize) -> String {
    format!("cas:register{number}")
}
fn counter(number: usize) -> String {
    format!("cas:counter{number}")
}
fn edge(number: usize) -> String {
    format!("cas:edge{number}")
}

/// 0 stands for none.
fn value(element: Element) -> Option<Element> {
    Some(element).filter(|element| *element != 0)
}

fn read(register: String, element: Element) -> Operation {
    Operation::ReadRegister { register, value: value(element) }
}

impl CompareAndSet {
    pub fn new(marks: Arc<Marks>) -> Self {
        Self { marks, known: Arc::default() }
    }

    /// Replaces a value if it is the one that was seen last, and says which one it was.
    fn exchange(&self, number: usize) -> Step {
        let (expected, mark) = (self.known.lock()[number], self.marks.next());
        let test = if expected == 0 { "__.hasNot('value')" } else { "__.has('value', old)" };
        let script = format!(
            "g.V(v).as('v').map({OLD}).as('old').select('v').choose({test}, __.property('value', new)).select('old')"
        );
        let request =
            Request::of(script).with("v", &*register(number)).with("old", expected).with("new", mark);
        let write = Operation::Write { register: register(number), value: mark };
        let known = self.known.clone();
        Step::new(request, vec![write.clone()], move |results| {
            let old = answer::number(answer::one(results)?)?;
            let mut operations = vec![read(register(number), old)];
            known.lock()[number] = old;
            if old == expected {
                operations.push(write);
                known.lock()[number] = mark;
            }
            Ok(operations)
        })
    }

    /// Replaces a value if it is the one that was seen last, and says only whether it was.
    fn replace(&self, number: usize) -> Step {
        let (expected, mark) = (self.known.lock()[number], self.marks.next());
        let test = if expected == 0 { "hasNot('value')" } else { "has('value', old)" };
        let request = Request::of(format!("g.V(v).{test}.property('value', new).count()"))
            .with("v", &*register(number))
            .with("old", expected)
            .with("new", mark);
        let write = Operation::Write { register: register(number), value: mark };
        let known = self.known.clone();
        Step::new(request, vec![write.clone()], move |results| {
            if answer::number(answer::one(results)?)? == 0 {
                return Ok(Vec::new());
            }
            known.lock()[number] = mark;
            Ok(vec![read(register(number), expected), write])
        })
    }

    /// Replaces the values of two registers.
    fn replace_both(&self, rng: &mut Rng) -> Step {
        let first = rng.usize(..REGISTERS);
        let pair = [first, (first + rng.usize(1..REGISTERS)) % REGISTERS].map(register);
        let mark = self.marks.next();
        let script = format!(
            "g.V(a).as('a').map({OLD}).as('x').V(b).as('b').map({OLD}).as('y')\
             .select('a').property('value', new).select('b').property('value', new).select('x', 'y')"
        );
        let request = Request::of(script).with("a", &*pair[0]).with("b", &*pair[1]).with("new", mark);
        let writes = pair.clone().map(|register| Operation::Write { register, value: mark });
        Step::new(request, writes.to_vec(), move |results| {
            let old = answer::one(results)?;
            let mut operations = Vec::new();
            for (register, name) in pair.into_iter().zip(["x", "y"]) {
                operations.push(read(register, answer::number(answer::entry(old, name)?)?));
            }
            operations.extend(writes);
            Ok(operations)
        })
    }

    /// Replaces the property of an edge.
    fn replace_of_edge(&self, number: usize) -> Step {
        let mark = self.marks.next();
        let script =
            format!("g.E(e).as('e').map({OLD}).as('old').select('e').property('value', new).select('old')");
        let request = Request::of(script).with("e", &*edge(number)).with("new", mark);
        let write = Operation::Write { register: edge(number), value: mark };
        Step::new(request, vec![write.clone()], move |results| {
            Ok(vec![read(edge(number), answer::number(answer::one(results)?)?), write])
        })
    }

    fn increment(&self, number: usize) -> Step {
        let mark = self.marks.next();
        let next = "__.coalesce(__.values('n').math('_ + 1'), __.constant(1))";
        let request =
            Request::of(format!("g.V(v).property('n', {next}).values('n')")).with("v", &*counter(number));
        let append = Operation::Append { list: counter(number), element: mark };
        Step::new(request, vec![append.clone()], move |results| {
            let length = answer::length(answer::one(results)?)?;
            let before = length.checked_sub(1).ok_or("an increment gave 0")?;
            Ok(vec![Operation::ReadLength { list: counter(number), length: before }, append])
        })
    }
}

fn read_register(number: usize) -> Step {
    let request = Request::of(format!("g.V(v).map({OLD})")).with("v", &*register(number));
    Step::new(request, Vec::new(), move |results| {
        Ok(vec![read(register(number), answer::number(answer::one(results)?)?)])
    })
}

fn read_edge(number: usize) -> Step {
    let request = Request::of(format!("g.E(e).map({OLD})")).with("e", &*edge(number));
    Step::new(request, Vec::new(), move |results| {
        Ok(vec![read(edge(number), answer::number(answer::one(results)?)?)])
    })
}

fn read_counter(number: usize) -> Step {
    let script = "g.V(v).map(__.coalesce(__.values('n'), __.constant(0)))";
    let request = Request::of(script).with("v", &*counter(number));
    Step::new(request, Vec::new(), move |results: &[Value]| {
        let length = answer::length(answer::one(results)?)?;
        Ok(vec![Operation::ReadLength { list: counter(number), length }])
    })
}

impl Workload for CompareAndSet {
    fn name(&self) -> &'static str {
        "compare_and_set"
    }

    fn prepare(&self) -> Vec<Request> {
        let vertex = |name: String| Request::of("g.addV('cas').property(id, x)").with("x", &*name);
        let vertices = (0..REGISTERS).map(register).chain((0..COUNTERS).map(counter)).map(vertex);
        let edge = |name: String| {
            let script = "g.V(a).addE('cas').to(__.V(b)).property(id, x)";
            Request::of(script).with("a", &*register(0)).with("b", &*register(1)).with("x", &*name)
        };
        vertices.chain((0..EDGES).map(self::edge).map(edge)).collect()
    }

    fn next(&self, _: usize, rng: &mut Rng) -> Step {
        match rng.u32(..12) {
            0..3 => self.exchange(rng.usize(..REGISTERS)),
            3..5 => self.replace(rng.usize(..REGISTERS)),
            5..7 => self.replace_both(rng),
            7 => self.replace_of_edge(rng.usize(..EDGES)),
            8..10 => self.increment(rng.usize(..COUNTERS)),
            10 if rng.bool() => read_edge(rng.usize(..EDGES)),
            10 => read_counter(rng.usize(..COUNTERS)),
            _ => read_register(rng.usize(..REGISTERS)),
        }
    }

    fn last_reads(&self) -> Vec<Step> {
        let registers = (0..REGISTERS).map(read_register);
        registers.chain((0..COUNTERS).map(read_counter)).chain((0..EDGES).map(read_edge)).collect()
    }
}
