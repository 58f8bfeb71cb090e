//! The results of one request, taken from its mailbox page by page.

use std::sync::Arc;

use wire::Properties;

use crate::{
    Held, Materialize, Running,
    mailbox::{Letter, Mailbox, Outcome, RequestKey},
    page::{Page, Source},
    request::Form,
};

/// How far the answer to a request has come. Dropping it says that nobody listens any more.
pub(crate) struct Paging {
    key: RequestKey,
    mailbox: Arc<Mailbox>,
    /// Results taken from the mailbox and not yet on a page.
    source: Source,
    /// What counts their bytes, and those of the page.
    held: Option<Held>,
    /// The results to send next.
    pub(crate) page: Page,
}

/// What there is to send.
pub(crate) enum Paged {
    /// Nothing until more results arrive.
    Wait,
    /// The page, and there is more.
    Full,
    /// The page, with which the request ends that way.
    Last(Outcome),
}

impl Paging {
    /// The beginning of an answer that arrives in that mailbox.
    pub(crate) fn new(mailbox: Arc<Mailbox>, key: RequestKey, form: Form) -> Self {
        Self { key, mailbox, source: Source::default(), held: None, page: Page::new(form) }
    }

    /// Fills the page with at most `size` results.
    pub(crate) fn next(&mut self, size: usize, running: &dyn Running) -> Paged {
        loop {
            self.page.fill(&mut self.source, size);
            let full = self.page.is_full(size);
            if full && !self.source.is_empty() {
                return Paged::Full;
            }
            // A full page may be the last one: look before sending it as one of several.
            match self.mailbox.next(self.key) {
                Letter::Batch { batch, resume } => {
                    self.source = Source::new(batch.items);
                    self.held = batch.held;
                    if resume {
                        running.resume();
                    }
                }
                Letter::Outcome(outcome) => return Paged::Last(outcome),
                Letter::Nothing if full => return Paged::Full,
                Letter::Nothing => return Paged::Wait,
            }
        }
    }

    /// What counts the bytes of the page.
    pub(crate) fn held(&self) -> Option<Held> {
        self.held.clone()
    }

    /// Waits until more has arrived. For mailboxes of one request.
    pub(crate) async fn arrived(&self) {
        self.mailbox.arrived().await;
    }
}

/// How elements of results are written: as the traversal says, or else as the request does.
pub(crate) fn properties(running: &dyn Running, asked: Properties) -> Properties {
    running.materialize().map_or(asked, Materialize::properties)
}

impl Drop for Paging {
    fn drop(&mut self) {
        self.mailbox.close(self.key);
    }
}
