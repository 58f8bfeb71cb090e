//! Pieces of all kinds, put together at random, with what they come to.

use fastrand::Rng;

use super::super::needs::Needs;
use super::super::query::Hostile;
use super::flow::Flow;
use super::{branches, elements, loops, pick, products, results, shared_parts, streams, texts};

/// Draws one.
pub(super) fn draw(rng: &mut Rng) -> Hostile {
    if rng.u8(..4) == 0 {
        return together(rng);
    }
    let mut flow = match rng.u8(..6) {
        0 => two_texts(rng),
        1 => Flow::vertices(),
        2 => Flow::one().two_alike(rng.i32(4..60)),
        _ => walks(rng),
    };
    for _ in 0..rng.usize(1..7) {
        flow = piece(flow, rng);
    }
    end(flow, rng)
}

/// Two of other kinds in one traversal, for one traverser or for two.
fn together(rng: &mut Rng) -> Hostile {
    let of: [fn(&mut Rng) -> Hostile; 8] = [
        loops::draw,
        products::draw,
        streams::draw,
        shared_parts::draw,
        texts::draw,
        results::draw,
        elements::draw,
        branches::draw,
    ];
    let mut child = || loop {
        let query = of[rng.usize(..of.len())](rng);
        // What begins with options, or ends with how the results are taken, is no part of a traversal.
        let ends = [".toSet()", ".profile()", ".explain()"];
        if let Some(rest) = query.text().strip_prefix("g.").filter(|rest| !rest.starts_with("with"))
            && !ends.iter().any(|end| rest.ends_with(end))
        {
            return (format!("__.{rest}"), query.needs);
        }
    };
    let ((one, needs), (other, more)) = (child(), child());
    // Both are run; their values may be counted instead of sent, so only time and memory add up.
    let needs = Needs {
        seconds: needs.seconds + more.seconds,
        bytes: needs.bytes.max(more.bytes),
        ..Needs::default()
    };
    let around = pick(rng, &["union", "union", "coalesce"]);
    let needs = if around == "coalesce" { Needs::default() } else { needs };
    Hostile::script(format!("g.inject(1).{around}({one},{other})")).needs(needs).in_text()
}

fn two_texts(rng: &mut Rng) -> Flow {
    Flow::from("g.inject('x')", 1.0).two_texts(rng.i32(8..45))
}

fn walks(rng: &mut Rng) -> Flow {
    let times = rng.i32(2..7);
    let flow = Flow::ball().walk(rng.bool(), times);
    if rng.bool() { flow.paths(times + 1) } else { flow }
}

/// Something that takes whatever comes.
fn piece(flow: Flow, rng: &mut Rng) -> Flow {
    match rng.u8(..14) {
        // Where nobody asks for the order, it need not be kept.
        0 => flow.then(pick(rng, &["order()", "order().by(shuffle)", "order().by(desc)"])),
        1 => deduplicated(flow),
        2 => flow.two_alike(rng.i32(1..20)),
        3 => {
            flow.then(pick(rng, &["barrier()", "identity()", "sideEffect(identity())", "local(identity())"]))
        }
        4 => flow.then(pick(rng, &["as('a')", "as('a','b')", "as('c')"])),
        5 => {
            flow.then(pick(rng, &["where(identity())", "not(is('nothing'))", "or(identity(),is('nothing'))"]))
        }
        6 => wrapped(flow, rng),
        7 => flow.then(pick(rng, &["aggregate('x')", "store('y')", "group('m')", "groupCount('n')"])),
        8 => flow.then(pick(rng, &["optional(is('nothing'))", "coalesce(is('nothing'),identity())"])),
        9 => flow.folded("fold()"),
        10 => flow.then("choose(is('nothing'),fold(),identity())"),
        11 => flow.then("map(identity())").then("flatMap(identity())"),
        12 => flow.then("repeat(identity()).times(3)"),
        _ => flow.then("project('z').by().select('z')"),
    }
}

/// Those that differ, once each.
fn deduplicated(flow: Flow) -> Flow {
    let mut flow = flow.gathered("dedup()");
    flow.rows = flow.distinct;
    flow
}

/// Each in a list or a map of its own.
fn wrapped(flow: Flow, rng: &mut Rng) -> Flow {
    let step =
        pick(rng, &["local(fold())", "project('p').by()", "project('p','q').by().by()", "map(fold())"]);
    flow.then(step)
}

fn end(flow: Flow, rng: &mut Rng) -> Hostile {
    match rng.u8(..8) {
        0 => flow.folded("fold()").sent(),
        1 => flow.gathered("dedup()").reduced("count()").sent(),
        2 => flow.counted("groupCount()").sent(),
        3 => flow.reduced("count()").sent(),
        4 => flow.gathered("order()").sent(),
        5 => flow.counted("aggregate('z').cap('z')").sent(),
        _ => flow.sent(),
    }
}
