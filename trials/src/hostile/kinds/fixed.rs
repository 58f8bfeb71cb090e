//! Those that stopped Mangrove once: section 3 of the cases, case 14, and what this trial has found.

use fastrand::Rng;

use super::super::needs::Needs;
use super::super::query::Hostile;
use super::pick;

/// Each with what it needs.
const KNOWN: [(&str, Need); 26] = [
    // Values that share parts, walked by hash, comparison, detachment.
    ("g.inject(1).repeat(path()).times(40).groupCount().count()", Need::Value(40)),
    ("g.inject(1).repeat(path()).times(40)", Need::Value(40)),
    ("g.inject(1).repeat(path()).times(40).order()", Need::Value(40)),
    ("g.inject(1).repeat(path()).times(40).asString()", Need::Value(40)),
    ("g.inject(1).repeat(project('a','b').by().by()).times(40)", Need::Value(40)),
    // So deep that walking it by recursion overflows the stack.
    ("g.inject(1).repeat(project('a').by()).times(100000).count()", Need::Little),
    ("g.inject(1).repeat(local(fold())).times(100000).count()", Need::Little),
    // Batches bounded in rows, not in bytes.
    (
        "g.inject('a').repeat(replace('a','aa')).times(22).repeat(union(identity(),identity())).times(14)",
        Need::Answer(36),
    ),
    (
        "g.inject('a').repeat(replace('a','aa')).times(22).repeat(union(concat('b'),concat('c'))).times(14).fold()",
        Need::Held(36),
    ),
    // Functions that do not look at the deadline.
    ("g.inject('aaaa').repeat(split('').conjoin('aaaaaaaaaaaaaaaa')).times(30).count()", Need::Held(90)),
    ("g.inject('a').repeat(replace('a','aa')).times(22).split('').count()", Need::Held(26)),
    ("g.inject([1,2]).repeat(product([1,2,3,4])).times(40).count()", Need::Held(80)),
    // Sent for long after the deadline.
    ("g.V().repeat(both().barrier()).times(30)", Need::Endless),
    ("g.V().repeat(both()).times(30)", Need::Endless),
    ("g.V().repeat(both()).times(30).path()", Need::Endless),
    // Neither the deadline nor the turn's end was looked at: between loops in loops, while digits are read, while it is planned.
    (
        "g.inject(1).repeat(repeat(repeat(repeat(repeat(repeat(repeat(repeat(identity()).times(9)).times(9)).times(9))\
         .times(9)).times(9)).times(9)).times(9)).times(9).count()",
        Need::Little,
    ),
    (
        "g.V().where(both('e').where(both('e').where(both('e').where(both('e').where(both('e').where(both('e').where(\
         both('e').where(both('e').where(both('e').where(out('none'))))))))))).count()",
        Need::Little,
    ),
    (
        "g.inject('9').repeat(replace('9','99')).times(22).asNumber(GType.BIGDECIMAL).groupCount()",
        Need::Little,
    ),
    ("g.V().project('a').by(V().both().both().fold()).fold().dedup()", Need::Held(30)),
    // Exponential although the first walk is enough (case 14).
    ("g.V(0).repeat(out()).until(has('level',60)).limit(1)", Need::Little),
    ("g.V(0).repeat(out()).until(has('level',60)).limit(1).values('level')", Need::Little),
    ("g.V(0).repeat(out()).until(has('level',60)).limit(1).path().count(local)", Need::Little),
    ("g.V(0).where(repeat(out()).until(has('level',60))).count()", Need::Little),
    ("g.V(0).repeat(out()).until(has('level',60)).path()", Need::Endless),
    // Heavy, and run by all clients at once.
    ("g.V().both().both().both().both().path().order().by(count(local)).count()", Need::Endless),
    ("g.V().both().both().both().path().dedup().count()", Need::Held(30)),
];

/// What one of them needs: powers of two.
#[derive(Clone, Copy)]
enum Need {
    /// Nothing to speak of, if it is done right.
    Little,
    Endless,
    /// Bytes of a value.
    Value(i32),
    /// Bytes at the same time.
    Held(i32),
    /// Bytes that are sent.
    Answer(i32),
}

/// Draws one.
pub(super) fn draw(rng: &mut Rng) -> Hostile {
    let (text, need) = pick(rng, &KNOWN);
    let needs = Needs::default();
    let needs = match need {
        Need::Little => needs,
        Need::Endless => needs.endless(),
        Need::Value(power) => needs.value(2f64.powi(power)),
        Need::Held(power) => needs.holds(2f64.powi(power)),
        Need::Answer(power) => needs.work(2f64.powi(power)),
    };
    Hostile::script(text).needs(needs)
}
