//! The bodies of stored sections. Each begins with a head: the stamp up to which it includes every change, and the version of
//! the schema whose types its values have.
//!
//! ```text
//! head       settled u64 │ schema: LEB128
//! presence   head │ exists: bits │ ids: values
//! column     head │ values
//! adjacency  head │ order │ edge node? u8 │ offsets │ neighbours │ seqs │ count, (key, values)… │ slots of trees
//! index      head │ entries
//! ordered    head │ ends │ bytes │ vertices
//! ```
//!
//! Sections of format 2, which do not say a version, are still read, and so are those of format 1, which had their arrays as
//! they are in memory.

use std::sync::Arc;

use values::VertexRef;

use crate::bytes::{Input, Malformed, open_section, seal_section};
use crate::model::SLOTS;
use crate::sections::{Adjacency, Column, EdgeTree, IndexPartition, Order, OrderedPartition, Presence};

/// A section that can be stored.
pub(crate) trait StoredSection: Sized {
    /// Its base in bytes, with checksum. The delta is not included: merge first. Its values have the types of the version
    /// `schema` of the schema, or of a later one.
    fn encode(&self, schema: u64) -> Vec<u8>;

    /// The section that these bytes hold.
    fn decode(bytes: &[u8]) -> Result<Self, Malformed>;
}

impl StoredSection for Presence {
    fn encode(&self, schema: u64) -> Vec<u8> {
        seal_section(self.settled, schema, |output| {
            let (exists, ids) = self.base();
            output.bitmap(exists);
            output.values(ids);
        })
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let (settled, (exists, ids)) = open_section(bytes, |input| Ok((input.bitmap()?, input.values()?)))?;
        Malformed::unless(exists.words().len() == SLOTS / 64, "its bitmap does not cover the block")?;
        Ok(Self::new(settled, exists, ids))
    }
}

impl StoredSection for Column {
    fn encode(&self, schema: u64) -> Vec<u8> {
        seal_section(self.settled, schema, |output| output.values(self.base()))
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let (settled, values) = open_section(bytes, Input::values)?;
        Ok(Self::new(settled, values))
    }
}

impl StoredSection for Adjacency {
    fn encode(&self, schema: u64) -> Vec<u8> {
        seal_section(self.settled, schema, |output| {
            output.order(self.order);
            output.u8(self.is_node().into());
            output.numbers(self.offsets().iter().copied());
            output.numbers(self.neighbours().iter().copied());
            output.numbers(self.seqs().iter().copied());
            output.columns(self.columns());
            output.u32s(self.trees().iter().map(|(slot, _)| u32::from(*slot)));
        })
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let (settled, mut section) = open_section(bytes, |input| {
            // Of format 1 every list was as its edges arrived, and none a tree.
            let is_old = input.is_plain();
            let (order, is_node) =
                if is_old { (Order::Arrival, false) } else { (input.order()?, input.u8()? != 0) };
            let offsets: Box<[u32]> = input.array()?;
            let neighbours: Box<[VertexRef]> = input.array()?;
            let seqs: Box<[u32]> = input.array()?;
            let columns = input.columns()?;
            let trees = if is_old { Box::default() } else { input.u32s()? };
            let in_order =
                trees.is_sorted_by(|a, b| a < b) && trees.last().is_none_or(|&slot| (slot as usize) < SLOTS);
            Malformed::unless(in_order, "its trees are not in order")?;
            let whole = offsets.first() == Some(&0)
                && offsets.is_sorted()
                && offsets.len() <= SLOTS + 1
                && offsets.last().map(|&end| end as usize) == Some(neighbours.len())
                && seqs.len() == neighbours.len();
            Malformed::unless(whole, "its offsets do not fit its edges")?;
            let trees = trees.iter().map(|&slot| (slot as u16, Arc::new(EdgeTree::stored()))).collect();
            let section = Self::new(0, order, offsets, neighbours, seqs, columns).with_trees(trees);
            Ok(if is_node { section.into_node() } else { section })
        })?;
        section.settled = settled;
        Ok(section)
    }
}

impl StoredSection for IndexPartition {
    fn encode(&self, schema: u64) -> Vec<u8> {
        seal_section(self.settled, schema, |output| output.numbers(self.entries().iter().copied()))
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let (settled, entries) = open_section(bytes, Input::array::<u64>)?;
        Malformed::unless(entries.is_sorted(), "its entries are not in order")?;
        Ok(Self::new(settled, entries))
    }
}

impl StoredSection for OrderedPartition {
    fn encode(&self, schema: u64) -> Vec<u8> {
        seal_section(self.settled, schema, |output| {
            let (ends, bytes, vertices) = self.base();
            output.u32s(ends.iter().copied());
            output.block(bytes);
            output.u32s(vertices.iter().map(|v| v.0));
        })
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let read = |input: &mut Input<'_>| Ok((input.u32s()?, input.block()?.into(), input.u32s()?));
        let (settled, (ends, bytes, vertices)) = open_section(bytes, read)?;
        let section = Self::new(settled, ends, bytes, vertices.iter().map(|&v| VertexRef(v)).collect());
        section.ok_or_else(|| Malformed::new("its entries are not in order"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{Output, seal_frame, written_under};
    use crate::model::{KeyId, PropertyCell, ValueRef};
    use crate::sections::{AdjacencyBuilder, Bits, PARTITIONS, Values, ValuesBuilder};
    use values::{DateTime, Value};

    fn adjacency() -> Adjacency {
        let mut builder = AdjacencyBuilder::new(Order::Arrival, 3);
        let since = [(KeyId(3), Value::Long(1999)), (KeyId(4), Value::str("wörk"))];
        builder.push(VertexRef(7), 1, since.iter());
        builder.end_slot();
        builder.end_slot();
        builder.push(VertexRef(9), 0, [].iter());
        builder.push(VertexRef(7), 5, since[1..].iter());
        builder.end_slot();
        builder.finish(42)
    }

    #[test]
    fn an_adjacency_section_comes_back_as_it_was() {
        let section = adjacency();
        let back = Adjacency::decode(&section.encode(6)).unwrap();
        assert_eq!(written_under(&section.encode(6)), 6);
        assert_eq!((back.settled, back.offsets(), back.seqs()), (42, section.offsets(), section.seqs()));
        assert_eq!(back.base_value(2, KeyId(4)).and_then(ValueRef::as_str), Some("wörk"));
        assert!(back.base_value(1, KeyId(3)).is_none());
    }

    /// A column of every kind there is.
    fn columns() -> Vec<Values> {
        let time = |n: i64| Value::DateTime(DateTime::new(n * 7919, n as u32, -3600));
        let text = |n: i64| Value::from(format!("about a tree that stands in the sea, {n} times"));
        let kinds: [&dyn Fn(i64) -> Value; 8] = [
            &|n| Value::Long(1_300_000_000_000 - n * 31),
            &|n| Value::Int(n as i32 - 50),
            &|n| Value::Double(n as f64 / 3.0),
            &|n| Value::Bool(n % 3 == 0),
            &time,
            &text,
            &|n| Value::str(["Firefox", "Chröme", "Opera"][n as usize % 3]),
            &|n| if n % 2 == 0 { Value::Long(n) } else { text(n) },
        ];
        let column = |value: &dyn Fn(i64) -> Value| {
            let mut builder = ValuesBuilder::new();
            for n in 0..150 {
                match n % 7 {
                    6 => builder.push_absent(),
                    _ => builder.push(ValueRef::of(&value(n))),
                }
            }
            builder.finish()
        };
        let mut columns: Vec<Values> = kinds.into_iter().map(column).collect();
        let mut many = ValuesBuilder::new();
        many.push(ValueRef::Str("x"));
        many.push_cells(&[PropertyCell {
            place: 2,
            value: Value::Null,
            meta: vec![(KeyId(1), Value::Int(4))],
        }]);
        columns.push(many.finish());
        columns
    }

    fn rows(values: &Values) -> Vec<String> {
        let row = |row| format!("{:?} {:?}", values.get(row), values.cells(row));
        (0..160).map(row).collect()
    }

    #[test]
    fn a_column_of_every_kind_comes_back_as_it_was() {
        for values in columns() {
            let expected = rows(&values);
            let kind = std::mem::discriminant(values.rows());
            let back = Column::decode(&Column::new(3, values).encode(6)).unwrap();
            assert_eq!(rows(back.base()), expected);
            assert_eq!(std::mem::discriminant(back.base().rows()), kind);
        }
    }

    /// A column as format 1 wrote it, behind its checksum.
    fn plain_column(write: impl FnOnce(&mut Output)) -> Vec<u8> {
        // Records have the number that sections had then.
        seal_frame(|output| {
            output.u64(3);
            output.u64s([0b1011].into_iter());
            write(output);
        })
    }

    #[test]
    fn sections_of_the_format_before_are_still_read() {
        let long = plain_column(|output| {
            output.u8(1);
            output.u64s([7, 0, u64::MAX].into_iter());
        });
        let int = plain_column(|output| {
            output.u8(2);
            output.u32s([7, u32::MAX, 0].into_iter());
        });
        let text = plain_column(|output| {
            output.u8(6);
            output.u32s([3, 8, 8, 9].into_iter());
            output.block(b"adagracex");
        });
        let any = plain_column(|output| {
            output.u8(7);
            output.len(2);
            output.value(&Value::Int(1));
            output.value(&Value::str("two"));
        });
        let first = |bytes: &[u8], row| Column::decode(bytes).unwrap().get(row, 9).map(ValueRef::to_value);
        assert_eq!(first(&long, 0), Some(Value::Long(7)));
        assert_eq!(first(&int, 1), Some(Value::Int(-1)));
        assert_eq!((first(&text, 3), first(&text, 2)), (Some(Value::str("x")), None));
        assert_eq!(first(&any, 1), Some(Value::str("two")));
        let adjacency = seal_frame(|output| {
            output.u64(42);
            output.u32s([0, 2].into_iter());
            output.u32s([u32::MAX, 9].into_iter());
            output.u32s([4, 5].into_iter());
            output.len(0);
        });
        let adjacency = Adjacency::decode(&adjacency).unwrap();
        assert_eq!(adjacency.neighbours(), [VertexRef(u32::MAX), VertexRef(9)]);
    }

    #[test]
    fn sections_that_do_not_say_a_version_of_the_schema_are_older_than_any() {
        let section = adjacency();
        let versioned = section.encode(1 << 40);
        assert_eq!(written_under(&versioned), 1 << 40);
        let (frame, version) = (10, 6);
        let mut format_2 = seal_frame(|output| {
            output.bytes.extend_from_slice(&versioned[frame..frame + 8]);
            output.bytes.extend_from_slice(&versioned[frame + 8 + version..]);
        });
        format_2[..2].copy_from_slice(&2u16.to_le_bytes());
        let back = Adjacency::decode(&format_2).unwrap();
        assert_eq!((back.settled, back.offsets(), back.seqs()), (42, section.offsets(), section.seqs()));
        assert_eq!(written_under(&format_2), 0);
    }

    #[test]
    fn a_bitmap_takes_no_room_where_all_that_there_is_has_a_value() {
        let bytes = |bits: &Bits| {
            let mut output = Output::default();
            output.bitmap(bits);
            let mut input = Input::new(&output.bytes);
            assert_eq!(&input.bitmap().unwrap(), bits);
            input.end().unwrap();
            output.bytes.len()
        };
        for set in [0, 1, 63, 64, 65, 1000, SLOTS] {
            let mut filled = Bits::new(SLOTS);
            (0..set).for_each(|row| filled.set(row));
            assert!(bytes(&filled) <= 4, "{set}");
            filled.set(SLOTS - 1);
            bytes(&filled);
        }
    }

    #[test]
    fn damaged_sections_are_errors_and_never_panics() {
        let mut sections: Vec<Vec<u8>> =
            columns().into_iter().map(|values| Column::new(1, values).encode(6)).collect();
        let ids = columns().pop().unwrap();
        sections.push(adjacency().encode(6));
        sections.push(Presence::new(1, Bits::new(SLOTS), ids).encode(6));
        sections.push(IndexPartition::new(1, (0..PARTITIONS as u64).collect()).encode(6));
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        for bytes in sections {
            for place in 0..bytes.len() {
                let mut damaged = bytes.clone();
                damaged[place] ^= 1 << (place % 8);
                assert!(Adjacency::decode(&damaged).is_err() && Column::decode(&damaged).is_err());
                // Behind a checksum that fits, decoding still must hold its own, whatever the byte became, as a
                // section of the last format or the first.
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                damaged[place] = (random >> 56) as u8;
                let body = &damaged[10..];
                let mut resealed = seal_frame(|output| output.bytes.extend_from_slice(body));
                for format in [3u16, 1] {
                    resealed[..2].copy_from_slice(&format.to_le_bytes());
                    let _ = (Adjacency::decode(&resealed), Column::decode(&resealed).map(|c| rows(c.base())));
                    let _ = (Presence::decode(&resealed), IndexPartition::decode(&resealed));
                }
            }
        }
    }
}
