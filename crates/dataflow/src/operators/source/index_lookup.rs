//! The vertices of a label whose key has one of some values.

use graph::{KeyId, ReadUnit, ScanCursor, ValueRef, VertexLabelId, for_each_equal_hash};
use planner::physical::{OpKind, op};
use rustc_hash::FxHashSet;
use values::{Value, VertexRef, watch};

use crate::error::QueryError;
use crate::operator::Context;

use super::super::local::count;
use super::super::per_row::{Producer, Row};
use super::super::view::Graph;
use super::at_once::AtOnce;

/// Vertices looked at at once where the index is gone.
const SCAN_ROWS: usize = 4096;

/// Values of one argument from which on others may have the executor while they are looked up.
const MANY: usize = 1 << 12;

/// See the module. What is found leaves in pieces.
#[derive(Default)]
pub(in crate::operators) struct IndexLookup(AtOnce);

impl Producer for IndexLookup {
    fn produce(
        &mut self,
        row: Row<'_>,
        graph: &Graph<'_>,
        cx: &Context<'_>,
        room: usize,
        into: &mut Vec<Value>,
    ) -> Result<bool, QueryError> {
        let OpKind::IndexLookup(lookup) = &cx.op.kind else { return Ok(false) };
        if !self.0.waits() {
            find(lookup, row, graph, cx, &mut self.0.found);
            self.0.charge(cx)?;
        }
        self.0.give(room, into, |v| {
            graph.note_property(v, Some(lookup.key));
            Ok(())
        })
    }

    fn takes_long(&self, Row { batch, row }: Row<'_>, cx: &Context<'_>) -> bool {
        let OpKind::IndexLookup(lookup) = &cx.op.kind else { return false };
        let is_many = |value: Value| count(&value) > MANY;
        let mut values = lookup.values.iter().filter_map(|operand| cx.operand(operand, batch, row));
        lookup.spread && !self.0.waits() && values.any(is_many)
    }

    fn restart(&mut self) {
        self.0.clear();
    }
}

/// Finds the vertices for a row, each once.
fn find(
    op::IndexLookup { label, key, values, spread }: &op::IndexLookup,
    Row { batch, row }: Row<'_>,
    graph: &Graph<'_>,
    cx: &Context<'_>,
    found: &mut Vec<VertexRef>,
) {
    let mut lookups = 0;
    let mut find = |value: &Value| {
        watch::tick();
        lookups += 1;
        look_up(*label, *key, value, graph, found);
    };
    for operand in values {
        let Some(value) = cx.operand(operand, batch, row) else { continue };
        match &value {
            Value::List(values) if *spread => values.iter().for_each(&mut find),
            Value::Set(values) if *spread => values.iter().for_each(&mut find),
            Value::BulkSet(values) if *spread => values.iter().for_each(|(value, _)| find(value)),
            value => find(value),
        }
    }
    // Two values may find the same vertex: given twice, or both among its values.
    if lookups > 1 {
        let mut seen = FxHashSet::default();
        found.retain(|v| {
            watch::tick();
            seen.insert(*v)
        });
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
