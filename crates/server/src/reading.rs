//! Room for requests that are read.
//!
//! A request of megabytes takes some times as many when it is read, and no query holds these yet. So they are kept before it is read, of
//! what all queries may hold, until its query begins and holds them itself; until there is room for them the message waits as it came:
//!
//! ```text
//! received ──── waits as it came ──────►  read  ──►  waits for its turn  ──►  begins
//! Intake   │    Intake, once more      │  Database::reserve                │  the query's
//! ```
//!
//! Small ones are read at once, as any query has so much whatever others hold (`dataflow::Budget`): as many as a server has at a time
//! (`server.max_requests`) come to 2 GiB at the very most.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::time::sleep;

use crate::{
    Database, ErrorKind, Held, QueryError,
    aside::{Work, aside_in_time},
    host::Host,
    intake::Receipt,
    outgoing::LOOK,
};

/// Bytes of memory of a request for which nothing is kept.
const SMALL: usize = 256 << 10;

/// For so long it waits for some at most.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a request takes in memory when it is read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Weight {
    /// About how many bytes.
    pub(crate) bytes: usize,
    /// What is kept for them.
    pub(crate) reserved: Option<Held>,
}

impl Host {
    /// Room for what a request of `length` bytes takes when it is read, for which it waits until its usual deadline at most.
    ///
    /// # Errors
    /// If no graph would read it, or there is none in time.
    pub(crate) async fn room_to_read(
        &self,
        length: usize,
        asked: Instant,
        weigh: impl FnOnce() -> usize,
    ) -> Result<Weight, QueryError> {
        let bytes = self.weigh(length, weigh)?;
        let Some(graph) = (bytes > SMALL).then(|| self.largest()).flatten() else {
            return Ok(Weight { bytes, reserved: None });
        };
        let reserve = || graph.reserve(bytes as u64);
        let mut reserved = reserve();
        if reserved.is_none() {
            let waits = Receipt::new(self.intake.clone());
            let until = Instant::now() + PATIENCE;
            let until = self.options.usual_deadline(asked).map_or(until, |deadline| until.min(deadline));
            // Who is refused is told so at once.
            while waits.takes(length) && Instant::now() < until {
                sleep(LOOK).await;
                waits.left(length);
                reserved = reserve();
                if reserved.is_some() {
                    break;
                }
            }
        }
        reserved.map(|reserved| Weight { bytes, reserved: Some(reserved) }).ok_or_else(no_room)
    }

    /// The same of what is inside of a request that is read already: nobody waits for it.
    ///
    /// # Errors
    /// If no graph would read it, or there is no room now.
    pub(crate) fn room_now(
        &self,
        length: usize,
        weigh: impl FnOnce() -> usize,
    ) -> Result<Weight, QueryError> {
        let bytes = self.weigh(length, weigh)?;
        match (bytes > SMALL).then(|| self.largest()).flatten() {
            None => Ok(Weight { bytes, reserved: None }),
            Some(graph) => {
                let reserved = graph.reserve(bytes as u64).ok_or_else(no_room)?;
                Ok(Weight { bytes, reserved: Some(reserved) })
            }
        }
    }

    /// The graph that reads more than any other.
    fn largest(&self) -> Option<Arc<dyn Database>> {
        self.graphs.all().into_iter().map(|(_, graph)| graph).max_by_key(|graph| graph.memory_per_request())
    }

    /// Reads a message of `length` bytes, if there is a seat for that before its usual deadline.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn read<R>(
        &self,
        length: usize,
        asked: Instant,
        read: impl FnOnce() -> R,
    ) -> Result<R, QueryError> {
        aside_in_time(Work::Request(length), self.options.usual_deadline(asked), read).ok_or_else(not_read)
    }
}

fn no_room() -> QueryError {
    let message = "the requests that are read, and the queries that run, leave no room for one so large \
                   (engine.memory_queries); try again later, or send fewer values at once";
    QueryError::new(ErrorKind::Busy, message)
}

fn not_read() -> QueryError {
    let message = "the request's time was over before it was read, since others as large were read first; try again later, or send \
                   fewer values at once";
    QueryError::new(ErrorKind::Timeout, message)
}
