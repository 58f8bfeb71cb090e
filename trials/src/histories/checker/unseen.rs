//! Reads of what nobody may see.

use super::super::history::{Element, Outcome};
use super::anomaly::AnomalyKind;
use super::findings::Findings;
use super::objects::ObjectHistory;

/// Who wrote something, and what became of that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub transaction: usize,
    pub outcome: Outcome,
}

/// Reports a read of what a refused transaction wrote, or nobody; whether it is one.
pub(crate) fn refused_or_garbage(
    object: &ObjectHistory<'_>,
    reader: usize,
    element: Element,
    source: Option<&Source>,
    findings: &mut Findings<'_>,
) -> bool {
    match source {
        None => {
            let about = format!("T{reader} read {element}, which nobody wrote");
            findings.report(AnomalyKind::Garbage, object.name, [reader], about);
            true
        }
        Some(Source { transaction, outcome: Outcome::Refused }) => {
            let about = format!("T{reader} read {element} of T{transaction}, which was refused");
            findings.report(AnomalyKind::G1a, object.name, [reader, *transaction], about);
            true
        }
        Some(_) => false,
    }
}
