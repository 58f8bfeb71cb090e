//! Traversals in traversals, lists in lists, predicates in predicates.

use fastrand::Rng;

use super::super::needs::Needs;
use super::super::query::Hostile;
use super::{nested, pick};

/// Steps around a step.
const AROUND: [(&str, &str); 19] = [
    ("where(", ")"),
    ("not(", ")"),
    ("local(", ")"),
    ("map(", ")"),
    ("flatMap(", ")"),
    ("optional(", ")"),
    ("coalesce(", ")"),
    ("union(", ")"),
    ("sideEffect(", ")"),
    ("and(", ")"),
    ("or(", ")"),
    ("choose(identity(),", ",identity())"),
    ("repeat(", ").times(2)"),
    ("where(both('e').", ")"),
    ("project('a').by(", ")"),
    ("order().by(", ".count())"),
    ("group().by(", ".count())"),
    ("repeat(out('e')).until(", ")"),
    ("until(", ").repeat(out('e'))"),
];

/// Draws one.
pub(super) fn draw(rng: &mut Rng) -> Hostile {
    let depth = [5, 20, 60, 70, 120, 190, 500, 5_000][rng.usize(..8)];
    match rng.u8(..5) {
        0 | 1 => {
            let (before, after) = pick(rng, &AROUND);
            let text = format!("g.V().{}.count()", nested(depth, before, "out('e')", after));
            Hostile::script(text).needs(Needs::default().depth(depth as f64))
        }
        2 => mixed(rng, depth),
        3 => doubled(rng),
        _ => {
            let (before, inner, after) = pick(
                rng,
                &[
                    ("P.not(", "P.eq(1)", ")"),
                    ("[", "1", "]"),
                    ("{", "1", "}"),
                    ("['a':", "1", "]"),
                    ("P.gt(0).and(", "P.lt(3)", ")"),
                ],
            );
            let value = nested(depth, before, inner, after);
            let step = if before.starts_with("P.") { "V().values('k').is" } else { "inject" };
            // Values may be nested; how deep they may be is another bound than that of traversals.
            Hostile::script(format!("g.{step}({value})")).needs(Needs::default().depth(depth as f64 / 4.0))
        }
    }
}

/// Different ones around each other.
fn mixed(rng: &mut Rng, depth: usize) -> Hostile {
    let mut text = "out('e')".to_owned();
    for _ in 0..depth.min(500) {
        let (before, after) = pick(rng, &AROUND);
        text = [before, &text, after].concat();
    }
    Hostile::script(format!("g.V().{text}.count()")).needs(Needs::default().depth(depth.min(500) as f64))
}

/// Twice inside itself: not deep, but long.
fn doubled(rng: &mut Rng) -> Hostile {
    let depth = rng.usize(2..13);
    let mut text = "identity()".to_owned();
    let step = pick(rng, &["union", "coalesce", "or", "and"]);
    for _ in 0..depth {
        text = format!("{step}({text},{text})");
    }
    Hostile::script(format!("g.V().hasLabel('ball').{text}.count()"))
}
