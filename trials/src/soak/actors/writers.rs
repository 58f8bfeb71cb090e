//! Writes, each of which is a transaction of its own; some carry a key, and are sent twice.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use tokio::time::sleep;

use super::super::field::{Field, Line};
use super::super::ledger::{Fate, Ledger};
use super::super::slots::{self, Way, Write};
use super::super::tally::Ending;
use crate::histories::client::{Answer, Request};

/// Of so many requests one reads what was written before.
const READS: u32 = 8;
/// Of so many writes one is sent again under the same key.
const TWICE: u32 = 16;

/// What an answer says of a write.
pub(crate) fn fate_of(answer: &Answer) -> Fate {
    match Ending::of(answer) {
        Ending::Done => Fate::Acknowledged,
        Ending::TimeOut | Ending::Stopped | Ending::Silent => Fate::Unknown,
        Ending::Busy | Ending::Failed => Fate::Refused,
    }
}

/// Draws a write to one of the slots.
pub(crate) fn draw(field: &Field, ledger: &Ledger, keys: &[i64], rng: &mut Rng) -> Write {
    let key = keys[rng.usize(..keys.len())];
    Way::draw(ledger.known(key), rng).write(key, field.version())
}

/// Writes until it is over; with a pause of so many milliseconds between two.
pub(crate) async fn act(field: Arc<Field>, mut ledger: Ledger, pause: u64, mut rng: Rng) -> Ledger {
    let keys = ledger.keys();
    let mut line = Line::new(&field, "writes", &[Ending::Busy]);
    while !field.is_over() {
        if rng.u32(..READS) == 0 {
            look(&mut line, &ledger, keys[rng.usize(..keys.len())]).await;
        }
        let Write { key, content, request } = draw(&field, &ledger, &keys, &mut rng);
        let is_twice = rng.u32(..TWICE) == 0;
        let request = if is_twice { with_key(request, &mut rng) } else { request };
        let answer = line.ask(&request).await;
        ledger.note(key, content, fate_of(&answer));
        if is_twice && fate_of(&answer) == Fate::Acknowledged {
            let again = line.ask(&request).await;
            if let (Answer::Results(first), Answer::Results(second)) = (&answer, &again)
                && first != second
            {
                field.tally.wrong(format!("writes: {first:?}, then {second:?} │ {}", request.text()));
            }
            // A server that was started again knows no keys, so it may have done the same once more.
            ledger.note(key, content, Fate::Acknowledged);
        }
        sleep(Duration::from_millis(pause)).await;
    }
    ledger
}

fn with_key(request: Request, rng: &mut Rng) -> Request {
    let key = format!("{:032x}", rng.u128(..));
    let script = request.script.replacen("g.", &format!("g.with('mangrove.requestKey', '{key}')."), 1);
    Request { script, ..request }
}

/// Reads a slot of which its writer knows what it holds.
pub(crate) async fn look(line: &mut Line<'_>, ledger: &Ledger, key: i64) {
    let Some(known) = ledger.known(key) else { return };
    let request = slots::read_one(key);
    if let Answer::Results(rows) = line.ask(&request).await {
        let found = slots::found(&rows).remove(&key).unwrap_or_default();
        let is_right = match (known, found.as_slice()) {
            (None, []) => true,
            (Some(version), [found]) => found.version == version && found.is_whole,
            _ => false,
        };
        if !is_right {
            line.field.tally.wrong(format!("slot {key} was read as {found:?} instead of {known:?}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_that_nobody_answered_may_have_happened_and_one_that_lost_has_not() {
        assert_eq!(fate_of(&Answer::Results(Vec::new())), Fate::Acknowledged);
        assert_eq!(fate_of(&Answer::Silence), Fate::Unknown);
        assert_eq!(fate_of(&Answer::Error(596, "lost".into())), Fate::Refused);
        assert_eq!(fate_of(&Answer::Error(598, "out of time".into())), Fate::Unknown);
    }

    #[test]
    fn a_key_of_the_request_stands_before_its_first_step() {
        let request = with_key(Request::of("g.V().drop()"), &mut Rng::with_seed(1));
        assert!(request.script.starts_with("g.with('mangrove.requestKey', '"), "{}", request.script);
        assert!(request.script.ends_with("').V().drop()"), "{}", request.script);
    }
}
