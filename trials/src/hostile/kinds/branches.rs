//! Branches around branches over streams that grow.

use fastrand::Rng;

use super::super::query::Hostile;
use super::flow::Flow;
use super::pick;

/// What hands on everything, in more or less roundabout ways; each costs at least as much as nothing.
const HANDS_ON: [&str; 12] = [
    "choose(has('k',1),identity(),identity())",
    "choose(values('k').is(gt(50)),local(identity()),map(identity()))",
    "choose(label()).option('ball',identity()).option(none,identity())",
    "coalesce(has('name','nobody'),identity())",
    "coalesce(out('none'),in('none'),identity())",
    "optional(out('none'))",
    "local(optional(out('none')))",
    "local(coalesce(out('none'),identity()))",
    "union(has('k',lt(50)),has('k',gte(50)))",
    "where(coalesce(both('e').limit(1),identity()))",
    "where(choose(has('k',1),both('e'),out('e')).count().is(gt(0)))",
    "not(local(both('none').fold().unfold()))",
];

/// Draws one.
pub(super) fn draw(rng: &mut Rng) -> Hostile {
    let (before, after) = (rng.i32(1..4), rng.usize(1..8));
    let mut flow = Flow::ball().walk(true, before);
    let apart = rng.bool();
    for _ in 0..after {
        flow.text.push('.');
        flow.text.push_str(pick(rng, &HANDS_ON));
    }
    // The paths that are asked for at the end keep all apart.
    if apart {
        let steps = rng.i32(1..5);
        flow = flow.walk(true, steps).paths(before + steps + 1);
        return if rng.bool() {
            flow.folded("fold()").sent()
        } else {
            flow.gathered("dedup()").reduced("count()").sent()
        };
    }
    if rng.bool() { flow.reduced("count()").sent() } else { flow.sent() }
}
