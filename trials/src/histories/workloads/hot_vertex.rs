//! One vertex that every client changes, each a property of its own: what they change does not touch, and all of it is
//! in every answer.

use std::sync::Arc;

use fastrand::Rng;
use values::Value;

use super::super::client::Request;
use super::super::history::Operation;
use super::{Marks, Step, Workload, answer};

/// Properties of the vertex; more clients than that share them.
const KEYS: usize = 8;

/// The workload; its marks are those of the round.
pub(crate) struct HotVertex {
    marks: Arc<Marks>,
}

fn register(key: usize) -> String {
    format!("hot:p{key}")
}

/// Reads of all properties from the vertex as it was sent.
fn reads(vertex: &Value) -> Result<Vec<Operation>, String> {
    let read = |key: usize| {
        let value = answer::values_of(vertex, &format!("p{key}"))?.first().copied();
        Ok(Operation::ReadRegister { register: register(key), value })
    };
    (0..KEYS).map(read).collect()
}

impl HotVertex {
    pub fn new(marks: Arc<Marks>) -> Self {
        Self { marks }
    }

    /// Sets one property without looking at it, and gets the vertex.
    fn set(&self, key: usize) -> Step {
        let mark = self.marks.next();
        let request = Request::of(format!("g.V('hot').property(single, 'p{key}', m)")).with("m", mark);
        let write = Operation::Write { register: register(key), value: mark };
        Step::new(request, vec![write.clone()], move |results| {
            let reads = reads(answer::one(results)?)?;
            Ok([write].into_iter().chain(reads).collect())
        })
    }

    /// Sets one property after looking at it, and gets nothing else.
    fn replace(&self, key: usize) -> Step {
        let mark = self.marks.next();
        let script = format!(
            "g.V('hot').as('v').map(__.coalesce(__.values('p{key}'), __.constant(0))).as('old').select('v')\
             .property(single, 'p{key}', m).select('old')"
        );
        let write = Operation::Write { register: register(key), value: mark };
        Step::new(Request::of(script).with("m", mark), vec![write.clone()], move |results| {
            let old = answer::number(answer::one(results)?)?;
            let old =
                Operation::ReadRegister { register: register(key), value: Some(old).filter(|old| *old != 0) };
            Ok(vec![old, write])
        })
    }
}

fn look() -> Step {
    Step::new(Request::of("g.V('hot')"), Vec::new(), |results| reads(answer::one(results)?))
}

impl Workload for HotVertex {
    fn name(&self) -> &'static str {
        "hot_vertex"
    }

    fn prepare(&self) -> Vec<Request> {
        vec![Request::of("g.addV('hot').property(id, 'hot')")]
    }

    fn next(&self, client: usize, rng: &mut Rng) -> Step {
        match rng.u32(..10) {
            0..5 => self.set(client % KEYS),
            5..8 => self.replace(client % KEYS),
            _ => look(),
        }
    }

    fn last_reads(&self) -> Vec<Step> {
        vec![look()]
    }
}
