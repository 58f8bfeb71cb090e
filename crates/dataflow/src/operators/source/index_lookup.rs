//! The vertices of a label whose key has one of some values.

use graph::{KeyId, ReadUnit, ScanCursor, ValueRef, VertexLabelId, for_each_equal_hash};
use planner::physical::{OpKind, op};
use rustc_hash::FxHashSet;
use values::{Value, VertexRef};

use crate::error::QueryError;
use crate::operator::Context;

use super::super::per_row::{Producer, Row};
use super::super::view::Graph;

/// Vertices looked at at once where the index is gone.
const SCAN_ROWS: usize = 4096;

/// See the module.
#[derive(Default)]
pub(in crate::operators) struct IndexLookup {
    found: Vec<VertexRef>,
}

impl Producer for IndexLookup {
    fn produce(
        &mut self,
        Row { batch, row }: Row<'_>,
        graph: &Graph<'_>,
        cx: &Context<'_>,
        _room: usize,
        into: &mut Vec<Value>,
    ) -> Result<bool, QueryError> {
        let OpKind::IndexLookup(op::IndexLookup { label, key, values, spread }) = &cx.op.kind else {
            return Ok(false);
        };
        self.found.clear();
        let mut lookups = 0;
        let mut find = |value: &Value| {
            lookups += 1;
            look_up(*label, *key, value, graph, &mut self.found);
        };
        for operand in values {
            match cx.operand(operand, batch, row) {
                None => {}
                Some(Value::List(values)) if *spread => values.iter().for_each(&mut find),
                Some(Value::Set(values)) if *spread => values.iter().for_each(&mut find),
                Some(Value::BulkSet(values)) if *spread => values.iter().for_each(|(value, _)| find(value)),
                Some(value) => find(&value),
            }
        }
        // Two values may find the same vertex: given twice, or both among its values.
        if lookups > 1 {
            let mut seen = FxHashSet::default();
            self.found.retain(|v| seen.insert(*v));
        }
        self.found.iter().for_each(|v| graph.note_property(*v, Some(*key)));
        into.extend(self.found.iter().map(|v| Value::VertexRef(*v)));
        Ok(false)
    }
}

fn look_up(label: VertexLabelId, key: KeyId, value: &Value, graph: &Graph<'_>, found: &mut Vec<VertexRef>) {
    for_each_equal_hash(value, |hash| graph.note(|| ReadUnit::IndexKey(label, key, hash)));
    if graph.reader.index_lookup(label, key, value, found) {
        return;
    }
    // The index that the plan was made with is gone: the same answer by a scan.
    graph.note(|| ReadUnit::LabelMembership(label));
    let (mut cursor, mut chunk, mut properties) = (ScanCursor::default(), Vec::new(), Vec::new());
    let mut more = true;
    while more {
        chunk.clear();
        more = graph.reader.scan_vertices(Some(label), &mut cursor, SCAN_ROWS, &mut chunk);
        for v in &chunk {
            graph.note_property(*v, Some(key));
            properties.clear();
            graph.reader.vertex_properties(*v, &[key], &mut properties);
            if properties.iter().any(|p| ValueRef::of(&p.value).equals(value)) {
                found.push(*v);
            }
        }
    }
}
