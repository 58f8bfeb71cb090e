//! What an operator is: the per-instance state of one vertex of the dataflow.
//!
//! The paper's programming model (Banyan, section 3.1) in batches: `ReceiveMessage` is [`Operator::step`] with an
//! input, `OnCompletion` is [`Operator::complete`], `SendMessage` is [`Output::emit`], and `NotifyCompletion` is
//! returning [`Step::Done`].

use std::sync::Arc;

use planner::physical::{Op, Operand};
use values::Value;

use crate::batch::Batch;
use crate::edge_part::EdgePart;
use crate::entered::Entered;
use crate::error::QueryError;
use crate::query::QueryState;
use crate::quota::Quota;
use crate::scope_memory::ScopeMemory;
use crate::scope_tag::ScopeTag;

/// The state of one operator in one scope instance. It is created by the first message and recycled with its instance.
///
/// An operator handles one batch at a time and should emit a batch or two per call: what it cannot emit at once it
/// keeps as *backlog* and continues when called again without input, so that its consumers run in between.
/// State is kept per scope tag ([`Batch::tags`]) unless the operator is stateless.
pub trait Operator: Send {
    /// Works on `input`, or, when it is `None`, on the backlog. Called with an input only when there is no backlog.
    ///
    /// # Errors
    /// A [`QueryError`] ends the query.
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError>;

    /// The input has ended. Called once all input has been stepped and no backlog is left; called again as long as it
    /// returns [`Step::More`].
    ///
    /// # Errors
    /// A [`QueryError`] ends the query.
    fn complete(&mut self, _cx: &Context<'_>, _out: &mut Output) -> Result<Step, QueryError> {
        Ok(Step::Idle)
    }

    /// Of the next input, which will be one row, only these edges are wanted.
    ///
    /// # Panics
    /// Unless it is an expansion along whole lists, which is a bug of the caller.
    fn restrict(&mut self, _part: EdgePart) {
        unreachable!("only expansions can be told which edges to follow")
    }

    /// Whether it has nothing left of what came, and a new one would do with what comes as it does. Asked when it has no backlog, to
    /// find out whether its instance may be put away while more may come. One that does not say so is kept.
    fn is_blank(&self) -> bool {
        false
    }

    /// Forgets everything, keeping allocations, to serve another scope instance.
    fn reset(&mut self);
}

/// What an operator says of itself after a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing left to do until more input arrives.
    Idle,
    /// There is backlog: call again.
    More,
    /// There is backlog, but it waits for something outside of the executor (an exchange, a full result queue).
    Blocked,
    /// It needs no more input whatever comes (`NotifyCompletion`): everything upstream in this scope instance is
    /// terminated, and the operator is completed.
    Done,
}

/// Where an operator's results go.
#[derive(Debug, Default)]
pub struct Output {
    /// Batches for the next operator.
    pub(crate) batches: Vec<Batch>,
    /// Batches that leave the enclosing loop; only loop controls use it.
    pub(crate) exits: Vec<Batch>,
}

impl Output {
    /// Whether nothing was sent.
    pub(crate) fn is_empty(&self) -> bool {
        self.batches.is_empty() && self.exits.is_empty()
    }

    /// Forgets what was sent.
    pub(crate) fn clear(&mut self) {
        self.batches.clear();
        self.exits.clear();
    }

    /// Sends a batch downstream. An empty batch is not sent.
    pub fn emit(&mut self, batch: Batch) {
        if batch.len > 0 {
            self.batches.push(batch);
        }
    }

    /// Sends a batch out of the enclosing loop. An empty batch is not sent.
    pub fn exit(&mut self, batch: Batch) {
        if batch.len > 0 {
            self.exits.push(batch);
        }
    }
}

/// What an operator may look at while it works.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The running query: parameters, snapshot, side-effects, bounds.
    pub query: &'a Arc<QueryState>,
    /// The plan's description of this operator.
    pub op: &'a Op,
    /// Where this instance is in the scope around it; a row of it is at [`ScopeTag::of_row`] of that.
    pub tag: ScopeTag,
    /// Memory shared by all iterations of the outermost enclosing loop in the subquery of a single traverser, or in the whole
    /// query: TinkerPop's steps in a loop are reset with what is around the loop, and not with its turns.
    pub loop_memory: Option<&'a ScopeMemory>,
    /// Memory shared by all pieces of the exchange that this instance is a piece of, wherever they run.
    pub piece_memory: Option<&'a ScopeMemory>,
    /// Whether this instance has a single scope tag (0), so that state needs no table of tags and one satisfied
    /// consumer ends the instance.
    pub single_tag: bool,
    /// Number of scope tags of this instance: tags are `0..tags`. Final by the time [`Operator::complete`] is called.
    pub tags: u32,
    /// Which of them have had a traverser.
    pub entered: Entered<'a>,
    /// Whether scopes run their subqueries for each traverser by itself: of some traverser it has to be found out whether its
    /// error is due.
    pub alone: bool,
    /// The time this call may use.
    pub quota: Quota<'a>,
}

impl<'a> Context<'a> {
    /// The value of an operand for a row of a batch; `None` if its slot is absent. A side-effect's value is a copy.
    pub fn operand(&self, operand: &Operand, batch: &Batch, row: usize) -> Option<Value> {
        match operand {
            Operand::Const(value) => Some(value.clone()),
            Operand::Param(index) => self.query.params.get(*index as usize).cloned(),
            Operand::Slot(slot) => batch.slot(*slot)?.get(row),
            Operand::SideEffect(id) => Some(self.query.side_effects.value(*id)),
        }
    }

    /// Adds `bytes` to the memory the query holds (negative to give back).
    ///
    /// # Errors
    /// [`QueryError::MemoryExceeded`] past the query's bound.
    pub fn charge(&self, bytes: isize) -> Result<(), QueryError> {
        self.query.memory.charge(bytes)
    }

    /// The context of operator `op` of the same instance; `after_body` for one that comes after a loop's body.
    pub(crate) fn at<'b>(&self, op: &'b Op, after_body: bool) -> Context<'b>
    where
        'a: 'b,
    {
        let tag = if after_body { self.tag.after_body() } else { self.tag };
        Context { op, tag, ..*self }
    }
}
