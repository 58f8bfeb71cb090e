//! Very many labels, keys, side-effects, branches.

use fastrand::Rng;

use super::super::needs::Needs;
use super::super::query::Hostile;
use super::{list, pick};

/// Draws one.
pub(super) fn draw(rng: &mut Rng) -> Hostile {
    let count = [10, 100, 1_000, 4_000, 5_000, 10_000][rng.usize(..6)];
    let many = |part: &dyn Fn(usize) -> String| (0..count).map(part).collect::<String>();
    let quoted = list(count, |n| format!("'{n}'"));
    let text = match rng.u8(..14) {
        0 => format!("g.V(){}.count()", many(&|n| format!(".as('{n}')"))),
        1 => format!("g.V().as('0'){}.select('0').count()", many(&|n| format!(".out().as('{n}')"))),
        2 => format!("g.V(){}.cap('0')", many(&|n| format!(".aggregate('{n}')"))),
        3 => format!("g.V(){}.count()", many(&|n| format!(".group('{n}').by(label)"))),
        4 => format!("g.V().project({quoted})"),
        5 => format!("g.V().project({quoted}).by(both('e').fold())"),
        6 => format!("g.V().as({quoted}).select({quoted})"),
        7 => format!("g.V().valueMap({quoted}).count()"),
        8 => format!("g.V().hasLabel({quoted}).count()"),
        9 => format!("g.V().both({quoted}).count()"),
        10 => format!("g.V().union({}).count()", list(count, |_| "identity()".into())),
        11 => format!("g.V().or({}).count()", list(count, |n| format!("has('{n}')"))),
        12 => format!("g{}.V().count()", many(&|n| format!(".withSideEffect('{n}',{n})"))),
        _ => format!("g.V().choose(label()){}.count()", many(&|n| format!(".option('{n}',out())"))),
    };
    let twice = pick(rng, &["", "", ".fold()"]);
    // Keys and labels that are only looked up are no names of the traversal's own.
    let named = [".as(", ".aggregate(", ".group(", "withSideEffect("].iter().any(|step| text.contains(step));
    let needs = if named { Needs::default().names(count as f64) } else { Needs::default() };
    let needs =
        if text.starts_with("g.V().as('0')") && count > 20 { needs.names(count as f64) } else { needs };
    Hostile::script(text + twice).needs(needs)
}
