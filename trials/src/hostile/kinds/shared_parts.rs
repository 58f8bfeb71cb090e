//! Values that share parts: a few kilobytes that are many terabytes when each part is looked at as often as it occurs; and
//! values so deep that whoever walks them by recursion has no stack left.

use fastrand::Rng;

use super::super::needs::Needs;
use super::super::query::Hostile;
use super::flow::SLOT;
use super::pick;

/// Draws one.
pub(super) fn draw(rng: &mut Rng) -> Hostile {
    if rng.u8(..3) == 0 { deep(rng) } else { wide(rng) }
}

/// What makes a value of twice the one that comes, without a copy.
const DOUBLES: [&str; 5] = [
    "path()",
    "project('a','b').by().by()",
    "local(union(identity(),identity()).fold())",
    "map(union(identity(),identity()).fold())",
    "project('a','b').by().by().select(values)",
];

/// What looks at every part of a value.
const LOOKS: [&str; 26] = [
    "",
    ".groupCount()",
    ".groupCount().count()",
    ".dedup()",
    ".dedup().count()",
    ".order()",
    ".fold().dedup()",
    ".asString()",
    ".asString().length()",
    ".group().by()",
    ".as('x').where(eq('x'))",
    ".aggregate('x').cap('x')",
    ".union(identity(),identity()).dedup().count()",
    ".union(identity(),identity()).order()",
    ".union(identity(),identity()).fold().order(local)",
    ".union(identity(),identity()).fold().dedup(local)",
    ".project('k').by()",
    ".toSet()",
    ".path()",
    ".path().simplePath()",
    ".as('x').path().from('x')",
    ".is(within(1,2))",
    ".barrier().barrier()",
    ".store('x').cap('x').unfold()",
    ".profile()",
    ".valueMap()",
];

/// After these nothing of it is sent.
const KEEPS_IT: [&str; 7] = [
    ".groupCount().count()",
    ".dedup().count()",
    ".asString().length()",
    ".union(identity(),identity()).dedup().count()",
    ".is(within(1,2))",
    ".profile()",
    ".valueMap()",
];

fn wide(rng: &mut Rng) -> Hostile {
    let (first, second) = (pick(rng, &DOUBLES), pick(rng, &DOUBLES));
    let (some, more) = (rng.i32(5..60), rng.i32(0..20));
    let more = if first == second { 0 } else { more };
    let end = pick(rng, &LOOKS);
    let mut text = format!("g.inject(1).repeat({first}).times({some})");
    if more > 0 {
        text = format!("{text}.repeat({second}).times({more})");
    }
    let needs = Needs::default();
    let parts = 2f64.powi(some + more - 2);
    let needs = if KEEPS_IT.contains(&end) { needs } else { needs.value(parts * SLOT) };
    Hostile::script(text + end).needs(needs)
}

/// Deep, and no wider than its depth.
fn deep(rng: &mut Rng) -> Hostile {
    let depth = 10i32.pow(rng.u32(1..6)) * rng.i32(1..9);
    let body = pick(
        rng,
        &["project('a').by()", "local(fold())", "map(fold())", "local(group().by(constant(1)))", "path()"],
    );
    let end = pick(rng, &LOOKS);
    let end = if rng.bool() { ".count()" } else { end };
    // Answers may be nested as deep as messages may.
    let needs = Needs::default();
    let needs =
        if end == ".count()" || KEEPS_IT.contains(&end) { needs } else { needs.depth(f64::from(depth)) };
    Hostile::script(format!("g.inject(1).repeat({body}).times({depth}){end}")).needs(needs)
}
