//! Walking over the modulators of a step.

use super::{Choice, Kind, Modulator, Origin};

impl Kind {
    /// Visits the step's own modulators, to change them, with the origin of the object that each modulates; `None`
    /// is the current object.
    pub fn for_each_modulator_mut(&mut self, visit: &mut dyn FnMut(Option<&mut Origin>, &mut Modulator)) {
        match self {
            Self::SackWith(with) => visit(None, &mut with.by),
            Self::Take(by) | Self::Collect { by, .. } | Self::Sample(_, Some(by)) => visit(None, by),
            Self::Keep { origin, by, .. } => visit(Some(origin), by),
            Self::Project(entries) => entries.iter_mut().for_each(|(_, by)| visit(None, by)),
            Self::Math { variables, .. } => {
                variables.iter_mut().for_each(|(_, origin, by)| visit(Some(origin), by))
            }
            Self::Select(select) => {
                select.selections.iter_mut().for_each(|one| visit(Some(&mut one.origin), &mut one.by));
            }
            Self::Dedup { keys, .. } => keys.iter_mut().for_each(|(origin, by)| visit(Some(origin), by)),
            Self::Order { keys, .. } => keys.iter_mut().for_each(|(by, _)| visit(None, by)),
            Self::Compare(comparison) => {
                visit(Some(&mut comparison.left.0), &mut comparison.left.1);
                comparison.operands.iter_mut().for_each(|(_, origin, by)| visit(Some(origin), by));
            }
            Self::Group(group) => visit(None, &mut group.key),
            Self::GroupCount(group) => visit(None, &mut group.key),
            Self::Choose(choose) => {
                if let Choice::Switch(by, _) = &mut choose.choice {
                    visit(None, by);
                }
            }
            _ => {}
        }
    }
}
