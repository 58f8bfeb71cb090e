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
use futures_util::SinkExt;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{self, Message, protocol::frame::Utf8Bytes},
};

use uuid::Uuid;
use wire::Format;

use crate::{outgoing::FREE, reply};

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

/// Whether the bytes of a message are counted.
pub(super) fn is_large(message: &Message) -> bool {
    message.len() as u64 > FREE
}

/// Sends a [large](is_large) message from where it lies, and what was to be sent before it. The library would copy it into its buffer,
/// which stays as large as the largest message for as long as the connection, and nobody would count that.
pub(super) async fn send_large<S: AsyncRead + AsyncWrite + Unpin>(
    socket: &mut WebSocketStream<S>,
    message: Message,
) -> Result<(), tungstenite::Error> {
    socket.flush().await?;
    let head = large_head(&message);
    let payload = message.into_data();
    let stream = socket.get_mut();
    stream.write_all(&head).await?;
    stream.write_all(&payload).await?;
    socket.flush().await
}

/// What stands before a whole text or binary message of more than 65,535 bytes that a server sends: that it is the last frame of its
/// message, what it has, that its length follows in eight bytes, and the length. It has no mask.
fn large_head(message: &Message) -> [u8; 10] {
    const LAST: u8 = 0x80;
    const EIGHT_BYTES: u8 = 127;
    let content = if message.is_text() { 1 } else { 2 };
    let mut head = [0; 10];
    head[..2].copy_from_slice(&[LAST | content, EIGHT_BYTES]);
    head[2..].copy_from_slice(&(message.len() as u64).to_be_bytes());
    head
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt;
    use tokio_tungstenite::tungstenite::protocol::Role;

    use super::*;

    #[tokio::test]
    async fn a_large_message_stands_among_others_as_any_does() {
        let (server, client) = tokio::io::duplex(4 << 10);
        let mut server = WebSocketStream::from_raw_socket(server, Role::Server, None).await;
        let mut client = WebSocketStream::from_raw_socket(client, Role::Client, None).await;
        let large = vec![b'x'; FREE as usize + 1];
        let text = message(FrameKind::Text, reply::JSON, large.clone());
        let messages = [Message::text("before"), text, Message::binary(large), Message::text("behind")];
        assert_eq!(messages.each_ref().map(is_large), [false, true, true, false]);
        let send = async {
            for message in messages.clone() {
                match is_large(&message) {
                    true => send_large(&mut server, message).await.unwrap(),
                    false => server.feed(message).await.unwrap(),
                }
            }
            server.flush().await.unwrap();
        };
        let read = async {
            for message in &messages {
                assert!(client.next().await.unwrap().unwrap() == *message);
            }
        };
        tokio::join!(send, read);
    }

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
