//! Reads range indexes in the order of their values.
//!
//! ```text
//! from │·│·│─ 17 ─│─ 18 ─│─ 18 ─│·│·│ to      entries with the bytes of one value are read together, compared with what
//!              └ what a cursor has left ┘      their vertices have, and put into the order of the values themselves
//! ```
//!
//! Values that differ can share their bytes (see `order_key`), which is why they are not taken one by one.

use values::{Value, VertexRef, compare};

use super::reader::Reader;
use crate::model::{KeyId, RangeQuery, bounds_of, order_key};
use crate::sections::{EntryRef, FIRST_INDEX, InOrder, PARTITIONS};

/// How far a reading in order has come.
#[derive(Clone, Debug, Default)]
pub struct OrderCursor {
    /// The bytes of the entries that are left, once reading has begun: from the first to below the second.
    left: Option<(Vec<u8>, Vec<u8>)>,
}

impl Reader<'_> {
    /// Appends vertices in the order of their first values under the key of the index that follows the query's `equal`
    /// ones, ascending or descending: at least `limit` of them, if there are as many from the cursor on, and all that have
    /// the same value as the last one. Moves the cursor; whether there may be more.
    ///
    /// They are all that the query is about and whose first value is between its ends, and perhaps others of the label, in
    /// their places. Who has only a further value between the ends has no place there: give no ends where vertices may have
    /// several values.
    ///
    /// `None` if there is no such index or key, or its order is of no use, since what equals one of the values is in several
    /// places of it.
    pub fn range_in_order(
        &self,
        query: RangeQuery<'_>,
        descending: bool,
        cursor: &mut OrderCursor,
        limit: usize,
        out: &mut Vec<VertexRef>,
    ) -> Option<bool> {
        let index = self.snapshot().catalog().range_index(query.label, query.keys)?;
        let key = *query.keys.get(query.equal.len())?;
        let (prefix, _) =
            Some(order_key::prefix(query.equal)).filter(|(_, len)| *len == query.equal.len())?;
        let (from, to) = match cursor.left.take() {
            Some(left) => left,
            None if query.low.is_some() || query.high.is_some() => bounds_of(query)?,
            None => all_after(&prefix),
        };
        let enough = out.len().saturating_add(limit);
        let mut group = Group { reader: self, key, bytes: Vec::new(), vertices: Vec::new(), descending };
        let entries = self.entries_in_order(index.number, &from, &to, descending);
        for (bytes, v) in entries {
            let end = prefix.len() + order_key::first_len(&bytes[prefix.len().min(bytes.len())..]);
            let value = &bytes[..end.min(bytes.len())];
            if value != group.bytes {
                group.end(prefix.len(), out);
                if out.len() >= enough {
                    let read = group.bytes;
                    cursor.left = Some(if descending { (from, read) } else { (after(read), to) });
                    return Some(true);
                }
                group.begin(value);
            }
            group.vertices.push(v);
        }
        group.end(prefix.len(), out);
        cursor.left = Some((Vec::new(), Vec::new()));
        Some(false)
    }

    /// The entries of an index from some bytes to below others, those of this transaction as well.
    fn entries_in_order<'s>(
        &'s self,
        number: u32,
        from: &[u8],
        to: &[u8],
        descending: bool,
    ) -> impl Iterator<Item = EntryRef<'s>> + use<'s> {
        let mut sequences: Vec<Box<dyn Iterator<Item = EntryRef<'s>> + 's>> = Vec::new();
        if let Some(own) = self.own {
            sequences.push(Box::new(own.ordered_between(number, from, to, descending)));
        }
        for partition in 0..PARTITIONS {
            if let Some(section) = self.ordered_partition(FIRST_INDEX + number as usize, partition) {
                sequences.push(Box::new(section.between(from, to, descending)));
            }
        }
        InOrder::new(sequences, descending)
    }
}

/// The entries whose value has the same bytes.
struct Group<'r> {
    reader: &'r Reader<'r>,
    /// What the order is by.
    key: KeyId,
    /// What the entries begin with, up to the end of that value.
    bytes: Vec<u8>,
    vertices: Vec<VertexRef>,
    descending: bool,
}

impl Group<'_> {
    fn begin(&mut self, bytes: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends the vertices whose value is really that one, by the values, and forgets them.
    fn end(&mut self, prefix: usize, out: &mut Vec<VertexRef>) {
        self.vertices.sort_unstable();
        self.vertices.dedup();
        let mut found: Vec<(Value, VertexRef)> = Vec::with_capacity(self.vertices.len());
        let mut bytes = Vec::new();
        for v in self.vertices.drain(..).filter(|v| self.reader.exists(*v)) {
            // Of several values the first decides, as in `order().by(key)`.
            let Some(value) = self.reader.value(v, self.key) else { continue };
            bytes.clear();
            order_key::push(&mut bytes, Some(&value));
            if bytes == self.bytes[prefix..] {
                found.push((value, v));
            }
        }
        found.sort_by(|(a, _), (b, _)| {
            let ordering = compare::order(a, b);
            if self.descending { ordering.reverse() } else { ordering }
        });
        out.extend(found.into_iter().map(|(_, v)| v));
    }
}

/// The first bytes after everything that begins so.
fn after(mut bytes: Vec<u8>) -> Vec<u8> {
    order_key::increment(&mut bytes);
    bytes
}

/// The bytes of everything that begins with a prefix.
fn all_after(prefix: &[u8]) -> (Vec<u8>, Vec<u8>) {
    match prefix {
        [] => (Vec::new(), vec![u8::MAX]),
        prefix => (prefix.to_vec(), after(prefix.to_vec())),
    }
}
