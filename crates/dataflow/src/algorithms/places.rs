//! All vertices of a snapshot in a row.

use graph::{Extent, Reader, VertexRef};

/// References of an extent, at most.
const REFERENCES: usize = 1 << 16;

/// A number for each vertex, from 0 on without large gaps: its place.
///
/// ```text
/// reference   │ extent (16) │ within it (16) │
/// bases         [ 0 │ – │ 65,536 │ 65,636 ]          place = base + within
/// ```
#[derive(Debug)]
pub(crate) struct Places {
    /// By extent. Of one that there is not: beyond all places.
    bases: Vec<u32>,
    extents: Vec<Extent>,
    len: usize,
}

impl Places {
    /// The places of all vertices that a reader may meet.
    pub(crate) fn of(reader: &Reader<'_>) -> Self {
        let (mut bases, extents, mut len) = (Vec::new(), reader.extents(), 0);
        for extent in &extents {
            bases.resize(extent.first.0 as usize / REFERENCES + 1, u32::MAX);
            if let Some(base) = bases.last_mut() {
                *base = len as u32;
            }
            len += extent.len as usize;
        }
        Self { bases, extents, len }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The place of a vertex; beyond all of them if it is not of the snapshot.
    #[inline(always)]
    pub(crate) fn of_vertex(&self, v: VertexRef) -> usize {
        let base = self.bases.get(v.0 as usize / REFERENCES).copied().unwrap_or(u32::MAX);
        base as usize + v.0 as usize % REFERENCES
    }

    /// The vertex at a place.
    pub(crate) fn vertex(&self, place: usize) -> VertexRef {
        let base = |extent: &Extent| self.of_vertex(extent.first);
        let next = self.extents.partition_point(|extent| base(extent) <= place);
        let Some(extent) = next.checked_sub(1).and_then(|at| self.extents.get(at)) else {
            return VertexRef(0);
        };
        VertexRef(extent.first.0 + (place - base(extent)) as u32)
    }

    /// Where the vertices are.
    pub(super) fn extents(&self) -> &[Extent] {
        &self.extents
    }
}
