//! A row as a vertex: added, or merged with one that is there.

use graph::{
    Cardinality, GraphError, NameSpace, ReadUnit, Reader, Snapshot, Transaction, for_each_equal_hash,
    name_hash,
};
use values::{Value, VertexRef};

use super::batch::{Batch, Cell};
use super::refusal::{Refusal, Written, fault};
use super::{Merge, PresentOptions};
use crate::error::{Fault, quoted};
use crate::sink::Standing;

/// The key by which vertices are told where they have no ids.
const ID_KEY: &str = "id";

/// What a row has become.
pub(super) enum Became<T> {
    /// It was added.
    Added(T),
    /// It was merged with one that was there.
    Merged(T),
    /// It names one that is there, and says nothing of it.
    Named(T),
}

/// The key by whose values vertices of a batch are found, if they are found by values.
pub(super) fn key_of<'o>(options: &'o PresentOptions, batch: &Batch) -> Option<&'o str> {
    let key = match &options.merge {
        Merge::Nothing => return None,
        Merge::ById if batch.ids.is_some() => return None,
        Merge::ById => ID_KEY,
        Merge::ByKey(key) => key,
    };
    (batch.ends.is_none() && batch.standing == Standing::Own && batch.has_column(key)).then_some(key)
}

/// Writes a row.
pub(super) fn write(
    transaction: &Transaction,
    options: &PresentOptions,
    (batch, row): (&Batch, usize),
) -> Written<Became<VertexRef>> {
    let id = batch.id(row);
    if let Some(found) = find(transaction, options, (batch, row))? {
        if batch.standing != Standing::Own {
            return Ok(Became::Named(found));
        }
        let snapshot = transaction.snapshot();
        if let Some(fault) =
            other_label(&snapshot.reader(), id.unwrap_or(&Value::Null), (found, &batch.label))
        {
            return Err(Refusal::Untouched(fault));
        }
        for (key, cell) in batch.cells(row) {
            clear(transaction, &snapshot, found, key, &cell).map_err(Refusal::midway)?;
            set(transaction, found, key, cell).map_err(Refusal::midway)?;
        }
        return Ok(Became::Merged(found));
    }
    let kept = id.filter(|_| !options.new_ids);
    let added =
        transaction.add_vertex(kept.cloned(), &batch.label).map_err(|error| match (&error, kept) {
            (GraphError::DuplicateVertexId(_), Some(id)) => {
                let snapshot = transaction.snapshot();
                let reader = snapshot.reader();
                match reader.vertex_by_id(id) {
                    Some(holder) => Refusal::Untouched(taken_vertex(&reader, id, holder)),
                    None => Refusal::Again(error),
                }
            }
            _ => Refusal::untouched(error),
        })?;
    for (key, cell) in batch.cells(row) {
        set(transaction, added, key, cell).map_err(Refusal::midway)?;
    }
    Ok(Became::Added(added))
}

/// The vertex that a row is, if it is there.
fn find(
    transaction: &Transaction,
    options: &PresentOptions,
    (batch, row): (&Batch, usize),
) -> Written<Option<VertexRef>> {
    if let Some(key) = key_of(options, batch) {
        let several = |count: usize| {
            let problem = format!("one value expected, by which its vertex is found, found {count}");
            Refusal::Untouched(fault(Some(key), problem))
        };
        let Some(value) = batch.value(row, key).map_err(several)? else { return Ok(None) };
        return by_value(transaction, (&batch.label, key), &value);
    }
    let is_looked_for = match batch.standing {
        Standing::Own => options.merge == Merge::ById,
        Standing::Implied => !options.new_ids,
        Standing::Referred => true,
    };
    let Some(id) = batch.id(row).filter(|_| is_looked_for) else { return Ok(None) };
    Ok(by_id(transaction, id))
}

/// The vertex with an id. That there is one, or none, counts as read.
pub(super) fn by_id(transaction: &Transaction, id: &Value) -> Option<VertexRef> {
    for_each_equal_hash(id, |hash| transaction.note_read(ReadUnit::VertexId(hash)));
    transaction.snapshot().reader().vertex_by_id(id)
}

/// The vertex of a label with a value under a key, which has an index.
fn by_value(
    transaction: &Transaction,
    (label, key): (&str, &str),
    value: &Value,
) -> Written<Option<VertexRef>> {
    let snapshot = transaction.snapshot();
    let catalog = snapshot.catalog();
    let (Some(label_id), Some(key_id)) = (catalog.vertex_label(label), catalog.key(key)) else {
        transaction.note_read(ReadUnit::Name(NameSpace::VertexLabel, name_hash(label)));
        transaction.note_read(ReadUnit::Name(NameSpace::Key, name_hash(key)));
        return Ok(None);
    };
    for_each_equal_hash(value, |hash| transaction.note_read(ReadUnit::IndexKey(label_id, key_id, hash)));
    let mut found = Vec::new();
    if !snapshot.reader().index_lookup(label_id, key_id, value, &mut found) {
        let gone = format!("the index over {key:?} of {label:?} was dropped");
        return Err(Refusal::Again(GraphError::Conflict(gone)));
    }
    // Who sets the value of one knows it by what it was to him, and not by this value.
    found.iter().for_each(|&v| transaction.note_read(ReadUnit::Property(v, key_id)));
    match found[..] {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        _ => {
            let problem = format!(
                "one vertex `{label}` with this value expected, found {}; merge by another key, or give them ids",
                found.len()
            );
            Err(Refusal::Untouched(fault(Some(key), problem)))
        }
    }
}

/// What to say of a row whose id another vertex has.
pub(super) fn taken_vertex(reader: &Reader<'_>, id: &Value, holder: VertexRef) -> Fault {
    let label = reader.snapshot().catalog().vertex_label_name(reader.label(holder)).clone();
    let problem = format!(
        "the id {} is taken by a vertex `{label}` of the graph; --new-ids gives all of the file ids of the graph, --merge id \
         gives that vertex the properties of the file",
        shown(id)
    );
    fault(Some(ID_KEY), problem)
}

/// What to say of a row that would change the label of its vertex.
pub(super) fn other_label(
    reader: &Reader<'_>,
    id: &Value,
    (found, label): (VertexRef, &str),
) -> Option<Fault> {
    let own = reader.snapshot().catalog().vertex_label_name(reader.label(found)).clone();
    let problem = || {
        format!(
            "the vertex {} of the graph is a `{own}`, and not a `{label}`; labels do not change",
            shown(id)
        )
    };
    (own != label).then(|| fault(Some("label"), problem()))
}

/// An id in messages.
pub(super) fn shown(id: &Value) -> String {
    match id {
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

/// Takes away what a vertex has under a key, where the first of the new values would not do so.
fn clear(
    transaction: &Transaction,
    snapshot: &Snapshot,
    v: VertexRef,
    key: &str,
    cell: &Cell<'_>,
) -> Result<(), GraphError> {
    let declared = transaction.declared_cardinality(v, key).unwrap_or_default();
    if declared == Cardinality::Single && matches!(cell, Cell::One(_)) {
        return Ok(());
    }
    let Some(key) = snapshot.catalog().key(key) else {
        transaction.note_read(ReadUnit::Name(NameSpace::Key, name_hash(key)));
        return Ok(());
    };
    transaction.note_read(ReadUnit::Property(v, key));
    let mut known = Vec::new();
    snapshot.reader().vertex_properties(v, &[key], &mut known);
    known.into_iter().try_for_each(|property| transaction.drop_vertex_property(property.id))
}

/// Gives a vertex what a row has under a key.
fn set(transaction: &Transaction, v: VertexRef, key: &str, cell: Cell<'_>) -> Result<(), GraphError> {
    let cells = match cell {
        Cell::One(value) => {
            transaction.set_vertex_property(v, None, key, value, &[])?;
            return Ok(());
        }
        Cell::Many(cells) => cells,
    };
    // Several under a key that is declared to have one are for the schema to refuse.
    let cardinality = match transaction.declared_cardinality(v, key) {
        Some(Cardinality::Single) if cells.len() == 1 => Cardinality::Single,
        Some(Cardinality::Set) => Cardinality::Set,
        _ => Cardinality::List,
    };
    for cell in cells {
        transaction.set_vertex_property(v, cardinality, key, cell.value.clone(), &cell.meta)?;
    }
    Ok(())
}
