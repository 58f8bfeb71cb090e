//! `unfold`: the members of a collection as traversers of their own.

use values::{BulkSet, Value};

use crate::error::QueryError;
use crate::operator::Context;

use super::per_row::{Producer, Row};
use super::view::Graph;

/// See the module. A map is unfolded into its entries; what is no collection stays. Large collections leave in pieces.
#[derive(Default)]
pub(super) struct Unfold {
    /// Members of the current row's collection that have left; of a bulk set, those that have as often as they are in it.
    done: usize,
    /// How often the next member of a bulk set has.
    times: u64,
}

impl Producer for Unfold {
    fn produce(
        &mut self,
        Row { batch, row }: Row<'_>,
        _graph: &Graph<'_>,
        _cx: &Context<'_>,
        room: usize,
        into: &mut Vec<Value>,
    ) -> Result<bool, QueryError> {
        let Some(object) = batch.current.get(row) else { return Ok(false) };
        let (skip, take) = (self.done, room.max(1));
        let size = match &object {
            Value::List(members) => {
                into.extend(members.iter().skip(skip).take(take).cloned());
                members.len()
            }
            Value::Set(members) => {
                into.extend(members.0.get_range(skip..).into_iter().flatten().take(take).cloned());
                members.len()
            }
            Value::BulkSet(members) => return Ok(self.repeat(members, take, into)),
            Value::Path(path) => {
                into.extend(path.objects.iter().skip(skip).take(take).cloned());
                path.len()
            }
            Value::Map(map) => {
                let entries = map.0.get_range(skip..).into_iter().flatten().take(take);
                into.extend(entries.map(|(k, v)| Value::entry(k.clone(), v.clone())));
                map.len()
            }
            _ => {
                into.push(object);
                1
            }
        };
        self.done = if skip + take < size { skip + take } else { 0 };
        Ok(self.done > 0)
    }

    fn restart(&mut self) {
        *self = Self::default();
    }
}

impl Unfold {
    /// Appends members of a bulk set, each as often as it is there, from where the last piece has ended: there may be millions before.
    /// Whether there are more.
    fn repeat(&mut self, members: &BulkSet, take: usize, into: &mut Vec<Value>) -> bool {
        let mut room = take as u64;
        for (member, count) in members.counted_from(self.done) {
            let left = count - self.times;
            let times = left.min(room);
            into.extend(std::iter::repeat_n(member, times as usize).cloned());
            room -= times;
            if times < left {
                self.times += times;
                return true;
            }
            (self.done, self.times) = (self.done + 1, 0);
        }
        self.restart();
        false
    }
}
