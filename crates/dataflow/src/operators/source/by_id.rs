//! The elements with given ids.

use planner::physical::{ElementKind, OpKind, op};
use values::Value;

use crate::error::QueryError;
use crate::operator::Context;

use super::super::element::{edges_by_id, find_edge, find_vertex, is_id, vertices_by_id};
use super::super::per_row::{Producer, Row};
use super::super::view::Graph;

/// See the module. Elements come in the order in which their ids are given, one as often as its id is.
#[derive(Default)]
pub(in crate::operators) struct ById;

impl Producer for ById {
    fn produce(
        &mut self,
        Row { batch, row }: Row<'_>,
        graph: &Graph<'_>,
        cx: &Context<'_>,
        _room: usize,
        into: &mut Vec<Value>,
    ) -> Result<bool, QueryError> {
        let OpKind::ById(op::ById { kind, ids }) = &cx.op.kind else { return Ok(false) };
        let mut find = |object: &Value| match kind {
            ElementKind::Vertex if is_id(object) => {
                into.extend(vertices_by_id(object, graph).map(Value::VertexRef));
            }
            ElementKind::Vertex => into.extend(find_vertex(object, graph).map(Value::VertexRef)),
            ElementKind::Edge if is_id(object) => {
                into.extend(edges_by_id(object, graph).map(Value::EdgeRef));
            }
            ElementKind::Edge => into.extend(find_edge(object, graph).map(Value::EdgeRef)),
        };
        for operand in &ids.0 {
            match cx.operand(operand, batch, row) {
                None | Some(Value::Null) => {}
                Some(Value::List(ids)) => ids.iter().for_each(&mut find),
                Some(Value::Set(ids)) => ids.iter().for_each(&mut find),
                Some(Value::BulkSet(ids)) => ids.repeated_from(0).for_each(&mut find),
                Some(id) => find(&id),
            }
        }
        Ok(false)
    }
}
