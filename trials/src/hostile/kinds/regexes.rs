//! Regular expressions that take exponential time where an engine backtracks, or a great deal of memory where it does not.

use fastrand::Rng;

use super::super::needs::Needs;
use super::super::query::Hostile;
use super::{nested, pick};

const PATTERNS: [&str; 20] = [
    "(a+)+$",
    "(a+)+c",
    "(a|aa)*c",
    "(a|a)*c",
    "(a|a|a|a|a|a|a|a)*c",
    "(a*)*c",
    "(a*a*a*a*a*a*a*a*)*c",
    "(.*)*c",
    "(.*a){20}c",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(?:(?:a+)+)+c",
    "(a?){60}a{60}",
    "([ab]*a){12}[ab]{12}c",
    "(a{1,100}){1,100}c",
    "((a{1,100}){1,100}){1,100}",
    "(?i)(a|A)*c",
    "\\\\w*\\\\w*\\\\w*\\\\w*\\\\w*\\\\w*c",
    "(\\\\pL|\\\\pN)*c",
    "(?=(a+)+c)a",
    "(a+)\\\\1+c",
];

/// Draws one.
pub(super) fn draw(rng: &mut Rng) -> Hostile {
    let pattern = match rng.u8(..8) {
        0 => nested(rng.usize(2..200), "(", "a*", ")*c"),
        1 => nested(rng.usize(2..60), "(?:", "a", "{1,9})"),
        2 => format!("{}c", "a*".repeat(rng.usize(10..2_000))),
        _ => pick(rng, &PATTERNS).to_owned(),
    };
    let test = pick(rng, &["regex", "notRegex"]);
    let letters = rng.i32(5..24);
    match rng.u8(..6) {
        0 => Hostile::script(format!("g.V().has('text',{test}('{pattern}')).count()")),
        1 => Hostile::script(format!("g.V().hasLabel('ball').values('text').is({test}('{pattern}'))")),
        2 => Hostile::script(format!("g.E().outV().has('text',{test}('{pattern}')).count()")),
        3 => Hostile::script(format!(
            "g.inject('a').repeat(replace('a','aa')).times({letters}).is({test}('{pattern}'))"
        )),
        4 => {
            let text = format!(
                "g.inject('{}b').repeat(identity()).until(is(regex('{pattern}')).is('c')).count()",
                "a".repeat(40)
            );
            // It does not match, or the next test does not hold; a pattern that is refused ends it, too.
            Hostile::script(text)
        }
        _ => Hostile::script(format!(
            "g.V().hasLabel('ball').repeat(both('e')).times(5).filter(path().count(local).is(6)).values('text')\
             .is({test}('{pattern}')).count()"
        ))
        .needs(Needs::default()),
    }
}
