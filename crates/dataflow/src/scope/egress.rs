//! Gathers what the instances of a branch scope let pass into batches of useful size.

use std::sync::Arc;

use values::{Str, Value};

use planner::physical::Slot;

use crate::batch::{Batch, Column};

/// Rows after which gathered results leave, at first. It doubles with each batch, so that an early `limit` gets its
/// results one by one and a long stream gets large batches.
const FIRST_FLUSH: usize = 4;

/// What an instance's result does to the traverser it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// It passes as it is.
    Pass,
    /// It passes with this value (or its absence) as its current object or in a slot.
    With(Option<Value>),
}

/// Collects passing rows of input batches.
pub(crate) struct Egress {
    input: Option<Arc<Batch>>,
    rows: Vec<u32>,
    values: Vec<Option<Value>>,
    flush_at: usize,
    into: Into,
    labels: Vec<Str>,
    moves: bool,
}

/// Where an outcome's value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Into {
    /// Nowhere: traversers pass unchanged.
    Nothing,
    /// The current object.
    Current,
    /// A slot.
    Slot(Slot),
}

impl Egress {
    pub(crate) fn new(into: Into, labels: &[Str], moves: bool) -> Self {
        Self {
            input: None,
            rows: Vec::new(),
            values: Vec::new(),
            flush_at: FIRST_FLUSH,
            into,
            labels: labels.to_vec(),
            moves,
        }
    }

    /// Lets a row of an input batch pass. Returns a batch that is ready to leave.
    pub(crate) fn pass(&mut self, input: &Arc<Batch>, row: u32, outcome: Outcome) -> Option<Batch> {
        let mut ready = None;
        if self.input.as_ref().is_some_and(|held| !Arc::ptr_eq(held, input)) {
            ready = self.flush();
        }
        self.input.get_or_insert_with(|| input.clone());
        self.rows.push(row);
        if let Outcome::With(value) = outcome {
            self.values.push(value);
        }
        ready
    }

    /// Whether none is gathered.
    pub(crate) fn is_empty(&self) -> bool {
        self.input.is_none()
    }

    /// Whether enough rows are gathered to leave.
    pub(crate) fn is_full(&self) -> bool {
        self.rows.len() >= self.flush_at
    }

    /// Everything gathered so far.
    pub(crate) fn flush(&mut self) -> Option<Batch> {
        let input = self.input.take()?;
        let rows = std::mem::take(&mut self.rows);
        let values = std::mem::take(&mut self.values);
        self.flush_at = (self.flush_at * 2).min(Batch::TARGET_ROWS);
        let all = rows.len() == input.len && rows.iter().enumerate().all(|(i, &r)| i as u32 == r);
        let passed = || if all { (*input).clone() } else { input.gather(&rows) };
        let mut batch = match self.into {
            Into::Nothing => passed(),
            Into::Current => input.derive(&rows, Column::from_optional(values)),
            Into::Slot(slot) => {
                let mut batch = passed();
                batch.set_slot(slot, Arc::new(Column::from_optional(values)));
                batch
            }
        };
        if self.moves {
            batch.extend_path(&self.labels);
        } else {
            batch.relabel_path(&self.labels);
        }
        Some(batch)
    }

    pub(crate) fn reset(&mut self) {
        self.input = None;
        self.rows.clear();
        self.values.clear();
        self.flush_at = FIRST_FLUSH;
    }
}
