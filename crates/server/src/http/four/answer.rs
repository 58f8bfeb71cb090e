//! The results of a request on their way into bytes, page by page.

use std::time::Instant;

use values::{Map, Value};
use wire::{
    EncodeError, Properties, Results,
    four::{Format, Status},
};

use super::status::{self, In};
use crate::{
    Held, Running,
    connections::Guest,
    host::Place,
    late::{encode_in_time, is_late, late, too_large},
    mailbox::Outcome,
    outgoing::Room,
    paging::{Paged, Paging, properties},
    request::Form,
    sessions::Turn,
};

/// An answer that is being made. Dropping it cancels the query, and then ends the turn in its transaction.
pub(super) struct Answer {
    /// It is dropped before the query, so that nobody listens any more when that is cancelled.
    paging: Paging,
    running: Box<dyn Running>,
    /// Held until it is over: its turn, and for its count.
    _held: Option<(Option<Turn>, Place)>,
    shape: Shape,
    /// Whether its beginning was written.
    begun: bool,
    /// Whether a result was.
    any: bool,
}

/// What an answer should look like.
pub(super) struct Shape {
    pub(super) form: Form,
    /// Results of a page.
    pub(super) batch_size: usize,
    pub(super) properties: Properties,
    /// What it is a part of.
    pub(super) within: In,
    /// The id that the only result tells, of what begins or ends a transaction. Its form is that of a script.
    pub(super) tells: Option<String>,
}

/// A piece of an answer.
pub(super) struct Piece {
    pub(super) bytes: Vec<u8>,
    /// What counts the results in it.
    pub(super) held: Option<Held>,
    /// What counts its bytes.
    pub(super) room: Room,
    /// How the request went, if it is the last piece.
    pub(super) end: Option<Status>,
}

impl Answer {
    pub(super) fn new(
        paging: Paging,
        running: Box<dyn Running>,
        turn: Option<Turn>,
        permit: Place,
        shape: Shape,
    ) -> Self {
        Self { paging, running, _held: Some((turn, permit)), shape, begun: false, any: false }
    }

    /// When the time of the query is over.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.running.deadline()
    }

    /// It is complete, and holds nothing up any more, above all no turn in a transaction.
    pub(super) fn let_go(&mut self) {
        self._held = None;
    }

    /// The last piece instead of one that was written in time and was late all the same, perhaps the first of all.
    pub(super) fn missed(&mut self, format: Format, is_first: bool) -> Piece {
        self.running.missed();
        self.begun &= !is_first;
        self.failure(format, status::failed(&late(), self.shape.within))
    }

    /// Waits for the next piece, and for room for it.
    pub(super) async fn next(&mut self, format: Format, guest: &Guest) -> Piece {
        loop {
            match self.paging.next(self.shape.batch_size, &*self.running) {
                Paged::Wait => self.paging.arrived().await,
                Paged::Full => return self.page(format, None, guest).await,
                Paged::Last(outcome) => return self.last(format, outcome, guest).await,
            }
        }
    }

    async fn last(&mut self, format: Format, outcome: Outcome, guest: &Guest) -> Piece {
        match outcome {
            Ok(_) => self.page(format, Some(Status::ok()), guest).await,
            Err(error) => self.failure(format, status::failed(&error, self.shape.within)),
        }
    }

    /// Writes the page, and begins a new one; or says why not.
    async fn page(&mut self, format: Format, end: Option<Status>, guest: &Guest) -> Piece {
        if is_late(&*self.running) {
            self.running.missed();
            return self.failure(format, status::failed(&late(), self.shape.within));
        }
        if self.paging.page.is_too_large() {
            return self.failure(format, status::failed(&too_large(), self.shape.within));
        }
        let written = match guest.room_in_time(self.paging.page.bytes(), self.deadline()).await {
            Ok(room) => self.written(format, end, (guest, room)),
            Err(error) => Err(status::failed(&error, self.shape.within)),
        };
        written.unwrap_or_else(|status| self.failure(format, status))
    }

    /// Writes the page where it has room; or how the request failed.
    fn written(
        &mut self,
        format: Format,
        end: Option<Status>,
        (guest, room): (&Guest, Room),
    ) -> Result<Piece, Status> {
        let Self { paging, shape, .. } = self;
        let (begun, any) = (self.begun, self.any);
        let told = shape.tells.as_deref().map(|id| [told(id)]);
        let results = match &told {
            Some(told) => Results::Values(told),
            None => paging.page.results(),
        };
        let properties = properties(&*self.running, shape.properties);
        let write = || {
            let mut out = Vec::with_capacity(64 + 32 * paging.page.len());
            if !begun {
                format.begin(shape.form == Form::Bytecode, &mut out);
            }
            format.results(results, properties, !any, &mut out)?;
            if let Some(end) = &end {
                format.end(end, &mut out);
            }
            Ok(out)
        };
        let written = encode_in_time(&*self.running, paging.page.bytes(), write);
        let (held, had_any) = (paging.held(), paging.page.len() > 0);
        paging.page.clear();
        match written {
            Some(Ok(bytes)) => {
                let room = guest.written(room, bytes.len());
                (self.begun, self.any) = (true, any || had_any);
                Ok(Piece { bytes, held, room, end })
            }
            Some(Err(EncodeError::TooLarge)) => Err(status::failed(&too_large(), self.shape.within)),
            Some(Err(error)) => Err(status::unencodable(&error)),
            None => {
                self.running.missed();
                Err(status::failed(&late(), self.shape.within))
            }
        }
    }

    /// The last piece of what failed.
    fn failure(&mut self, format: Format, status: Status) -> Piece {
        let mut bytes = Vec::with_capacity(256);
        if !std::mem::replace(&mut self.begun, true) {
            format.begin(self.shape.form == Form::Bytecode, &mut bytes);
        }
        format.end(&status, &mut bytes);
        Piece { bytes, held: None, room: Room::default(), end: Some(status) }
    }
}

/// How an id is told.
fn told(id: &str) -> Value {
    let mut map = Map::new();
    map.insert("transactionId", id);
    map.into()
}
