//! Whether two answers agree, as far as the reference determines one.

use super::answer::{Answer, Detail, Outcome};

/// What a comparison came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The same answer, as far as it is determined.
    Same(Detail),
    /// Both failed.
    BothFail,
    /// Another answer, though the reference has but one.
    Different(Detail),
    /// The reference's own runs differ so much that nothing can be compared.
    Undetermined,
    /// Mangrove has no such thing, and says so.
    Refused,
    /// One of them did not answer in time.
    Late,
    /// The reference's grammar has no such thing.
    Unparsed,
    /// Different, and the reference is at fault.
    Explained(&'static str),
}

/// The closest look under which all of the reference's runs are one answer; `None` if there is none.
///
/// The order of results is part of an answer only where the traversal's end says so (`ordered`).
pub fn determined(runs: &[Answer], ordered: bool) -> Option<Detail> {
    let closest = if ordered { Detail::Sequence } else { Detail::Bag };
    let details = [Detail::Sequence, Detail::Bag, Detail::Contents, Detail::Count];
    details.into_iter().filter(|detail| *detail <= closest).find(|detail| {
        let mut texts = runs.iter().map(|run| run.text(*detail));
        let first = texts.next();
        texts.all(|text| Some(text) == first)
    })
}

/// Holds Mangrove's answer against the reference's runs.
pub fn judge(answer: &Answer, runs: &[Answer], ordered: bool) -> Verdict {
    if matches!(answer.outcome, Outcome::Refused(_)) {
        return Verdict::Refused;
    }
    if matches!(answer.outcome, Outcome::Panic(_)) {
        return Verdict::Different(Detail::Count);
    }
    if answer.outcome == Outcome::Late || runs.iter().any(|run| run.outcome == Outcome::Late) {
        return Verdict::Late;
    }
    let parsed = |run: &Answer| !matches!(&run.outcome, Outcome::Error(text) if text.starts_with("GremlinParserException"));
    if !runs.iter().all(parsed) {
        return Verdict::Unparsed;
    }
    let Some(detail) = determined(runs, ordered) else { return Verdict::Undetermined };
    let Some(first) = runs.first() else { return Verdict::Undetermined };
    match (answer.text(detail) == first.text(detail), &answer.outcome) {
        (true, Outcome::Error(_)) => Verdict::BothFail,
        (true, _) => Verdict::Same(detail),
        (false, _) => Verdict::Different(detail),
    }
}
