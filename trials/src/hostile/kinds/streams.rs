//! Huge streams into what sorts, groups, gathers or draws.

use fastrand::Rng;

use super::super::query::Hostile;
use super::flow::Flow;
use super::pick;

/// Draws one.
pub(super) fn draw(rng: &mut Rng) -> Hostile {
    let flow = source(rng);
    match rng.u8(..11) {
        0 => flow.gathered(pick(rng, &["order()", "order().by(desc)", "order().by(shuffle)"])).sent(),
        1 => flow.gathered("dedup()").reduced("count()").sent(),
        2 => flow.gathered("dedup()").sent(),
        3 => flow.counted("groupCount()").sent(),
        4 => flow.folded("group().by()").sent(),
        5 => flow.folded(pick(rng, &["fold()", "group('m').cap('m')"])).sent(),
        6 => flow.counted("aggregate('x').cap('x')").sent(),
        7 => flow.then("barrier()").reduced("count()").sent(),
        8 => few(flow, pick(rng, &["sample(1000000000)", "tail(1000000000)", "skip(1000000000)"])),
        9 => flow.then("order().limit(3)").reduced("count()").sent(),
        _ => keyed(flow, rng),
    }
}

/// Many rows, no two of them alike.
fn source(rng: &mut Rng) -> Flow {
    match rng.u8(..4) {
        0 => Flow::from("g.inject('x')", 1.0).two_texts(rng.i32(15..60)),
        1 => {
            let times = rng.i32(3..9);
            Flow::ball().walk(false, times).paths(times + 1)
        }
        _ => {
            let times = rng.i32(2..8);
            Flow::ball().walk(true, times).paths(times + 1)
        }
    }
}

/// What may keep as many as come, or count them only.
fn few(flow: Flow, step: &str) -> Hostile {
    flow.then(step).reduced("count()").sent()
}

/// Sorted or grouped by what must be worked out for each.
fn keyed(flow: Flow, rng: &mut Rng) -> Hostile {
    let key =
        pick(rng, &["count()", "project('a','b').by().by()", "fold()", "constant(1)", "is('x').fold()"]);
    if rng.bool() {
        flow.gathered(&format!("order().by({key})")).sent()
    } else {
        flow.then(&format!("group().by({key}).by(count())")).reduced("count(local)").sent()
    }
}
