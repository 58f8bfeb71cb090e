//! Edges as a bulk load keeps them in a temporary file: those whose lists are in one block.
//!
//! ```text
//! count │ slot u16, other end u32, seq u32 │ … │ count, (key, values)…
//! ```
//!
//! What is written once and read once soon is not worth packing, apart from the columns. An edge is written at once, so that
//! who gathers edges from all over memory looks at each once.

use values::VertexRef;

use super::frame::{append_frame, open_frame};
use super::input::{Input, Malformed};
use crate::KeyId;
use crate::section::{SLOTS, Values};

/// Bytes of an edge.
const EDGE_BYTES: usize = 10;

/// An edge of a list: the slot of the list's owner, the other end, and its number.
pub(crate) type PieceEdge = (u16, VertexRef, u32);

/// Some edges of one label, with the columns that any of them has a value in.
pub(crate) struct EdgePiece<'a> {
    edges: &'a [[u8; EDGE_BYTES]],
    pub(crate) columns: Vec<(KeyId, Values)>,
}

/// Appends the bytes of a piece, with checksum.
pub(crate) fn append_piece(
    bytes: &mut Vec<u8>,
    edges: impl ExactSizeIterator<Item = PieceEdge>,
    columns: &[(KeyId, Values)],
) {
    append_frame(bytes, |output| {
        output.len(edges.len());
        output.bytes.reserve(edges.len() * EDGE_BYTES);
        for (slot, other, seq) in edges {
            let mut edge = [0; EDGE_BYTES];
            edge[..2].copy_from_slice(&slot.to_le_bytes());
            edge[2..6].copy_from_slice(&other.0.to_le_bytes());
            edge[6..].copy_from_slice(&seq.to_le_bytes());
            output.bytes.extend_from_slice(&edge);
        }
        output.len(columns.len());
        for (key, values) in columns {
            output.u16(key.0);
            output.values(values);
        }
    });
}

impl<'a> EdgePiece<'a> {
    /// The edges that these bytes hold.
    pub(crate) fn decode(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut input = Input::new(open_frame(bytes)?);
        let count = input.count(EDGE_BYTES)?;
        let (edges, _) = input.take(count * EDGE_BYTES)?.as_chunks();
        let columns = (0..input.count(3)?)
            .map(|_| Ok((KeyId(input.u16()?), input.values()?)))
            .collect::<Result<_, Malformed>>()?;
        input.end()?;
        let piece = Self { edges, columns };
        if piece.edges().any(|(slot, ..)| usize::from(slot) >= SLOTS) {
            return Err(Malformed::new("an edge is in a list of no slot"));
        }
        Ok(piece)
    }

    /// The edges, in the order of the rows of the columns.
    pub(crate) fn edges(&self) -> impl ExactSizeIterator<Item = PieceEdge> {
        self.edges.iter().map(|&[a, b, c, d, e, f, g, h, i, j]| {
            let (other, seq) = (u32::from_le_bytes([c, d, e, f]), u32::from_le_bytes([g, h, i, j]));
            (u16::from_le_bytes([a, b]), VertexRef(other), seq)
        })
    }
}

#[cfg(test)]
mod tests {
    use values::Value;

    use super::*;
    use crate::ValueRef;
    use crate::section::ValuesBuilder;

    fn bytes(edges: &[PieceEdge]) -> Vec<u8> {
        let mut weights = ValuesBuilder::new();
        (0..edges.len()).for_each(|row| weights.push(ValueRef::Long(row as i64 * 7)));
        let mut bytes = b"what was there".to_vec();
        append_piece(&mut bytes, edges.iter().copied(), &[(KeyId(3), weights.finish())]);
        bytes.split_off(14)
    }

    #[test]
    fn a_piece_comes_back_as_it_was_and_no_damaged_one_does() {
        let edges =
            [(0, VertexRef(u32::MAX), 7), (1_023, VertexRef(0), u32::MAX), (512, VertexRef(1 << 20), 0)];
        let encoded = bytes(&edges);
        let piece = EdgePiece::decode(&encoded).unwrap();
        assert!(piece.edges().eq(edges));
        assert!(
            piece.columns[0].0 == KeyId(3)
                && piece.columns[0].1.get(2).map(ValueRef::to_value) == Some(Value::Long(14))
        );
        for bit in 0..encoded.len() * 8 {
            let mut flipped = encoded.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(EdgePiece::decode(&flipped).is_err(), "bit {bit}");
        }
        for len in 0..encoded.len() {
            assert!(EdgePiece::decode(&encoded[..len]).is_err(), "cut at {len}");
        }
        assert!(EdgePiece::decode(&bytes(&[])).unwrap().edges().next().is_none());
    }

    #[test]
    fn a_slot_that_no_block_has_is_an_error() {
        assert!(EdgePiece::decode(&bytes(&[(1_024, VertexRef(0), 0)])).is_err());
    }
}
