//! `io()`: a file becomes part of the graph, or the graph a file.
//!
//! Both go element by element and look at the clock in between; nothing but what must be is in memory. Reads of a disk, and
//! vertices with millions of edges, may take long: meanwhile another thread goes on with the executor's other queries
//! ([`LongStep`]).

mod read;
mod write;

use std::sync::Arc;

use planner::physical::{GraphFile, OpKind, WriteKind};

use crate::batch::Batch;
use crate::error::QueryError;
use crate::executor::LongStep;
use crate::files::{FileProblem, GraphFiles, Room};
use crate::memory::{MemoryMeter, StateMemory};
use crate::operator::{Context, Operator, Output, Step};

use read::Reading;
use write::Writing;

/// See the module.
#[derive(Default)]
pub(in crate::operators) struct File {
    work: Work,
}

/// What is under way.
#[derive(Default)]
enum Work {
    #[default]
    Nothing,
    Reads(Box<Reading>),
    Writes(Box<Writing>),
    /// Once is enough, whatever comes.
    Done,
}

impl Operator for File {
    fn step(&mut self, _: Option<Batch>, cx: &Context<'_>, _: &mut Output) -> Result<Step, QueryError> {
        let OpKind::Write(WriteKind::File(file)) = &cx.op.kind else { return Ok(Step::Idle) };
        let _long = LongStep::begin(|| cx.query.check())?;
        if matches!(self.work, Work::Nothing) {
            self.work = begin(file, cx)?;
        }
        let done = match &mut self.work {
            Work::Reads(reading) => reading.go_on(cx)?,
            Work::Writes(writing) => writing.go_on(cx)?,
            Work::Nothing | Work::Done => true,
        };
        if done {
            self.work = Work::Done;
        }
        Ok(if done { Step::Idle } else { Step::More })
    }

    fn reset(&mut self) {
        *self = Self::default();
    }
}

fn begin(file: &GraphFile, cx: &Context<'_>) -> Result<Work, QueryError> {
    let Some(files) = &cx.query.files else {
        return Err(problem(cx, file, "this engine has been given no files".into()));
    };
    let files: &dyn GraphFiles = &**files;
    let room = || room_of(&cx.query.memory);
    let work = match file.reads {
        true => files.open(file, room()).map(|reader| Work::Reads(Box::new(Reading::new(reader)))),
        false => files.create(file, room()).map(|writer| Work::Writes(Box::new(Writing::new(writer)))),
    };
    work.map_err(|error| problem(cx, file, error))
}

/// What a reader or writer holds is held by the query.
fn room_of(meter: &Arc<MemoryMeter>) -> Room {
    let (meter, mut held) = (Arc::clone(meter), StateMemory::default());
    Box::new(move |bytes| held.set(&meter, bytes).is_ok())
}

fn problem(cx: &Context<'_>, file: &GraphFile, problem: FileProblem) -> QueryError {
    QueryError::step(&cx.op.step, format!("the file {:?}: {problem}", values::excerpt(&file.name)))
}

/// The error of the file that the operator works on.
fn failed(cx: &Context<'_>, error: FileProblem) -> QueryError {
    let memory = &cx.query.memory;
    if memory.used() > memory.limit() {
        // What holds too much may be the file itself: a vertex of it, a text.
        return QueryError::MemoryExceeded { limit: memory.limit() };
    }
    match &cx.op.kind {
        OpKind::Write(WriteKind::File(file)) => problem(cx, file, error),
        _ => QueryError::step(&cx.op.step, error),
    }
}
