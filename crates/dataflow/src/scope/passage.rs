//! How traversers enter a branch scope's subquery, and how its results leave (see [`Child`]).

use std::borrow::Cow;
use std::sync::Arc;

use planner::physical::{By, Child, Scope, Slot};

use crate::batch::{Batch, Column, Paths, Tags, bulk};

/// How traversers enter a scope's subqueries.
pub(super) struct Entrance {
    /// What of them is seen inside.
    child: Child,
    /// The object that they start at.
    from: By,
    /// The slots that are wanted inside; `None`: all.
    reads: Option<Vec<Slot>>,
}

impl Entrance {
    /// That of a scope whose traversers start at that object.
    pub(super) fn of(scope: &Scope, from: By) -> Self {
        Self { child: scope.child, from, reads: scope.reads.clone() }
    }

    /// The column of the objects that traversers start at; `None` if no row has one.
    fn start<'b>(&self, input: &'b Batch) -> Option<&'b Arc<Column>> {
        match self.from {
            By::Current => Some(&input.current),
            By::Slot(slot) => input.slot(slot),
        }
    }

    /// Whether a row of the input has an object to start at.
    pub(super) fn lets_in(&self, input: &Batch, row: u32) -> bool {
        self.from == By::Current || self.start(input).is_some_and(|column| column.has(row as usize))
    }

    /// The batch that enters: these rows of the input, with these tags.
    pub(super) fn enter(&self, input: &Batch, rows: &[u32], tags: Tags) -> Batch {
        let seen = self.seen(input);
        let mut batch = match seen {
            seen if rows.len() < input.len => seen.gather(rows),
            seen => seen.into_owned(),
        };
        batch.tags = tags;
        if self.child.enters_alone() {
            batch.bulk = None;
        }
        if self.child == Child::Fresh && batch.path.is_some() {
            batch.path = Some(Arc::new(Paths::empty(batch.len)));
            batch.extend_path(&[]);
        }
        batch
    }

    /// The input as it is seen inside: with the objects to start at, and without the slots that nobody there reads, which would be
    /// copied and weighed all the same.
    fn seen<'b>(&self, input: &'b Batch) -> Cow<'b, Batch> {
        let reads = |at: usize| match &self.reads {
            None => true,
            Some(reads) => reads.iter().any(|slot| usize::from(slot.0) == at),
        };
        let is_wanted = |at: usize| input.slots[at].is_none() || reads(at);
        let starts_elsewhere = self.child == Child::Fresh && self.from != By::Current;
        if !starts_elsewhere && (0..input.slots.len()).all(is_wanted) {
            return Cow::Borrowed(input);
        }
        let slot = |(at, slot): (usize, &Option<_>)| if reads(at) { slot.clone() } else { None };
        let current = if starts_elsewhere { self.start(input) } else { None };
        Cow::Owned(Batch {
            len: input.len,
            tags: Tags::Uniform(0),
            current: Arc::clone(current.unwrap_or(&input.current)),
            bulk: input.bulk.clone(),
            slots: input.slots.iter().enumerate().map(slot).collect(),
            path: input.path.clone(),
        })
    }
}

/// What results inside are outside, each of which belongs to that row of the input.
pub(super) fn leave(input: &Batch, rows: &[u32], inside: Batch, child: Child) -> Batch {
    if child.keeps_inside() {
        let bulk = match (child.keeps_bulk(), &input.bulk) {
            (false, Some(outer)) => Some(Arc::new(multiplied(outer, rows, &inside))),
            _ => inside.bulk.clone(),
        };
        return Batch { tags: input.tags.gather(rows), bulk, ..inside };
    }
    let mut left = input.derive_shared(rows, inside.current.clone());
    if let Some(inner) = &inside.bulk {
        left.bulk = Some(match &input.bulk {
            Some(outer) => Arc::new(multiplied(outer, rows, &inside)),
            None => inner.clone(),
        });
    }
    left.extend_path(&[]);
    left
}

fn multiplied(outer: &[u64], rows: &[u32], inside: &Batch) -> Vec<u64> {
    let bulk = |(at, row): (usize, &u32)| bulk::product(outer[*row as usize], inside.bulk(at));
    rows.iter().enumerate().map(bulk).collect()
}
