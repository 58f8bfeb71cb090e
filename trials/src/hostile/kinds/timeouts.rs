//! Queries that say how long they may take, and that they may take for ever.

use std::time::Duration;

use fastrand::Rng;

use super::super::needs::Needs;
use super::super::query::{Hostile, Limit};
use super::pick;

/// Draws one.
pub(super) fn draw(rng: &mut Rng) -> Hostile {
    let endless = pick(
        rng,
        &[
            "inject(1).repeat(identity()).until(is(2))",
            "V().repeat(both()).until(hasLabel('none'))",
            "V().V().V().path().dedup().count()",
            "inject('x').repeat(union(concat('a'),concat('b'))).times(60).count()",
        ],
    );
    let needs = Needs::default().endless();
    if rng.bool() {
        let argument = pick(rng, &[0, 1, 50, 10_000_000, i64::MAX]);
        let query = Hostile::script(format!("g.{endless}"));
        Hostile {
            limit: Limit::Own { argument: Some(argument), deadline: within_reach(argument) },
            ..query.needs(needs)
        }
    } else {
        let (said, millis) = pick(
            rng,
            &[
                ("0", 0),
                ("1", 1),
                ("100L", 100),
                ("2147483647", 2_147_483_647),
                ("9223372036854775807L", i64::MAX),
                ("-1", -1),
                ("-9223372036854775808L", -1),
            ],
        );
        let query = Hostile::script(format!("g.with('evaluationTimeout',{said}).{endless}"));
        let limit = Limit::Own { argument: None, deadline: within_reach(millis) };
        // What is less than nothing is an error.
        let needs = if millis < 0 { Needs::default() } else { needs };
        Hostile { limit, ..query.needs(needs) }
    }
}

/// The deadline that was asked for, if it is one that a server would keep.
fn within_reach(millis: i64) -> Option<Duration> {
    let millis = u64::try_from(millis).ok()?;
    (1..1_000).contains(&millis).then(|| Duration::from_millis(millis))
}
