//! Long lists in requests, and numbers chosen so that they fall into one place of a hash table.

use fastrand::Rng;

use super::super::needs::Needs;
use super::super::query::Hostile;
use super::{list, pick};
use values::Value;

/// Draws one.
pub(super) fn draw(rng: &mut Rng) -> Hostile {
    match rng.u8(..4) {
        0 => within(rng),
        1 => injected(rng),
        2 => range(rng),
        _ => chosen(rng),
    }
}

/// A long list that is compared with again and again.
fn within(rng: &mut Rng) -> Hostile {
    let (count, endless) = (rng.usize(10..9_000), rng.bool());
    let (names, numbers) = (|n| format!("'no{n}'"), |n| format!("{}", 1_000_000 + n));
    let test = pick(rng, &["within", "without"]);
    if endless {
        let list = list(count, numbers);
        // What is outside goes on for ever.
        Hostile::script(format!("g.inject(1).repeat(is(without({list}))).until(is(within({list}))).count()"))
            .needs(Needs::default().endless())
    } else {
        let list = list(count, names);
        Hostile::script(format!("g.V().both().both().has('name',{test}({list})).count()"))
    }
}

/// Very many values, each with each.
fn injected(rng: &mut Rng) -> Hostile {
    let count = rng.usize(100..8_000);
    let values = list(count, |n| n.to_string());
    let squared = (count as f64).powi(2);
    let (end, needs) = pick(
        rng,
        &[
            (".as('a').V().as('b').select('a','b')", Needs::default().results(count as f64 * 3e3)),
            (".fold().as('a').unfold().select('a')", Needs::default().work(squared * 4.0)),
            (
                ".fold().repeat(local(union(unfold(),unfold()).fold())).times(30)",
                Needs::default().holds(1e12),
            ),
            (".fold().as('a').unfold().select('a').unfold().count()", Needs::default()),
            (".order().by(desc).dedup().groupCount().order(local)", Needs::default()),
        ],
    );
    Hostile::script(format!("g.inject({values}){end}")).needs(needs)
}

/// A range is short to write.
fn range(rng: &mut Rng) -> Hostile {
    let count = 10f64.powi(rng.i32(2..10)).min(2e9);
    let (end, needs) = pick(
        rng,
        &[
            ("", Needs::default()),
            (".unfold().count()", Needs::default()),
            (".unfold().order().by(desc)", Needs::default()),
            (".unfold().as('a').V().path()", Needs::default().results(count * 3e3)),
            (".as('a').unfold().select('a').unfold().path()", Needs::default().results(count * count)),
        ],
    );
    // More than a million values are refused while the text is read.
    let needs = if count > 1e6 { needs.holds(count * 16.0) } else { needs };
    Hostile::script(format!("g.inject(1..{count}){end}")).needs(needs)
}

/// Longs that a hash without a seed puts into one place: the product with the multiplier of rustc-hash 2 has zeros in all the
/// bits that a table looks at.
fn chosen(rng: &mut Rng) -> Hostile {
    const INVERSE: u64 = inverse(0xf135_7aea_2e62_a9c5);
    let count = pick(rng, &[1_000u64, 10_000, 40_000]);
    let longs = (0..count).map(|n| Value::Long(n.wrapping_mul(INVERSE) as i64));
    let text = pick(
        rng,
        &[
            "g.inject(x).unfold().dedup().count()",
            "g.inject(x).unfold().groupCount().count(local)",
            "g.inject(x).unfold().group().by().count(local)",
            "g.inject(x).dedup(local).count(local)",
            "g.inject(x).unfold().is(within(x)).count()",
            "g.inject(x).unfold().aggregate('a').cap('a').unfold().dedup().count()",
        ],
    );
    Hostile::script(text).with("x", Value::list(longs.collect::<Vec<_>>()))
}

/// The number that gives 1 with an odd one, modulo 2⁶⁴.
const fn inverse(odd: u64) -> u64 {
    let (mut inverse, mut round) = (odd, 0);
    while round < 6 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        round += 1;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_undoes_the_multiplication() {
        assert_eq!(inverse(0xf135_7aea_2e62_a9c5).wrapping_mul(0xf135_7aea_2e62_a9c5), 1);
    }
}
