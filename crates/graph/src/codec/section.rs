//! The bodies of stored sections. Each begins with the stamp up to which it includes every change.
//!
//! ```text
//! presence   settled │ exists: words │ ids: values
//! column     settled │ values
//! adjacency  settled │ offsets │ neighbours │ seqs │ count, (key, values)…
//! index      settled │ entries
//! ordered    settled │ ends │ bytes │ vertices
//!
//! values     present: words │ kind u8 │ rows, as the kind has them
//! ```

use values::{DateTime, Value, VertexRef};

use super::input::{Input, Malformed};
use super::output::Output;
use super::{open_frame, seal_frame};
use crate::KeyId;
use crate::property::PropertyCell;
use crate::section::{
    Adjacency, Bits, Column, IndexPartition, OrderedPartition, Presence, Rows, SLOTS, Values,
};

/// A section that can be stored.
pub(crate) trait StoredSection: Sized {
    /// Its base in bytes, with checksum. The delta is not included: merge first.
    fn encode(&self) -> Vec<u8>;

    /// The section that these bytes hold.
    fn decode(bytes: &[u8]) -> Result<Self, Malformed>;
}

impl StoredSection for Presence {
    fn encode(&self) -> Vec<u8> {
        seal_frame(|output| {
            output.u64(self.settled);
            let (exists, ids) = self.base();
            output.bits(exists);
            output.values(ids);
        })
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut input = Input::new(open_frame(bytes)?);
        let settled = input.u64()?;
        let exists = input.bits()?;
        let ids = input.values()?;
        input.end()?;
        if exists.words().len() != SLOTS / 64 {
            return Err(Malformed::new("its bitmap does not cover the block"));
        }
        Ok(Self::new(settled, exists, ids))
    }
}

impl StoredSection for Column {
    fn encode(&self) -> Vec<u8> {
        seal_frame(|output| {
            output.u64(self.settled);
            output.values(self.base());
        })
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut input = Input::new(open_frame(bytes)?);
        let settled = input.u64()?;
        let values = input.values()?;
        input.end()?;
        Ok(Self::new(settled, values))
    }
}

impl StoredSection for Adjacency {
    fn encode(&self) -> Vec<u8> {
        seal_frame(|output| {
            output.u64(self.settled);
            output.u32s(self.offsets().iter().copied());
            output.u32s(self.neighbours().iter().map(|v| v.0));
            output.u32s(self.seqs().iter().copied());
            output.len(self.columns().len());
            for (key, values) in self.columns() {
                output.u16(key.0);
                output.values(values);
            }
        })
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut input = Input::new(open_frame(bytes)?);
        let settled = input.u64()?;
        let offsets = input.u32s()?;
        let neighbours: Box<[VertexRef]> = input.u32s()?.iter().map(|&v| VertexRef(v)).collect();
        let seqs = input.u32s()?;
        let columns = (0..input.count(3)?)
            .map(|_| Ok((KeyId(input.u16()?), input.values()?)))
            .collect::<Result<Box<[_]>, Malformed>>()?;
        input.end()?;
        let whole = offsets.first() == Some(&0)
            && offsets.is_sorted()
            && offsets.len() <= SLOTS + 1
            && offsets.last().map(|&end| end as usize) == Some(neighbours.len())
            && seqs.len() == neighbours.len();
        if !whole {
            return Err(Malformed::new("its offsets do not fit its edges"));
        }
        Ok(Self::new(settled, offsets, neighbours, seqs, columns))
    }
}

impl StoredSection for IndexPartition {
    fn encode(&self) -> Vec<u8> {
        seal_frame(|output| {
            output.u64(self.settled);
            output.u64s(self.entries().iter().copied());
        })
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut input = Input::new(open_frame(bytes)?);
        let settled = input.u64()?;
        let entries = input.u64s()?;
        input.end()?;
        if !entries.is_sorted() {
            return Err(Malformed::new("its entries are not in order"));
        }
        Ok(Self::new(settled, entries))
    }
}

impl StoredSection for OrderedPartition {
    fn encode(&self) -> Vec<u8> {
        seal_frame(|output| {
            let (ends, bytes, vertices) = self.base();
            output.u64(self.settled);
            output.u32s(ends.iter().copied());
            output.block(bytes);
            output.u32s(vertices.iter().map(|v| v.0));
        })
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut input = Input::new(open_frame(bytes)?);
        let settled = input.u64()?;
        let ends = input.u32s()?;
        let bytes = input.block()?.into();
        let vertices = input.u32s()?.iter().map(|&v| VertexRef(v)).collect();
        input.end()?;
        let section = Self::new(settled, ends, bytes, vertices);
        section.ok_or_else(|| Malformed::new("its entries are not in order"))
    }
}

const LONG: u8 = 1;
const INT: u8 = 2;
const DOUBLE: u8 = 3;
const BOOL: u8 = 4;
const DATE_TIME: u8 = 5;
const STR: u8 = 6;
const ANY: u8 = 7;
const MANY: u8 = 8;

impl Output {
    fn bits(&mut self, bits: &Bits) {
        self.u64s(bits.words().iter().copied());
    }

    fn values(&mut self, values: &Values) {
        self.bits(values.present());
        match values.rows() {
            Rows::Long(v) => {
                self.u8(LONG);
                self.u64s(v.iter().map(|v| *v as u64));
            }
            Rows::Int(v) => {
                self.u8(INT);
                self.u32s(v.iter().map(|v| *v as u32));
            }
            Rows::Double(v) => {
                self.u8(DOUBLE);
                self.u64s(v.iter().map(|v| v.to_bits()));
            }
            Rows::Bool(v) => {
                self.u8(BOOL);
                self.bits(v);
            }
            Rows::DateTime(v) => {
                self.u8(DATE_TIME);
                self.len(v.len());
                v.iter().for_each(|v| self.date_time(v));
            }
            Rows::Str { ends, text } => {
                self.u8(STR);
                self.u32s(ends.iter().copied());
                self.block(text.as_bytes());
            }
            Rows::Any(v) => {
                self.u8(ANY);
                self.len(v.len());
                v.iter().for_each(|v| self.value(v));
            }
            Rows::Many { ends, cells } => {
                self.u8(MANY);
                self.u32s(ends.iter().copied());
                self.cells(cells);
            }
        }
    }

    /// Property cells, with their meta-properties.
    pub(crate) fn cells(&mut self, cells: &[PropertyCell]) {
        self.len(cells.len());
        for cell in cells {
            self.u16(cell.place);
            self.value(&cell.value);
            self.entries(&cell.meta);
        }
    }

    /// Keys and values.
    pub(crate) fn entries(&mut self, entries: &[(KeyId, Value)]) {
        self.len(entries.len());
        for (key, value) in entries {
            self.u16(key.0);
            self.value(value);
        }
    }
}

impl Input<'_> {
    fn bits(&mut self) -> Result<Bits, Malformed> {
        Ok(Bits::from_words(self.u64s()?))
    }

    fn values(&mut self) -> Result<Values, Malformed> {
        let present = self.bits()?;
        let rows = match self.u8()? {
            LONG => Rows::Long(self.u64s()?.iter().map(|&v| v as i64).collect()),
            INT => Rows::Int(self.u32s()?.iter().map(|&v| v as i32).collect()),
            DOUBLE => Rows::Double(self.u64s()?.iter().map(|&v| f64::from_bits(v)).collect()),
            BOOL => Rows::Bool(self.bits()?),
            DATE_TIME => {
                let count = self.count(16)?;
                Rows::DateTime((0..count).map(|_| self.date_time()).collect::<Result<Box<[DateTime]>, _>>()?)
            }
            STR => {
                let ends = self.ends()?;
                let text: Box<str> = self.str()?.into();
                let fits = ends.last().is_none_or(|&end| end as usize == text.len())
                    && ends.iter().all(|&end| text.is_char_boundary(end as usize));
                if !fits {
                    return Err(Malformed::new("the ends of its strings do not fit its text"));
                }
                Rows::Str { ends, text }
            }
            ANY => {
                let count = self.count(1)?;
                Rows::Any((0..count).map(|_| self.value()).collect::<Result<Box<[Value]>, _>>()?)
            }
            MANY => {
                let ends = self.ends()?;
                let cells = self.cells()?;
                if ends.last().is_some_and(|&end| end as usize != cells.len()) {
                    return Err(Malformed::new("the ends of its rows do not fit its values"));
                }
                Rows::Many { ends, cells: cells.into() }
            }
            kind => return Err(Malformed::new(format!("no column is of kind {kind}"))),
        };
        Ok(Values::new(present, rows))
    }

    fn ends(&mut self) -> Result<Box<[u32]>, Malformed> {
        let ends = self.u32s()?;
        if ends.is_sorted() { Ok(ends) } else { Err(Malformed::new("the ends of its rows descend")) }
    }

    /// Property cells, with their meta-properties.
    pub(crate) fn cells(&mut self) -> Result<Vec<PropertyCell>, Malformed> {
        let count = self.count(7)?;
        let cell = |_| Ok(PropertyCell { place: self.u16()?, value: self.value()?, meta: self.entries()? });
        (0..count).map(cell).collect()
    }

    /// Keys and values.
    pub(crate) fn entries<C: FromIterator<(KeyId, Value)>>(&mut self) -> Result<C, Malformed> {
        let count = self.count(3)?;
        (0..count).map(|_| Ok((KeyId(self.u16()?), self.value()?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::section::{AdjacencyBuilder, ValuesBuilder};
    use crate::{ValueRef, section::PARTITIONS};

    fn adjacency() -> Adjacency {
        let mut builder = AdjacencyBuilder::new(3);
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
        let back = Adjacency::decode(&section.encode()).unwrap();
        assert_eq!((back.settled, back.offsets(), back.seqs()), (42, section.offsets(), section.seqs()));
        assert_eq!(back.base_value(2, KeyId(4)).and_then(ValueRef::as_str), Some("wörk"));
        assert!(back.base_value(1, KeyId(3)).is_none());
    }

    #[test]
    fn damaged_sections_are_errors_and_never_panics() {
        let mut ids = ValuesBuilder::new();
        ids.push(ValueRef::Str("x"));
        ids.push_cells(&[PropertyCell {
            place: 2,
            value: Value::Null,
            meta: vec![(KeyId(1), Value::Int(4))],
        }]);
        let values = ids.finish();
        let sections = [
            adjacency().encode(),
            Column::new(1, values.clone()).encode(),
            Presence::new(1, Bits::new(SLOTS), values).encode(),
            IndexPartition::new(1, (0..PARTITIONS as u64).collect()).encode(),
        ];
        for bytes in sections {
            for place in 0..bytes.len() {
                let mut damaged = bytes.clone();
                damaged[place] ^= 1 << (place % 8);
                assert!(Adjacency::decode(&damaged).is_err() && Column::decode(&damaged).is_err());
                // Behind a checksum that fits, decoding still must hold its own.
                let body = &damaged[10..];
                let resealed = seal_frame(|output| output.bytes.extend_from_slice(body));
                let _ = (Adjacency::decode(&resealed), Column::decode(&resealed));
                let _ = (Presence::decode(&resealed), IndexPartition::decode(&resealed));
            }
        }
    }
}
