//! What the batches that an operator emits hold beside what it was given: that alone need be weighed, if what it was given was light.

use planner::physical::{OpKind, ScopeKind, Slot, op};

use crate::batch::Batch;

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gain {
    /// The same values, at other places, or fewer; or elements and numbers, which have no weight beside their slots.
    Nothing,
    /// Other current objects.
    Current,
    /// What is in this slot.
    Slot(Slot),
    /// Whatever it may be.
    All,
}

impl Gain {
    /// What an operator adds.
    pub(crate) fn of(kind: &OpKind) -> Self {
        match kind {
            OpKind::Store(_)
            | OpKind::Load(_)
            | OpKind::Forget(_)
            | OpKind::Filter(_)
            | OpKind::Coin(_)
            | OpKind::TimeLimit(_)
            | OpKind::Range(_)
            | OpKind::Expand(_)
            | OpKind::EdgeVertex(_)
            | OpKind::Degree(_)
            | OpKind::Unmerge
            | OpKind::OneByOne => Self::Nothing,
            OpKind::Fetch(op::Fetch { into, .. }) => Self::Slot(*into),
            OpKind::Properties(_)
            | OpKind::Local(_)
            | OpKind::Unfold
            | OpKind::Math(_)
            | OpKind::Project(_)
            | OpKind::Select(_) => Self::Current,
            OpKind::Scope(scope) => match &scope.kind {
                ScopeKind::Filter { .. } => Self::Nothing,
                ScopeKind::Apply { into: Some(into), .. } => Self::Slot(*into),
                ScopeKind::Apply { into: None, .. } => Self::Current,
                _ => Self::All,
            },
            _ => Self::All,
        }
    }

    /// Whether a batch with this gain is as good as nothing, if what it was made of was.
    #[inline]
    pub(crate) fn is_slight(self, batch: &Batch) -> bool {
        match self {
            Self::All => batch.is_slight(),
            _ if !batch.has_few_slots() => batch.is_slight(),
            Self::Nothing => true,
            Self::Current => batch.is_slight_in(&batch.current),
            Self::Slot(slot) => batch.slot(slot).is_none_or(|column| batch.is_slight_in(column)),
        }
    }
}
