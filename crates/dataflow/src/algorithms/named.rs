//! Vertices that stand for others, as a property of those: its values are their ids, or the texts of these.
//!
//! There may be as many as vertices, and few are read: each is made when it is read for the first time.
//!
//! ```text
//! names   by the place of the vertex that stands for others    │ – │ ● │ – │ …     a table for each 1,024 places, if one is read
//!                                                                    └─▶ │ – │ '933' │ – │ …
//! ```

use std::marker::PhantomData;
use std::sync::{Arc, Mutex, OnceLock};

use graph::{Snapshot, Value, ValueRef, VertexRef, VertexValues};

use super::Ground;
use super::places::Places;
use super::texts::text_of;
use crate::memory::{MemoryMeter, StateMemory};

/// Places of a table.
const TABLE: usize = 1 << 10;

/// What an id becomes.
pub(super) trait Name: Send + Sync + 'static {
    fn of(id: Value) -> Value;
}

/// Its text.
pub(super) struct Texts;

impl Name for Texts {
    fn of(id: Value) -> Value {
        match id {
            Value::String(_) => id,
            id => Value::from(text_of(&id).as_str()),
        }
    }
}

/// The id as it is.
pub(super) struct Ids;

impl Name for Ids {
    fn of(id: Value) -> Value {
        id
    }
}

type Table = Box<[OnceLock<Value>]>;

/// See the module. `F` says which vertex stands for the one at a place, by its place; none if there is no vertex.
pub(super) struct Named<N, F> {
    stands_for: F,
    names: Box<[OnceLock<Table>]>,
    places: Arc<Places>,
    snapshot: Snapshot,
    meter: Arc<MemoryMeter>,
    /// What was held to find them out, and what the tables take.
    held: Mutex<StateMemory>,
    name: PhantomData<N>,
}

impl<N: Name, F: Fn(usize) -> Option<u32> + Send + Sync> Named<N, F> {
    pub(super) fn new(stands_for: F, ground: &Ground, held: StateMemory) -> Self {
        let names = (0..ground.places.len().div_ceil(TABLE)).map(|_| OnceLock::new()).collect();
        let (places, snapshot) = (ground.places.clone(), ground.snapshot.clone());
        let (meter, held) = (ground.query.memory.clone(), Mutex::new(held));
        Self { stands_for, names, places, snapshot, meter, held, name: PhantomData }
    }

    fn table(&self) -> Table {
        /// A name and, for each, what it points to.
        const BYTES: usize = TABLE * (size_of::<OnceLock<Value>>() + 32);
        if let Ok(mut held) = self.held.lock() {
            // Who reads cannot refuse; whoever holds more next is told.
            let _ = held.grow(&self.meter, BYTES);
        }
        (0..TABLE).map(|_| OnceLock::new()).collect()
    }
}

impl<N: Name, F: Fn(usize) -> Option<u32> + Send + Sync> VertexValues for Named<N, F> {
    fn get(&self, v: VertexRef) -> Option<ValueRef<'_>> {
        let name = (self.stands_for)(self.places.of_vertex(v))? as usize;
        let table = self.names.get(name / TABLE)?.get_or_init(|| self.table());
        let name_of = || N::of(self.snapshot.reader().id(self.places.vertex(name)));
        table.get(name % TABLE).map(|known| ValueRef::of(known.get_or_init(name_of)))
    }
}
