//! `unfold`: the members of a collection as traversers of their own.

use values::Value;

use crate::error::QueryError;
use crate::operator::Context;

use super::per_row::{Producer, Row};
use super::view::Graph;

/// See the module. A map is unfolded into its entries; what is no collection stays. Large collections leave in pieces.
#[derive(Default)]
pub(super) struct Unfold {
    /// Members of the current row's collection that have left.
    done: usize,
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
            Value::BulkSet(members) => {
                into.extend(members.repeated_from(skip as u64).take(take).cloned());
                usize::try_from(members.total()).unwrap_or(usize::MAX)
            }
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
        self.done = 0;
    }
}
