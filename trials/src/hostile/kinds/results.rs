//! Answers that are huge: very many results, equal ones by the billion, one that is larger than memory.

use fastrand::Rng;

use super::super::ground::VERTICES;
use super::super::needs::Needs;
use super::super::query::Hostile;
use super::flow::Flow;
use super::pick;

/// Draws one.
pub(super) fn draw(rng: &mut Rng) -> Hostile {
    let batch = pick(rng, &[None, None, Some(1), Some(3), Some(10_000), Some(i32::MAX)]);
    let query = match rng.u8(..7) {
        0 => by_bulk(rng),
        1 => elements(rng),
        2 => tiny(rng),
        3 => one_value(rng),
        4 => texts(rng),
        5 => maps(rng),
        _ => bulks_in_one(rng),
    };
    Hostile { batch, ..query }
}

/// Few different results, each very often.
fn by_bulk(rng: &mut Rng) -> Hostile {
    let (times, end) =
        (rng.i32(2..60), pick(rng, &["", ".values('name')", ".id()", ".label()", ".constant(1)"]));
    let step = pick(rng, &["both('e')", "both('e').barrier()", "both()", "both().barrier()"]);
    let rows = 2_000.0 * 32f64.powi(times);
    Hostile::script(format!("g.V().hasLabel('ball').repeat({step}).times({times}){end}"))
        .needs(Needs::default().results(rows))
        .in_text()
}

fn elements(rng: &mut Rng) -> Hostile {
    let times = rng.i32(1..4);
    let end = pick(rng, &["", ".valueMap()", ".elementMap()", ".properties()", ".bothE()", ".propertyMap()"]);
    let rows = (VERTICES as f64).powi(times + 1);
    Hostile::script(format!("g.V(){}{end}", ".V()".repeat(times as usize)))
        .needs(Needs::default().results(rows / 4.0))
        .in_text()
}

/// Each so small that its frame counts.
fn tiny(rng: &mut Rng) -> Hostile {
    let end = pick(rng, &["constant(1)", "constant('')", "count(local)", "fold()", "values('k')", "id()"]);
    let end = if end == "fold()" { "local(fold())" } else { end };
    Hostile::script(format!("g.V().V().V().{end}"))
        .needs(Needs::default().results((VERTICES as f64).powi(2) * 2e3))
        .in_text()
}

/// One list of everything.
fn one_value(rng: &mut Rng) -> Hostile {
    let times = rng.i32(1..6);
    let flow = if rng.bool() {
        Flow::ball().walk(true, times).paths(times + 1)
    } else {
        Flow::ball().walk(true, times)
    };
    if rng.bool() { flow.folded("fold()").sent() } else { flow.counted("aggregate('x').cap('x')").sent() }
}

fn texts(rng: &mut Rng) -> Hostile {
    let (letters, times) = (rng.i32(10..24), rng.i32(2..20));
    let bytes = 2f64.powi(letters + times);
    Hostile::script(format!(
        "g.inject('a').repeat(replace('a','aa')).times({letters}).repeat(union(identity(),identity())).times({times})"
    ))
    .needs(Needs::default().work(bytes).results(2f64.powi(times)))
    .in_text()
}

/// Maps whose values are all of it.
fn maps(rng: &mut Rng) -> Hostile {
    let text = pick(
        rng,
        &[
            "g.V().V().group().by(label)",
            "g.V().V().V().group().by('k')",
            "g.V().both().both().both().group().by(id)",
            "g.V().both().both().both().group().by(path())",
            "g.E().group().by('weight').by(inV().both().both().both().fold())",
            "g.V().project('a').by(both().both().both().fold()).fold()",
        ],
    );
    // The least of them gathers ten million vertices.
    Hostile::script(text).needs(Needs::default().value(1e7 * 16.0))
}

/// Lists of what stands for very many.
fn bulks_in_one(rng: &mut Rng) -> Hostile {
    let times = rng.i32(4..60);
    let end = pick(
        rng,
        &["fold()", "group().by(label)", "fold().unfold().fold()", "aggregate('x').cap('x').unfold()"],
    );
    let text = format!("g.inject(1).repeat(union(identity(),identity())).times({times}).{end}");
    let text = text.replace("by(label)", "by(constant(1))");
    let size = 2f64.powi(times) * 16.0;
    if end.ends_with("unfold()") {
        Hostile::script(text).needs(Needs::default().results(2f64.powi(times))).in_text()
    } else {
        Hostile::script(text).needs(Needs::default().value(size))
    }
}
