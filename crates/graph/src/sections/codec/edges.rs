//! Edges as a bulk load keeps them in a temporary file: those whose lists are in one block.
//!
//! ```text
//! count u32 │ least other end u32 │ bits of ends u8 │ bits of numbers u8 │ edge │ … │ padding │ count, (key, values)…
//!
//! an edge   ├ slot, 10 ┼ other end - least ┼ number ┤ in as many whole bytes as all three take, at most 10; the lowest first
//! ```
//!
//! What is written once and read once soon is worth no more packing than this, apart from the columns: the ends of some edges
//! are near each other and their numbers small, so that an edge takes five or six bytes. Each is written at once, so that who
//! gathers edges from all over memory looks at each once.

use values::VertexRef;

use crate::bytes::{Input, Malformed, Output, append_frame, open_frame};
use crate::model::{KeyId, SLOTS};
use crate::sections::values::Values;

/// Bits of a slot.
const SLOT_BITS: u32 = SLOTS.ilog2();
const _: () = assert!(SLOTS == 1 << SLOT_BITS, "each slot has its bits, and all bits are a slot");
/// Bytes that are looked at for an edge, whatever it takes; so the last one is followed by as many.
const WORD: usize = size_of::<u64>();
/// The same where an edge takes more than that.
const WIDE: usize = size_of::<u128>();

/// An edge of a list: the slot of the list's owner, the other end, and its number.
pub(crate) type PieceEdge = (u16, VertexRef, u32);

/// Some edges of one label, with the columns that any of them has a value in.
pub(crate) struct EdgePiece<'a> {
    layout: Layout,
    edges: &'a [u8],
    count: usize,
    pub(crate) columns: Vec<(KeyId, Values)>,
}

/// How the edges of a piece are packed.
#[derive(Clone, Copy)]
struct Layout {
    /// The least other end.
    least: u32,
    /// Bits of an other end less that, at most 32.
    end_bits: u32,
    /// Bits of an edge's number, at most 32.
    seq_bits: u32,
}

impl Layout {
    fn of(edges: &[PieceEdge]) -> Self {
        let (mut least, mut most, mut seqs) = (u32::MAX, 0, 0);
        for &(_, other, seq) in edges {
            least = least.min(other.0);
            most = most.max(other.0);
            seqs |= seq;
        }
        let bits = |n: u32| u32::BITS - n.leading_zeros();
        Self { least, end_bits: bits(most.saturating_sub(least)), seq_bits: bits(seqs) }
    }

    /// Bits of an edge, at most 74.
    fn bits(self) -> u32 {
        self.seq_shift() + self.seq_bits
    }

    /// Bytes of an edge.
    fn edge_bytes(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    fn is_wide(self) -> bool {
        self.bits() > u64::BITS
    }

    /// Bytes of so many edges, and what follows the last one.
    fn all_bytes(self, count: usize) -> usize {
        count * self.edge_bytes() + if self.is_wide() { WIDE } else { WORD }
    }

    fn seq_shift(self) -> u32 {
        SLOT_BITS + self.end_bits
    }

    fn pack(self, (slot, other, seq): PieceEdge) -> u64 {
        let end = u64::from(other.0 - self.least) << SLOT_BITS;
        u64::from(slot) | end | u64::from(seq) << self.seq_shift()
    }

    fn pack_wide(self, (slot, other, seq): PieceEdge) -> u128 {
        u128::from(self.pack((slot, other, 0))) | u128::from(seq) << self.seq_shift()
    }

    fn unpack(self, packed: u64) -> PieceEdge {
        let low = |bits: u32, n: u64| (n & ((1 << bits) - 1)) as u32;
        let end = low(self.end_bits, packed >> SLOT_BITS);
        let seq = low(self.seq_bits, packed >> self.seq_shift());
        (low(SLOT_BITS, packed) as u16, VertexRef(self.least.wrapping_add(end)), seq)
    }

    fn unpack_wide(self, packed: u128) -> PieceEdge {
        let (slot, other, _) = self.unpack(packed as u64);
        let seq = (packed >> self.seq_shift()) & ((1 << self.seq_bits) - 1);
        (slot, other, seq as u32)
    }
}

/// Appends the bytes of a piece, with checksum. Slots are below [`SLOTS`].
pub(crate) fn append_piece(bytes: &mut Vec<u8>, edges: &[PieceEdge], columns: &[(KeyId, Values)]) {
    append_frame(bytes, |output| {
        append_edges(output, edges);
        output.columns(columns);
    });
}

fn append_edges(output: &mut Output, edges: &[PieceEdge]) {
    let layout = Layout::of(edges);
    output.len(edges.len());
    output.u32(layout.least);
    output.u8(layout.end_bits as u8);
    output.u8(layout.seq_bits as u8);
    let start = output.bytes.len();
    output.bytes.resize(start + layout.all_bytes(edges.len()), 0);
    let packed = &mut output.bytes[start..];
    if layout.is_wide() {
        write_words(packed, layout.edge_bytes(), edges, |edge| layout.pack_wide(edge).to_le_bytes());
    } else {
        write_words(packed, layout.edge_bytes(), edges, |edge| layout.pack(edge).to_le_bytes());
    }
}

/// Writes a word for each edge, `size` bytes apart. What it writes beyond the edge is zero, and overwritten by the next one.
fn write_words<const N: usize>(
    mut bytes: &mut [u8],
    size: usize,
    edges: &[PieceEdge],
    word: impl Fn(PieceEdge) -> [u8; N],
) {
    for &edge in edges {
        bytes[..N].copy_from_slice(&word(edge));
        bytes = &mut bytes[size..];
    }
}

/// Calls `each` with so many words that are `size` bytes apart.
fn read_words<const N: usize>(bytes: &[u8], size: usize, count: usize, mut each: impl FnMut([u8; N])) {
    for word in bytes.windows(N).step_by(size).take(count) {
        each(word.first_chunk().copied().unwrap_or([0; N]));
    }
}

impl<'a> EdgePiece<'a> {
    /// The edges that these bytes hold.
    pub(crate) fn decode(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut input = Input::new(open_frame(bytes)?);
        let count = input.count(1)?;
        let layout =
            Layout { least: input.u32()?, end_bits: input.u8()?.into(), seq_bits: input.u8()?.into() };
        let fits = layout.end_bits <= u32::BITS && layout.seq_bits <= u32::BITS;
        Malformed::unless(fits, "the ends or numbers of edges have too many bits")?;
        let edges = input.take(layout.all_bytes(count))?;
        let columns = input.columns()?;
        input.end()?;
        Ok(Self { layout, edges, count, columns })
    }

    /// The number of edges.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Calls `each` with the edges, in the order of the rows of the columns.
    pub(crate) fn for_each(&self, mut each: impl FnMut(PieceEdge)) {
        let (layout, size) = (self.layout, self.layout.edge_bytes());
        if layout.is_wide() {
            let unpack = |word| each(layout.unpack_wide(u128::from_le_bytes(word)));
            read_words(self.edges, size, self.count, unpack);
        } else {
            let unpack = |word| each(layout.unpack(u64::from_le_bytes(word)));
            read_words(self.edges, size, self.count, unpack);
        }
    }
}

#[cfg(test)]
mod tests {
    use values::Value;

    use super::*;
    use crate::model::ValueRef;
    use crate::sections::values_builder::ValuesBuilder;

    fn bytes(edges: &[PieceEdge]) -> Vec<u8> {
        let mut weights = ValuesBuilder::new();
        (0..edges.len()).for_each(|row| weights.push(ValueRef::Long(row as i64 * 7)));
        let mut bytes = b"what was there".to_vec();
        append_piece(&mut bytes, edges, &[(KeyId(3), weights.finish())]);
        bytes.split_off(14)
    }

    fn edges_of(piece: &EdgePiece<'_>) -> Vec<PieceEdge> {
        let mut edges = Vec::with_capacity(piece.len());
        piece.for_each(|edge| edges.push(edge));
        edges
    }

    #[test]
    fn a_piece_comes_back_as_it_was_and_no_damaged_one_does() {
        let edges =
            [(0, VertexRef(u32::MAX), 7), (1_023, VertexRef(0), u32::MAX), (512, VertexRef(1 << 20), 0)];
        let encoded = bytes(&edges);
        let piece = EdgePiece::decode(&encoded).unwrap();
        assert_eq!(edges_of(&piece), edges);
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
        assert_eq!(EdgePiece::decode(&bytes(&[])).unwrap().len(), 0);
    }

    #[test]
    fn edges_take_no_more_bytes_than_they_differ_in() {
        let near = |n: u32| (n as u16 % 1_024, VertexRef(70_000_000 + n), n % 4);
        let far = |n: u32| (n as u16, VertexRef(n << 24), u32::MAX - n);
        let same = |_| (9, VertexRef(u32::MAX), 0);
        let shapes: [(&dyn Fn(u32) -> PieceEdge, usize); 3] = [(&near, 3), (&far, 10), (&same, 2)];
        for (edge, size) in shapes {
            let edges: Vec<PieceEdge> = (0..250).map(edge).collect();
            let mut bytes = Vec::new();
            append_piece(&mut bytes, &edges, &[]);
            let piece = EdgePiece::decode(&bytes).unwrap();
            assert_eq!(edges_of(&piece), edges);
            assert_eq!(piece.layout.edge_bytes(), size);
            assert!(bytes.len() < 250 * size + 50, "{} bytes", bytes.len());
        }
    }
}
