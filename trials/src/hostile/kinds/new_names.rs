//! Labels and keys that are made up while a query runs, so that names grow as values do.

use fastrand::Rng;

use super::super::needs::Needs;
use super::super::query::Hostile;
use super::pick;

/// Names of a kind that a graph can have.
const MOST: f64 = 65_535.0;

/// Draws one.
pub(super) fn draw(rng: &mut Rng) -> Hostile {
    let times = rng.i32(2..30);
    // Different in each query, or those that it has had.
    let first = if rng.bool() { format!("n{}", rng.u32(..)) } else { "n".to_owned() };
    let write = pick(
        rng,
        &[
            "addV(select('l'))",
            "addV('named').property(select('l'),1)",
            "addV('named').as('v').addE(select('l')).from('v').to('v')",
            "addV(select('l')).property(select('l'),select('l'))",
        ],
    );
    let end = pick(rng, &["", ".count()", ".fail()", ".V().count()"]);
    let count = 2f64.powi(times);
    let needs = Needs::default().writes(count).rows(count);
    // A graph cannot have them, whatever one transaction may do.
    let needs = if count > MOST { needs.names(count) } else { needs };
    Hostile::script(format!(
        "g.inject('{first}').repeat(union(concat('a'),concat('b'))).times({times}).as('l').{write}{end}"
    ))
    .needs(needs)
    .on_scratch()
}
