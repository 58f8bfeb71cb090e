//! The response to one request, from its first batch to its last frame.

use std::sync::Arc;

use uuid::Uuid;
use values::Str;
use wire::{EncodeError, Format, Properties};

use crate::{
    Held, QueryError, Running,
    late::{encode_in_time, is_late, late, too_large},
    mailbox::{Letter, Mailbox, Outcome, RequestKey},
    page::{Page, Source},
    permits::Permit,
    reply::{self, Status},
    request::Form,
    status::StatusCode,
};

use super::frame::FrameKind;

/// A request in flight. Dropping it cancels the query and frees its place.
pub(super) struct InFlight {
    pub(super) id: Uuid,
    /// The session that it is of.
    pub(super) session: Option<Str>,
    pub(super) kind: FrameKind,
    pub(super) format: Format,
    pub(super) form: Form,
    pub(super) properties: Properties,
    /// Results per frame.
    pub(super) batch_size: usize,
    pub(super) running: Box<dyn Running>,
    pub(super) key: RequestKey,
    pub(super) mailbox: Arc<Mailbox>,
    /// Held for its count.
    pub(super) _permit: Permit,
    pub(super) progress: Progress,
}

/// How far a response has come.
pub(super) struct Progress {
    /// Results taken from the mailbox and not yet on a page.
    source: Source,
    /// What counts their bytes, and those of the page.
    held: Option<Held>,
    /// The next frame's results.
    page: Page,
    /// Whether a frame with results was sent.
    started: bool,
}

/// What to do for a request whose turn it is.
pub(super) enum Turn {
    /// Nothing to send until more results arrive.
    Wait,
    /// Send this frame; there may be more at once.
    Frame(Vec<u8>),
    /// Send this frame; it is the last one.
    Last(Vec<u8>),
}

impl Progress {
    pub(super) fn new(form: Form) -> Self {
        Self { source: Source::default(), held: None, page: Page::new(form), started: false }
    }
}

impl InFlight {
    /// Encodes at most one frame from what waits in the mailbox.
    pub(super) fn turn(&mut self, host: &str) -> Turn {
        loop {
            self.progress.page.fill(&mut self.progress.source, self.batch_size);
            let full = self.progress.page.is_full(self.batch_size);
            if full && !self.progress.source.is_empty() {
                return self.partial();
            }
            // A full page may be the last one: look before sending it as one of several.
            match self.mailbox.next(self.key) {
                Letter::Batch { batch, resume } => {
                    self.progress.source = Source::new(batch.items);
                    self.progress.held = batch.held;
                    if resume {
                        self.running.resume();
                    }
                }
                Letter::Outcome(outcome) => return Turn::Last(self.last(outcome, host)),
                Letter::Nothing if full => return self.partial(),
                Letter::Nothing => return Turn::Wait,
            }
        }
    }

    fn partial(&mut self) -> Turn {
        self.progress.started = true;
        if is_late(&*self.running) {
            return Turn::Last(self.late());
        }
        match self.page(Status::new(StatusCode::PartialContent)) {
            Ok(frame) => Turn::Frame(frame),
            Err(failure) => Turn::Last(failure),
        }
    }

    fn last(&mut self, outcome: Outcome, host: &str) -> Vec<u8> {
        match outcome {
            Ok(summary) => {
                let empty = self.progress.page.len() == 0 && !self.progress.started;
                let mut status = Status::new(if empty { StatusCode::NoContent } else { StatusCode::Success });
                status.summarize(host, summary.warnings);
                self.page(status).unwrap_or_else(|failure| failure)
            }
            Err(error) => self.failure(&error),
        }
    }

    fn failure(&self, error: &QueryError) -> Vec<u8> {
        let code = StatusCode::of(error, self.form == Form::Script);
        let name = error.kind.name();
        let status =
            Status::failure(code, &error.message, name).or_exception(name, error.kind.of_tinkerpop());
        reply::bare(self.format, Some(self.id), status)
    }

    /// Its time was over before all had been sent.
    fn late(&self) -> Vec<u8> {
        self.running.missed();
        self.failure(&late())
    }

    /// Encodes the page, and begins a new one; or says why not.
    fn page(&mut self, status: Status) -> Result<Vec<u8>, Vec<u8>> {
        let page = &self.progress.page;
        if page.is_too_large() {
            return Err(self.failure(&too_large()));
        }
        let encode = || reply::results(self.format, self.id, status, page, self.properties);
        let encoded = encode_in_time(&*self.running, page.bytes(), encode);
        self.progress.page.clear();
        match encoded {
            Some(encoded) => encoded.map_err(|error| self.unencodable(&error)),
            None => Err(self.late()),
        }
    }

    fn unencodable(&self, error: &EncodeError) -> Vec<u8> {
        let message = format!("Error during serialization: {error}");
        let status = Status::failure(StatusCode::Serialization, &message, "mangrove.SerializationError");
        reply::bare(self.format, Some(self.id), status)
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.mailbox.close(self.key);
        self.running.cancel();
    }
}
