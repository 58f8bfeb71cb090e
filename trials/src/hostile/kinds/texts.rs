//! Texts that double.

use fastrand::Rng;

use super::super::needs::Needs;
use super::super::query::Hostile;
use super::flow::SLOT;
use super::pick;

/// What makes a text longer, with the factor, for a text of the letter a.
const GROWS: [(&str, f64); 7] = [
    ("replace('a','aa')", 2.0),
    ("replace('a','aaaaaaaa')", 8.0),
    ("format('%{_}%{_}')", 2.0),
    ("as('t').format('%{t}%{t}%{t}')", 3.0),
    ("project('t').by().format('%{t}%{t}')", 2.0),
    ("split('').conjoin('aaaaaaaaaaaaaaaa')", 16.0),
    ("split('').conjoin('a')", 1.5),
];

/// What passes over a text.
const PASSES: [&str; 12] = [
    "reverse()",
    "toUpper()",
    "toLower()",
    "trim()",
    "substring(1)",
    "replace('a','b')",
    "replace('aaaaaaab','b')",
    "concat('b')",
    "is(regex('(a|aa)*c'))",
    "is(containing('aaaaaaaaaaaaaaab'))",
    "asString()",
    "length()",
];

/// Draws one.
pub(super) fn draw(rng: &mut Rng) -> Hostile {
    let (grow, factor) = pick(rng, &GROWS);
    // Few of them stay within some megabytes, many do not.
    let letters = 2f64.powi(rng.i32(16..60));
    let times = (letters.ln() / factor.ln()) as i32;
    let letters = factor.powi(times) / 2.0;
    let text = format!("g.inject('aa').repeat({grow}).times({times})");
    let needs = Needs::default().holds(letters);
    match rng.u8(..6) {
        0 => Hostile::script(text).needs(needs.work(letters)),
        1 => {
            let passes: Vec<&str> = (0..rng.usize(1..9)).map(|_| pick(rng, &PASSES[..8])).collect();
            let end = pick(rng, &PASSES);
            Hostile::script(format!("{text}.{}.{end}.count()", passes.join("."))).needs(needs)
        }
        2 => {
            let pass = pick(rng, &PASSES[..6]);
            let needs = needs.rows(1e7);
            Hostile::script(format!("{text}.repeat({pass}).times(10000000).count()")).needs(needs)
        }
        3 => pieces(rng, &text, letters, needs),
        4 => copies(rng, &text, letters, needs),
        _ => variants(rng, &text, letters, needs),
    }
}

/// Each letter a value of its own.
fn pieces(rng: &mut Rng, text: &str, letters: f64, needs: Needs) -> Hostile {
    let end =
        pick(rng, &[".count()", ".count(local)", ".dedup(local)", ".order(local)", ".unfold().count()"]);
    Hostile::script(format!("{text}.split(''){end}")).needs(needs.holds(letters * SLOT))
}

/// The same text many times.
fn copies(rng: &mut Rng, text: &str, letters: f64, needs: Needs) -> Hostile {
    let times = rng.i32(1..20);
    let end = pick(rng, &["", ".dedup().count()", ".fold()", ".groupCount()", ".path()"]);
    let query = Hostile::script(format!("{text}.repeat(union(identity(),identity())).times({times}){end}"));
    match end {
        // As text, each copy is sent.
        "" => query.needs(needs.work(letters * 2f64.powi(times))).in_text(),
        ".fold()" => query.needs(needs.value(letters * 2f64.powi(times))),
        _ => query.needs(needs),
    }
}

/// Many long texts that differ in their ends.
fn variants(rng: &mut Rng, text: &str, letters: f64, needs: Needs) -> Hostile {
    let times = rng.i32(1..20);
    let all = letters * 2f64.powi(times);
    let end = pick(
        rng,
        &["", ".count()", ".dedup().count()", ".order()", ".fold()", ".groupCount().by(length())", ".path()"],
    );
    let needs = match end {
        ".dedup().count()" | ".order()" | ".fold()" => needs.holds(all),
        _ => needs.work(all),
    };
    Hostile::script(format!("{text}.repeat(union(concat('b'),concat('c'))).times({times}){end}")).needs(needs)
}
