//! The response to one request, from its first batch to its last frame.

use tokio::time::Instant;
use uuid::Uuid;
use values::Str;
use wire::{EncodeError, Format, Properties};

use crate::{
    QueryError, Running, Summary,
    connections::Guest,
    host::Place,
    late::{encode_in_time, is_late, late, too_large},
    outgoing::{Room, untaken},
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
    /// What its page waits to be sent as, until there is room for it.
    pub(super) due: Option<Due>,
}

/// A page that is to be sent.
pub(super) struct Due {
    status: Status,
    is_last: bool,
    /// When it has waited for long enough.
    until: Instant,
}

/// What to do for a request whose turn it is.
pub(super) enum Next {
    /// Nothing to send until more results arrive.
    Wait,
    /// Nothing to send before others have taken what was sent to them; ask again.
    NoRoom,
    /// Send this frame; there may be more at once.
    Frame(Vec<u8>, Room),
    /// Send this frame; it is the last one.
    Last(Vec<u8>, Room),
}

impl InFlight {
    /// Encodes at most one frame from what waits in the mailbox.
    pub(super) fn next(&mut self, host: &str, guest: &Guest) -> Next {
        if let Some(due) = self.due.take() {
            return self.page(due, guest);
        }
        match self.paging.next(self.batch_size, &*self.running) {
            Paged::Wait => Next::Wait,
            Paged::Full => self.partial(guest),
            Paged::Last(Ok(summary)) => self.last(summary, host, guest),
            Paged::Last(Err(error)) => self.failed(&error),
        }
    }

    fn partial(&mut self, guest: &Guest) -> Next {
        self.started = true;
        if is_late(&*self.running) {
            return self.late();
        }
        self.page(self.due(Status::new(StatusCode::PartialContent), false, guest), guest)
    }

    fn last(&mut self, summary: Summary, host: &str, guest: &Guest) -> Next {
        let empty = self.paging.page.len() == 0 && !self.started;
        let mut status = Status::new(if empty { StatusCode::NoContent } else { StatusCode::Success });
        status.summarize(host, summary.warnings);
        self.page(self.due(status, true, guest), guest)
    }

    fn due(&self, status: Status, is_last: bool, guest: &Guest) -> Due {
        Due { status, is_last, until: guest.waits_until(self.running.deadline()) }
    }

    /// It ends with an error.
    fn failed(&self, error: &QueryError) -> Next {
        Next::Last(self.failure(error), Room::default())
    }

    fn failure(&self, error: &QueryError) -> Vec<u8> {
        let code = StatusCode::of(error, self.form == Form::Script);
        let name = error.kind.name();
        let status =
            Status::failure(code, &error.message, name).or_exception(name, error.kind.of_tinkerpop());
        reply::bare(self.format, Some(self.id), status)
    }

    /// Its time was over before all had been sent.
    fn late(&self) -> Next {
        self.running.missed();
        self.failed(&late())
    }

    /// Encodes the page if there is room for it, and begins a new one; or says why not.
    fn page(&mut self, due: Due, guest: &Guest) -> Next {
        let page = &self.paging.page;
        if page.is_too_large() {
            return self.failed(&too_large());
        }
        let Some(room) = guest.room(page.bytes()) else {
            if Instant::now() >= due.until {
                return self.failed(&untaken());
            }
            self.due = Some(due);
            return Next::NoRoom;
        };
        let Due { status, is_last, .. } = due;
        let properties = properties(&*self.running, self.properties);
        let encode = || reply::results(self.format, self.id, status, page, properties);
        let encoded = encode_in_time(&*self.running, page.bytes(), encode);
        self.paging.page.clear();
        let frame = match encoded {
            Some(Ok(frame)) => frame,
            Some(Err(EncodeError::TooLarge)) => return self.failed(&too_large()),
            Some(Err(error)) => return Next::Last(self.unencodable(&error), Room::default()),
            None => return self.late(),
        };
        let room = guest.written(room, frame.len());
        if is_last { Next::Last(frame, room) } else { Next::Frame(frame, room) }
    }

    fn unencodable(&self, error: &EncodeError) -> Vec<u8> {
        let message = format!("Error during serialization: {error}");
        let status = Status::failure(StatusCode::Serialization, &message, UNENCODABLE);
        reply::bare(self.format, Some(self.id), status)
    }
}
