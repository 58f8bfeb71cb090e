//! Collects a whole result for one HTTP response.

use std::sync::Arc;

use crate::{
    ErrorKind, QueryError, Running, Summary,
    host::Host,
    late::too_large,
    mailbox::{Letter, Mailbox, RequestKey},
    page::{Page, Source},
    request::Operation,
};

/// Runs an operation to its end and collects all results; its handle comes with them. Dropping the future (the client went away) cancels it.
pub(super) async fn collect(
    operation: Operation,
    host: &Host,
) -> Result<(Page, Summary, Box<dyn Running>), QueryError> {
    const ONLY: RequestKey = 0;
    let bound = host.options.max_http_results;
    let mailbox: Arc<Mailbox> = Mailbox::new(host.options.max_waiting_results);
    let sink = mailbox.open(ONLY);
    let running = operation.database.submit(operation.query, sink);
    let mut page = Page::new(operation.form);
    loop {
        match mailbox.next(ONLY) {
            Letter::Batch { batch, resume } => {
                if resume {
                    running.resume();
                }
                let mut source = Source::new(batch.items);
                page.fill_whole(&mut source, bound);
                if page.is_too_large() {
                    return Err(too_large());
                }
                if !source.is_empty() {
                    return Err(too_many(bound));
                }
            }
            Letter::Outcome(outcome) => return outcome.map(|summary| (page, summary, running)),
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
