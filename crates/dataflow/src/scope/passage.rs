//! How traversers enter a branch scope's subquery, and how its results leave (see [`Child`]).

use std::sync::Arc;

use planner::physical::{By, Child};

use crate::batch::{Batch, Column, Paths, Tags, bulk};

/// The object that a traverser starts at inside: the column of it, `None` if no row has one.
fn start<'b>(input: &'b Batch, from: &By) -> Option<&'b Arc<Column>> {
    match from {
        By::Current => Some(&input.current),
        By::Slot(slot) => input.slot(*slot),
    }
}

/// Whether a row of the input has an object to start at.
pub(super) fn can_enter(input: &Batch, row: u32, from: &By) -> bool {
    *from == By::Current || start(input, from).is_some_and(|column| column.has(row as usize))
}

/// The batch that enters: these rows of the input, with these tags.
pub(super) fn enter(input: &Batch, rows: &[u32], tags: Tags, child: Child, from: &By) -> Batch {
    let mut batch = if rows.len() == input.len { input.clone() } else { input.gather(rows) };
    batch.tags = tags;
    if child.enters_alone() {
        batch.bulk = None;
    }
    if child == Child::Fresh {
        if let Some(column) = start(&batch, from).cloned() {
            batch.current = column;
        }
        if batch.path.is_some() {
            batch.path = Some(Arc::new(Paths::empty(batch.len)));
            batch.extend_path(&[]);
        }
    }
    batch
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
