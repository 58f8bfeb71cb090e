//! Graph algorithms over one snapshot: many rounds over all vertices, on all executors that have time, in turns like any query.
//!
//! ```text
//! round    │ piece 0 │ piece 1 │ …     vertices of 8 tablets each; whoever has time takes the next one
//!               │         │
//!               ▼         ▼
//! numbers  [ 0.15 │ 0.21 │ … ]         one for each vertex, by its place; edges are read from the graph as they lie
//! ```
//!
//! | file | what |
//! |---|---|
//! | `places.rs`, `numbers.rs` | the vertices in a row, and a number for each |
//! | `links.rs` | the edges that are gone along |
//! | `work.rs` | work in pieces that any executor may take |
//! | `sweep.rs` | the work of going through all vertices with their edges |
//! | `members.rs` | which vertices there are, and how many edges each has |
//! | `texts.rs` | the order of ids as texts |
//! | `named.rs` | vertices that stand for others, as a property of those |
//! | `page_rank.rs`, `peer_pressure.rs`, `components.rs`, `shortest/` | the algorithms |
//!
//! They must never know what traversers are, nor where their results go.

mod components;
mod links;
mod members;
mod named;
mod numbers;
mod page_rank;
mod peer_pressure;
mod places;
mod shortest;
mod sweep;
mod texts;
mod work;

use std::sync::Arc;

use graph::Snapshot;

use crate::error::QueryError;
use crate::memory::StateMemory;
use crate::operator::Context;
use crate::query::QueryState;

pub(crate) use components::Components;
pub(crate) use links::{Found, Kept, Links};
pub(crate) use numbers::Doubles;
pub(crate) use page_rank::PageRank;
pub(crate) use peer_pressure::PeerPressure;
pub(crate) use places::Places;
pub(crate) use shortest::{Lengths, Paths, ShortestPaths, Wanted, length};
pub(crate) use work::Advance;

/// What an algorithm runs over.
#[derive(Clone)]
pub(crate) struct Ground {
    /// On whose behalf.
    pub(crate) query: Arc<QueryState>,
    /// The graph as it is stored, with the writes of the query's own transaction.
    pub(crate) snapshot: Snapshot,
    /// All vertices.
    pub(crate) places: Arc<Places>,
    /// The places of those that there are to the algorithm, ascending; `None`: all that there are.
    pub(crate) within: Option<Arc<[u32]>>,
}

impl Ground {
    /// The graph of a query.
    pub(crate) fn of(cx: &Context<'_>) -> Self {
        let snapshot = cx.query.stored();
        let places = Arc::new(Places::of(&snapshot.reader()));
        Self { query: cx.query.clone(), snapshot, places, within: None }
    }

    /// Whether there is a vertex to the algorithm at a place where there may be one in the graph.
    pub(crate) fn admits(&self, place: usize) -> bool {
        self.within.as_ref().is_none_or(|within| within.binary_search(&(place as u32)).is_ok())
    }
}

/// An algorithm that puts a property of each vertex in place.
pub(crate) trait Algorithm: Send {
    /// Goes on with it for the quota; when it is done, the property is.
    ///
    /// # Errors
    /// [`QueryError`] ends the query.
    fn go_on(&mut self, cx: &Context<'_>) -> Result<Advance<Box<dyn graph::VertexValues>>, QueryError>;
}

/// Charges a query for so many bytes.
fn hold(ground: &Ground, bytes: usize) -> Result<StateMemory, QueryError> {
    let mut held = StateMemory::default();
    held.set(&ground.query.memory, bytes)?;
    Ok(held)
}
