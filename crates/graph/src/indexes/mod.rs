//! The life of an index: declared, built while writes go on, ready, dropped, gone.
//!
//! ```text
//!  declare ─▶ building ──────────────────────────────────▶ ready ──▶ dropped ──▶ reclaimed
//!             │ every commit maintains it                  │ asked   │ not maintained; who still holds an
//!             │ a thread adds what was there before        │ by      │ older catalog may ask it
//!             │ unique: looks for duplicates               │ plans   └ until nobody does, then it is deleted
//! ```
//!
//! * *Declaring* commits the definition and refuses, as by a conflict, the transactions that began before and write:
//!   whatever commits after it has put its values under the index's units ([`crate::model::units::index_key`]).
//! * *Dropping* refuses those that began before it and write, too: what they have read under the index's units, others change without
//!   these from then on.
//! * *Building* reads one column of one block at a time, under no lock, and adds the entries to the partitions, a
//!   partition at a time under the writer's lock. An entry that has become stale meanwhile does no harm: entries are a
//!   superset, and readers compare.
//! * *Ready* is published after a flush, so that no crash finds a ready index without its entries. After a crash an
//!   index that was being built is built again.
//! * A snapshot is never older than the catalog it carries, so who finds an index ready needs nothing that was
//!   overwritten before that.
//!
//! It must never know how an index is read: that is the reader's.

mod build;
mod declare;
mod duplicates;
mod fill;
mod reclaim;
mod turns;
mod worker;

pub(crate) use turns::in_turns;
pub(crate) use worker::IndexWorker;

use values::Value;

use crate::error::GraphError;
use crate::model::{IndexDescription, IndexState};

/// How far an index is.
#[derive(Clone, Debug)]
pub struct IndexStatus {
    /// Which index.
    pub index: IndexDescription,
    /// Whether it may be asked. An index whose building failed stays in the state of being built.
    pub state: IndexState,
    /// The part of the blocks that has been looked at, from 0 to 1.
    pub progress: f64,
    /// Why building it failed, if it did. A unique index over values that are not unique is dropped again; it is
    /// listed until it is declared again.
    pub failure: Option<GraphError>,
}

impl IndexStatus {
    /// As a map: the fields of [`IndexDescription::to_value`], `state`, `progress` and perhaps `failure`.
    pub fn to_value(&self) -> Value {
        let mut map = self.index.to_value().as_map().cloned().unwrap_or_default();
        let state = match (self.state, &self.failure) {
            (IndexState::Ready, _) => "ready",
            (IndexState::Building, None) => "building",
            (IndexState::Building, Some(_)) => "failed",
        };
        map.insert("state", state);
        map.insert("progress", self.progress);
        if let Some(failure) = &self.failure {
            map.insert("failure", failure.to_string());
        }
        map.into()
    }
}
