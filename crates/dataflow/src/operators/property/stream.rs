//! `values` and `properties`: every value or property of an element as a traverser of its own.

use graph::{KeyId, Single, ValueRef};
use planner::physical::{OpKind, PropertyForm, op};
use values::{Value, VertexRef};

use crate::error::QueryError;
use crate::operator::Context;

use super::super::per_row::{Producer, Row};
use super::super::view::Graph;
use super::{properties_of, resolve_keys};

/// See the module.
#[derive(Default)]
pub(in crate::operators) struct PropertyStream {
    /// Bytes of the texts that were copied since they last were enough.
    copied: usize,
}

/// Bytes of copied texts after which they are to leave: they are weighed when they do.
const HEAVY: usize = 2 << 20;

impl Producer for PropertyStream {
    fn produce(
        &mut self,
        Row { batch, row }: Row<'_>,
        graph: &Graph<'_>,
        cx: &Context<'_>,
        _room: usize,
        into: &mut Vec<Value>,
    ) -> Result<bool, QueryError> {
        let OpKind::Properties(op::Properties { keys, form }) = &cx.op.kind else { return Ok(false) };
        let object = batch.current.value(row);
        let ids = resolve_keys(keys, graph);
        if let (Value::VertexRef(v), PropertyForm::Values, Some(ids)) = (&object, form, ids.as_deref())
            && !ids.is_empty()
            && push_plain(*v, ids, graph, into, &mut self.copied)
        {
            return Ok(false);
        }
        let found = properties_of(&object, &keys.names, ids.as_deref(), graph, cx)?;
        self.copied += found.iter().map(super::Found::text_len).sum::<usize>();
        match form {
            PropertyForm::Values => into.extend(found.into_iter().map(super::Found::into_value)),
            _ => into.extend(found.into_iter().map(|p| p.into_property(graph))),
        }
        Ok(false)
    }

    fn is_heavy(&mut self) -> bool {
        let is_heavy = self.copied >= HEAVY;
        if is_heavy {
            self.copied = 0;
        }
        is_heavy
    }
}

/// Appends what a vertex has under some keys, if that is no more than a plain value under each; whether it is. Texts are
/// `copied`.
fn push_plain(
    v: VertexRef,
    keys: &[KeyId],
    graph: &Graph<'_>,
    into: &mut Vec<Value>,
    copied: &mut usize,
) -> bool {
    let before = into.len();
    for key in keys {
        graph.note_property(v, Some(*key));
        match graph.reader.single(v, *key) {
            Single::Absent => {}
            Single::Value(value) => {
                if let ValueRef::Str(text) = &value {
                    *copied += text.len();
                }
                into.push(value.to_value());
            }
            Single::Several => {
                into.truncate(before);
                return false;
            }
        }
    }
    true
}
