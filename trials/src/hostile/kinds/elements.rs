//! Everything that a graph has, over and over.

use fastrand::Rng;

use super::super::ground::VERTICES;
use super::super::needs::Needs;
use super::super::query::Hostile;
use super::pick;

/// Draws one.
pub(super) fn draw(rng: &mut Rng) -> Hostile {
    let (start, each) =
        pick(rng, &[("g.V()", 1.0), ("g.E()", 1.0), ("g.V().bothE()", 1.0), ("g.V().V()", VERTICES as f64)]);
    let what = pick(
        rng,
        &[
            "valueMap()",
            "elementMap()",
            "propertyMap()",
            "properties()",
            "values()",
            "label()",
            "id()",
            "properties().key()",
            "valueMap().unfold()",
            "elementMap().select(values).unfold()",
        ],
    );
    let (end, needs) = pick(
        rng,
        &[
            ("", Needs::default()),
            (".count()", Needs::default()),
            (".dedup().count()", Needs::default()),
            (".fold()", Needs::default()),
            (".groupCount()", Needs::default()),
            (".as('a').V().select('a')", Needs::default().results(each * 2_000.0 * VERTICES as f64)),
            (".as('a').V().as('b').V().path()", Needs::default().results(each * 1e10)),
            (
                ".as('a').V().select('a').fold()",
                Needs::default().value(each * 2_000.0 * VERTICES as f64 * 16.0),
            ),
        ],
    );
    Hostile::script(format!("{start}.{what}{end}")).needs(needs).in_text()
}
