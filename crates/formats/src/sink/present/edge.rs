//! A row as an edge: added, or merged with one that is there.

use graph::{
    Dir, EdgeLabelId, EdgeRef, GraphError, NameSpace, ReadUnit, Reader, Transaction, for_each_equal_hash,
    name_hash,
};
use values::{Value, VertexRef};

use super::batch::{Batch, Cell};
use super::refusal::{Refusal, Written, fault};
use super::vertex::{Became, shown};
use super::{Merge, PresentOptions};
use crate::error::Fault;

/// Writes a row between vertices that are there.
pub(super) fn write(
    transaction: &Transaction,
    options: &PresentOptions,
    (batch, row): (&Batch, usize),
    (src, dst): (VertexRef, VertexRef),
) -> Written<Became<EdgeRef>> {
    let id = batch.id(row).filter(|_| !options.new_ids);
    let found = match (&options.merge, id) {
        (Merge::Nothing, _) => None,
        (_, Some(id)) => by_id(transaction, id, (&batch.label, src, dst))?,
        (_, None) => by_ends(transaction, &batch.label, src, dst)?,
    };
    if let Some(found) = found {
        set_all(transaction, found, (batch, row))?;
        return Ok(Became::Merged(found));
    }
    let added =
        transaction.add_edge(id.cloned(), &batch.label, src, dst).map_err(|error| match (&error, id) {
            (GraphError::DuplicateEdgeId(_), Some(id)) => {
                let snapshot = transaction.snapshot();
                let reader = snapshot.reader();
                match reader.edge_by_id(id) {
                    Some(holder) => Refusal::Untouched(taken_edge(&reader, id, holder)),
                    None => Refusal::Again(error),
                }
            }
            _ => Refusal::untouched(error),
        })?;
    set_all(transaction, added, (batch, row))?;
    Ok(Became::Added(added))
}

fn set_all(transaction: &Transaction, e: EdgeRef, (batch, row): (&Batch, usize)) -> Written<()> {
    for (key, cell) in batch.cells(row) {
        let value = match cell {
            Cell::One(value) => value,
            // No reader makes these of edges.
            Cell::Many(cells) => Value::list(cells.iter().map(|cell| cell.value.clone()).collect::<Vec<_>>()),
        };
        transaction.set_edge_property(e, key, value).map_err(Refusal::midway)?;
    }
    Ok(())
}

/// The edge with an id, which must be as the row says.
fn by_id(
    transaction: &Transaction,
    id: &Value,
    (label, src, dst): (&str, VertexRef, VertexRef),
) -> Written<Option<EdgeRef>> {
    for_each_equal_hash(id, |hash| transaction.note_read(ReadUnit::EdgeId(hash)));
    let snapshot = transaction.snapshot();
    let reader = snapshot.reader();
    let Some(found) = reader.edge_by_id(id) else { return Ok(None) };
    let own = snapshot.catalog().edge_label_name(EdgeLabelId(found.label));
    if *own == label && (found.src, found.dst) == (src, dst) {
        return Ok(Some(found));
    }
    let problem = format!(
        "the edge {} of the graph is a `{own}` from {} to {}, and not a `{label}` from {} to {}; neither changes",
        shown(id),
        shown(&reader.id(found.src)),
        shown(&reader.id(found.dst)),
        shown(&reader.id(src)),
        shown(&reader.id(dst)),
    );
    Err(Refusal::Untouched(fault(Some("id"), problem)))
}

/// The edge of a label between two vertices.
fn by_ends(
    transaction: &Transaction,
    label: &str,
    src: VertexRef,
    dst: VertexRef,
) -> Written<Option<EdgeRef>> {
    let snapshot = transaction.snapshot();
    let Some(label_id) = snapshot.catalog().edge_label(label) else {
        transaction.note_read(ReadUnit::Name(NameSpace::EdgeLabel, name_hash(label)));
        return Ok(None);
    };
    let reader = snapshot.reader();
    // One of the two may be a hub.
    let is_shorter = reader.list_len(src, label_id, Dir::Out) <= reader.list_len(dst, label_id, Dir::In);
    let (owner, dir, other) = if is_shorter { (src, Dir::Out, dst) } else { (dst, Dir::In, src) };
    transaction.note_read(ReadUnit::List(owner, label_id, dir));
    let mut found = Vec::new();
    for run in reader.list(owner, label_id, dir).runs() {
        let between = run.neighbours().iter().enumerate().filter(|(_, neighbour)| **neighbour == other);
        found.extend(between.map(|(place, _)| run.edge(place)));
    }
    match found[..] {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        _ => {
            let problem = format!(
                "one edge `{label}` from {} to {} expected, found {}; edges with ids are told by these",
                shown(&reader.id(src)),
                shown(&reader.id(dst)),
                found.len()
            );
            Err(Refusal::Untouched(fault(None, problem)))
        }
    }
}

/// What to say of a row whose id another edge has.
pub(super) fn taken_edge(reader: &Reader<'_>, id: &Value, holder: EdgeRef) -> Fault {
    let label = reader.snapshot().catalog().edge_label_name(EdgeLabelId(holder.label)).clone();
    let problem = format!(
        "the id {} is taken by an edge `{label}` of the graph; --new-ids gives all of the file ids of the graph, --merge id gives \
         that edge the properties of the file",
        shown(id)
    );
    fault(Some("id"), problem)
}
