//! Laws of refinable timestamps, on arbitrary clocks and on clocks that gatekeepers really issue.

use proptest::prelude::*;
use timeline::{Epoch, Gatekeeper, GatekeeperId, Stamp, TimeOrder, Timestamp, VectorClock};

fn timestamp(gatekeepers: usize) -> impl Strategy<Value = Timestamp> {
    let clock = prop::collection::vec(0..4_u64, gatekeepers);
    (0..2_u32, clock, 0..gatekeepers).prop_map(|(epoch, clock, issuer)| {
        Timestamp::new(Epoch(epoch), VectorClock::from_components(&clock), GatekeeperId(issuer as u16))
    })
}

/// One thing that happens in a cluster of gatekeepers.
#[derive(Clone, Debug)]
enum Step {
    Stamp(usize),
    Announce(usize),
    /// The announcement sent as the given one of all so far reaches a gatekeeper; possibly late, possibly again.
    Deliver {
        which: prop::sample::Index,
        to: usize,
    },
}

const GATEKEEPERS: usize = 3;

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..GATEKEEPERS).prop_map(Step::Stamp),
        1 => (0..GATEKEEPERS).prop_map(Step::Announce),
        2 => (any::<prop::sample::Index>(), 0..GATEKEEPERS).prop_map(|(which, to)| Step::Deliver { which, to }),
    ]
}

/// What each gatekeeper really knows: the stamps that it issued or heard of, directly or through others.
#[derive(Clone, Default)]
struct Knowledge(Vec<usize>);

impl Knowledge {
    fn learn(&mut self, other: &Self) {
        self.0.extend(&other.0);
        self.0.sort_unstable();
        self.0.dedup();
    }
}

proptest! {
    #[test]
    fn comparing_backwards_reverses_the_answer(left in timestamp(3), right in timestamp(3)) {
        prop_assert_eq!(left.compare(&right), right.compare(&left).reversed());
    }

    #[test]
    fn a_timestamp_equals_itself_and_nothing_else(left in timestamp(3), right in timestamp(3)) {
        prop_assert_eq!(left.compare(&left), TimeOrder::Equal);
        prop_assert_eq!(left.compare(&right) == TimeOrder::Equal, left == right);
    }

    #[test]
    fn before_is_transitive(a in timestamp(3), b in timestamp(3), c in timestamp(3)) {
        if a.is_before(&b) && b.is_before(&c) {
            prop_assert!(a.is_before(&c));
        }
    }

    #[test]
    fn a_meet_is_before_whatever_both_are_before(a in timestamp(3), b in timestamp(3), c in timestamp(3)) {
        let meet = Timestamp::new(a.epoch(), a.clock().meet(b.clock()), GatekeeperId(0));
        if a.epoch() == b.epoch() && meet.clock() != a.clock() && meet.clock() != b.clock() {
            prop_assert!(meet.is_before(&a) && meet.is_before(&b));
            if c.is_before(&meet) {
                prop_assert!(c.is_before(&a) && c.is_before(&b));
            }
        }
    }

    #[test]
    fn with_one_gatekeeper_integers_order_as_timestamps_do(left in timestamp(1), right in timestamp(1)) {
        let (Some(a), Some(b)) = (Stamp::collapse(&left), Stamp::collapse(&right)) else {
            return Err(TestCaseError::fail("small timestamps collapse"));
        };
        let order = match a.cmp(&b) {
            std::cmp::Ordering::Less => TimeOrder::Before,
            std::cmp::Ordering::Equal => TimeOrder::Equal,
            std::cmp::Ordering::Greater => TimeOrder::After,
        };
        prop_assert_eq!(left.compare(&right), order);
        prop_assert_eq!(a.expand(), left);
    }

    /// The clocks say "before" exactly when the later gatekeeper had heard of the earlier stamp: no order is
    /// invented, and none that is known is missed.
    #[test]
    fn clocks_order_exactly_what_was_known(steps in prop::collection::vec(step(), 1..60)) {
        let mut gatekeepers: Vec<Gatekeeper> =
            (0..GATEKEEPERS).map(|id| Gatekeeper::new(Epoch(1), GatekeeperId(id as u16), GATEKEEPERS)).collect();
        let mut knowledge = vec![Knowledge::default(); GATEKEEPERS];
        let mut stamps: Vec<(Timestamp, Knowledge)> = Vec::new();
        let mut sent = Vec::new();
        for step in steps {
            match step {
                Step::Stamp(who) => {
                    stamps.push((gatekeepers[who].stamp(), knowledge[who].clone()));
                    knowledge[who].0.push(stamps.len() - 1);
                }
                Step::Announce(who) => sent.push((gatekeepers[who].announce(), knowledge[who].clone())),
                Step::Deliver { which, to } if !sent.is_empty() => {
                    let (announcement, known) = which.get(&sent);
                    gatekeepers[to].receive(announcement).expect("all run in one epoch");
                    knowledge[to].learn(known);
                }
                Step::Deliver { .. } => {}
            }
        }
        for (later, (stamp, known)) in stamps.iter().enumerate() {
            for (earlier, (other, _)) in stamps.iter().enumerate() {
                prop_assert_eq!(other.is_before(stamp), known.0.contains(&earlier), "{:?} {:?}", other, stamp);
                prop_assert_eq!(earlier == later, other.compare(stamp) == TimeOrder::Equal);
            }
        }
    }
}
