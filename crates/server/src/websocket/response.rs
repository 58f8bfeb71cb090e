//! The response to one request, from its first batch to its last frame.

use uuid::Uuid;
use values::Str;
use wire::{EncodeError, Format, Properties};

use crate::{
    QueryError, Running,
    host::Place,
    late::{encode_in_time, is_late, late, too_large},
    mailbox::Outcome,
    paging::{Paged, Paging, properties},
    reply::{self, Status},
    request::Form,
    status::{StatusCode, UNENCODABLE},
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
    /// How far the answer has come. It is dropped before the query, so that nobody listens any more when that is cancelled.
    pub(super) paging: Paging,
    pub(super) running: Box<dyn Running>,
    /// Held for its count.
    pub(super) _permit: Place,
    /// Whether a frame with results was sent.
    pub(super) started: bool,
}

/// What to do for a request whose turn it is.
pub(super) enum Next {
    /// Nothing to send until more results arrive.
    Wait,
    /// Send this frame; there may be more at once.
    Frame(Vec<u8>),
    /// Send this frame; it is the last one.
    Last(Vec<u8>),
}

impl InFlight {
    /// Encodes at most one frame from what waits in the mailbox.
    pub(super) fn next(&mut self, host: &str) -> Next {
        match self.paging.next(self.batch_size, &*self.running) {
            Paged::Wait => Next::Wait,
            Paged::Full => self.partial(),
            Paged::Last(outcome) => Next::Last(self.last(outcome, host)),
        }
    }

    fn partial(&mut self) -> Next {
        self.started = true;
        if is_late(&*self.running) {
            return Next::Last(self.late());
        }
        match self.page(Status::new(StatusCode::PartialContent)) {
            Ok(frame) => Next::Frame(frame),
            Err(failure) => Next::Last(failure),
        }
    }

    fn last(&mut self, outcome: Outcome, host: &str) -> Vec<u8> {
        match outcome {
            Ok(summary) => {
                let empty = self.paging.page.len() == 0 && !self.started;
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
        let page = &self.paging.page;
        if page.is_too_large() {
            return Err(self.failure(&too_large()));
        }
        let properties = properties(&*self.running, self.properties);
        let encode = || reply::results(self.format, self.id, status, page, properties);
        let encoded = encode_in_time(&*self.running, page.bytes(), encode);
        self.paging.page.clear();
        match encoded {
            Some(encoded) => encoded.map_err(|error| self.unencodable(&error)),
            None => Err(self.late()),
        }
    }

    fn unencodable(&self, error: &EncodeError) -> Vec<u8> {
        let message = format!("Error during serialization: {error}");
        let status = Status::failure(StatusCode::Serialization, &message, UNENCODABLE);
        reply::bare(self.format, Some(self.id), status)
    }
}
