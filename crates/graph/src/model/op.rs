//! What a commit does, in the order it does it: the payload of a log record.

use std::sync::Arc;
use values::{EdgeRef, Value, VertexRef};

use super::names::{KeyId, VertexLabelId};
use super::property::PropertyState;
use super::value_bytes::weight;
use crate::bytes::{Input, Malformed, Output};

/// The properties of one edge, ascending by key; shared by both of its ends.
pub(crate) type EdgeCells = Arc<[(KeyId, Value)]>;

/// Bytes of some properties.
pub(crate) fn cells_weight(cells: &[(KeyId, Value)]) -> usize {
    cells.iter().map(|(_, value)| weight(value)).sum()
}

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
    /// The properties of an edge become these. Where its lists may lie by sort keys: the values it had, which say where it is.
    UpdateEdge { e: EdgeRef, cells: EdgeCells, before: Before },
    /// An edge ceases to exist; the id that a user chose for it, so that nobody needs to look for it. The values under the
    /// sort keys of its lists, likewise.
    DropEdge { e: EdgeRef, id: Option<Value>, before: Before },
}

/// The values that an edge had under the keys by which its lists may lie: mostly none, or that of the sort key. They only say
/// where to look first.
pub(crate) type Before = Vec<(KeyId, Value)>;

/// Stands for the sort key of the label, in logs of a format before 6.
const SORT_KEY: KeyId = KeyId(u16::MAX);

/// The value that an edge had under the key by which one of its lists lies.
pub(crate) fn value_before(before: &Before, key: KeyId) -> Option<&Value> {
    before.iter().find(|(known, _)| *known == key || *known == SORT_KEY).map(|(_, value)| value)
}

const CREATE_VERTEX: u8 = 1;
const DROP_VERTEX: u8 = 2;
const SET_PROPERTY: u8 = 3;
const CREATE_EDGE: u8 = 4;
const UPDATE_EDGE: u8 = 5;
const DROP_EDGE: u8 = 6;
/// The same two of a format before 6, followed by the value that the edge had under the sort key.
const OLD_UPDATE_SORTED_EDGE: u8 = 7;
const OLD_DROP_SORTED_EDGE: u8 = 8;
/// The same two, followed by the values that the edge had under keys by which its lists may lie.
const UPDATE_SORTED_EDGE: u8 = 9;
const DROP_SORTED_EDGE: u8 = 10;

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
                output.optional_value(id.as_ref());
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
                let tag = if before.is_empty() { UPDATE_EDGE } else { UPDATE_SORTED_EDGE };
                encode_edge(tag, e, Some(cells), output);
                encode_before(before, output);
            }
            Self::DropEdge { e, id, before } => {
                let tag = if before.is_empty() { DROP_EDGE } else { DROP_SORTED_EDGE };
                encode_edge(tag, e, None, output);
                output.optional_value(id.as_ref());
                encode_before(before, output);
            }
        }
    }

    pub(crate) fn decode(input: &mut Input<'_>) -> Result<Self, Malformed> {
        Ok(match input.u8()? {
            CREATE_VERTEX => {
                let (v, label) = (VertexRef(input.u32()?), VertexLabelId(input.u16()?));
                Self::CreateVertex { v, label, id: input.optional_value()? }
            }
            DROP_VERTEX => Self::DropVertex { v: VertexRef(input.u32()?) },
            SET_PROPERTY => {
                let (v, key) = (VertexRef(input.u32()?), KeyId(input.u16()?));
                Self::SetProperty { v, key, state: decode_state(input)? }
            }
            CREATE_EDGE => Self::CreateEdge { e: decode_edge(input)?, cells: input.entries()? },
            tag @ (UPDATE_EDGE | OLD_UPDATE_SORTED_EDGE | UPDATE_SORTED_EDGE) => {
                let (e, cells) = (decode_edge(input)?, input.entries()?);
                Self::UpdateEdge { e, cells, before: decode_before(tag, input)? }
            }
            tag @ (DROP_EDGE | OLD_DROP_SORTED_EDGE | DROP_SORTED_EDGE) => {
                let (e, id) = (decode_edge(input)?, input.optional_value()?);
                Self::DropEdge { e, id, before: decode_before(tag, input)? }
            }
            tag => return Err(Malformed::new(format!("no operation has tag {tag}"))),
        })
    }
}

fn encode_before(before: &Before, output: &mut Output) {
    if !before.is_empty() {
        output.entries(before);
    }
}

fn decode_before(tag: u8, input: &mut Input<'_>) -> Result<Before, Malformed> {
    match tag {
        OLD_UPDATE_SORTED_EDGE | OLD_DROP_SORTED_EDGE => Ok(vec![(SORT_KEY, input.value()?)]),
        UPDATE_SORTED_EDGE | DROP_SORTED_EDGE => Ok(input.entries::<Vec<_>>()?),
        _ => Ok(Before::new()),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(encode: impl FnOnce(&mut Output)) -> Op {
        let mut output = Output::default();
        encode(&mut output);
        let mut input = Input::new(&output.bytes);
        let op = Op::decode(&mut input).unwrap();
        input.end().unwrap();
        op
    }

    #[test]
    fn values_that_an_edge_had_come_back_also_from_a_format_that_knew_one_sort_key() {
        let e = EdgeRef { src: VertexRef(1), dst: VertexRef(2), seq: 3, label: 4 };
        let (since, weight) = (KeyId(5), KeyId(6));
        let before = vec![(since, Value::Long(7)), (weight, Value::Long(8))];
        let cells: EdgeCells = vec![(since, Value::Long(9))].into();
        let of = |op: Op| match op {
            Op::UpdateEdge { before, .. } | Op::DropEdge { before, .. } => {
                [since, weight].map(|key| value_before(&before, key).cloned())
            }
            op => panic!("{op:?}"),
        };
        let both = [Some(Value::Long(7)), Some(Value::Long(8))];
        let update = |before| Op::UpdateEdge { e, cells: cells.clone(), before };
        let drop = |before| Op::DropEdge { e, id: Some(Value::Long(1)), before };
        for op in [update(before.clone()), drop(before)] {
            assert_eq!(of(decoded(|output| op.encode(output))), both);
        }
        for op in [update(Before::new()), drop(Before::new())] {
            assert_eq!(of(decoded(|output| op.encode(output))), [None, None]);
        }
        // Whichever key that was, it is by this value that the edge is looked for first.
        let value = Value::Long(7);
        let update = decoded(|output| {
            encode_edge(OLD_UPDATE_SORTED_EDGE, &e, Some(&cells), output);
            output.value(&value);
        });
        let drop = decoded(|output| {
            encode_edge(OLD_DROP_SORTED_EDGE, &e, None, output);
            output.optional_value(None);
            output.value(&value);
        });
        for op in [update, drop] {
            assert_eq!(of(op), [Some(value.clone()), Some(value.clone())]);
        }
    }
}
