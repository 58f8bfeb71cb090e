//! State over a stream, for each scope tag: barriers and the like.

use gremlin::{Operator, Order};
use values::Value;

use crate::physical::slots::{Slots, Use, Visit};
use crate::physical::{SideEffectId, Slot};
use crate::words::{InWords, Words};

/// Where a modulated step takes its object from (`by`).
#[derive(Clone, Debug, PartialEq)]
pub enum By {
    /// The current object itself.
    Current,
    /// A slot, filled before.
    Slot(Slot),
}

/// One traverser per distinct object (or combination of slots).
#[derive(Clone, Debug, PartialEq)]
pub struct Dedup {
    /// What must be distinct.
    pub by: Vec<By>,
    /// Whether the memory is shared by all iterations of the enclosing loop, and of the loops around that.
    pub across_iterations: bool,
    /// Whether the expansion before it leaves out duplicates already, in all pieces of an exchange together, as long as
    /// there is one scope tag.
    pub in_pieces: bool,
}

/// Traversers low..high of the stream, counted by bulk; high `None` for no end. Completes its scope instance once full.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// First to pass.
    pub low: u64,
    /// First not to pass.
    pub high: Option<u64>,
}

/// Sorts; with a limit it keeps only the first `limit` (top-k).
#[derive(Clone, Debug, PartialEq)]
pub struct Sort {
    /// The keys, most significant first. Empty: by the object itself.
    pub keys: Vec<SortKey>,
    /// How many are needed.
    pub limit: Option<u64>,
}

/// One key of an `order`.
#[derive(Clone, Debug, PartialEq)]
pub struct SortKey {
    /// What is compared. A traverser whose key is absent is dropped.
    pub by: By,
    /// How.
    pub order: Order,
}

/// An aggregation of a whole stream (per scope tag) into one object.
#[derive(Clone, Debug, PartialEq)]
pub enum Aggregation {
    /// Sum of bulks.
    Count,
    /// Sum of numbers; nothing if there is none.
    Sum,
    /// Smallest object; nothing if there is none.
    Min,
    /// Largest object; nothing if there is none.
    Max,
    /// Arithmetic mean; nothing if there is no number.
    Mean,
    /// All objects in a list.
    Fold,
    /// The tree that the objects are, which are paths.
    Tree,
    /// What the operator makes of the value and each object, one after the other (`fold(seed, operator)`).
    Reduce(Operator, Value),
}

impl Aggregation {
    /// The name of the step.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Sum => "sum",
            Self::Min => "min",
            Self::Max => "max",
            Self::Mean => "mean",
            Self::Fold | Self::Reduce(..) => "fold",
            Self::Tree => "tree",
        }
    }

    /// Whether it depends on the order of its objects.
    pub(crate) fn in_order(&self) -> bool {
        matches!(self, Self::Fold | Self::Tree | Self::Reduce(..))
    }

    /// Whether it has a result for nothing.
    pub fn answers_nothing(&self) -> bool {
        matches!(self, Self::Count | Self::Fold | Self::Tree | Self::Reduce(..))
    }
}

/// A map from objects to the sum of their bulks.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupCount {
    /// The key.
    pub key: By,
    /// Puts the map into a side-effect and passes the traversers.
    pub side_effect: Option<SideEffectId>,
}

/// Collects everything and lets it go at the end; equal traversers are merged (bulked).
#[derive(Clone, Debug, PartialEq)]
pub struct Barrier {
    /// Whether the first of equal traversers passes at once, and only those that come after it are collected.
    pub first_passes: bool,
    /// Whether paths are compared by what is in them, since a step behind can tell which traversers were merged. Otherwise those are equal
    /// that are the same, which costs nothing to find out.
    pub compares_paths: bool,
}

/// Adds objects to a side-effect and passes the traversers on.
#[derive(Clone, Debug, PartialEq)]
pub struct Collect {
    /// Where to.
    pub side_effect: SideEffectId,
    /// What.
    pub by: By,
    /// Whether everything is collected before anything passes on (`aggregate` with global scope).
    pub eager: bool,
}

impl InWords for By {
    fn write(&self, words: &mut Words<'_>) {
        match self {
            Self::Current => words.raw("it"),
            Self::Slot(slot) => words.slot(*slot),
        }
    }
}

impl InWords for Dedup {
    fn write(&self, words: &mut Words<'_>) {
        words.call("Dedup", |w| {
            w.all(&self.by);
            w.raw(if self.across_iterations { "; across iterations" } else { "" });
            w.raw(if self.in_pieces { "; done in pieces" } else { "" });
        });
    }
}

impl InWords for Range {
    fn write(&self, words: &mut Words<'_>) {
        words.raw("Range ");
        write_range(self.low, self.high, words);
    }
}

/// A range as the step that asks for it.
pub(crate) fn write_range(low: u64, high: Option<u64>, words: &mut Words<'_>) {
    match high {
        Some(high) if low == 0 => words.show(format_args!("limit({high})")),
        Some(high) => words.show(format_args!("range({low}, {high})")),
        None => words.show(format_args!("skip({low})")),
    }
}

impl InWords for Sort {
    fn write(&self, words: &mut Words<'_>) {
        words.call("Order", |w| {
            w.list(&self.keys, ", ", |w, key| {
                w.say(&key.by);
                w.raw(" ");
                w.raw(key.order.as_str());
            });
        });
        if let Some(limit) = self.limit {
            words.show(format_args!(" first {limit}"));
        }
    }
}

impl InWords for GroupCount {
    fn write(&self, words: &mut Words<'_>) {
        words.call("GroupCount", |w| w.say(&self.key));
        words.collecting_in(self.side_effect);
    }
}

impl InWords for Barrier {
    fn write(&self, words: &mut Words<'_>) {
        words.raw(match (self.first_passes, self.compares_paths) {
            (true, _) => "Barrier(of repeats)",
            (false, true) => "Barrier(of equal paths)",
            (false, false) => "Barrier",
        });
    }
}

impl InWords for Collect {
    fn write(&self, words: &mut Words<'_>) {
        words.call(if self.eager { "Collect" } else { "CollectLazily" }, |w| w.say(&self.by));
        words.collecting_in(Some(self.side_effect));
    }
}

impl Slots for By {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        if let Self::Slot(slot) = self {
            visit(slot, Use::Read);
        }
    }
}

impl Slots for Dedup {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        self.by.for_each_slot(visit);
    }
}

impl Slots for Range {
    fn for_each_slot(&mut self, _: Visit<'_>) {}
}

impl Slots for Sort {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        self.keys.iter_mut().for_each(|key| key.by.for_each_slot(visit));
    }
}

impl Slots for GroupCount {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        self.key.for_each_slot(visit);
    }
}

impl Slots for Barrier {
    fn for_each_slot(&mut self, _: Visit<'_>) {}
}

impl Slots for Collect {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        self.by.for_each_slot(visit);
    }
}
