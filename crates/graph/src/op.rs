//! What a commit does, in the order it does it: the payload of a log record.

use values::{EdgeRef, Value, VertexRef};

use crate::codec::{Input, Malformed, Output};
use crate::property::PropertyState;
use crate::section::EdgeCells;
use crate::{KeyId, VertexLabelId};

/// One change of one element. Each replaces the element's state whole, so applying it needs no look at the past.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// A vertex begins to exist.
    CreateVertex { v: VertexRef, label: VertexLabelId, id: Option<Value> },
    /// A vertex, whose edges and properties other operations drop, ceases to exist.
    DropVertex { v: VertexRef },
    /// The values of a vertex under a key become these.
    SetProperty { v: VertexRef, key: KeyId, state: PropertyState },
    /// An edge begins to exist. An id that a user chose is among its cells, under the hidden key.
    CreateEdge { e: EdgeRef, cells: EdgeCells },
    /// The properties of an edge become these. In a list by sort key: the value it had, which says where it is.
    UpdateEdge { e: EdgeRef, cells: EdgeCells, before: Option<Value> },
    /// An edge ceases to exist; the id that a user chose for it, so that nobody needs to look for it. The value under its
    /// list's sort key, likewise.
    DropEdge { e: EdgeRef, id: Option<Value>, before: Option<Value> },
}

const CREATE_VERTEX: u8 = 1;
const DROP_VERTEX: u8 = 2;
const SET_PROPERTY: u8 = 3;
const CREATE_EDGE: u8 = 4;
const UPDATE_EDGE: u8 = 5;
const DROP_EDGE: u8 = 6;
/// The same two, followed by the value that the edge had under the sort key.
const UPDATE_SORTED_EDGE: u8 = 7;
const DROP_SORTED_EDGE: u8 = 8;

const ABSENT: u8 = 0;
const ONE: u8 = 1;
const MANY: u8 = 2;

impl Op {
    /// The edge that it changes, if it changes one.
    pub(crate) fn edge(&self) -> Option<EdgeRef> {
        match self {
            Self::CreateEdge { e, .. } | Self::UpdateEdge { e, .. } | Self::DropEdge { e, .. } => Some(*e),
            Self::CreateVertex { .. } | Self::DropVertex { .. } | Self::SetProperty { .. } => None,
        }
    }

    pub(crate) fn encode(&self, output: &mut Output) {
        match self {
            Self::CreateVertex { v, label, id } => {
                output.u8(CREATE_VERTEX);
                output.u32(v.0);
                output.u16(label.0);
                encode_id(id.as_ref(), output);
            }
            Self::DropVertex { v } => {
                output.u8(DROP_VERTEX);
                output.u32(v.0);
            }
            Self::SetProperty { v, key, state } => {
                output.u8(SET_PROPERTY);
                output.u32(v.0);
                output.u16(key.0);
                encode_state(state, output);
            }
            Self::CreateEdge { e, cells } => encode_edge(CREATE_EDGE, e, Some(cells), output),
            Self::UpdateEdge { e, cells, before } => {
                let tag = if before.is_some() { UPDATE_SORTED_EDGE } else { UPDATE_EDGE };
                encode_edge(tag, e, Some(cells), output);
                before.iter().for_each(|before| output.value(before));
            }
            Self::DropEdge { e, id, before } => {
                let tag = if before.is_some() { DROP_SORTED_EDGE } else { DROP_EDGE };
                encode_edge(tag, e, None, output);
                encode_id(id.as_ref(), output);
                before.iter().for_each(|before| output.value(before));
            }
        }
    }

    pub(crate) fn decode(input: &mut Input<'_>) -> Result<Self, Malformed> {
        Ok(match input.u8()? {
            CREATE_VERTEX => {
                let (v, label) = (VertexRef(input.u32()?), VertexLabelId(input.u16()?));
                Self::CreateVertex { v, label, id: decode_id(input)? }
            }
            DROP_VERTEX => Self::DropVertex { v: VertexRef(input.u32()?) },
            SET_PROPERTY => {
                let (v, key) = (VertexRef(input.u32()?), KeyId(input.u16()?));
                Self::SetProperty { v, key, state: decode_state(input)? }
            }
            CREATE_EDGE => Self::CreateEdge { e: decode_edge(input)?, cells: input.entries()? },
            UPDATE_EDGE => Self::UpdateEdge { e: decode_edge(input)?, cells: input.entries()?, before: None },
            UPDATE_SORTED_EDGE => {
                let (e, cells) = (decode_edge(input)?, input.entries()?);
                Self::UpdateEdge { e, cells, before: Some(input.value()?) }
            }
            DROP_EDGE => Self::DropEdge { e: decode_edge(input)?, id: decode_id(input)?, before: None },
            DROP_SORTED_EDGE => {
                let (e, id) = (decode_edge(input)?, decode_id(input)?);
                Self::DropEdge { e, id, before: Some(input.value()?) }
            }
            tag => return Err(Malformed::new(format!("no operation has tag {tag}"))),
        })
    }
}

fn encode_id(id: Option<&Value>, output: &mut Output) {
    output.u8(id.is_some().into());
    if let Some(id) = id {
        output.value(id);
    }
}

fn decode_id(input: &mut Input<'_>) -> Result<Option<Value>, Malformed> {
    if input.u8()? == 0 { Ok(None) } else { input.value().map(Some) }
}

fn encode_state(state: &PropertyState, output: &mut Output) {
    match state {
        PropertyState::Absent => output.u8(ABSENT),
        PropertyState::One(value) => {
            output.u8(ONE);
            output.value(value);
        }
        PropertyState::Many(cells) => {
            output.u8(MANY);
            output.cells(cells);
        }
    }
}

fn decode_state(input: &mut Input<'_>) -> Result<PropertyState, Malformed> {
    Ok(match input.u8()? {
        ABSENT => PropertyState::Absent,
        ONE => PropertyState::One(input.value()?),
        MANY => PropertyState::Many(input.cells()?.into()),
        tag => return Err(Malformed::new(format!("no property state has tag {tag}"))),
    })
}

fn encode_edge(tag: u8, e: &EdgeRef, cells: Option<&EdgeCells>, output: &mut Output) {
    output.u8(tag);
    output.u32(e.src.0);
    output.u32(e.dst.0);
    output.u32(e.seq);
    output.u16(e.label);
    if let Some(cells) = cells {
        output.entries(cells);
    }
}

fn decode_edge(input: &mut Input<'_>) -> Result<EdgeRef, Malformed> {
    let (src, dst) = (VertexRef(input.u32()?), VertexRef(input.u32()?));
    Ok(EdgeRef { src, dst, seq: input.u32()?, label: input.u16()? })
}
