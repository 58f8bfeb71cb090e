//! The bodies of replies: whole ones, and those that come in chunks.

use std::{convert::Infallible, pin::Pin};

use futures_util::Stream;
use http_body_util::{Either, Full, StreamBody};
use hyper::body::{Bytes, Frame};

use super::Reply;

/// What comes in chunks.
type Chunks = Pin<Box<dyn Stream<Item = Result<Frame<Bytes>, Infallible>> + Send>>;

/// A body.
pub(super) type Body = Either<Full<Bytes>, StreamBody<Chunks>>;

/// A body that is there.
pub(super) fn whole(bytes: impl Into<Bytes>) -> Body {
    Either::Left(Full::new(bytes.into()))
}

/// A body that is made while it is sent.
pub(super) fn chunked(chunks: impl Stream<Item = Result<Frame<Bytes>, Infallible>> + Send + 'static) -> Body {
    Either::Right(StreamBody::new(Box::pin(chunks)))
}

/// Whether all of a reply is there.
pub(super) fn is_whole(reply: &Reply) -> bool {
    matches!(reply.body(), Either::Left(_))
}
