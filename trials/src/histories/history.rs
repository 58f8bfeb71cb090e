//! The record format: what clients sent and saw, and nothing else.
//!
//! A transaction is a list of [`Operation`]s on *objects*. Workloads choose what an object is: the values of a property,
//! the edges of a vertex, the vertices that a predicate finds. There are three kinds, told apart by their operations:
//!
//! | kind | written by | read as | what a reader learns |
//! |---|---|---|---|
//! | list | `Append` | `ReadList`, `ReadLength` | everything that was appended before, in order |
//! | register | `Write` | `ReadRegister` | the last value |
//! | set | `Add`, `Remove`, `End` | `ReadSet` | which elements match: what is absent was read, too |
//!
//! Every write has an [`Element`] that no other write of the same object has, so a read names the writes that it saw.

use serde::{Deserialize, Serialize};

/// The name of what is read and written, such as `append:3`.
pub type Object = String;

/// What is written: a number of its own for every write of an object.
pub type Element = i64;

/// One step of a transaction on one object.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Operation {
    /// Puts an element at the end of a list.
    Append {
        /// The list.
        list: Object,
        /// What is put there.
        element: Element,
    },
    /// Reads a list whole.
    ReadList {
        /// The list.
        list: Object,
        /// What is in it, in order.
        elements: Vec<Element>,
    },
    /// Reads only how long a list is.
    ReadLength {
        /// The list.
        list: Object,
        /// How many elements are in it.
        length: usize,
    },
    /// Sets a register.
    Write {
        /// The register.
        register: Object,
        /// Its new value.
        value: Element,
    },
    /// Reads a register.
    ReadRegister {
        /// The register.
        register: Object,
        /// Its value, if it was ever set.
        value: Option<Element>,
    },
    /// Puts an element into a set.
    Add {
        /// The set.
        set: Object,
        /// What is put into it.
        element: Element,
    },
    /// Takes an element, which is there, out of a set.
    Remove {
        /// The set.
        set: Object,
        /// What is taken out.
        element: Element,
    },
    /// Takes some element out of a set: what can be said of a transaction without an answer.
    RemoveSome {
        /// The set.
        set: Object,
    },
    /// Empties a set for good: whatever adds to it comes before.
    End {
        /// The set.
        set: Object,
    },
    /// Reads which elements are in a set.
    ReadSet {
        /// The set.
        set: Object,
        /// All that are in it, in any order.
        elements: Vec<Element>,
    },
}

impl Operation {
    /// What it reads or writes.
    pub fn object(&self) -> &Object {
        match self {
            Self::Append { list, .. } | Self::ReadList { list, .. } | Self::ReadLength { list, .. } => list,
            Self::Write { register, .. } | Self::ReadRegister { register, .. } => register,
            Self::Add { set, .. }
            | Self::Remove { set, .. }
            | Self::RemoveSome { set }
            | Self::End { set }
            | Self::ReadSet { set, .. } => set,
        }
    }

    /// Whether it changes its object.
    pub fn writes(&self) -> bool {
        !matches!(
            self,
            Self::ReadList { .. }
                | Self::ReadLength { .. }
                | Self::ReadRegister { .. }
                | Self::ReadSet { .. }
        )
    }
}

/// What became of a transaction, as far as its client knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// It was answered with success: all of it happened.
    Committed,
    /// It was answered with an error that says that nothing of it happened.
    Refused,
    /// No answer came, or one that leaves it open: all of it happened, or nothing.
    Unknown,
}

/// One transaction. Times are nanoseconds since the history began, of one clock that all clients share.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Transaction {
    /// Who sent it. A client sends the next one when the last has ended.
    pub client: u32,
    /// What it is a part of, for people.
    pub workload: String,
    /// What was sent, for people.
    pub request: String,
    /// Before it was sent.
    pub invoked: u64,
    /// After its answer had come. Means nothing of one whose outcome is unknown.
    pub completed: u64,
    /// What became of it.
    pub outcome: Outcome,
    /// What it did. Unless it has committed: what it would have written.
    pub operations: Vec<Operation>,
    /// What is wrong with the answer in itself, such as a sum that can never be.
    pub broken: Option<String>,
}

impl Transaction {
    /// Whether it was over before the other one began, for whoever looks at the clock.
    pub fn is_before(&self, other: &Self) -> bool {
        self.outcome == Outcome::Committed && self.completed < other.invoked
    }

    /// Whether it may have happened.
    pub fn may_have_happened(&self) -> bool {
        self.outcome != Outcome::Refused
    }
}

/// What all clients saw in one round.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct History {
    /// In the order in which they were sent.
    pub transactions: Vec<Transaction>,
}

impl History {
    /// A history of these transactions, in whatever order they are given.
    pub fn new(mut transactions: Vec<Transaction>) -> Self {
        transactions.sort_by_key(|transaction| transaction.invoked);
        Self { transactions }
    }
}
