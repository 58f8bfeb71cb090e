//! Exceptions of the reference that nobody thought of.

use super::answer::{Answer, Outcome};
use super::case::Case;
use super::verdict::{Verdict, judge};

/// Exceptions that no step throws on purpose.
const JAVA_ACCIDENTS: &[&str] = &[
    "ArithmeticException",
    "ClassCastException",
    "EmptyStackException",
    "NullPointerException",
    "IndexOutOfBoundsException",
    "StringIndexOutOfBoundsException",
    "ArrayIndexOutOfBoundsException",
    "ConcurrentModificationException",
    "NumberFormatException",
    "IllegalArgumentException: Illegal initial capacity",
    "IllegalStateException: This traversal parent does not support the replacement of local traversals",
];

/// Whether nobody thought of the case, wherever the reference does not answer as Mangrove does.
pub fn is_by_accident(case: &Case, ours: &Answer, theirs: &[Answer]) -> bool {
    let meant: Vec<Answer> = theirs.iter().filter(|run| !is_accident(run)).cloned().collect();
    let some = meant.len() < theirs.len();
    // Where it happens in some orders only, the others count, unless all of these fail for a reason: then nobody knows whether
    // those it happens in would.
    let differs = || matches!(judge(ours, &meant, case.is_ordered()), Verdict::Different(_));
    let answers = matches!(ours.outcome, Outcome::Results(_));
    let all_fail = || meant.iter().all(|run| matches!(run.outcome, Outcome::Error(_)));
    some && (meant.is_empty() || !differs() || answers && all_fail())
}

fn is_accident(answer: &Answer) -> bool {
    let Outcome::Error(message) = &answer.outcome else { return false };
    JAVA_ACCIDENTS.iter().any(|class| message.starts_with(class))
}
