//! Loops: those that do not end, or not soon, and loops in loops.

use fastrand::Rng;

use super::super::ground::{BALL, DEGREE};
use super::super::needs::Needs;
use super::super::query::Hostile;
use super::flow::Flow;
use super::pick;

/// Draws one.
pub(super) fn draw(rng: &mut Rng) -> Hostile {
    match rng.u8(..6) {
        0 => endless_walk(rng),
        1 => endless_number(rng),
        2 => nested(rng),
        3 => long(rng),
        4 => simple_paths(rng),
        _ => ladder(rng),
    }
}

const ENDS: [&str; 7] =
    ["", ".count()", ".dedup()", ".fold()", ".order().limit(1)", ".groupCount()", ".path().limit(1)"];

/// Walks the ball until something that is never so.
fn endless_walk(rng: &mut Rng) -> Hostile {
    let start = pick(rng, &["g.V().hasLabel('ball')", "g.V(1000L)", "g.V()"]);
    let emit = pick(rng, &["", "", ".emit()", ".emit(has('k',200))"]);
    let body = pick(
        rng,
        &[
            "both()",
            "both('e')",
            "out('e')",
            "in('e').out('e')",
            "both().barrier()",
            "outE('e').inV()",
            "local(both('e'))",
        ],
    );
    let never =
        pick(rng, &["has('level',1000)", "hasLabel('none')", "loops().is(1000000000)", "not(identity())"]);
    let end = pick(rng, &ENDS);
    let needs = Needs::default();
    // What has been seen need not be walked from again if only what differs is asked for.
    let may_end = end == ".dedup()" || (emit == ".emit()" && end.contains("limit"));
    let needs = if may_end { needs } else { needs.endless() };
    let text = format!("{start}{emit}.repeat({body}).until({never}){end}");
    // The ladder ends, so some of these starts may come to nothing for all but the ball.
    Hostile::script(text).needs(needs)
}

/// Goes round with one number.
fn endless_number(rng: &mut Rng) -> Hostile {
    let body = pick(
        rng,
        &[
            "identity()",
            "map(constant(1))",
            "math('_ * 1')",
            "barrier()",
            "local(identity())",
            "union(filter(is(2)),identity())",
            "coalesce(is(2),identity())",
            "choose(is(2),constant(2),constant(1))",
            "local(fold().unfold())",
            "project('a').by().select('a')",
        ],
    );
    let emit = pick(rng, &["", "", "", ".emit()"]);
    let end = pick(rng, &["", ".count()", ".fold()", ".groupCount()"]);
    Hostile::script(format!("g.inject(1){emit}.repeat({body}).until(is(2)){end}"))
        .needs(Needs::default().endless())
}

/// Loops in loops, with other subqueries between them: the instances of one are there for each of the other's.
fn nested(rng: &mut Rng) -> Hostile {
    let (depth, times) = (rng.i32(3..14), rng.i32(3..12));
    let (start, body) = pick(
        rng,
        &[
            ("g.inject(1)", "identity()"),
            ("g.inject(1)", "dedup()"),
            ("g.inject(1)", "local(count())"),
            ("g.V().hasLabel('ball')", "both('e').barrier()"),
            ("g.V().hasLabel('ball')", "both('e').dedup()"),
        ],
    );
    let between = pick(rng, &["", "", "where", "local", "optional", "sideEffect"]);
    let mut text = body.to_owned();
    for _ in 0..depth {
        let inside = if between.is_empty() { text } else { format!("{between}({text})") };
        text = format!("repeat({inside}).times({times})");
    }
    // One that has seen all there is sees nothing again.
    let ends_early = body.contains("dedup") || between == "where";
    let passes = if ends_early { 0.0 } else { f64::from(times).powi(depth) };
    Hostile::script(format!("{start}.{text}.count()")).needs(Needs::default().rows(passes))
}

/// A loop with a huge number of passes.
fn long(rng: &mut Rng) -> Hostile {
    let times = 10f64.powi(rng.i32(6..18));
    let body = pick(rng, &["identity()", "both('e').barrier()", "both('e').dedup()", "aggregate('x')"]);
    let start = if body.starts_with("both") { "g.V().hasLabel('ball')" } else { "g.inject(1)" };
    let end = pick(rng, &["", ".count()", ".fold()", ".path().count(local)"]);
    let needs = match body {
        // Nothing need be left after the first pass.
        "both('e').dedup()" => Needs::default(),
        _ => Needs::default().rows(times),
    };
    Hostile::script(format!("{start}.repeat({body}).times({times}){end}")).needs(needs)
}

/// Walks that meet no vertex twice: nothing can be merged.
fn simple_paths(rng: &mut Rng) -> Hostile {
    let times = rng.u64(4..12);
    let mut rows = BALL as f64;
    let mut needs = Needs::default();
    for n in 0..times {
        rows *= (DEGREE - n) as f64;
        needs = needs.rows(rows);
    }
    let end = pick(rng, &[".count()", ".path()", "", ".values('name').dedup().count()"]);
    Hostile::script(format!("g.V().hasLabel('ball').repeat(out('e').simplePath()).times({times}){end}"))
        .needs(needs)
}

/// The walks up the ladder, 2ⁿ of them over n levels, of which a few are wanted.
fn ladder(rng: &mut Rng) -> Hostile {
    let (level, limit) = (rng.i32(10..80), pick(rng, &["", ".limit(1)", ".limit(10)", ".tail(1)"]));
    let end = pick(rng, &["", ".values('level')", ".path()", ".path().count(local)"]);
    let walks = 2f64.powi(level);
    let mut flow = Flow::from(format!("g.V(0).repeat(out()).until(has('level',{level})){limit}{end}"), 1.0);
    if limit.is_empty() && !end.starts_with(".path") {
        // All of them are sent.
        flow.rows = walks;
    } else if limit.is_empty() {
        flow.needs = flow.needs.rows(walks);
    }
    flow.sent()
}
