//! What the instances of a scope cover, and how they are scheduled.

use crate::words::{InWords, Words};

/// What one scope instance covers.
///
/// The instance a message belongs to is its *scope tag*. Inside an instance that covers many traversers the last
/// element of the tag still tells the traversers apart (it is a column of the batch), and every stateful operator
/// keeps its state per tag; so turning a scope off changes no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// One instance per input traverser: isolated, scheduled and cancelled one by one. The paper's branch scope.
    Traverser,
    /// One instance per input batch: the paper's "scope turned off". Nothing can be cancelled before the batch is done.
    Batch,
    /// One instance for the whole input (`union`, `group`): no isolation between input traversers is asked for.
    Stream,
    /// One instance per iteration: the paper's loop scope.
    Iteration,
}

/// How a scope's instances are scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Between instances.
    pub inter: InterPolicy,
    /// Inside an instance.
    pub intra: IntraPolicy,
    /// MAX_SI: most concurrent instances on one executor, at least 1.
    pub max_instances: u32,
    /// Whether results must leave in the order of the inputs.
    pub ordered: bool,
}

/// Which of a scope's instances goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InterPolicy {
    /// The instance opened first (for a loop: the lowest iteration) goes first.
    BreadthFirst,
    /// The instance opened last (for a loop: the highest iteration) goes first.
    DepthFirst,
    /// Breadth-first at first. Once many traversers have been on their way in a loop, the lowest and the highest iteration in
    /// turn; where the other scopes know only one end, breadth-first.
    BothEnds,
}

/// Which operator of an instance goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntraPolicy {
    /// The most downstream operator that has work: results come out as early as possible, little is in flight.
    DepthFirst,
    /// The most upstream operator that has work: larger batches.
    BreadthFirst,
}

impl InWords for Grain {
    fn write(&self, words: &mut Words<'_>) {
        words.raw(match self {
            Self::Traverser => "per traverser",
            Self::Batch => "per batch",
            Self::Stream => "per stream",
            Self::Iteration => "per iteration",
        });
    }
}

/// As what follows a grain.
impl InWords for Policy {
    fn write(&self, words: &mut Words<'_>) {
        let inter = match self.inter {
            InterPolicy::BreadthFirst => "bfs",
            InterPolicy::DepthFirst => "dfs",
            InterPolicy::BothEnds => "both ends",
        };
        let intra = if self.intra == IntraPolicy::BreadthFirst { "bfs" } else { "dfs" };
        words.show(format_args!(", inter {inter}, intra {intra}, max {}", self.max_instances));
        words.raw(if self.ordered { ", in order" } else { "" });
    }
}
