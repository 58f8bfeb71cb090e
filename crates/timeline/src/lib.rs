//! Refinable timestamps, commit validation and the garbage-collection watermark.
//!
//! Two layers live here. The first is the general one, for several gatekeepers (Weaver, sections 3 and 4):
//! [`Timestamp`]s whose vector clocks order most transactions without coordination, issued by [`Gatekeeper`]s, and a
//! [`TimelineOracle`] that orders the few that conflict and that the clocks leave [`Concurrent`](TimeOrder::Concurrent).
//! The second is what one gatekeeper needs, where a timestamp collapses to one integer, the [`Stamp`], and the
//! oracle is never asked:
//!
//! ```text
//!   begin    Timeline::snapshot ──▶ a Stamp S to read at, held in ActiveSnapshots
//!   commit   Timeline::commit   ──▶ Validator: is everything read as it was at S?  ──▶ the next Stamp T
//!            write the log      ──▶ Timeline::durable(T)
//!            apply to tablets   ──▶ Timeline::applied(T): visible once every commit before T is
//!   collect  Timeline::watermark ─▶ versions that no reader at or after it can see may go
//!   lost     Timeline::reserve   ──▶ Reservations: its units are kept free from younger ones until it has been run again
//! ```
//!
//! Every part that takes decisions is a state machine with time and messages passed in: [`Gatekeeper`],
//! [`AnnouncementPace`], [`OracleGraph`], [`Validator`], [`Sequencer`], [`SnapshotRegistry`], [`Reservations`]. Only [`Timeline`] and
//! [`ActiveSnapshots`], thin shells around them, hold locks.
//!
//! Invariant: this crate does no input or output, reads no clock, and does not know how a graph is laid out.

mod active;
mod footprint;
mod gatekeeper;
mod oracle;
mod pace;
mod refinement;
mod registry;
mod reservations;
mod sequencer;
mod shell;
mod stamp;
mod timestamp;
mod unit;
mod validator;

pub use active::{ActiveSnapshots, SnapshotGuard};
pub use footprint::{Footprint, FootprintFull, MAX_FOOTPRINT_READS, MAX_FOOTPRINT_WRITES};
pub use gatekeeper::{Announcement, AnnouncementRefused, EpochNotNewer, Gatekeeper};
pub use oracle::{EventId, OracleError, OracleGraph, TimelineOracle};
pub use pace::AnnouncementPace;
pub use refinement::RefinedOrder;
pub use registry::{Registration, SnapshotRegistry};
pub use reservations::{Capacity, Reservations, Reserved, Ticket, Turn};
pub use sequencer::{MAX_IN_FLIGHT, Sequencer, SequencerFull};
pub use shell::{CommitRefused, Committed, Standing, Timeline, Wake};
pub use stamp::Stamp;
pub use timestamp::{Epoch, GatekeeperId, MAX_GATEKEEPERS, TimeOrder, Timestamp, VectorClock};
pub use unit::{Unit, UnitKind};
pub use validator::{Conflict, Shown, ValidationError, Validator};
