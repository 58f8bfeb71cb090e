//! A history taken apart by object.

use std::collections::HashMap;

use super::super::history::{History, Operation, Outcome};

/// What one transaction did to one object.
pub(crate) struct Access<'h> {
    /// Its place in the history.
    pub transaction: usize,
    /// What became of it.
    pub outcome: Outcome,
    /// In their order.
    pub operations: Vec<&'h Operation>,
}

/// What all transactions did to one object.
pub(crate) struct ObjectHistory<'h> {
    /// The object's number.
    pub number: u32,
    /// Its name.
    pub name: &'h str,
    /// In the order in which the transactions were sent.
    pub accesses: Vec<Access<'h>>,
}

impl<'h> ObjectHistory<'h> {
    /// Whether it is read by predicate.
    pub fn is_set(&self) -> bool {
        let first = self.accesses.first().and_then(|access| access.operations.first());
        matches!(
            first,
            Some(
                Operation::Add { .. }
                    | Operation::Remove { .. }
                    | Operation::RemoveSome { .. }
                    | Operation::End { .. }
                    | Operation::ReadSet { .. }
            )
        )
    }

    /// The accesses of transactions that have committed: those with reads.
    pub fn committed(&self) -> impl Iterator<Item = &Access<'h>> {
        self.accesses.iter().filter(|access| access.outcome == Outcome::Committed)
    }
}

/// The objects of a history, in the order in which they were first named.
pub(crate) fn by_object(history: &History) -> Vec<ObjectHistory<'_>> {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut objects: Vec<ObjectHistory<'_>> = Vec::new();
    for (transaction, record) in history.transactions.iter().enumerate() {
        for operation in &record.operations {
            let name = operation.object().as_str();
            let number = *numbers.entry(name).or_insert_with(|| {
                objects.push(ObjectHistory { number: objects.len() as u32, name, accesses: Vec::new() });
                objects.len() - 1
            });
            let accesses = &mut objects[number].accesses;
            match accesses.last_mut() {
                Some(last) if last.transaction == transaction => last.operations.push(operation),
                _ => {
                    let outcome = record.outcome;
                    accesses.push(Access { transaction, outcome, operations: vec![operation] });
                }
            }
        }
    }
    objects
}
