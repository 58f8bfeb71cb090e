//! The frames of Gremlin Server's WebSocket subprotocol.
//!
//! ```text
//! binary frame   ┌───┬──────────────────────┬─────────────────────────┐
//!                │ n │ mime type, n bytes   │ message in that format  │
//!                └───┴──────────────────────┴─────────────────────────┘
//! text frame     the message as GraphSON 3
//! ```
//!
//! A response has the format and the kind of frame of its request, without the mime type.

use bytes::Bytes;
use tokio_tungstenite::tungstenite::{Message, protocol::frame::Utf8Bytes};

use uuid::Uuid;
use wire::Format;

use crate::reply;

/// Which kind of frame a client uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    Binary,
    Text,
}

/// A message from a client, its format known and its content not yet looked at.
#[derive(Debug, PartialEq)]
pub(super) struct Frame {
    pub(super) kind: FrameKind,
    pub(super) format: Format,
    pub(super) payload: Bytes,
}

/// Why a frame's format is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum FrameError {
    /// The frame ends before the mime type does.
    #[error("the frame ends within its mime type; a binary frame starts with the type's length and the type")]
    Short,
    /// No format of that name.
    #[error(
        "no serializer for mime type [{0}]; try application/vnd.graphbinary-v1.0 or application/vnd.gremlin-v3.0+json"
    )]
    UnknownType(String, Option<Uuid>),
}

impl FrameError {
    /// The id of the request, so that its client knows what the refusal is about.
    pub(super) fn request_id(&self) -> Option<Uuid> {
        match self {
            Self::Short => None,
            Self::UnknownType(_, id) => *id,
        }
    }
}

/// Splits a binary frame.
pub(super) fn binary(mut frame: Bytes) -> Result<Frame, FrameError> {
    let length = usize::from(*frame.first().ok_or(FrameError::Short)?);
    if length == 0 || frame.len() <= length {
        return Err(FrameError::Short);
    }
    let payload = frame.split_off(1 + length);
    let mime = &frame[1..];
    let format = std::str::from_utf8(mime).ok().and_then(Format::from_mime).ok_or_else(|| {
        let mime = String::from_utf8_lossy(mime).into_owned();
        // What its relatives have where they have it.
        let relative = if mime.contains("json") { reply::JSON } else { Format::GraphBinary };
        FrameError::UnknownType(mime, reply::salvage_id(relative, &payload))
    })?;
    Ok(Frame { kind: FrameKind::Binary, format, payload })
}

/// Wraps a text frame.
pub(super) fn text(frame: Utf8Bytes) -> Frame {
    Frame { kind: FrameKind::Text, format: reply::JSON, payload: frame.into() }
}

/// A response as a WebSocket message.
pub(super) fn message(kind: FrameKind, format: Format, response: Vec<u8>) -> Message {
    match kind {
        FrameKind::Text if matches!(format, Format::GraphSon(_)) => match String::from_utf8(response) {
            Ok(text) => Message::text(text),
            Err(error) => Message::binary(error.into_bytes()),
        },
        _ => Message::binary(response),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binary_frame_names_its_format() {
        let mut bytes = vec![16];
        bytes.extend_from_slice(b"application/json{}");
        let frame = binary(bytes.into()).unwrap();
        assert_eq!((frame.format, &frame.payload[..]), (reply::JSON, &b"{}"[..]));
    }

    #[test]
    fn a_frame_that_ends_too_early_or_names_no_known_format_is_refused() {
        assert_eq!(binary(Bytes::new()), Err(FrameError::Short));
        assert_eq!(binary(Bytes::from_static(&[0, 1])), Err(FrameError::Short));
        assert_eq!(binary(Bytes::from_static(&[16, b'a'])), Err(FrameError::Short));
        let unknown = Err(FrameError::UnknownType("xml".into(), None));
        assert_eq!(binary(Bytes::from_static(b"\x03xml<x/>")), unknown);
        assert!(matches!(binary(Bytes::from_static(b"\x01\xff!")), Err(FrameError::UnknownType(..))));
    }
}
