//! Traversals that explode, on graphs of their own beside the one that everybody works on.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use tokio::time::{sleep, timeout};

use super::super::field::Field;
use super::super::tally::Ending;
use crate::Problem;
use crate::hostile::connection::{Connection, End, http as ask_http};
use crate::hostile::gardener;
use crate::hostile::kinds;
use crate::hostile::query::{Body, Form, Hostile, Target, http, message};

/// The graph that most of them are for.
pub(crate) const GROUND: &str = "ground";
/// The kind that makes new names, of which `trials hostile` knows more.
const NEW_NAMES: &str = "new-names";
/// Who waits no longer for an answer leaves.
const PATIENCE: Duration = Duration::from_secs(5);
/// The graph that is written to is put in order after so many.
const TENDED: u64 = 200;

/// Asks until it is over.
pub(crate) async fn act(field: Arc<Field>, mut rng: Rng) {
    let mut connection = None;
    let (mut number, mut epoch, mut before) = (0, field.epoch(), String::new());
    while !field.is_over() {
        let mut query = kinds::draw(&kinds::ALL, &mut rng);
        // Names stay, so each run would look for the most that a graph can have, and take it for growth.
        if query.kind == NEW_NAMES {
            continue;
        }
        if query.target == Target::Ground {
            query.target = Target::Named(GROUND);
        }
        let millis = rng.i64(50..400);
        let form = [Form::Binary, Form::Json, Form::Bytecode, Form::Http][rng.usize(..4)];
        let form = query.form.unwrap_or(form);
        if epoch != field.epoch() {
            // A connection from before a kill is of no use, though nobody has noticed.
            (epoch, connection) = (field.epoch(), None);
        }
        // What the one before has taken may still be there.
        let this = format!("{form:?}, {millis} ms, {}: {}", query.kind, query.shown());
        field.begin("hostile", &this);
        field.begin("hostile before", &std::mem::replace(&mut before, this));
        let ended = timeout(PATIENCE, ask(&field, &mut connection, &query, form, millis)).await;
        match ended {
            Ok(Ok(end)) => judge(&field, &query, &end, epoch),
            // There may be no server for a moment.
            Ok(Err(_)) => sleep(Duration::from_millis(200)).await,
            Err(_) => {
                connection = None;
                field.tally.count("hostile", Ending::Silent);
            }
        }
        number += 1;
        if number % TENDED == 0
            && let Ok(mut gardener) = Connection::open(field.address()).await
            && let Err(error) = gardener::tend(&mut gardener).await
            && field.epoch() == epoch
        {
            field.tally.wrong(format!("hostile: the graph that is written to: {error}"));
        }
        sleep(Duration::from_millis(20)).await;
    }
}

async fn ask(
    field: &Field,
    connection: &mut Option<Connection>,
    query: &Hostile,
    form: Form,
    millis: i64,
) -> Result<End, Problem> {
    if form == Form::Http
        && let Some(request) = http(query, Some(millis))
    {
        return Ok(ask_http(field.address(), &request).await);
    }
    let form = if form == Form::Http { Form::Binary } else { form };
    // What no format can express is not sent.
    let Ok(message) = message(query, form, Some(millis)) else { return Ok(End::Done) };
    let mut open = match connection.take() {
        Some(open) => open,
        None => Connection::open(field.address()).await?,
    };
    // A server may refuse a large message before it has all of it.
    let _ = open.send(message).await;
    let end = open.end().await;
    if !matches!(end, End::Closed(_)) {
        *connection = Some(open);
    }
    Ok(end)
}

fn judge(field: &Field, query: &Hostile, end: &End, epoch: u64) {
    let ending = match end {
        End::Done => Ending::Done,
        End::Failed { code, message, .. } => Ending::of_code(*code, message),
        End::Closed(_) => Ending::Silent,
    };
    field.tally.count("hostile", ending);
    let is_polite = matches!(end, End::Closed(Some(_))) || matches!(query.body, Body::Frame(..));
    let wrong = match end {
        End::Failed { exception, .. } => exception.contains("InternalError"),
        End::Closed(_) => !is_polite && field.epoch() == epoch,
        End::Done => false,
    };
    if wrong {
        field.tally.wrong(format!("hostile: {end:?} │ {}: {}", query.kind, query.shown()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_kind_that_makes_new_names_under_the_name_by_which_it_is_left_out() {
        assert!(kinds::ALL.iter().any(|kind| kind.name == NEW_NAMES));
    }
}
