//! The end of a request's time while its results are encoded and sent.

use std::{sync::Arc, time::Instant};

use values::watch::{Ended, Watch, watched};
use wire::EncodeError;

use crate::{
    ErrorKind, QueryError, Running,
    aside::{Work, aside},
};

/// Watches the deadline of a request.
struct Deadline(Option<Instant>);

impl Watch for Deadline {
    fn must_end(&self) -> bool {
        self.0.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Whether the time of a request is over.
pub(crate) fn is_late(running: &dyn Running) -> bool {
    Deadline(running.deadline()).must_end()
}

/// Encodes results of a request, that have about so many bytes; `None` if its time was over before it was done.
pub(crate) fn encode_in_time(
    running: &dyn Running,
    bytes: u64,
    encode: impl FnOnce() -> Result<Vec<u8>, EncodeError>,
) -> Option<Result<Vec<u8>, EncodeError>> {
    let deadline = running.deadline();
    let encode_in_time = || {
        let deadline = Deadline(deadline);
        if deadline.must_end() { Err(Ended) } else { watched(Arc::new(deadline), encode) }
    };
    aside(Work::Results(bytes), deadline, encode_in_time).ok()
}

/// What the client of a late request is told.
pub(crate) fn late() -> QueryError {
    let message = "the query exceeded its evaluation timeout while its results were sent (if it has written, outside of a \
                   transaction, that is committed); raise `evaluationTimeout`, narrow the traversal, or ask for fewer \
                   results";
    QueryError::new(ErrorKind::Timeout, message)
}

/// What the client is told of a result that no message has room for.
pub(crate) fn too_large() -> QueryError {
    let message = format!(
        "the results of one message would be larger than {} bytes, written out (what the traversal has written stands, committed or in its \
         transaction); narrow it, or unfold the result",
        crate::page::MOST_BYTES
    );
    QueryError::new(ErrorKind::Limit, message)
}
