//! Collects a whole result for one HTTP response.

use std::sync::Arc;

use values::Str;

use crate::{
    ErrorKind, Held, QueryError, Running, Summary,
    connections::Guest,
    late::too_large,
    mailbox::{Letter, Mailbox, RequestKey},
    page::{Page, Source},
    queries::submit,
    request::Operation,
};

/// A whole result.
pub(super) struct Collected {
    pub(super) page: Page,
    pub(super) summary: Summary,
    /// The handle of the query.
    pub(super) running: Box<dyn Running>,
    /// What counts the results' bytes.
    pub(super) held: Vec<Held>,
}

/// Runs an operation to its end and collects all results. Dropping the future (the client went away) cancels it.
pub(super) async fn collect(operation: Operation, id: Str, guest: &Guest) -> Result<Collected, QueryError> {
    const ONLY: RequestKey = 0;
    let host = &guest.host;
    let bound = host.options.max_http_results;
    let mailbox: Arc<Mailbox> = Mailbox::new(host.options.max_waiting_results);
    let sink = mailbox.open(ONLY);
    let asking = operation.asking(id, guest);
    let Operation { database, query, form, .. } = operation;
    let running = submit(&host.queries, asking, query, sink, move |query, sink| database.submit(query, sink));
    let (mut page, mut held) = (Page::new(form), Vec::new());
    loop {
        match mailbox.next(ONLY) {
            Letter::Batch { batch, resume } => {
                if resume {
                    running.resume();
                }
                held.extend(batch.held);
                let mut source = Source::new(batch.items);
                page.fill_whole(&mut source, bound);
                if page.is_too_large() {
                    return Err(too_large());
                }
                if !source.is_empty() {
                    return Err(too_many(bound));
                }
            }
            Letter::Outcome(outcome) => {
                return outcome.map(|summary| Collected { page, summary, running, held });
            }
            Letter::Nothing => mailbox.arrived().await,
        }
    }
}

fn too_many(bound: usize) -> QueryError {
    let message = format!(
        "the query has more than {bound} results, server.max_http_results; limit it, or use a WebSocket, which \
         streams results"
    );
    QueryError::new(ErrorKind::Limit, message)
}
