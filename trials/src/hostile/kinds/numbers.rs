//! Numbers: long ones, wide ones, and formulas that are nested or long.

use fastrand::Rng;

use super::super::needs::Needs;
use super::super::query::Hostile;
use super::{nested, pick};

/// Draws one.
pub(super) fn draw(rng: &mut Rng) -> Hostile {
    match rng.u8(..5) {
        0 => formula(rng),
        1 => digits(rng),
        2 => exponent(rng),
        3 => doubled(rng),
        _ => looped(rng),
    }
}

fn formula(rng: &mut Rng) -> Hostile {
    let (depth, passes) = (rng.usize(2..400), rng.i32(0..10));
    let formula = match rng.u8(..4) {
        0 => nested(depth, "(", "_", "+1)"),
        1 => nested(depth, "sin(", "_", ")"),
        2 => format!("_{}", "*1".repeat(depth * 20)),
        _ => nested(depth, "-", "_", ""),
    };
    let text = format!("g.inject(1).repeat(math('{formula}')).times({})", 10i64.pow(passes as u32));
    Hostile::script(text).needs(Needs::default().rows(10f64.powi(passes)))
}

/// A text of very many digits, read as a number.
fn digits(rng: &mut Rng) -> Hostile {
    let times = rng.i32(8..27);
    let read = pick(
        rng,
        &[
            "asNumber()",
            "asNumber(GType.BIGINT)",
            "asNumber(GType.BIGDECIMAL)",
            "asNumber(GType.DOUBLE)",
            "asNumber().sum()",
            "asBool()",
            "asDate()",
        ],
    );
    let end = pick(rng, &["", ".count()", ".groupCount()", ".asString()"]);
    Hostile::script(format!("g.inject('9').repeat(replace('9','99')).times({times}).{read}{end}"))
        .needs(Needs::default().holds(2f64.powi(times)))
}

/// A number that is short to write, and long to add to.
fn exponent(rng: &mut Rng) -> Hostile {
    let power = pick(rng, &["400", "20001", "1000000", "1000000000", "2147483647", "-1000000000"]);
    let step = pick(
        rng,
        &[
            "sum()",
            "mean()",
            "max()",
            "order()",
            "dedup()",
            "fold().sum(local)",
            "math('_ + 1')",
            "asString()",
            "asNumber(GType.BIGINT)",
            "groupCount()",
            "is(gt(3))",
            "is(1)",
        ],
    );
    Hostile::script(format!("g.inject(1e{power}m,1,1.5m,3n).{step}"))
}

/// A sum of two of it, so often.
fn doubled(rng: &mut Rng) -> Hostile {
    let one = pick(rng, &["1", "1L", "1n", "1.5m", "1.0d", "3b"]);
    let times = 10i32.pow(rng.u32(1..9));
    let step = pick(rng, &["sum()", "fold().sum(local)", "max()", "mean()"]);
    // It may overflow long before the end, and an error is the right answer then.
    Hostile::script(format!(
        "g.inject({one}).repeat(local(union(identity(),identity()).{step})).times({times})"
    ))
}

fn looped(rng: &mut Rng) -> Hostile {
    let formula = pick(rng, &["_ * 1", "sqrt(_)", "_ ^ 1", "_ * _", "_ / 3"]);
    let times = rng.i32(1_000_000..2_000_000_000);
    Hostile::script(format!("g.inject(1).repeat(math('{formula}')).times({times})"))
        .needs(Needs::default().rows(f64::from(times)))
}
