//! The checker of histories finds what is planted, calls it by its name, and finds nothing else.

use trials::histories::{AnomalyKind, Element, History, Operation, Outcome, Transaction, check};

/// Builds a history of transactions that are given with the time at which they begin and end.
#[derive(Default)]
struct Plan(Vec<Transaction>);

impl Plan {
    fn add(&mut self, span: (u64, u64), outcome: Outcome, operations: Vec<Operation>) -> &mut Self {
        self.0.push(Transaction {
            client: self.0.len() as u32,
            workload: "planted".into(),
            request: String::new(),
            invoked: span.0,
            completed: span.1,
            outcome,
            operations,
            broken: None,
        });
        self
    }

    fn committed(&mut self, span: (u64, u64), operations: Vec<Operation>) -> &mut Self {
        self.add(span, Outcome::Committed, operations)
    }

    /// Committed, all at the same time as the others of its kind.
    fn together(&mut self, operations: Vec<Operation>) -> &mut Self {
        self.committed((0, 1_000), operations)
    }

    fn found(&self) -> Vec<AnomalyKind> {
        check(&History::new(self.0.clone())).iter().map(|anomaly| anomaly.kind).collect()
    }
}

fn append(list: &str, element: Element) -> Operation {
    Operation::Append { list: list.into(), element }
}
fn list(list: &str, elements: &[Element]) -> Operation {
    Operation::ReadList { list: list.into(), elements: elements.to_vec() }
}
fn length(list: &str, length: usize) -> Operation {
    Operation::ReadLength { list: list.into(), length }
}
fn write(register: &str, value: Element) -> Operation {
    Operation::Write { register: register.into(), value }
}
fn read(register: &str, value: impl Into<Option<Element>>) -> Operation {
    Operation::ReadRegister { register: register.into(), value: value.into() }
}
fn add(set: &str, element: Element) -> Operation {
    Operation::Add { set: set.into(), element }
}
fn remove(set: &str, element: Element) -> Operation {
    Operation::Remove { set: set.into(), element }
}
fn end(set: &str) -> Operation {
    Operation::End { set: set.into() }
}
fn set(set: &str, elements: &[Element]) -> Operation {
    Operation::ReadSet { set: set.into(), elements: elements.to_vec() }
}

#[test]
fn nothing_is_found_where_a_serial_order_explains_everything() {
    let mut plan = Plan::default();
    plan.together(vec![list("x", &[]), append("x", 1), append("y", 1), list("x", &[1])])
        .together(vec![list("x", &[1]), list("y", &[1]), append("x", 2)])
        .together(vec![list("y", &[]), list("x", &[])])
        .together(vec![length("n", 0), append("n", 1)])
        .together(vec![length("n", 1), append("n", 2), length("n", 2)])
        .together(vec![read("r", None), write("r", 7)])
        .together(vec![read("r", 7), write("r", 8), write("r", 9), read("r", 9)])
        .together(vec![set("s", &[]), add("s", 1), set("s", &[1])])
        .together(vec![set("s", &[1]), remove("s", 1), set("s", &[])])
        .committed((2_000, 3_000), vec![list("x", &[1, 2]), read("r", 9), set("s", &[]), length("n", 2)]);
    assert_eq!(plan.found(), []);
}

#[test]
fn g0_dirty_writes() {
    let mut plan = Plan::default();
    plan.together(vec![append("x", 1), append("y", 1)])
        .together(vec![append("x", 2), append("y", 2)])
        .together(vec![list("x", &[1, 2])])
        .together(vec![list("y", &[2, 1])]);
    assert_eq!(plan.found(), [AnomalyKind::G0]);
}

#[test]
fn g1a_reads_of_what_was_refused() {
    let mut plan = Plan::default();
    plan.add((0, 9), Outcome::Refused, vec![append("x", 1), write("r", 1), add("s", 1)]);
    for seen in [list("x", &[1]), read("r", 1), set("s", &[1])] {
        let mut plan = Plan(plan.0.clone());
        assert_eq!(plan.together(vec![seen]).found(), [AnomalyKind::G1a]);
    }
}

#[test]
fn g1b_reads_of_versions_in_between() {
    let mut plan = Plan::default();
    plan.together(vec![append("x", 1), append("x", 2)])
        .together(vec![list("x", &[1])])
        .together(vec![list("x", &[1, 2])]);
    assert!(plan.found().contains(&AnomalyKind::G1b), "{:?}", plan.found());
    let mut plan = Plan::default();
    plan.together(vec![write("r", 1), write("r", 2)]).together(vec![read("r", 1)]);
    assert!(plan.found().contains(&AnomalyKind::G1b), "{:?}", plan.found());
}

#[test]
fn g1c_transactions_that_see_each_other() {
    let mut plan = Plan::default();
    plan.together(vec![append("x", 1), list("y", &[1])]).together(vec![append("y", 1), list("x", &[1])]);
    assert_eq!(plan.found(), [AnomalyKind::G1c]);
    let mut plan = Plan::default();
    plan.together(vec![write("r", 1), set("s", &[1])]).together(vec![add("s", 1), read("r", 1)]);
    assert_eq!(plan.found(), [AnomalyKind::G1c]);
}

#[test]
fn lost_updates() {
    let mut plan = Plan::default();
    plan.together(vec![list("x", &[]), append("x", 1)])
        .together(vec![list("x", &[]), append("x", 2)])
        .together(vec![list("x", &[1, 2])]);
    assert_eq!(plan.found(), [AnomalyKind::LostUpdate], "of a list");
    let mut plan = Plan::default();
    plan.together(vec![read("r", None), write("r", 1)]).together(vec![read("r", None), write("r", 2)]);
    assert_eq!(plan.found(), [AnomalyKind::LostUpdate], "of a register");
    let mut plan = Plan::default();
    plan.together(vec![length("n", 0), append("n", 1)]).together(vec![length("n", 0), append("n", 2)]);
    assert_eq!(plan.found(), [AnomalyKind::LostUpdate], "of a counter");
    let mut plan = Plan::default();
    plan.together(vec![add("s", 1)]).together(vec![remove("s", 1)]).together(vec![remove("s", 1)]);
    assert_eq!(plan.found(), [AnomalyKind::LostUpdate], "two removed the same element");
}

#[test]
fn torn_reads() {
    let mut plan = Plan::default();
    plan.together(vec![append("x", 1), append("y", 1)]).together(vec![list("x", &[1]), list("y", &[])]);
    plan.together(vec![list("x", &[1]), list("y", &[1])]);
    assert_eq!(plan.found(), [AnomalyKind::TornRead], "of lists");
    let mut plan = Plan::default();
    plan.together(vec![read("r", None), write("r", 1), add("s", 1)])
        .together(vec![read("r", 1), set("s", &[])]);
    assert_eq!(plan.found(), [AnomalyKind::TornRead], "of a register and a set");
    let mut plan = Plan::default();
    plan.add((0, 0), Outcome::Unknown, vec![append("x", 1), append("y", 1)])
        .together(vec![list("x", &[1]), list("y", &[])])
        .together(vec![list("y", &[1])]);
    assert_eq!(plan.found(), [AnomalyKind::TornRead], "of what was never answered");
}

#[test]
fn g_single_anti_dependencies() {
    let mut plan = Plan::default();
    plan.together(vec![append("x", 1), append("y", 1)])
        .together(vec![list("x", &[1]), list("y", &[]), append("z", 1)])
        .together(vec![list("y", &[1])]);
    assert_eq!(plan.found(), [AnomalyKind::GSingle]);
}

#[test]
fn g2_item_write_skew() {
    let mut plan = Plan::default();
    plan.together(vec![list("x", &[]), append("y", 1)])
        .together(vec![list("y", &[]), append("x", 1)])
        .together(vec![list("x", &[1]), list("y", &[1])]);
    assert_eq!(plan.found(), [AnomalyKind::G2Item], "two lists");
    let mut plan = Plan::default();
    for (mine, next) in [("a", "b"), ("b", "c"), ("c", "a")] {
        plan.together(vec![read(mine, None), read(next, None), write(mine, 1)]);
    }
    assert_eq!(plan.found(), [AnomalyKind::G2Item], "three registers");
    let mut plan = Plan::default();
    plan.committed((0, 10), vec![write("r", 1)])
        .committed((20, 100), vec![write("r", 2), read("q", None)])
        .committed((20, 100), vec![write("q", 2), read("r", 1)]);
    assert_eq!(plan.found(), [AnomalyKind::G2Item], "registers of which the clock tells the order");
}

#[test]
fn g2_phantoms() {
    let mut plan = Plan::default();
    plan.together(vec![set("guard", &[]), add("guard", 1)])
        .together(vec![set("guard", &[]), add("guard", 2)]);
    assert_eq!(plan.found(), [AnomalyKind::G2], "of one predicate");
    let mut plan = Plan::default();
    plan.together(vec![set("a", &[]), add("b", 1)]).together(vec![set("b", &[]), add("a", 1)]);
    assert_eq!(plan.found(), [AnomalyKind::G2], "of two");
    let mut plan = Plan::default();
    plan.together(vec![add("on call", 1), add("on call", 2)])
        .together(vec![set("on call", &[1, 2]), remove("on call", 1)])
        .together(vec![set("on call", &[1, 2]), remove("on call", 2)]);
    assert_eq!(plan.found(), [AnomalyKind::G2Item], "two left because the other was there");
}

#[test]
fn stale_reads() {
    let late = (2_000, 3_000);
    let mut plan = Plan::default();
    plan.together(vec![append("x", 1)]).committed(late, vec![list("x", &[])]).together(vec![list("x", &[1])]);
    assert_eq!(plan.found(), [AnomalyKind::StaleRead], "of a list");
    let mut plan = Plan::default();
    plan.together(vec![read("r", None), write("r", 1)]).committed(late, vec![read("r", None)]);
    assert_eq!(plan.found(), [AnomalyKind::StaleRead], "of a register");
    let mut plan = Plan::default();
    plan.together(vec![add("s", 1)]).committed(late, vec![set("s", &[])]).together(vec![set("s", &[1])]);
    assert_eq!(plan.found(), [AnomalyKind::StaleRead], "of a set");
    let mut plan = Plan::default();
    plan.together(vec![add("s", 1), write("r", 1)])
        .committed((2_000, 2_500), vec![remove("s", 1)])
        .committed((4_000, 5_000), vec![set("s", &[1])]);
    assert_eq!(plan.found(), [AnomalyKind::StaleRead], "of what was removed");
    let mut plan = Plan::default();
    plan.together(vec![write("r", 1)])
        .committed((2_000, 2_500), vec![write("r", 2)])
        .committed((4_000, 5_000), vec![read("r", 1)]);
    assert_eq!(plan.found(), [AnomalyKind::StaleRead], "of a register that was written blindly");
    let mut plan = Plan::default();
    plan.together(vec![append("x", 1)])
        .committed(late, vec![length("x", 0)])
        .committed((4_000, 5_000), vec![list("x", &[1])]);
    assert_eq!(plan.found(), [AnomalyKind::StaleRead], "of a length");
}

#[test]
fn real_time_is_part_of_the_order() {
    // T2 was sent after T1 had its answer, and a third saw T2 without T1.
    let mut plan = Plan::default();
    plan.committed((0, 10), vec![append("x", 1)])
        .committed((20, 30), vec![append("y", 1)])
        .committed((0, 50), vec![list("y", &[1]), list("x", &[])])
        .committed((60, 70), vec![list("x", &[1])]);
    assert_eq!(plan.found(), [AnomalyKind::StaleRead]);
    // Appended later, and before in the list.
    let mut plan = Plan::default();
    plan.committed((0, 10), vec![append("x", 1)])
        .committed((20, 30), vec![append("x", 2)])
        .committed((0, 50), vec![list("x", &[2, 1])]);
    assert_eq!(plan.found(), [AnomalyKind::RealTime]);
    // A value is seen before it was sent.
    let mut plan = Plan::default();
    plan.committed((0, 10), vec![list("x", &[1])]).committed((20, 30), vec![append("x", 1)]);
    assert_eq!(plan.found(), [AnomalyKind::RealTime]);
}

#[test]
fn transactions_that_contradict_themselves() {
    for contradiction in [
        vec![append("x", 1), list("x", &[])],
        vec![list("x", &[]), list("x", &[9])],
        vec![length("x", 0), append("x", 1), length("x", 2)],
        vec![write("r", 1), read("r", 9)],
        vec![read("r", None), read("r", 9)],
        vec![add("s", 1), set("s", &[])],
        vec![set("s", &[]), set("s", &[9])],
        vec![end("s"), set("s", &[9])],
    ] {
        let mut plan = Plan::default();
        plan.together(contradiction.clone());
        plan.together(vec![append("x", 9), write("r", 9), add("s", 9)]);
        assert!(plan.found().contains(&AnomalyKind::Internal), "{contradiction:?}: {:?}", plan.found());
    }
}

#[test]
fn elements_that_are_there_twice() {
    let mut plan = Plan::default();
    plan.together(vec![append("x", 1)]).together(vec![list("x", &[1, 1])]);
    assert_eq!(plan.found()[0], AnomalyKind::Duplicate);
    let mut plan = Plan::default();
    plan.together(vec![add("s", 1)]).together(vec![set("s", &[1, 1])]);
    assert_eq!(plan.found(), [AnomalyKind::Duplicate]);
}

#[test]
fn acknowledged_writes_that_are_lost() {
    let late = (2_000, 3_000);
    let mut plan = Plan::default();
    plan.together(vec![append("x", 1)]).committed(late, vec![list("x", &[])]);
    assert_eq!(plan.found(), [AnomalyKind::Lost]);
    let mut plan = Plan::default();
    plan.together(vec![add("s", 1)]).committed(late, vec![set("s", &[])]);
    assert_eq!(plan.found(), [AnomalyKind::Lost]);
    // Nobody can have lost what was refused, or what nobody has looked for since.
    let mut plan = Plan::default();
    plan.add((0, 9), Outcome::Refused, vec![append("x", 1), add("s", 1)])
        .add((0, 9), Outcome::Unknown, vec![append("x", 2), add("s", 2)])
        .together(vec![append("x", 3), add("s", 3)])
        .together(vec![list("x", &[]), set("s", &[])]);
    assert_eq!(plan.found(), []);
}

#[test]
fn orders_that_do_not_go_together() {
    let mut plan = Plan::default();
    plan.together(vec![append("x", 1)])
        .together(vec![append("x", 2)])
        .together(vec![list("x", &[1, 2])])
        .together(vec![list("x", &[2, 1])]);
    assert_eq!(plan.found(), [AnomalyKind::Order]);
}

#[test]
fn values_that_nobody_wrote() {
    for seen in [list("x", &[1]), length("x", 1), read("r", 1), set("s", &[1])] {
        let mut plan = Plan::default();
        assert_eq!(plan.together(vec![seen]).found(), [AnomalyKind::Garbage]);
    }
}

#[test]
fn answers_that_break_a_promise() {
    let mut plan = Plan::default();
    plan.together(Vec::new());
    plan.0[0].broken = Some("the sum of all accounts is 799 and not 800".into());
    assert_eq!(plan.found(), [AnomalyKind::BrokenPromise]);
}

#[test]
fn what_has_no_answer_may_have_happened_or_not() {
    let unanswered = |operations| {
        let mut plan = Plan::default();
        plan.together(vec![add("s", 1), append("x", 1)]).add((1_500, 9_999), Outcome::Unknown, operations);
        plan
    };
    let late = |plan: &mut Plan, seen| plan.committed((20_000, 20_010), vec![seen]).found();
    // It may have removed, at any time, what is there or what is not.
    for operations in [vec![remove("s", 1)], vec![Operation::RemoveSome { set: "s".into() }], vec![end("s")]]
    {
        assert_eq!(late(&mut unanswered(operations.clone()), set("s", &[])), []);
        assert_eq!(late(&mut unanswered(operations), set("s", &[1])), []);
    }
    for seen in [list("x", &[1, 2]), list("x", &[1])] {
        assert_eq!(late(&mut unanswered(vec![append("x", 2)]), seen), []);
    }
    // Once it was seen it has happened.
    let mut plan = unanswered(vec![append("x", 2)]);
    plan.committed((20_000, 20_010), vec![list("x", &[1, 2])]);
    plan.committed((30_000, 30_010), vec![list("x", &[1])]);
    assert_eq!(plan.found(), [AnomalyKind::StaleRead]);
}

#[test]
fn a_set_that_has_ended_takes_nothing_more() {
    let mut plan = Plan::default();
    plan.together(vec![add("alive", 1)])
        .together(vec![set("alive", &[1]), add("edges", 1)])
        .together(vec![set("alive", &[1]), remove("alive", 1), end("edges")])
        .committed((2_000, 3_000), vec![set("edges", &[]), set("alive", &[])]);
    assert_eq!(plan.found(), []);
    // Nor does what was asked for afterwards, and never answered.
    plan.add((4_000, 4_500), Outcome::Unknown, vec![add("edges", 2)]);
    assert_eq!(plan.found(), []);
    plan.0.pop();
    // An edge that is still there hangs in the air.
    plan.0.pop();
    plan.committed((2_000, 3_000), vec![set("edges", &[1]), set("alive", &[])]);
    assert_eq!(plan.found(), [AnomalyKind::StaleRead]);
}
