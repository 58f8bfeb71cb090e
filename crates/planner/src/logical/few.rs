//! Whether a stream is wanted whole.

use super::{Kind, Step};

/// More than so many results are not few: it may take nearly all of a stream to have them.
const FEW: u64 = 10_000;

/// Whether only the first few of a step's results are wanted, judging by the steps that follow it, and by whether few
/// results of the last of these are.
pub(crate) fn wants_few(rest: &[Step], at_end: bool) -> bool {
    for step in rest {
        match &step.kind {
            // A few less, of what comes behind it.
            Kind::Range { low, high: None } if *low <= FEW => {}
            Kind::Range { high, .. } => return high.is_some_and(|high| high <= FEW),
            Kind::Order { .. }
            | Kind::Aggregate(_)
            | Kind::Group(_)
            | Kind::GroupCount(_)
            | Kind::Tail(_)
            | Kind::Barrier
            | Kind::Sample(..)
            | Kind::Cap(_)
            | Kind::Collect { eager: true, .. } => return false,
            _ => {}
        }
    }
    at_end
}
