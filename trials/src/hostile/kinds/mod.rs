//! What explodes, one file a kind. A new kind is a function in [`ALL`].

mod branches;
mod collections;
mod elements;
mod fixed;
mod flow;
mod frames;
mod loops;
mod mixes;
mod names;
mod nesting;
mod new_names;
mod numbers;
mod plans;
mod products;
mod regexes;
mod results;
mod scripts;
mod shared_parts;
mod side_effects;
mod streams;
mod texts;
mod timeouts;
mod writes;

use fastrand::Rng;

use super::query::Hostile;

/// A kind of explosion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    /// Its name.
    pub name: &'static str,
    /// How often it is drawn, for each time that one of weight 1 is.
    weight: u32,
    draw: fn(&mut Rng) -> Hostile,
}

/// All kinds.
pub(crate) const ALL: [Kind; 22] = [
    kind("fixed", 3, fixed::draw),
    kind("loops", 4, loops::draw),
    kind("products", 4, products::draw),
    kind("streams", 5, streams::draw),
    kind("shared-parts", 6, shared_parts::draw),
    kind("texts", 5, texts::draw),
    kind("regexes", 1, regexes::draw),
    kind("numbers", 1, numbers::draw),
    kind("collections", 1, collections::draw),
    kind("names", 1, names::draw),
    kind("scripts", 1, scripts::draw),
    kind("nesting", 1, nesting::draw),
    kind("frames", 2, frames::draw),
    kind("results", 5, results::draw),
    kind("writes", 3, writes::draw),
    kind("new-names", 2, new_names::draw),
    kind("plans", 2, plans::draw),
    kind("branches", 1, branches::draw),
    kind("side-effects", 3, side_effects::draw),
    kind("elements", 1, elements::draw),
    kind("timeouts", 1, timeouts::draw),
    kind("mixes", 7, mixes::draw),
];

const fn kind(name: &'static str, weight: u32, draw: fn(&mut Rng) -> Hostile) -> Kind {
    Kind { name, weight, draw }
}

/// Draws a query of one of some kinds.
///
/// # Panics
/// If there is no kind.
pub(crate) fn draw(kinds: &[Kind], rng: &mut Rng) -> Hostile {
    let total: u32 = kinds.iter().map(|kind| kind.weight).sum();
    let mut place = rng.u32(..total);
    let chosen = kinds.iter().find(|kind| {
        let here = place < kind.weight;
        place = place.saturating_sub(kind.weight);
        here
    });
    let chosen = chosen.expect("the weights come to their total");
    Hostile { kind: chosen.name, ..(chosen.draw)(rng) }
}

/// One of some.
fn pick<T: Copy>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.usize(..from.len())]
}

/// A list of so many parts, each made from its number.
fn list(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().join(",")
}

/// Something around something, so often.
fn nested(depth: usize, before: &str, inner: &str, after: &str) -> String {
    [&before.repeat(depth), inner, &after.repeat(depth)].concat()
}

#[cfg(test)]
mod tests {
    use super::super::query::Body;
    use super::*;

    /// Kinds whose text is meant to be refused by whoever reads it, at times.
    const UNREADABLE: [&str; 5] = ["scripts", "nesting", "names", "collections", "plans"];

    #[test]
    fn what_is_drawn_is_gremlin_so_that_it_explodes_and_is_not_merely_refused() {
        let seed = fastrand::u64(..);
        let mut rng = Rng::with_seed(seed);
        for kind in ALL.iter().filter(|kind| !UNREADABLE.contains(&kind.name)) {
            for _ in 0..300 {
                let query = (kind.draw)(&mut rng);
                let Body::Script(text, bindings) = &query.body else { continue };
                let bindings =
                    bindings.iter().map(|(name, value)| ((*name).into(), value.clone().into())).collect();
                if let Err(error) = gremlin::parse(text, &bindings) {
                    panic!("{}, seed {seed}: {}: {error}", kind.name, query.shown());
                }
            }
        }
    }

    #[test]
    fn the_same_seed_draws_the_same_queries() {
        let draw_some = || {
            let mut rng = Rng::with_seed(7);
            (0..200).map(|_| draw(&ALL, &mut rng).shown()).collect::<Vec<_>>()
        };
        assert_eq!(draw_some(), draw_some());
    }
}
