//! Comparisons of longs as one test.

use gremlin::PredicateOp;
use values::Value;

use super::Check;

/// The longs that satisfy a comparison with longs, or several of them (`between`): those in a range, or all others.
///
/// ```text
/// i64::MIN ──────────── low ├──── width ────┤ ──────────── i64::MAX
/// ```
///
/// Being in it is one subtraction and one comparison, whatever the predicate is, so a loop over a column needs no code of
/// its own for each predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::operators) struct LongRange {
    low: i64,
    /// The largest member less the smallest.
    width: u64,
    /// Whether those inside satisfy; otherwise, those outside.
    inside: bool,
}

impl LongRange {
    const NONE: Self = Self { low: i64::MIN, width: u64::MAX, inside: false };

    /// Of a check, if it says no more of a long than that.
    pub(in crate::operators) fn of(check: &Check) -> Option<Self> {
        match check {
            Check::Compare(op, Value::Long(bound)) => Some(Self::compared(*op, *bound)),
            Check::And(checks) => {
                let (first, others) = checks.split_first()?;
                others.iter().try_fold(Self::of(first)?, |range, other| range.and(Self::of(other)?))
            }
            _ => None,
        }
    }

    fn compared(op: PredicateOp, bound: i64) -> Self {
        match op {
            PredicateOp::Lt => bound.checked_sub(1).map_or(Self::NONE, |last| Self::from_to(i64::MIN, last)),
            PredicateOp::Lte => Self::from_to(i64::MIN, bound),
            PredicateOp::Gt => {
                bound.checked_add(1).map_or(Self::NONE, |first| Self::from_to(first, i64::MAX))
            }
            PredicateOp::Gte => Self::from_to(bound, i64::MAX),
            PredicateOp::Eq => Self::from_to(bound, bound),
            PredicateOp::Neq => Self { inside: false, ..Self::from_to(bound, bound) },
        }
    }

    fn from_to(first: i64, last: i64) -> Self {
        if first > last { Self::NONE } else { Self { low: first, width: first.abs_diff(last), inside: true } }
    }

    /// Those in both, if that is one range.
    fn and(self, other: Self) -> Option<Self> {
        if self == Self::NONE || other == Self::NONE {
            return Some(Self::NONE);
        }
        let last = |range: Self| range.low.wrapping_add_unsigned(range.width);
        let both = || Self::from_to(self.low.max(other.low), last(self).min(last(other)));
        (self.inside && other.inside).then(both)
    }

    /// The smallest and the largest that satisfy, if all between them do; `low > high` if none does.
    pub(in crate::operators) fn bounds(self) -> Option<(i64, i64)> {
        if self == Self::NONE {
            return Some((i64::MAX, i64::MIN));
        }
        self.inside.then(|| (self.low, self.low.wrapping_add_unsigned(self.width)))
    }

    /// Whether a long satisfies.
    #[inline(always)]
    pub(in crate::operators) fn holds(self, long: i64) -> bool {
        (long.wrapping_sub(self.low) as u64 <= self.width) == self.inside
    }
}

#[cfg(test)]
mod tests {
    use graph::ValueRef;

    use super::super::compare;
    use super::*;

    const OPS: [PredicateOp; 6] = [
        PredicateOp::Lt,
        PredicateOp::Lte,
        PredicateOp::Gt,
        PredicateOp::Gte,
        PredicateOp::Eq,
        PredicateOp::Neq,
    ];
    const LONGS: [i64; 9] = [i64::MIN, i64::MIN + 1, -7, -1, 0, 1, 7, i64::MAX - 1, i64::MAX];

    fn compared(op: PredicateOp, long: i64, bound: i64) -> bool {
        compare(op, ValueRef::Long(long), &Value::Long(bound), |value| value)
    }

    #[test]
    fn it_says_what_the_comparison_says() {
        for (op, bound) in OPS.into_iter().flat_map(|op| LONGS.map(|bound| (op, bound))) {
            let check = |op, bound| Check::Compare(op, Value::Long(bound));
            let one = LongRange::of(&check(op, bound)).unwrap();
            for long in LONGS {
                assert_eq!(one.holds(long), compared(op, long, bound), "{long} {op:?} {bound}");
            }
            for (second, limit) in OPS.into_iter().flat_map(|op| LONGS.map(|bound| (op, bound))) {
                let both = Check::And(vec![check(op, bound), check(second, limit)]);
                let Some(both) = LongRange::of(&both) else { continue };
                for long in LONGS {
                    let expected = compared(op, long, bound) && compared(second, long, limit);
                    assert_eq!(both.holds(long), expected, "{long} {op:?} {bound}, {second:?} {limit}");
                }
            }
        }
    }

    #[test]
    fn what_says_more_than_a_range_is_none() {
        let neq = |bound: i64| Check::Compare(PredicateOp::Neq, Value::Long(bound));
        assert_eq!(LongRange::of(&Check::And(vec![neq(1), neq(2)])), None);
        assert_eq!(LongRange::of(&Check::Compare(PredicateOp::Lt, Value::Int(1))), None);
        assert_eq!(LongRange::of(&Check::And(Vec::new())), None);
    }
}
