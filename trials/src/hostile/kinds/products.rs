//! Products: everything with everything.

use fastrand::Rng;

use super::super::ground::VERTICES;
use super::super::needs::Needs;
use super::super::query::Hostile;
use super::flow::{Flow, SLOT};
use super::pick;

/// Draws one.
pub(super) fn draw(rng: &mut Rng) -> Hostile {
    match rng.u8(..5) {
        0 => of_vertices(rng),
        1 => of_branches(rng),
        2 => of_lists(rng),
        3 => of_side_effects(rng),
        _ => of_texts(rng),
    }
}

/// `V()` for each, and again.
fn of_vertices(rng: &mut Rng) -> Hostile {
    let times = rng.i32(1..8);
    let rows = (VERTICES as f64).powi(times + 1);
    let text = if rng.bool() {
        format!("g.V(){}", ".V()".repeat(times as usize))
    } else {
        format!("g.V().repeat(V()).times({times})")
    };
    let mut flow = Flow::from(text, 1.0);
    (flow.rows, flow.distinct, flow.apart) = (rows, rows, true);
    match rng.u8(..4) {
        0 => flow.paths(times + 1).gathered(pick(rng, &["order()", "dedup()"])).sent(),
        1 => flow.paths(times + 1).folded("fold()").sent(),
        2 => flow.paths(times + 1).gathered("dedup()").reduced("count()").sent(),
        _ => flow.sent(),
    }
}

/// Branches in a loop, all of which are taken.
fn of_branches(rng: &mut Rng) -> Hostile {
    let (branches, times) = (rng.usize(2..30), rng.i32(2..30));
    let steps = ["out('e')", "in('e')", "both('e')", "identity()"];
    let branches: Vec<&str> = (0..branches).map(|_| pick(rng, &steps)).collect();
    let walks = (branches.len() as f64).powi(times);
    let mut flow =
        Flow::from(format!("g.V(1000L).repeat(union({})).times({times})", branches.join(",")), 1.0);
    flow.rows = walks;
    match rng.u8(..3) {
        0 => flow.paths(times + 1).gathered("dedup()").reduced("count()").sent(),
        1 => flow.sent(),
        // Merged, these are few.
        _ => flow.reduced("count()").sent(),
    }
}

/// Lists, each with each.
fn of_lists(rng: &mut Rng) -> Hostile {
    let (times, size) = (rng.i32(2..40), rng.i32(2..9));
    let step = pick(rng, &["product", "product", "combine"]);
    let list: Vec<String> = (0..size).map(|n| n.to_string()).collect();
    let text = format!("g.inject([1,2]).repeat({step}([{}])).times({times})", list.join(","));
    let end = pick(rng, &["", ".count(local)", ".unfold().count()", ".order(local)", ".dedup().count()"]);
    let members =
        if step == "product" { 2.0 * f64::from(size).powi(times) } else { 2.0 + f64::from(size * times) };
    Hostile::script(text + end).needs(Needs::default().holds(members * SLOT))
}

/// What was gathered, for each, in a loop.
fn of_side_effects(rng: &mut Rng) -> Hostile {
    let times = rng.i32(1..5);
    let rows = (VERTICES as f64).powi(times + 1);
    let mut flow =
        Flow::from(format!("g.V().aggregate('x').repeat(select('x').unfold()).times({times})"), 1.0);
    (flow.rows, flow.distinct, flow.apart) = (rows, rows, true);
    if rng.bool() { flow.paths(times + 1).sent() } else { flow.sent() }
}

/// Texts that differ, twice as many with each pass.
fn of_texts(rng: &mut Rng) -> Hostile {
    let flow = Flow::from("g.inject('x')", 1.0).two_texts(rng.i32(8..60));
    match rng.u8(..4) {
        0 => flow.sent(),
        1 => flow.reduced("count()").sent(),
        2 => flow.gathered("dedup()").reduced("count()").sent(),
        _ => flow.then("order()").reduced("limit(1)").sent(),
    }
}
