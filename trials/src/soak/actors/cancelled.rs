//! Queries that would go on for long, and do not: out of time, left, or stopped in each way there is.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use serde_json::json;
use tokio::time::{sleep, timeout};
use values::Value;

use super::super::field::{Field, Line};
use super::super::http::{self, post};
use super::super::tally::Ending;
use crate::histories::client::{Answer, Client, Request};
use crate::hostile::connection::Connection;
use crate::hostile::query::{Form, Hostile, Target, message};

/// Thousands of millions of paths, of which few are held at a time.
const LONG: &str =
    "g.V().hasLabel('Person').local(__.repeat(__.both('knows').simplePath()).times(5).count())";
/// How long they would be allowed to go on, in milliseconds.
const ALLOWED: i64 = 60_000;
/// A query that was stopped has ended so soon.
const SOON: Duration = Duration::from_secs(10);

/// Asks and cancels until it is over.
pub(crate) async fn act(field: Arc<Field>, mut rng: Rng) {
    let mut line = Line::new(&field, "cancelled", &[Ending::TimeOut, Ending::Busy]);
    while !field.is_over() {
        let before = Duration::from_millis(rng.u64(20..300));
        match rng.u32(..5) {
            0 => out_of_time(&mut line, &mut rng).await,
            1 => left(&field, before, &mut rng).await,
            2 => left_by_http(&field, before).await,
            3 => stopped_by_service(&field, &mut line, before, &mut rng).await,
            _ => stopped_by_status(&field, before, &mut rng).await,
        }
        field.pause(Duration::from_millis(700)).await;
    }
}

async fn out_of_time(line: &mut Line<'_>, rng: &mut Rng) {
    let millis = rng.u64(50..400);
    let script = LONG.replacen("g.", &format!("g.with('evaluationTimeout', {millis})."), 1);
    if let Answer::Results(_) = line.ask(&Request::of(script)).await {
        line.field.tally.wrong(format!("cancelled: it did not take {millis} ms"));
    }
}

/// Closes or resets the connection.
async fn left(field: &Field, before: Duration, rng: &mut Rng) {
    let Ok(mut connection) = Connection::open(field.address()).await else { return };
    let query = Hostile { target: Target::Named("g"), ..Hostile::script(LONG) };
    let Ok(message) = message(&query, Form::Binary, Some(ALLOWED)) else { return };
    if connection.send(message).await.is_ok() {
        field.tally.count("cancelled", Ending::Stopped);
    }
    sleep(before).await;
    if rng.bool() {
        // What cannot be reset is closed.
        let _ = connection.stream().set_zero_linger();
    }
}

async fn left_by_http(field: &Field, before: Duration) {
    let body = json!({ "gremlin": LONG, "g": "g", "timeoutMillis": ALLOWED });
    // Whoever drops the future closes the connection.
    if timeout(before, post(field.address(), &body)).await.is_err() {
        field.tally.count("cancelled", Ending::Stopped);
    }
}

/// Finds the query by its text, and stops it by its id.
async fn stopped_by_service(field: &Field, line: &mut Line<'_>, before: Duration, rng: &mut Rng) {
    let mark = format!("mark{:x}", rng.u64(..));
    let script = LONG.replacen("g.", &format!("g.with('evaluationTimeout', {ALLOWED})."), 1);
    let script = script.replace(".count()", &format!(".as('{mark}').count()"));
    let epoch = field.epoch();
    let Some(mut client) = Client::connect(field.address()).await else { return };
    let request = Request::of(script);
    let asked = async { timeout(SOON, client.ask(&request)).await.ok() };
    let stop = async {
        sleep(before).await;
        let listed = line.ask(&Request::of("g.call('mangrove.queries')")).await;
        let Answer::Results(rows) = listed else { return };
        let text = |row: &Value, key: &str| {
            row.as_map().and_then(|row| row.get(&Value::str(key))?.as_str().map(str::to_owned))
        };
        let is_marked = |row: &&Value| {
            text(row, "text").is_some_and(|text| text.contains(&mark) && !text.contains("mangrove.queries"))
        };
        let Some(id) = rows.iter().find(is_marked).and_then(|row| text(row, "id")) else {
            if field.epoch() == epoch {
                field.tally.wrong(format!("cancelled: no query with {mark} among {} that run", rows.len()));
            }
            return;
        };
        line.ask(&Request::of("g.call('mangrove.queries.stop', [id: i])").with("i", id.as_str())).await;
    };
    let (answer, ()) = tokio::join!(asked, stop);
    judge(field, answer.as_ref().map(|answer| (Ending::of(answer), format!("{answer:?}"))), epoch);
}

/// Says by which id the query is to be known, and stops it by Neptune's way.
async fn stopped_by_status(field: &Field, before: Duration, rng: &mut Rng) {
    let id = uuid::Uuid::from_u128(rng.u128(..)).to_string();
    let body = json!({ "gremlin": LONG, "queryId": id, "evaluationTimeout": ALLOWED });
    let epoch = field.epoch();
    let asked = async { timeout(SOON, post(field.address(), &body)).await.ok() };
    let stop = async {
        sleep(before).await;
        let path = format!("/gremlin/status?cancelQuery&queryId={id}");
        if let Err(error) = http::get(field.address(), &path).await
            && field.epoch() == epoch
        {
            field.tally.wrong(format!("cancelled: {error}"));
        }
    };
    let (reply, ()) = tokio::join!(asked, stop);
    let reply = reply.map(|reply| match reply {
        Ok(reply) => (reply.ending(), format!("{} {}", reply.code, reply.body)),
        Err(error) => (Ending::Silent, error.to_string()),
    });
    judge(field, reply, epoch);
}

/// What was stopped has ended soon, and says so.
fn judge(field: &Field, ended: Option<(Ending, String)>, epoch: u64) {
    match ended {
        Some((ending, said)) => {
            field.judge("cancelled", ending, &[Ending::Stopped, Ending::Busy], epoch, &said);
            if ending == Ending::Done {
                field.tally.wrong("cancelled: a query had ended before it was stopped");
            }
        }
        None if field.epoch() == epoch => {
            field
                .tally
                .wrong(format!("cancelled: a query goes on {} s after it was stopped", SOON.as_secs()));
        }
        None => {}
    }
}
