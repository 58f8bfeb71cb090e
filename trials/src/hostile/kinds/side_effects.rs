//! What is gathered beside the stream, and then stands in each traverser.

use fastrand::Rng;

use super::super::ground::VERTICES;
use super::super::needs::Needs;
use super::super::query::Hostile;
use super::flow::SLOT;
use super::{list, pick};

/// Draws one.
pub(super) fn draw(rng: &mut Rng) -> Hostile {
    match rng.u8(..5) {
        0 => given(rng),
        1 => gathered(rng),
        2 => in_a_loop(rng),
        3 => in_itself(rng),
        _ => grouped(rng),
    }
}

/// A list that the request brings, for every traverser.
fn given(rng: &mut Rng) -> Hostile {
    let count = rng.usize(10..5_000);
    let list = list(count, |n| n.to_string());
    let members = VERTICES as f64 * count as f64;
    let (end, needs) = pick(
        rng,
        &[
            ("select('l')", Needs::default().work(members * 4.0)),
            ("V().select('l')", Needs::default().work(members * 3e3 * 4.0)),
            ("select('l').fold()", Needs::default().value(members * SLOT)),
            ("select('l').unfold().fold()", Needs::default().value(members * SLOT)),
            ("select('l').groupCount()", Needs::default()),
            ("select('l').dedup()", Needs::default()),
            ("select('l').order(local).order()", Needs::default()),
        ],
    );
    Hostile::script(format!("g.withSideEffect('l',[{list}]).V().{end}")).needs(needs).in_text()
}

/// Everything, for everything.
fn gathered(rng: &mut Rng) -> Hostile {
    let all = VERTICES as f64;
    let (end, needs) = pick(
        rng,
        &[
            ("aggregate('x').select('x')", Needs::default().results(all * all / 100.0)),
            ("aggregate('x').select('x').fold()", Needs::default().value(all * all * SLOT)),
            ("aggregate('x').select('x').unfold().fold()", Needs::default().value(all * all * SLOT)),
            (
                "aggregate('x').V().select('x').unfold().V().path().fold()",
                Needs::default().value(all.powi(3)),
            ),
            ("aggregate('x').select('x').dedup().count()", Needs::default()),
            ("aggregate('x').select('x').groupCount().count(local)", Needs::default()),
            ("both().aggregate('x').both().aggregate('x').both().aggregate('x').cap('x')", Needs::default()),
        ],
    );
    Hostile::script(format!("g.V().{end}")).needs(needs).in_text()
}

fn in_a_loop(rng: &mut Rng) -> Hostile {
    let times = 10f64.powi(rng.i32(1..9));
    let body =
        pick(rng, &["aggregate('x')", "local(aggregate('x'))", "store('x')", "sideEffect(aggregate('x'))"]);
    let end = pick(rng, &[".count()", ".cap('x').count(local)", ".cap('x').unfold().groupCount()"]);
    let needs = Needs::default().rows(times);
    Hostile::script(format!("g.inject(1).repeat({body}).times({times}){end}")).needs(needs)
}

/// A side-effect that becomes a part of itself.
fn in_itself(rng: &mut Rng) -> Hostile {
    let times = rng.i32(3..80);
    let body = pick(
        rng,
        &[
            "local(aggregate('x').cap('x'))",
            "local(aggregate('x').select('x'))",
            "aggregate('x').select('x')",
            "local(group('x').by().cap('x'))",
            "sideEffect(aggregate('x')).select('x')",
        ],
    );
    let end = pick(rng, &["", ".count()", ".count(local)", ".dedup()", ".order()", ".cap('x')"]);
    Hostile::script(format!("g.inject(1).repeat({body}).times({times}){end}"))
}

fn grouped(rng: &mut Rng) -> Hostile {
    let times = rng.i32(1..7);
    let rows = 2_000.0 * 32f64.powi(times);
    let (group, needs) = pick(
        rng,
        &[
            ("group('m').by(path()).cap('m')", Needs::default().holds(rows * SLOT)),
            ("groupCount('m').by(path()).cap('m')", Needs::default().holds(rows * SLOT)),
            ("group('m').by('name').by(path().fold()).cap('m')", Needs::default().holds(rows * SLOT)),
            ("group('m').by('name').cap('m')", Needs::default().value(rows * SLOT)),
            ("groupCount('m').by('name').cap('m')", Needs::default()),
        ],
    );
    Hostile::script(format!("g.V().hasLabel('ball').repeat(both('e')).times({times}).{group}")).needs(needs)
}
