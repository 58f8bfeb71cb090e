//! Which slots an operator reads and which it fills: each says it beside its description.

use std::sync::Arc;

use super::{Op, OpKind, Pipeline, Slot};

/// What an operator does with a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// It reads it.
    Read,
    /// It fills it.
    Fill,
}

/// Told of each slot.
pub(crate) type Visit<'v> = &'v mut dyn FnMut(&mut Slot, Use);

/// What may name slots.
pub(crate) trait Slots {
    /// Visits the slots that it names.
    fn for_each_slot(&mut self, visit: Visit<'_>);
}

impl<T: Slots> Slots for Option<T> {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        self.iter_mut().for_each(|one| one.for_each_slot(visit));
    }
}

impl<T: Slots> Slots for Vec<T> {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        self.iter_mut().for_each(|one| one.for_each_slot(visit));
    }
}

impl Pipeline {
    /// Visits every operator of the pipeline and of the pipelines inside it.
    pub(crate) fn for_each_op(&mut self, visit: &mut dyn FnMut(&mut Op)) {
        // Plans under construction are not shared, so nothing is copied here.
        for op in Arc::make_mut(&mut self.ops) {
            visit(op);
            if let OpKind::Scope(scope) = &mut op.kind {
                scope.for_each_pipeline(&mut |pipeline| pipeline.for_each_op(visit));
            }
        }
    }
}
