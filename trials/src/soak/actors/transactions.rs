//! Transactions of TinkerPop 4, over HTTP, each request on a connection of its own.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use serde_json::{Value as Json, json};
use tokio::time::sleep;
use values::Value;

use super::super::field::Field;
use super::super::http::{Reply, post};
use super::super::ledger::{Fate, Ledger};
use super::super::slots::Write;
use super::super::tally::Ending;
use super::sessions::{End, draw_some, note_all};
use crate::histories::client::Request;

/// Begins, uses and ends transactions until it is over.
pub(crate) async fn act(field: Arc<Field>, mut ledger: Ledger, mut rng: Rng) -> Ledger {
    let keys = ledger.keys();
    while !field.is_over() {
        let writes = draw_some(&field, &ledger, &keys, &mut rng);
        let fate = transact(&field, &writes, End::draw(&mut rng)).await;
        note_all(&mut ledger, &writes, fate);
        // One that is forgotten stays open until the server sees to it, so these are few.
        sleep(Duration::from_millis(60)).await;
    }
    ledger
}

async fn transact(field: &Field, writes: &[Write], end: End) -> Fate {
    let begun = ask(field, json!({ "gremlin": "g.tx().begin()", "g": "g" })).await;
    let Some(id) = begun.and_then(|reply| reply.header("x-transaction-id")) else { return Fate::Refused };
    let within = |gremlin: &str| json!({ "gremlin": gremlin, "g": "g", "transactionId": id });
    for write in writes {
        let mut body = within(&write.request.script);
        body["parameters"] = literal(&write.request).into();
        let Some(reply) = ask(field, body).await else {
            // What is open is rolled back in time.
            return Fate::Refused;
        };
        if reply.ending() != Ending::Done {
            ask(field, within("g.tx().rollback()")).await;
            return Fate::Refused;
        }
    }
    match end {
        End::Commit => match ask(field, within("g.tx().commit()")).await.map(|reply| reply.ending()) {
            Some(Ending::Done) => Fate::Acknowledged,
            Some(Ending::Busy | Ending::Failed) => Fate::Refused,
            _ => Fate::Unknown,
        },
        End::Rollback | End::Close => {
            ask(field, within("g.tx().rollback()")).await;
            Fate::Refused
        }
        // It stays open until it has been idle for too long.
        End::Leave => Fate::Refused,
    }
}

/// The answer; none if there is none.
async fn ask(field: &Field, body: Json) -> Option<Reply> {
    let epoch = field.epoch();
    let reply = post(field.address(), &body).await;
    let ending = reply.as_ref().map_or(Ending::Silent, Reply::ending);
    if ending == Ending::Silent {
        sleep(Duration::from_millis(500)).await;
    }
    let said = match &reply {
        Ok(reply) => format!("{} {} │ {body}", reply.code, reply.body),
        Err(error) => format!("{error} │ {body}"),
    };
    field.judge("transactions", ending, &[Ending::Busy], epoch, &said);
    reply.ok()
}

/// The variables as TinkerPop 4 writes them.
fn literal(request: &Request) -> String {
    let entry = |(name, value): &(String, Value)| match value {
        Value::Long(number) => format!("\"{name}\":{number}L"),
        Value::String(text) => format!("\"{name}\":\"{text}\""),
        other => format!("\"{name}\":{other}"),
    };
    format!("[{}]", request.bindings.iter().map(entry).collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_a_literal_of_a_map() {
        let request = Request::of("g.V(a)").with("a", 7i64).with("b", "text");
        assert_eq!(literal(&request), "[\"a\":7L,\"b\":\"text\"]");
    }
}
