//! Output batches whose rows come from the rows of an input batch.

use std::sync::Arc;

use planner::physical::Op;

use crate::batch::{Batch, Column, Tags};

/// From which input row each output row comes. Not recorded where it makes no difference.
#[derive(Debug, Default)]
pub(super) struct Origins {
    rows: Vec<u32>,
    len: usize,
    recorded: bool,
}

impl Origins {
    /// Starts anew, for rows that come from `input`.
    pub(super) fn start(&mut self, input: &Batch) {
        self.rows.clear();
        self.len = 0;
        self.recorded = input.len > 1 && !is_uniform(input);
    }

    /// `n` further rows come from input row `row`.
    #[inline]
    pub(super) fn add(&mut self, row: usize, n: usize) {
        self.len += n;
        if self.recorded {
            self.rows.resize(self.rows.len() + n, row as u32);
        }
    }

    /// Whether it makes a difference from which row an output row comes.
    #[inline]
    pub(super) fn matter(&self) -> bool {
        self.recorded
    }

    /// Number of output rows.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The output batch: these rows, with their new current objects.
    pub(super) fn derive(&self, input: &Batch, current: Column) -> Batch {
        if self.recorded {
            return input.derive(&self.rows, current);
        }
        let len = self.len;
        let spread = |column: &Arc<Column>| match &**column {
            Column::Uniform(_) => column.clone(),
            one => Arc::new(one.get(0).map_or_else(|| Column::Optional(vec![None; len]), Column::Uniform)),
        };
        Batch {
            len,
            tags: if input.len == 0 { Tags::Uniform(0) } else { Tags::Uniform(input.tags.get(0)) },
            current: Arc::new(current),
            bulk: input.bulk.as_ref().filter(|bulk| bulk[0] != 1).map(|bulk| Arc::new(vec![bulk[0]; len])),
            slots: input.slots.iter().map(|slot| slot.as_ref().map(spread)).collect(),
            path: input.path.as_ref().map(|paths| Arc::new(paths.repeat(0, len))),
        }
    }
}

/// Whether rows differ in nothing but their current objects.
fn is_uniform(batch: &Batch) -> bool {
    matches!(batch.tags, Tags::Uniform(_))
        && batch.bulk.is_none()
        && batch.path.is_none()
        && batch.slots.iter().flatten().all(|column| matches!(**column, Column::Uniform(_)))
}

/// Records the operator's output in the paths as its plan says.
pub(crate) fn trace(batch: &mut Batch, op: &Op) {
    if op.moves {
        batch.extend_path(&op.labels);
    } else {
        batch.relabel_path(&op.labels);
    }
}
