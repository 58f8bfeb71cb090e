//! Sets and bulk sets, which are one type to users: of both the members are taken in order, each as often as it is there.

use std::cmp::Ordering;

use super::{compare, order};
use crate::Value;

/// Members with how often each is there, in [`order`].
type Members<'a> = Vec<(&'a Value, u64)>;

/// Those of a set or a bulk set; `None` if it is neither.
fn members(set: &Value) -> Option<Members<'_>> {
    match set {
        Value::Set(set) => Some(set.sorted().into_iter().map(|member| (member, 1)).collect()),
        Value::BulkSet(set) => Some(set.sorted()),
        _ => None,
    }
}

/// Orders two of them; `None` if not both are sets.
pub(super) fn order_sets(a: &Value, b: &Value) -> Option<Ordering> {
    let decide = |x: &Value, y: &Value| match order(x, y) {
        Ordering::Equal => Ok(()),
        decided => Err(decided),
    };
    let (Ok(order) | Err(order)) = pairs(members(a)?, members(b)?, decide);
    Some(order)
}

/// Compares two of them; `None` if not both are sets, or some pair of members cannot be compared.
pub(super) fn compare_sets(a: &Value, b: &Value) -> Option<Ordering> {
    let mut decided = Ordering::Equal;
    let rest = pairs(members(a)?, members(b)?, |x, y| -> Result<(), ()> {
        decided = decided.then(compare(x, y).ok_or(())?);
        Ok(())
    });
    rest.ok().map(|rest| decided.then(rest))
}

/// Shows each member of one beside that of the other, and tells which has more of them. Who has a member more often goes on with
/// it where the other has the next.
fn pairs<E>(
    a: Members<'_>,
    b: Members<'_>,
    mut each: impl FnMut(&Value, &Value) -> Result<(), E>,
) -> Result<Ordering, E> {
    let (mut a, mut b) = (a.into_iter().peekable(), b.into_iter().peekable());
    loop {
        crate::watch::tick();
        let (Some((x, n)), Some((y, m))) = (a.peek().copied(), b.peek().copied()) else {
            return Ok(a.peek().is_some().cmp(&b.peek().is_some()));
        };
        each(x, y)?;
        let both = n.min(m);
        for (side, count) in [(&mut a, n), (&mut b, m)] {
            match count == both {
                true => _ = side.next(),
                false => side.peek_mut().into_iter().for_each(|(_, left)| *left -= both),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BulkSet, Set};

    fn bag(members: &[(Value, u64)]) -> Value {
        members.iter().cloned().collect::<BulkSet>().into()
    }

    fn set(members: &[Value]) -> Value {
        members.iter().cloned().collect::<Set>().into()
    }

    #[test]
    fn a_bulk_set_stands_among_sets_by_its_members() {
        let sorted = [
            set(&[]),
            set(&[1.into()]),
            bag(&[(1.into(), 2)]),
            bag(&[(1.into(), 1), (2.into(), 1)]),
            set(&[1.into(), 3.into()]),
            bag(&[("a".into(), 1)]),
        ];
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                assert_eq!(order(a, b), i.cmp(&j), "{a} beside {b}");
            }
        }
    }

    #[test]
    fn a_set_equals_a_bulk_set_of_the_same_members() {
        use crate::compare::equals;
        assert!(equals(&set(&[1.into()]), &bag(&[(1.0.into(), 1)])));
        assert!(!equals(&set(&[1.into()]), &bag(&[(1.into(), 2)])));
        assert_eq!(compare(&set(&[1.into()]), &bag(&[("a".into(), 1)])), None);
        assert_eq!(compare(&bag(&[(1.into(), 1)]), &bag(&[(1.into(), u64::MAX)])), Some(Ordering::Less));
    }
}
