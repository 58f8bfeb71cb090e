//! Scripts that are very long, or that are no Gremlin.

use fastrand::Rng;

use super::super::needs::Needs;
use super::super::query::Hostile;
use super::{list, pick};

/// Draws one.
pub(super) fn draw(rng: &mut Rng) -> Hostile {
    let count = [100, 1_000, 5_000, 20_000, 100_000, 300_000][rng.usize(..6)];
    let text = match rng.u8(..9) {
        0 => format!("g.V(){}.count()", ".out()".repeat(count)),
        1 => format!("g.V(){}.count()", ".identity()".repeat(count)),
        2 => format!("g.V(){}.count()", ".has('name','x')".repeat(count)),
        3 => format!("g.inject('{}').count()", "a".repeat(count)),
        4 => format!("g.inject({}).count()", list(count, |n| n.to_string())),
        5 => format!("g.inject({}).count()", "9".repeat(count)),
        6 => format!("g.{}()", "a".repeat(count)),
        7 => "(".repeat(count),
        _ => {
            format!("g.V(){}", pick(rng, &[".", "'", "\\", "\"", "$", "\u{1f600}", " ", "\n"]).repeat(count))
        }
    };
    Hostile::script(text).needs(Needs::default())
}
