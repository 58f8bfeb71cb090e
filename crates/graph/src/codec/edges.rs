//! Edges as a bulk load keeps them in a temporary file.
//!
//! ```text
//! src: u32s │ dst: u32s │ seq: u32s │ count, (key, values)…
//! ```
//!
//! What is written once and read once soon is not worth packing, apart from the columns.

use values::VertexRef;

use super::frame::{open_frame, seal_frame};
use super::input::{Input, Malformed};
use crate::KeyId;
use crate::section::Values;

/// Some edges of one label, with the columns that any of them has a value in.
pub(crate) struct EdgePiece {
    pub(crate) src: Vec<VertexRef>,
    pub(crate) dst: Vec<VertexRef>,
    pub(crate) seq: Vec<u32>,
    pub(crate) columns: Vec<(KeyId, Values)>,
}

impl EdgePiece {
    /// Its bytes, with checksum.
    pub(crate) fn encode(&self) -> Vec<u8> {
        seal_frame(|output| {
            output.u32s(self.src.iter().map(|v| v.0));
            output.u32s(self.dst.iter().map(|v| v.0));
            output.u32s(self.seq.iter().copied());
            output.len(self.columns.len());
            for (key, values) in &self.columns {
                output.u16(key.0);
                output.values(values);
            }
        })
    }

    /// The edges that these bytes hold.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut input = Input::new(open_frame(bytes)?);
        let refs = |numbers: Box<[u32]>| numbers.into_iter().map(VertexRef).collect();
        let (src, dst): (Vec<VertexRef>, Vec<VertexRef>) = (refs(input.u32s()?), refs(input.u32s()?));
        let seq = input.u32s()?.into_vec();
        let columns = (0..input.count(3)?)
            .map(|_| Ok((KeyId(input.u16()?), input.values()?)))
            .collect::<Result<_, Malformed>>()?;
        input.end()?;
        if src.len() != dst.len() || src.len() != seq.len() {
            return Err(Malformed::new("its edges have not all of their ends"));
        }
        Ok(Self { src, dst, seq, columns })
    }
}
