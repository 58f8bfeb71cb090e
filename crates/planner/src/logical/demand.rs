//! Whether a stream is wanted whole.

use super::{Kind, Step};
use crate::thresholds::FEW_RESULTS;

/// Whether only the first few of a step's results are wanted, judging by the steps that follow it, and by whether few
/// results of the last of these are.
pub(crate) fn wants_few(rest: &[Step], at_end: bool) -> bool {
    rest.iter().find_map(decides).unwrap_or(at_end)
}

/// The same for the results of each step of a chain.
pub(crate) fn each_wants_few(steps: &[Step], at_end: bool) -> Vec<bool> {
    let mut few = at_end;
    let mut each: Vec<bool> = steps
        .iter()
        .rev()
        .map(|step| {
            let behind = few;
            few = decides(step).unwrap_or(few);
            behind
        })
        .collect();
    each.reverse();
    each
}

/// Whether few of what a step gets are wanted, if that is for the step to say.
fn decides(step: &Step) -> Option<bool> {
    match &step.kind {
        // A few less, of what comes behind it.
        Kind::Range { low, high: None } if *low <= FEW_RESULTS => None,
        Kind::Range { high, .. } => Some(high.is_some_and(|high| high <= FEW_RESULTS)),
        Kind::Order { .. }
        | Kind::Aggregate(_)
        | Kind::Group(_)
        | Kind::GroupCount(_)
        | Kind::Tail(_)
        | Kind::Barrier
        | Kind::Algorithm(_)
        | Kind::Sample(..)
        | Kind::Cap(_)
        | Kind::Collect { eager: true, .. } => Some(false),
        _ => None,
    }
}
