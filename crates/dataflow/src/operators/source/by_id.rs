//! The elements with given ids.

use planner::physical::{ElementKind, OpKind, op};
use values::{BulkSet, Value, watch};

use crate::error::QueryError;
use crate::operator::Context;

use super::super::element::{edges_by_id, find_edge, find_vertex, is_id, vertices_by_id};
use super::super::per_row::{Producer, Row};
use super::super::view::Graph;

/// See the module. Elements come in the order in which their ids are given, one as often as its id is. A client may say that one
/// is there 2⁶³ times, so they leave in pieces.
#[derive(Default)]
pub(in crate::operators) struct ById {
    /// The argument that the current row has come to.
    argument: usize,
    /// What it is, if not all of its ids have been looked for: it may be a side-effect, which changes meanwhile.
    begun: Option<Value>,
    /// The member of it that is next.
    member: usize,
    /// How often that has been looked for.
    times: u64,
}

impl ById {
    /// Looks for the next ids of an argument; whether there are more when as many as there is room for have been looked for.
    fn find_some(&mut self, given: &Value, room: &mut usize, find: impl FnMut(&Value)) -> bool {
        match given {
            Value::Null => false,
            Value::List(ids) => self.each(ids.iter().skip(self.member), room, find),
            Value::Set(ids) => self.each(ids.0.get_range(self.member..).into_iter().flatten(), room, find),
            Value::BulkSet(ids) => self.repeated(ids, room, find),
            id => self.each(std::iter::once(id), room, find),
        }
    }

    fn each<'a>(
        &mut self,
        ids: impl Iterator<Item = &'a Value>,
        room: &mut usize,
        mut find: impl FnMut(&Value),
    ) -> bool {
        for id in ids {
            if *room == 0 {
                return true;
            }
            find(id);
            (self.member, *room) = (self.member + 1, *room - 1);
        }
        false
    }

    fn repeated(&mut self, ids: &BulkSet, room: &mut usize, mut find: impl FnMut(&Value)) -> bool {
        for id in ids.distinct_from(self.member) {
            let left = ids.count_of(id) - self.times;
            let now = left.min(*room as u64);
            (0..now).for_each(|_| find(id));
            *room -= now as usize;
            if now < left {
                self.times += now;
                return true;
            }
            (self.member, self.times) = (self.member + 1, 0);
        }
        false
    }
}

impl Producer for ById {
    fn produce(
        &mut self,
        Row { batch, row }: Row<'_>,
        graph: &Graph<'_>,
        cx: &Context<'_>,
        room: usize,
        into: &mut Vec<Value>,
    ) -> Result<bool, QueryError> {
        let OpKind::ById(op::ById { kind, ids }) = &cx.op.kind else { return Ok(false) };
        let mut find = |object: &Value| {
            watch::tick();
            match kind {
                ElementKind::Vertex if is_id(object) => {
                    into.extend(vertices_by_id(object, graph).map(Value::VertexRef));
                }
                ElementKind::Vertex => into.extend(find_vertex(object, graph).map(Value::VertexRef)),
                ElementKind::Edge if is_id(object) => {
                    into.extend(edges_by_id(object, graph).map(Value::EdgeRef));
                }
                ElementKind::Edge => into.extend(find_edge(object, graph).map(Value::EdgeRef)),
            }
        };
        let mut room = room.max(1);
        while let Some(argument) = ids.0.get(self.argument) {
            let given = self.begun.take().or_else(|| cx.operand(argument, batch, row));
            if let Some(given) = given
                && self.find_some(&given, &mut room, &mut find)
            {
                self.begun = Some(given);
                return Ok(true);
            }
            (self.argument, self.member, self.times) = (self.argument + 1, 0, 0);
        }
        self.argument = 0;
        Ok(false)
    }

    fn restart(&mut self) {
        *self = Self::default();
    }
}
