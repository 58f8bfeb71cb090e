//! `POST /gremlin` as TinkerPop 4 has it.
//!
//! ```text
//! request ─▶ Asked ─┬─ begin ───────▶ a new transaction ──┐
//!                   ├─ with an id ──▶ its turn in it ─────┼─▶ Answer ─▶ pages ─▶ chunks ─▶ trailers
//!                   └─ neither ─────▶ on its own ─────────┘
//! ```
//!
//! The first page is waited for before the head of the reply is sent, so that what fails at once has its own HTTP status. What
//! fails later says so in the status behind the results, and in the trailers.

mod answer;
mod asked;
mod deflate;
mod exchange;
mod status;

use std::{sync::Arc, time::Instant};

use hyper::{HeaderMap, header::ACCEPT};
use uuid::Uuid;
use wire::four::{Request, Status};

use super::{Reply, answer::error, media};
use crate::{
    Query, ResultSink, Running,
    connections::Guest,
    intake::Receipt,
    mailbox::Mailbox,
    paging::Paging,
    queries::submit,
    reading::Weight,
    request::Operation,
    sessions::{NoTurn, Turn},
};
use answer::{Answer, Shape};
use asked::{Asked, Control};
use exchange::Exchange;
use status::In;

/// The header with the id of a transaction.
pub(super) const TRANSACTION_ID: &str = "x-transaction-id";

/// Answers a request that takes so much memory.
pub(super) async fn answer(
    request: Request,
    weight: Weight,
    headers: &HeaderMap,
    asked: Instant,
    guest: &Arc<Guest>,
) -> Reply {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok());
    let Some((format, mime)) = media::accepted_of_four(accept) else {
        let message = format!("no serializer for requested Accept header: {}", accept.unwrap_or_default());
        return error(hyper::StatusCode::BAD_REQUEST, None, &message, None);
    };
    let mut exchange = Exchange::new(format, mime, headers, guest.clone());
    match begin(request, weight, headers, asked, &mut exchange).await {
        Ok(answer) => exchange.reply(answer).await,
        Err(status) => exchange.failure(&status),
    }
}

/// Starts what a request asks for.
async fn begin(
    request: Request,
    weight: Weight,
    headers: &HeaderMap,
    time: Instant,
    exchange: &mut Exchange,
) -> Result<Answer, Status> {
    let guest = exchange.guest.clone();
    let host = &guest.host;
    let asked = Asked::read(request, headers)?;
    let bulks = exchange.format.has_bulks() && asked.control == Control::None;
    let (control, id) = (asked.control, asked.transaction.clone());
    let known = match &id {
        None => None,
        Some(id) => match host.transactions.find(id) {
            None if !asked.may_ask_again() => return Err(status::unknown_transaction(id)),
            found => found,
        },
    };
    // Not before it is known to be one, since a client may call anything so.
    exchange.transaction = id.clone().filter(|id| Uuid::try_parse(id).is_ok());
    let is_over = id.is_some() && known.is_none();
    let source = known.as_ref().map(|transaction| &transaction.source);
    let mut operation = asked.operation(source, bulks, &guest)?;
    let memory = weight.bytes;
    operation.came(time, weight);
    let permit = host.admit(&guest).map_err(|refusal| status::refused(&refusal))?;
    let turn = match (control, known) {
        (Control::Begin, _) => Some(open(&operation, &guest)?),
        // A session that has nothing to commit: it tells whether that was done.
        (_, None) if is_over => Some(open(&operation, &guest)?),
        (_, Some(transaction)) => {
            if transaction.user != guest.client().user {
                // To others it is as if there were none.
                return Err(status::unknown_transaction(id.as_deref().unwrap_or_default()));
            }
            if !Arc::ptr_eq(&transaction.database, &operation.database) {
                return Err(status::other_source(&transaction.source));
            }
            // What waits takes room.
            let receipt = Receipt::new(host.intake.clone());
            if !receipt.came(receipt.share(memory)) {
                return Err(status::no_room());
            }
            let turn = host.transactions.enter(transaction, operation.deadline()).await;
            let id = id.as_deref().unwrap_or_default();
            Some(turn.map_err(|error| match error {
                NoTurn::Unknown => status::unknown_transaction(id),
                NoTurn::Late => status::waited_too_long(id),
            })?)
        }
        (_, None) => None,
    };
    if !is_over {
        exchange.transaction = turn.as_ref().map(Turn::id);
    }
    let mailbox = Mailbox::new(host.options.max_waiting_results);
    const ONLY: u64 = 0;
    let sink = mailbox.open(ONLY);
    let paging = Paging::new(mailbox, ONLY, operation.form);
    let asking = operation.asking(exchange.id().to_string().into(), &guest);
    let Operation { database, query, form, batch_size, properties, .. } = operation;
    let session = turn.as_ref().map(|turn| turn.transaction().session.clone());
    let start = move |query: Query, sink: Arc<dyn ResultSink>| -> Box<dyn Running> {
        match &session {
            None => database.submit(query, sink),
            Some(session) => session.submit(query, false, sink),
        }
    };
    let running = submit(&host.queries, asking, query, sink, start);
    let within = match (control, &turn) {
        (Control::Begin, _) => In::Begin,
        (_, Some(_)) => In::Transaction,
        (_, None) => In::Itself,
    };
    let tells = exchange.transaction.clone().filter(|_| control != Control::None);
    let shape = Shape { form, batch_size, properties, within, tells };
    Ok(Answer::new(paging, running, turn, permit, shape))
}

/// Makes a transaction, which the request then begins.
fn open(operation: &Operation, guest: &Guest) -> Result<Turn, Status> {
    let client = guest.client();
    let place = guest.host.sessions.take(client.address).map_err(|refusal| status::no_place(&refusal))?;
    let user = client.user.clone();
    let session = operation.database.session(client).map_err(|error| status::failed(&error, In::Begin))?;
    let source = operation.source.clone();
    Ok(guest.host.transactions.begin(user, source, operation.database.clone(), session, place))
}
