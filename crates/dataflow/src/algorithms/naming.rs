//! Vertices that stand for others, as a property of those: its values are the ids, each of them once.
//!
//! ```text
//! numbers   one for each vertex: which name it has        taken   by the place of the vertex that stands for it
//! names     those that are taken, in the order in which they were
//! ```

use std::sync::Arc;

use graph::{Value, ValueRef, VertexRef, VertexValues};

use super::numbers::Numbers;
use super::places::Places;
use super::texts::text_of;
use super::{Ground, hold};
use crate::error::QueryError;
use crate::memory::StateMemory;
use crate::operator::Context;

/// Vertices that are named between two looks at the clock.
const BETWEEN_LOOKS: usize = 1 << 10;

/// Stands for no number.
const NONE: u32 = u32::MAX;

/// What ids become.
pub(super) trait Names: Default + Send + Sync + 'static {
    fn push(&mut self, id: Value);
    fn get(&self, number: u32) -> Option<ValueRef<'_>>;
    /// How many there are.
    fn len(&self) -> usize;
    fn bytes(&self) -> usize;
}

/// Their texts: there may be millions, so they lie together.
#[derive(Default)]
pub(super) struct Texts {
    ends: Vec<u32>,
    text: String,
}

impl Names for Texts {
    fn push(&mut self, id: Value) {
        self.text.push_str(&text_of(&id));
        self.ends.push(self.text.len() as u32);
    }

    fn get(&self, number: u32) -> Option<ValueRef<'_>> {
        let number = number as usize;
        let from = number.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.text.get(from as usize..*self.ends.get(number)? as usize).map(ValueRef::Str)
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn bytes(&self) -> usize {
        self.text.len() + self.ends.len() * 4
    }
}

/// The ids as they are.
#[derive(Default)]
pub(super) struct Ids {
    ids: Vec<Value>,
    bytes: usize,
}

impl Names for Ids {
    fn push(&mut self, id: Value) {
        self.bytes += size_of::<Value>() + id.as_str().map_or(0, |id| id.len() + 16);
        self.ids.push(id);
    }

    fn get(&self, number: u32) -> Option<ValueRef<'_>> {
        self.ids.get(number as usize).map(ValueRef::of)
    }

    fn len(&self) -> usize {
        self.ids.len()
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}

/// See the module.
pub(super) struct Naming<N> {
    at: usize,
    numbers: Arc<Numbers>,
    taken: Numbers,
    names: N,
    held: StateMemory,
}

impl<N: Names> Naming<N> {
    pub(super) fn new(ground: &Ground) -> Result<Self, QueryError> {
        let len = ground.places.len();
        let held = hold(ground, len * 2 * Numbers::BYTES)?;
        let (numbers, taken) = (Arc::new(Numbers::all(NONE, len)), Numbers::all(NONE, len));
        Ok(Self { at: 0, numbers, taken, names: N::default(), held })
    }

    /// Goes on for the quota; whether there is more. `stands_for`: the place of the vertex that stands for the one at a place, if that
    /// one is there.
    pub(super) fn go_on(
        &mut self,
        stands_for: impl Fn(usize) -> Option<u32>,
        ground: &Ground,
        cx: &Context<'_>,
    ) -> Result<bool, QueryError> {
        let reader = ground.snapshot.reader();
        let len = ground.places.len();
        while self.at < len {
            if let Some(name) = stands_for(self.at) {
                let mut number = self.taken.get(name as usize);
                if number == NONE {
                    number = self.names.len() as u32;
                    self.names.push(reader.id(ground.places.vertex(name as usize)));
                    self.taken.set(name as usize, number);
                }
                self.numbers.set(self.at, number);
            }
            self.at += 1;
            if self.at.is_multiple_of(BETWEEN_LOOKS) && cx.quota.is_spent() {
                break;
            }
        }
        self.held.set(&cx.query.memory, len * 2 * Numbers::BYTES + self.names.bytes())?;
        reader.check()?;
        Ok(self.at < len)
    }

    /// The property. It is held as long as it is there.
    pub(super) fn named(&mut self, ground: &Ground) -> Box<dyn VertexValues> {
        let (names, held) = (std::mem::take(&mut self.names), std::mem::take(&mut self.held));
        let (numbers, places) = (self.numbers.clone(), ground.places.clone());
        Box::new(Named { numbers, names, places, _held: held })
    }
}

struct Named<N> {
    numbers: Arc<Numbers>,
    names: N,
    places: Arc<Places>,
    _held: StateMemory,
}

impl<N: Names> VertexValues for Named<N> {
    fn get(&self, v: VertexRef) -> Option<ValueRef<'_>> {
        self.names.get(self.numbers.get(self.places.of_vertex(v)))
    }
}
