//! Transactions over several requests: each reads and writes registers one by one, within a session, and sees its own writes.
//!
//! Two that read what the other one writes (write skew), that both replace what they have read (lost updates), or that read two
//! registers between the commits of others (torn reads), are among them by chance: there are few registers.

use std::collections::BTreeMap;
use std::sync::Arc;

use fastrand::Rng;
use values::Value;

use super::super::client::Request;
use super::super::history::{Element, Operation};
use super::{Marks, Step, Workload, answer};

const REGISTERS: usize = 5;

/// What a register holds, or 0.
const OLD: &str = "__.coalesce(__.values('value'), __.constant(0))";

/// The workload; its marks are those of the round.
pub(crate) struct Sessions {
    marks: Arc<Marks>,
}

fn register(number: usize) -> String {
    format!("session:register{number}")
}

/// One request of a transaction.
#[derive(Clone, Copy)]
enum Move {
    /// Reads a register.
    Read(usize),
    /// Sets a register, and reads it before.
    Replace(usize, Element),
    /// Sets a register without looking.
    Write(usize, Element),
}

impl Move {
    fn request(self) -> Request {
        match self {
            Self::Read(number) => Request::of(format!("g.V(v).map({OLD})")).with("v", &*register(number)),
            Self::Replace(number, mark) => {
                // What one statement has found is what the next one is about.
                let script = format!(
                    "old = g.V(v).map({OLD}).next(); g.V(v).property('value', new).iterate(); g.inject(old)"
                );
                Request::of(script).with("v", &*register(number)).with("new", mark)
            }
            Self::Write(number, mark) => Request::of("g.V(v).property('value', new).constant(0)")
                .with("v", &*register(number))
                .with("new", mark),
        }
    }

    fn writes(self) -> Option<Operation> {
        match self {
            Self::Read(_) => None,
            Self::Replace(number, value) | Self::Write(number, value) => {
                Some(Operation::Write { register: register(number), value })
            }
        }
    }
}

impl Sessions {
    pub fn new(marks: Arc<Marks>) -> Self {
        Self { marks }
    }

    fn any(&self, rng: &mut Rng) -> Move {
        let number = rng.usize(..REGISTERS);
        match rng.u32(..8) {
            0..4 => Move::Read(number),
            4..7 => Move::Replace(number, self.marks.next()),
            _ => Move::Write(number, self.marks.next()),
        }
    }
}

/// What a transaction of these moves has seen of others, and done. What it has written itself it must see.
fn decode(moves: &[Move], results: &[Value]) -> Result<Vec<Operation>, String> {
    if moves.len() != results.len() {
        return Err(format!("{} results of {} requests", results.len(), moves.len()));
    }
    let (mut own, mut operations) = (BTreeMap::new(), Vec::new());
    for (step, result) in moves.iter().zip(results) {
        let seen = answer::number(result)?;
        if let Move::Read(number) | Move::Replace(number, _) = *step {
            match own.get(&number) {
                Some(mark) if *mark != seen => {
                    return Err(format!("{seen} in {} after it had written {mark}", register(number)));
                }
                Some(_) => {}
                None => operations.push(Operation::ReadRegister {
                    register: register(number),
                    value: Some(seen).filter(|seen| *seen != 0),
                }),
            }
        }
        if let Move::Replace(number, mark) | Move::Write(number, mark) = *step {
            own.insert(number, mark);
        }
        operations.extend(step.writes());
    }
    Ok(operations)
}

fn step(moves: Vec<Move>) -> Step {
    let request = Request::in_session(moves.iter().map(|step| step.request()).collect());
    let intended = moves.iter().filter_map(|step| step.writes()).collect();
    Step::new(request, intended, move |results| decode(&moves, results))
}

impl Workload for Sessions {
    fn name(&self) -> &'static str {
        "sessions"
    }

    fn prepare(&self) -> Vec<Request> {
        let vertex = |number| Request::of("g.addV('session').property(id, x)").with("x", &*register(number));
        (0..REGISTERS).map(vertex).collect()
    }

    fn next(&self, _: usize, rng: &mut Rng) -> Step {
        let moves = (0..rng.usize(2..=5)).map(|_| self.any(rng)).collect();
        step(moves)
    }

    fn last_reads(&self) -> Vec<Step> {
        vec![step((0..REGISTERS).map(Move::Read).collect())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_writes_are_no_reads_of_others_and_must_be_seen() {
        let moves = [Move::Read(0), Move::Replace(0, 7), Move::Read(0), Move::Write(1, 8)];
        let results = |seen: [i64; 4]| seen.map(Value::Long);
        let operations = decode(&moves, &results([0, 0, 7, 0])).unwrap();
        assert_eq!(operations.len(), 4, "{operations:?}");
        assert!(decode(&moves, &results([0, 0, 5, 0])).unwrap_err().contains('7'));
    }
}
